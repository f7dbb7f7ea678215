# SPDX-License-Identifier: Apache-2.0
"""A Linux kernel with its own virtio-net driver (User-Mode Linux) behind the card of designs/nic.yaml: it pings through the card's RTL, and fetches a
file that arrives whole."""

from __future__ import annotations

import hashlib
import random
import re
import subprocess
import sys
from contextlib import ExitStack
from functools import partial

import pytest

from girih.card import VirtualCard
from girih.card import guest as guests
from girih.card.cable import attach, host_addresses
from girih.card.guest import guest_root, start_guest
from girih.card.session import Session
from girih.card.vhost_user import EVENT_INDEX, FEATURES, NET_CSUM, PROTOCOL_FEATURES, RING_PACKED, VhostUser
from girih.errors import GirihError
from girih.testing import SEED
from tests.commands import needs_tap

AMX = re.search("has AMX", str(guests.why_not()))  # a kernel that is not installed is no reason to skip the test
needs_guest = pytest.mark.skipif(bool(AMX), reason="the guest's kernel does not run on a processor with AMX")

SECONDS = 90  # far longer than a guest takes
TRANSPORT = 1 << PROTOCOL_FEATURES  # what is not virtio's
SCRIPT = """
cat /sys/bus/virtio/devices/virtio0/features
ip address add 10.77.0.2/24 dev eth0
ping -c 3 -i 0.2 10.77.0.1
for turn in 1 2; do wget -q -O /tmp/got http://10.77.0.1:8000/file && sha256sum /tmp/got; done
"""


def ended(guest: subprocess.Popen) -> bool:
    return guest.poll() is not None


def taken(text: str) -> int:
    """The features that the guest's driver has taken, a character for each."""
    bits = next(line for line in text.splitlines() if len(line) >= 64 and set(line) <= {"0", "1"})
    return sum(1 << number for number, bit in enumerate(bits) if bit == "1")


PACKED, EVENTS, SUMS = 1 << RING_PACKED, 1 << EVENT_INDEX, 1 << NET_CSUM


def test_a_processor_with_which_guests_cannot_run_is_told(tmp_path, monkeypatch):
    (tmp_path / "6.1.176").mkdir()
    (tmp_path / "cpuinfo").write_text("processor : 0\nflags\t\t: fpu avx512f amx_bf16 amx_tile\n")
    monkeypatch.setattr(guests, "MODULES", tmp_path)
    monkeypatch.setattr(guests, "CPU", tmp_path / "cpuinfo")
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(GirihError, match=r"the guest's kernel, 6.1.176, cannot save the registers of this processor, which has AMX. Run guests on a processor"):
        guest_root(tmp_path / "root", "")
    (tmp_path / "cpuinfo").write_text("processor : 0\nflags\t\t: fpu avx512f amx_bf16\n")
    assert guests.why_not() is None
    (tmp_path / "6.1.176").rename(tmp_path / "6.13.2")
    (tmp_path / "cpuinfo").write_text("flags : amx_tile\n")
    assert guests.why_not() is None


@needs_tap
@needs_guest
@pytest.mark.parametrize("offers", [(FEATURES, FEATURES & ~PACKED & ~EVENTS & ~SUMS), pytest.param((FEATURES & ~EVENTS, FEATURES & ~PACKED), marks=pytest.mark.thorough)])
def test_a_linux_guest_pings_and_fetches_a_file(built, tmp_path, offers):
    """Twice: the second guest comes to the card after the first has gone, and is offered other features."""
    data = random.Random(SEED).randbytes(300_000)
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "file").write_bytes(data)
    complaints: list[str] = []
    with ExitStack() as stack:
        card = stack.enter_context(VirtualCard(built("nic")))
        (cable,) = attach(stack, card, dict(enumerate(host_addresses(card.manifest, []))))
        session = stack.enter_context(Session(card, say=complaints.append))
        session.watch(cable.port, cable.descriptor)
        vhost = session.guest = VhostUser(card, tmp_path / "nic.sock", complaints.append)
        stack.callback(session.disconnect)
        server = cable.namespace.popen(
            [sys.executable, "-u", "-m", "http.server", "8000", "--directory", str(tmp_path / "www")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        stack.callback(server.wait)
        stack.callback(server.kill)
        assert server.stdout.readline().startswith("Serving HTTP")
        for number, features in enumerate(offers):
            vhost.features = features
            root = guest_root(tmp_path / f"root{number}", SCRIPT)
            with open(tmp_path / "log", "w") as log:
                guest = start_guest(root, tmp_path / "nic.sock", stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
                stack.callback(guest.wait)
                stack.callback(guest.kill)
                session.serve(seconds=SECONDS, until=partial(ended, guest))
            text = (tmp_path / "log").read_text(errors="replace")
            assert taken(text) == features & ~TRANSPORT, text
            assert "3 packets transmitted, 3 packets received" in text, text
            assert text.count(hashlib.sha256(data).hexdigest()) == 2, text
        account = session.finish()
        account.judge()
        stats = card.host.stats
        assert not complaints and stats.outside == 0 and stats.lost_calls == 0
        assert card.registers.counters("host")["host"]["used_frames"] > 4 * len(data) // 1500
