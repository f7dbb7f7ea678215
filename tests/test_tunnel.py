# SPDX-License-Identifier: Apache-2.0
"""The card of `designs/tunnel.yaml`: Linux's own programs talk to it through an IP-in-IP tunnel, while the tunnel is moved to another entry of its
table again and again. At the other end is Linux's `ip tunnel` where the kernel has it, else `tunnel_end.py`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.paths import ROOT
from tests.test_linux import KERNEL_ERRORS, Wire, judge, kernel_counters

pytestmark = [
    pytest.mark.thorough,  # a card of its own to build; the tiles' own tests are in the default run
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
]

TAP, TUNNEL = "girih0", "girihtun0"
OUTSIDE, CARD, ADDRESS = "10.77.0.2", "192.168.99.2", "192.168.99.1/24"
END = [sys.executable, str(ROOT / "tests" / "tunnel_end.py"), TUNNEL, ADDRESS, OUTSIDE]


@pytest.fixture
def wire(built, tmp_path):
    with Namespace("tunnel") as namespace, VirtualCard(built("tunnel")) as card, Session(card, control=False) as session:
        session.watch(0, card.open_tap(0, TAP, namespace.path))
        namespace.bring_up(TAP, "10.77.0.1/24")
        wire = Wire(session, namespace, tmp_path / "sent.pcapng")
        made = subprocess.run(
            ["ip", "-n", namespace.name, "tunnel", "add", TUNNEL, "mode", "ipip", "remote", OUTSIDE, "local", "10.77.0.1"], capture_output=True
        )
        end = None
        if made.returncode == 0:
            wire.ip("address", "add", ADDRESS, "dev", TUNNEL)
            wire.ip("link", "set", TUNNEL, "up")
        else:
            end = namespace.popen(END, stdout=subprocess.PIPE)
            assert end.stdout.readline().strip() == "ready"
        try:
            yield wire
            judge(wire.sent())
            counted = kernel_counters(namespace)
            assert {name: counted[name] for name in KERNEL_ERRORS} == dict.fromkeys(KERNEL_ERRORS, 0)
            card.check_conservation()
        finally:
            if end is not None:
                end.kill()
                end.wait()


def clients(*sizes: int) -> list[str]:
    return [sys.executable, "-m", "girih.card.udp_client", CARD, "7", "50", *map(str, sizes)]


def test_programs_talk_through_a_tunnel_that_moves(wire):
    """Each change is one write of `enabled`; no packet is lost or wrong."""
    registers = wire.card.registers
    registers.write("ipip_tx.to[2]", 0xC0A86300)
    registers.write("ipip_tx.mask[2]", 0xFFFFFF00)
    registers.write("ipip_tx.remote[2]", 0x0A4D0001)
    registers.write("ipip_rx.remote[3]", 0x0A4D0001)
    pings = ["ping", "-n", "-q", "-c", "200", "-i", "0.004", "-s", "300", CARD]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "env": {**os.environ, "PYTHONPATH": str(ROOT / "python")}}
    running = [wire.namespace.popen(command, **options) for command in (pings, clients(0, 1, 18, 64, 1000, 1452), clients(5, 1400))]
    turn = 0
    while any(process.poll() is None for process in running):
        assert turn < 3000, "the programs do not end"
        turn += 1
        registers.write("ipip_tx.enabled", 1 << 2 * (turn % 2))
        registers.write("ipip_rx.enabled", 1 << 3 * (turn % 2))
        wire.session.serve(seconds=0.03, until=lambda: False)
    text, *answers = [process.communicate()[0] for process in running]
    assert " 0% packet loss" in text, text
    for answer in answers:
        result = json.loads(answer)
        assert result["sent"] == result["received"] > 0 and not result["wrong"], result
    assert turn > 20 and wire.count("ipip_rx.drop_no_tunnel") == wire.count("ipip_tx.drop_no_tunnel") == 0


def test_what_comes_past_the_tunnel_is_dropped(wire):
    """Ping to the outer address, and to the inner one without a tunnel."""
    wire.ip("route", "add", "192.168.99.2/32", "via", OUTSIDE, "dev", TAP)
    before = wire.count("ip_rx.drop_not_ours")
    for address in (OUTSIDE, CARD):
        (text,) = wire.run(["ping", "-n", "-q", "-c", "3", "-i", "0.2", "-W", "1", address])
        assert " 100% packet loss" in text, text
    assert wire.count("ip_rx.drop_no_next_hop") == 3 and wire.count("ip_rx.drop_not_ours") == before + 3
    wire.ip("route", "del", "192.168.99.2/32")
    (text,) = wire.run(["ping", "-n", "-q", "-c", "3", "-i", "0.2", CARD])
    assert " 0% packet loss" in text, text
