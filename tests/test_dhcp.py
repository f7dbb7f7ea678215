# SPDX-License-Identifier: Apache-2.0
"""The card of `designs/dhcp.yaml` gets its address from busybox's DHCP server, on a wire that loses frames and beside a program that sends garbage,
and loses the address after the server has stopped."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address
from pathlib import Path

import pytest

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.testing import SEED
from tests.tcp_wire import TAP, Wire

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
]

SERVER, CARD, MAC = "10.77.0.1", "10.77.0.77", "02:67:69:72:69:68"
SECOND = 1000  # cycles to a second of the client, so that it retries after some tenths of a real second
SECONDS = 200  # the longest wait
CONFIGURATION = f"""
start {CARD}
end {CARD}
interface {TAP}
lease_file leases
pidfile pid
min_lease 10
opt subnet 255.255.255.0
opt router 10.77.0.254
opt lease 600
"""
# Datagrams to the client's port: random bytes, and some that look like a server's answer but have random fields.
GARBAGE = f"""
import os, random, socket, time
random.seed({SEED})
raw = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
raw.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
raw.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"{TAP}")
while True:
    mac = bytes.fromhex("{MAC}".replace(":", ""))
    fixed = b"\\2\\1\\6\\0" + os.urandom(4) + bytes(8) + os.urandom(12) + mac + bytes(202) + b"\\x63\\x82\\x53\\x63"
    options = b"\\x35\\1" + random.choice([b"\\2", b"\\5", b"\\6"]) + os.urandom(random.randrange(60))
    raw.sendto(random.choice([os.urandom(random.randrange(1400)), fixed + options, (fixed + options)[: random.randrange(300)]]), ("255.255.255.255", 68))
    time.sleep(0.005)
"""


@contextmanager
def running(namespace: Namespace, command: list[str], **options) -> Iterator[None]:
    process = namespace.popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def until(session: Session, holds: Callable[[], bool], what: str) -> None:
    session.serve(seconds=SECONDS, until=holds)
    assert holds(), f"not in {SECONDS} s: {what}"


def address(card: VirtualCard) -> tuple[str, ...]:
    return tuple(str(IPv4Address(card.registers.read(name))) for name in ("ip_rx.ip", "ip_tx.ip", "arp.ip", "ip_rx.netmask", "arp.netmask", "arp.gateway"))


def test_a_card_gets_keeps_and_loses_its_address(built, tmp_path):
    (tmp_path / "server.conf").write_text(CONFIGURATION)
    (tmp_path / "leases").touch()
    server = ["busybox", "udhcpd", "-f", "-I", SERVER, "server.conf"]
    held, none = (*[CARD] * 3, *["255.255.255.0"] * 2, "10.77.0.254"), (*["0.0.0.0"] * 3, *["255.255.255.255"] * 2, "0.0.0.0")
    with Namespace("dhcp") as namespace, VirtualCard(built("dhcp")) as card, Session(card, control=False) as session:
        card.registers.write("dhcp.second_cycles", SECOND)
        session.watch(0, card.open_tap(0, TAP, namespace.path))
        namespace.bring_up(TAP, f"{SERVER}/24")
        for number, direction in enumerate(("in", "out")):
            card.set_faults(0, direction, loss=0.2, duplicate=0.1, corrupt=0.1, seed=SEED + number)

        def counted(name: str) -> int:
            return card.registers.counters("dhcp")["dhcp"][name]

        with running(namespace, [sys.executable, "-c", GARBAGE]):
            with running(namespace, server, cwd=tmp_path):
                until(session, lambda: card.registers.read("ip_rx.ip") != 0, "an address")
                for direction in ("in", "out"):
                    card.set_faults(0, direction)
                until(session, lambda: counted("mark_renewed") >= 2, "renewed twice")
                assert address(card) == held and counted("mark_refused") == 0 and counted("mark_bound") == counted("mark_lost") + 1
            lost = counted("mark_lost") + 1
            until(session, lambda: counted("mark_lost") == lost, "given up")
        session.serve(cycles=2000)
        assert address(card) == none
        assert counted("drop_malformed") > 5 and counted("drop_not_ours") > 5
        with running(namespace, server, cwd=tmp_path):
            until(session, lambda: card.registers.read("ip_rx.ip") != 0, "an address again")
            assert address(card) == held
            wire = Wire(session, namespace)
            (text,) = wire.run(["ping", "-c", "3", "-i", "0.2", CARD])
            assert " 3 received" in text
            (text,) = wire.run([sys.executable, "-m", "girih.card.udp_client", CARD, "7", "12", "4", "200", "1400"])
            assert '"received": 36' in text
        session.finish().judge()
