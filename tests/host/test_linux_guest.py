# SPDX-License-Identifier: Apache-2.0
"""A Linux kernel in User-Mode Linux or QEMU, with its own virtio-net driver, behind the card of designs/nic.yaml: it gets an address, pings through
the card's RTL, fetches a file and sends it back, and the file arrives whole both ways."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import termios
from contextlib import ExitStack
from functools import partial

import pytest

from girih.card import VirtualCard
from girih.card.cable import attach, host_addresses
from girih.card.guest import guest_root, start_guest, status
from girih.card.guest_ways import WAYS, Device, chosen
from girih.card.host import RECEIVE, SEND
from girih.card.session import Session
from girih.card.vhost_user import (
    CONTROL,
    EVENT_INDEX,
    FEATURES,
    IN_ORDER,
    INDIRECT,
    NET_CSUM,
    NET_HOST_USO,
    NET_MQ,
    NET_MRG_RXBUF,
    NET_NOTF_COAL,
    PROTOCOL_FEATURES,
    RING_PACKED,
    SEGMENTS,
    VhostUser,
)
from girih.paths import ROOT
from girih.testing import SEED
from tests.commands import command, needs_tap, options, running, wait_for
from tests.test_linux import kernel_counters

SECONDS = 150  # far longer than a guest takes
ADDRESS = "10.77.0.9"  # that DHCP gives the guest
TRANSPORT = 1 << PROTOCOL_FEATURES  # a feature of vhost-user, not of virtio
RECENT = 1 << NET_HOST_USO | 1 << IN_ORDER  # features that Linux 6.1 does not know
PACKED, EVENTS, SUMS, MERGEABLE, TABLES = (1 << bit for bit in (RING_PACKED, EVENT_INDEX, NET_CSUM, NET_MRG_RXBUF, INDIRECT))
# Features that QEMU offers by itself, whatever the card offers: CTRL_GUEST_OFFLOADS, STATUS, CTRL_VQ, CTRL_RX, CTRL_VLAN, GUEST_ANNOUNCE,
# CTRL_MAC_ADDR. It serves the control queue itself, and does not know NOTF_COAL.
OF_QEMU = sum(1 << bit for bit in (2, 16, 17, 18, 19, 21, 23)) | 1 << NET_NOTF_COAL
SCRIPT = """
cat /sys/bus/virtio/devices/virtio0/features
echo address $(cat /sys/class/net/eth0/address) carrier $(cat /sys/class/net/eth0/carrier)
ping -c 3 -i 0.2 10.77.0.1
for turn in 1 2; do wget -q -O /tmp/got http://10.77.0.1:8000/file && sha256sum /tmp/got; done
nc 10.77.0.1 9000 </tmp/got
"""
TAKES = """
import hashlib, socket, sys
with socket.create_server(("10.77.0.1", 9000)) as listener:
    print("ready")
    while True:
        with listener.accept()[0] as taken, open(sys.argv[1], "a") as sums:
            print(hashlib.sha256(b"".join(iter(lambda: taken.recv(65536), b""))).hexdigest(), file=sums)
"""
PAIRS_CARD = ROOT / "experiments" / "cards" / "nic_pairs.yaml"
# Fetched at once; the four processors take turns. Ports are random: of eight connections, two pairs of four would get all once in 40 times, of sixteen hardly ever.
FILES = 16
MANY = f"""
cat /sys/bus/virtio/devices/virtio0/features
echo queues $(ls -d /sys/class/net/eth0/queues/rx-* | wc -l) $(ls -d /sys/class/net/eth0/queues/tx-* | wc -l)
for turn in {' '.join(map(str, range(FILES)))}; do taskset -c $((turn % 4)) wget -q -O /tmp/got$turn http://10.77.0.1:8000/file & done
wait
sha256sum /tmp/got*
"""
LEASE = f"""start {ADDRESS}
end {ADDRESS}
interface girih0
lease_file FOLDER/leases
pidfile FOLDER/pid
option subnet 255.255.255.0
"""
FITTING = [name for name, way in WAYS.items() if way.why_not() is None]
GUESTS = [pytest.param(name, marks=[pytest.mark.thorough] if name != chosen().name else []) for name in FITTING]


def taken(text: str) -> int:
    """The features that the guest's driver has accepted: sysfs prints a character for each bit."""
    bits = next(line for line in text.splitlines() if len(line) >= 64 and set(line.strip()) <= {"0", "1"})
    return sum(1 << number for number, bit in enumerate(bits) if bit == "1")


