# SPDX-License-Identifier: Apache-2.0
"""The card of `designs/tcp_echo.yaml` and Linux's own stack with much to send, over bad wires, with small and large segments, and clients that are killed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from girih.testing import SEED
from tests.tcp_wire import CARD, SECONDS, TAP, TCP_INFO, Wire, at_rest, wired

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
]

HOUR = 3600.0
ERROR = 8388608  # tshark's severity of what is wrong in itself
JUMBO = 8960
WINDOW = 8192  # bytes of the card's receive buffers


@pytest.fixture(scope="module")
def card(built):
    with wired(built("tcp_echo"), Wire) as wire:
        yield wire


@pytest.fixture
def wire(card):
    with at_rest(card):
        yield card


@pytest.mark.slow
@pytest.mark.parametrize("size", [10_000_000, pytest.param(1_000_000_000, marks=pytest.mark.thorough)])
def test_much(wire, size):
    """Each way, on one connection."""
    wire.echo(1, size, seconds=2 * HOUR)


BAD_WIRES = [
    {"reorder": 0.1, "reorder_cycles": 5000},
    {"duplicate": 0.1},
    {"corrupt": 0.1},
    {"loss": 0.01},
    {"loss": 0.05},
    {"loss": 0.1},
    {"loss": 0.1, "duplicate": 0.1, "corrupt": 0.1, "reorder": 0.1, "reorder_cycles": 5000},
]


@pytest.mark.thorough
@pytest.mark.parametrize("faults", BAD_WIRES, ids=str)
def test_a_bad_wire(wire, faults):
    """In both directions: nothing is lost or stuck."""
    for direction in ("in", "out"):
        wire.card.set_faults(0, direction, seed=11, **faults)
    wire.echo(4, 20_000, seconds=HOUR)


def largest_segments(wire: Wire) -> list[int]:
    """Bytes of the largest segment that the kernel sends, and that it receives."""
    text = f"""
import socket
{TCP_INFO}
s = socket.create_connection(("{CARD}", 7))
data = bytes(range(256)) * 400
s.sendall(data[:60000])
assert s.recv(60000, socket.MSG_WAITALL) == data[:60000]
print(*tcp_info(s)[1:])
s.close()
"""
    return [int(word) for word in wire.python(text).split()]


@pytest.mark.parametrize("mtu", [576, 1500, 9000])
def test_the_link_has_another_mtu(wire, mtu):
    """Both send segments as large as it permits, with time stamps, but none larger than half of the window, and all bytes come back."""
    wire.card.registers.write("tcp.mss", JUMBO)
    device = wire.namespace.command(["ip", "link", "set", TAP, "mtu"])
    try:
        subprocess.run([*device, str(mtu)], check=True)
        assert largest_segments(wire) == [min(mtu - 52, WINDOW // 2)] * 2
        wire.echo(8, 100_000)
    finally:
        subprocess.run([*device, "9000"], check=True)
        wire.card.registers.write("tcp.mss", 1460)


def test_clients_are_killed(wire, tmp_path):
    """While they connect, and while they send and receive. Another connection does not notice."""
    rng, text = random.Random(SEED), f"""
import socket, threading
s = socket.create_connection(("{CARD}", 7))
def send():
    while True:
        s.sendall(bytes(10000))
threading.Thread(target=send, daemon=True).start()
s.recv(100000, socket.MSG_WAITALL)
print("in the middle", flush=True)
while s.recv(10000):
    pass
"""
    said = [tmp_path / f"said{number}" for number in range(12)]
    with ExitStack() as undo:
        outputs = [undo.enter_context(path.open("w")) for path in said]
        victims = [wire.namespace.popen([sys.executable, "-c", text], stdout=output, stderr=subprocess.STDOUT) for output in outputs]
        for victim in victims:
            undo.callback(victim.wait)
            undo.callback(victim.kill)
        for victim in victims[:6]:
            wire.session.serve(seconds=rng.uniform(0, 0.05))
            victim.send_signal(signal.SIGKILL)
        wire.session.serve(seconds=SECONDS, until=lambda: all(path.read_text() for path in said[6:]))
        assert all(path.read_text() == "in the middle\n" for path in said[6:])
        assert all(victim.poll() is None for victim in victims[6:])
        for victim in victims[6:]:
            victim.send_signal(signal.SIGKILL)
        wire.echo(2, 50_000)


def test_an_expert_finds_no_error(wire, tmp_path):
    """tshark, which sees both directions of a good wire and connections that are half-closed: the card neither makes mistakes nor sends anything again."""
    program = shutil.which("tshark")
    assert program, "tshark is not installed: as root, apt-get install tshark"
    capture = tmp_path / "both.pcapng"
    wire.card.start_capture(capture, ["port0.tx", "port0.rx"])
    wire.echo(1, 500_000)
    wire.echo(16, 3000)
    wire.card.stop_capture()
    fields = [word for name in ("_ws.expert.severity", "_ws.expert.message") for word in ("-e", name)]
    checks = [word for protocol in ("ip", "tcp") for word in ("-o", f"{protocol}.check_checksum:TRUE")]
    command = [program, "-r", str(capture), *checks, "-T", "fields", *fields, "-Y", f"tcp && _ws.expert && ip.src == {CARD}"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    said = [line.split("\t") for line in lines]  # severities and messages, with commas between them
    wrong = [messages for severities, messages in said if "etransmission" in messages or max(map(int, severities.split(","))) >= ERROR]
    assert not wrong, wrong
    total = subprocess.run([program, "-r", str(capture), "-Y", f"tcp && ip.src == {CARD}"], capture_output=True, text=True, check=True).stdout
    assert len(total.splitlines()) > 350