def server(stack: ExitStack, cable, words: list[str], says: str | None = None) -> None:
    """Starts a program at the other end of the card's cable; it is killed when the stack is closed."""
    process = cable.namespace.popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    stack.callback(process.wait)
    stack.callback(process.kill)
    assert says is None or process.stdout.readline().startswith(says)


@needs_tap
@pytest.mark.parametrize("way", GUESTS)
@pytest.mark.parametrize("offers", [(FEATURES, FEATURES & ~PACKED & ~EVENTS & ~SUMS & ~SEGMENTS & ~MERGEABLE & ~TABLES & ~CONTROL), pytest.param((FEATURES & ~EVENTS, FEATURES & ~PACKED), marks=pytest.mark.thorough)])
def test_a_linux_guest_gets_an_address_pings_and_fetches_a_file(built, tmp_path, offers, way):
    """Two guests in succession: the second, started by `./girih guest`, comes after the first has gone, and is offered other features."""
    serve_two_guests(built("nic"), tmp_path, offers, way)


@needs_tap
@pytest.mark.thorough
@pytest.mark.parametrize("way", FITTING)
def test_a_linux_guest_works_without_segmentation(unsegmented, tmp_path, way):
    serve_two_guests(unsegmented, tmp_path, (FEATURES, FEATURES & ~PACKED), way)


def serve_two_guests(folder, tmp_path, offers, way):
    data = random.Random(SEED).randbytes(300_000)
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "file").write_bytes(data)
    (tmp_path / "udhcpd.conf").write_text(LEASE.replace("FOLDER", str(tmp_path)))
    complaints: list[str] = []
    cut: list[int] = []
    with ExitStack() as stack:
        card = stack.enter_context(VirtualCard(folder))
        mac = card.manifest.addresses["mac"]
        (cable,) = attach(stack, card, dict(enumerate(host_addresses(card.manifest, []))))
        session = stack.enter_context(Session(card, say=complaints.append))
        session.watch(cable.port, cable.descriptor)
        vhost = session.guest = VhostUser(card, tmp_path / "nic.sock", complaints.append)
        stack.callback(session.disconnect)
        server(stack, cable, [sys.executable, "-u", "-m", "http.server", "8000", "--directory", str(tmp_path / "www")], "Serving HTTP")
        server(stack, cable, [sys.executable, "-u", "-c", TAKES, str(tmp_path / "sums")], "ready")
        server(stack, cable, ["busybox", "udhcpd", "-f", str(tmp_path / "udhcpd.conf")])
        for features, starts in zip(offers, (by_lease, by_command), strict=True):
            vhost.features = features
            with open(tmp_path / "log", "w") as log:
                guest = starts(tmp_path, way, mac, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
                stack.callback(guest.wait)
                stack.callback(guest.kill)
                session.serve(seconds=SECONDS, until=partial(ended, guest))
            text = (tmp_path / "log").read_text(errors="replace")
            print(text)
            assert (status(tmp_path / "root", guest) if starts is by_lease else guest.returncode) == 0, text
            others = TRANSPORT | RECENT | (OF_QEMU if way == "qemu" else 0)
            offered = features if card.host.segments else features & ~SEGMENTS
            assert taken(text) & ~others == offered & ~others, text
            assert f"address {mac} carrier 1" in text, text
            assert "3 packets transmitted, 3 packets received" in text, text
            assert text.count(hashlib.sha256(data).hexdigest()) == 2, text
            # The file that is sent back is cut into segments by the card if it is offered, and only then.
            cut.append(card.registers.counters("host")["host"]["mark_cut"] - sum(cut))
            assert cut[-1] > 5 if offered & SEGMENTS else cut[-1] == 0, cut
        assert {name for name, count in kernel_counters(cable.namespace).items() if name.endswith(".InCsumErrors") and count} == set()
        assert (tmp_path / "sums").read_text().split() == 2 * [hashlib.sha256(data).hexdigest()]
        account = session.finish()
        account.judge()
        stats = card.host.stats
        assert not complaints and stats.outside == 0 and stats.lost_calls == 0
        assert card.registers.counters("host")["host"]["used_frames"] > 4 * len(data) // 1500


@needs_tap
@pytest.mark.skipif("qemu" not in FITTING, reason="QEMU cannot run here")
def test_a_linux_guest_uses_several_pairs(tmp_path):
    """Its driver finds four pairs and sets them up through QEMU's control queue; three pairs or four receive, and more than one sends."""
    data = random.Random(SEED).randbytes(30_000)
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "file").write_bytes(data)
    with ExitStack() as stack:
        card = stack.enter_context(VirtualCard.open(PAIRS_CARD))
        (cable,) = attach(stack, card, dict(enumerate(host_addresses(card.manifest, []))))
        complaints: list[str] = []
        session = stack.enter_context(Session(card, say=complaints.append))
        session.watch(cable.port, cable.descriptor)
        session.guest = VhostUser(card, tmp_path / "nic.sock", complaints.append)
        stack.callback(session.disconnect)
        server(stack, cable, [sys.executable, "-u", "-m", "http.server", "8000", "--directory", str(tmp_path / "www")], "Serving HTTP")
        with open(tmp_path / "log", "w") as log:
            words = command("guest", tmp_path / "nic.sock", "--with", "qemu", "--address", "10.77.0.2/24", "--run", MANY)
            guest = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
            stack.callback(guest.wait)
            stack.callback(guest.kill)
            session.serve(seconds=SECONDS, until=partial(ended, guest))
        text = (tmp_path / "log").read_text(errors="replace")
        assert guest.returncode == 0, text
        assert taken(text) >> NET_MQ & 1 and "queues 4 4" in text, text
        assert text.count(hashlib.sha256(data).hexdigest()) == FILES, text
        frames = [card.host.queue_stats(number).frames for number in range(2 * card.host.pairs)]
        assert sum(count > 0 for count in frames[RECEIVE::2]) > 2 and sum(count > 0 for count in frames[SEND::2]) > 1, frames
        counters = card.registers.counters("host")["host"]
        assert (sum(frames[RECEIVE::2]), sum(frames[SEND::2])) == (counters["used_frames"], counters["made_frames"])
        assert not complaints and card.host.stats.outside == 0


@pytest.mark.parametrize("way", GUESTS)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_guest_whose_card_ends_first_is_ended_and_told(built, tmp_path, number, way):
    """Its driver would wait for the card for ever. The terminal has its mode again, which a guest changes."""
    path = tmp_path / "nic.sock"
    terminal, inner = os.openpty()
    mode = termios.tcgetattr(inner)
    with running(built("nic"), "--vhost-user", path) as (card, _client), open(tmp_path / "log", "w+") as log:
        words = command("guest", path, "--with", way, "--run", "echo it runs; sleep 1000")
        guest = subprocess.Popen(words, **options() | {"stdin": inner, "stdout": log})
        try:
            wait_for(lambda: (tmp_path / "log").read_text(errors="replace"), lambda text: "it runs" in text, SECONDS)
            assert termios.tcgetattr(inner) != mode
            card.send_signal(number)
            _, errors = guest.communicate(timeout=30)
            assert termios.tcgetattr(inner) == mode
        finally:
            guest.terminate()
            guest.wait()
            os.close(inner)
            os.close(terminal)
    assert guest.returncode == 2 and errors.endswith("guest: the card has ended, and its guest with it. Start the card again, and then the guest.\n")


def by_lease(folder, way: str, mac: str, **options) -> subprocess.Popen:
    """A guest that gets its address by DHCP."""
    how = WAYS[way]
    root = guest_root(folder / "root", f"udhcpc -q -n -i eth0 -s /lib/lease\nip address show dev eth0 | grep {ADDRESS}/24 || poweroff -f\n{SCRIPT}", way=how)
    return start_guest(root, folder / "nic.sock", how, Device(mac), **options)


def by_command(folder, way: str, _mac: str, **options) -> subprocess.Popen:
    return subprocess.Popen(command("guest", folder / "nic.sock", "--with", way, "--address", "10.77.0.2/24", "--run", SCRIPT), **options)


def ended(guest: subprocess.Popen) -> bool:
    return guest.poll() is not None
