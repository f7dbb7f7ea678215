# SPDX-License-Identifier: Apache-2.0
"""Debian's gdb-multiarch debugs the C program of a core on a running card, with its source, while Linux's stack talks to it."""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys

import pytest

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.firmware.compile import FIRMWARE, compile_program
from girih.firmware.debug import DebugFault, Debugger, Stop
from girih.firmware.load import load
from girih.firmware.trace import NUMBERS, trace
from girih.paths import ROOT
from tests.test_linux import CARD, HOST, TAP, judge, pytestmark  # noqa: F401  the conditions are the same
from tests.test_linux import Wire as LinuxWire

SECONDS = 120
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
# Sends a datagram again and again until it has received as many answers as told.
CLIENT = """
import socket, sys
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.settimeout(0.5)
udp.connect((sys.argv[1], 7))
left = int(sys.argv[2])
for number in range(200):
    udp.send(b"datagram %d" % number)
    try:
        left -= udp.recv(100).startswith(b"datagram")
    except TimeoutError:
        pass
    if not left:
        break
print(left, udp.getsockname()[1])
"""
# Sends three datagrams.
SENDER = """
import socket, sys
for number in range(3):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"datagram", (sys.argv[1], 7))
"""
# What some instructions leave, by objdump's name, from their operands.
SIMPLE = {"li": lambda a: a, "mv": lambda a: a, "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "and": lambda a, b: a & b, "or": lambda a, b: a | b}


@pytest.fixture(scope="module")
def session(built):
    with Namespace("gdb") as namespace, VirtualCard(built("core")) as card, Session(card) as session:
        session.watch(0, card.open_tap(0, TAP, namespace.path))
        namespace.bring_up(TAP, HOST)
        session.namespace = namespace
        yield session


@pytest.fixture
def wire(session, tmp_path):
    wire = LinuxWire(session, session.namespace, tmp_path / "sent.pcapng")
    yield wire
    judge(wire.sent())
    session.card.check_conservation()


@pytest.fixture
def server(session):
    """Starts `./girih core echo --gdb 0`, and yields the port that it prints."""
    command = [sys.executable, "-m", "girih.cli", "core", "echo", "--gdb", "0", "--socket", str(session.server.path)]
    process = subprocess.Popen(command, env=ENVIRONMENT, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    os.set_blocking(process.stdout.fileno(), False)
    text = b""

    def said() -> bool:
        nonlocal text
        text += process.stdout.read() or b""
        return b"target remote" in text.rpartition(b"\n")[0] or process.poll() is not None

    try:
        session.serve(seconds=SECONDS, until=said)
        found = re.search(rb"target remote 127\.0\.0\.1:(\d+)", text)
        assert found, text.decode()
        process.port = int(found[1])
        yield process
        process.send_signal(signal.SIGINT)
        session.serve(seconds=SECONDS, until=lambda: process.poll() is not None)
        assert process.returncode == 0 and b"runs without a debugger" in (process.stdout.read() or b"")
    finally:
        process.kill()
        process.wait()


def gdb(wire, server, going, *commands, answers=0):
    """Runs the commands in gdb; returns gdb's output and the client's port. Once the file `going` exists, the client sends until it has that many
    answers; without answers to wait for, gdb is interrupted."""
    words = [word for command in ("set pagination off", "set confirm off", f"target remote 127.0.0.1:{server.port}", *commands) for word in ("-ex", command)]
    process = subprocess.Popen(["gdb-multiarch", "-nx", "-batch", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        left, port = "0", ""
        wire.session.serve(seconds=SECONDS, until=going.exists)
        if answers:
            (said,) = wire.run([sys.executable, "-c", CLIENT, CARD, str(answers)])
            left, port = said.split()
        else:
            wire.session.serve(seconds=3)
            process.send_signal(signal.SIGINT)
        wire.session.serve(seconds=SECONDS, until=lambda: process.poll() is not None)
        assert process.poll() is not None, "gdb does not end"
        text = process.communicate()[0]
        assert left == "0", text
        return text, port
    finally:
        process.kill()
        process.wait()


def test_a_program_by_its_source(wire, server, tmp_path):
    """Breakpoints in the source, its lines, its variables and the message. Messages that waited are answered."""
    wire.ping(1)
    text, port = gdb(
        wire, server, going := tmp_path / "going", "break main", "monitor restart", "continue", "break udp_echo.c:21", f"shell touch {going}", "continue", "print source", "print/x *message", "next", "next",
        "info registers sp", "delete", "detach", answers=3,
    )  # fmt: skip
    assert "program.elf" in text and re.search(r"Breakpoint 1, main \(\) at .*udp_echo.c:1\d", text), text
    assert re.search(r"Breakpoint 2, main \(\) at .*udp_echo.c:21\n21\s+if \(source < 1024", text), text
    assert f"$1 = {port}\n" in text, text
    assert re.search(r"length = 0x3[45], l3_offset = 0xe, l4_offset = 0x22, payload_offset = 0x2a", text), text  # "datagram 0" in UDP
    assert "swap(ip + 12, ip + 16, 4);" in text and re.search(r"sp +0x7e00\s", text), text
    assert wire.count("echo.mark_restarts") == 0 and wire.count("echo.mark_refused") == 0


def test_a_program_that_is_loaded_while_another_is_debugged(wire):
    """Breakpoints halt it, too. Two 16-bit breakpoints within one 32-bit instruction would leave half of one behind."""
    registers = wire.session.card.registers
    debugger = Debugger(registers, "echo")
    debugger.attach()
    debugger.why()
    debugger.resume()
    debugger.attach()
    debugger.why()
    load(registers, "echo", compile_program(FIRMWARE / "programs" / "udp_echo.c", memory_bytes=debugger.memory_bytes).image)
    start = debugger.read(0x7C, 12)
    debugger.insert(0x80, 4)
    for address, size in ((0x82, 2), (0x7E, 4), (0x7D, 2)):
        with pytest.raises(DebugFault):
            debugger.insert(address, size)
    debugger.resume()
    for _ in range(1000):
        if debugger.halted():
            break
    assert debugger.why() == Stop.BREAKPOINT
    debugger.remove(0x80)
    assert debugger.read(0x7C, 12) == start
    debugger.detach()
    wire.udp([18, 400])
    assert wire.count("echo.mark_restarts") == 0


def test_a_debugger_that_was_killed_leaves_nothing_behind(wire, tmp_path):
    """The next debugger removes its breakpoints, even after its core has gone on, and restores the registers that the first one was using."""
    registers, notes = wire.session.card.registers, tmp_path / "notes"
    watcher = Debugger(registers, "echo")
    watcher.attach()
    before = watcher.read(0, watcher.program_bytes()), [watcher.register(number) for number in range(1, 32)]
    watcher.detach()
    for halted in (True, False):
        killed = Debugger(registers, "echo", notes=notes)
        killed.attach()
        killed.why()
        killed.insert(0x80, 4)
        killed.insert(0x7C, 4)
        if not halted:
            killed.resume()
        assert notes.exists()
        following = Debugger(registers, "echo", notes=notes)
        following.attach()
        assert (following.read(0, following.program_bytes()), [following.register(number) for number in range(1, 32)]) == before
        following.detach()
        assert not notes.exists()
    wire.udp([18, 400])
    assert wire.count("echo.mark_restarts") == 0


def test_ctrl_c_halts_a_program_that_waits(wire, server, tmp_path):
    wire.ping(1)
    going = tmp_path / "going"
    text, _ = gdb(wire, server, going, f"shell touch {going}", "continue", "stepi", "set var $t6 = 0x1234", "stepi", "print/x $t6", "detach")
    assert "SIGINT" in text and "$1 = 0x1234" in text, text
    wire.udp([18, 400])


def test_a_trace_shows_what_is_executed(wire):
    """Each instruction follows from the one before it, and what simple ones leave in their registers is recomputed from the trace."""
    wire.ping(1)
    count = 200
    debugger = Debugger(wire.session.card.registers, "echo")
    debugger.attach()
    wire.run([sys.executable, "-c", SENDER, CARD])  # datagrams that wait for the core
    text = "\n".join(trace(debugger, count))
    lines = [re.fullmatch(r"([0-9a-f]{8})  (\S+) +(\S+)(?: (.*?))?(?:  +(\w+) = 0x([0-9a-f]{8}))?", line) for line in text.splitlines()]
    assert len(lines) == count and all(lines), text
    values: dict[str, int] = {"zero": 0}
    checked = followed = 0
    for line, after in itertools.pairwise(lines):
        at, _, name, operands, register, value = line.groups()
        step = int(after[1], 16) - int(at, 16)
        if not re.match(r"b|j|ret", name):
            assert step in (2, 4), line[0]
            followed += 1
        if name in SIMPLE and register:
            words = operands.split(" #")[0].split(",")[1:]
            known = [int(word, 0) if word[-1].isdigit() and word not in NUMBERS else values.get(word) for word in words]
            if None not in known:
                assert int(value, 16) == SIMPLE[name](*known) & 0xFFFFFFFF, line[0]
                checked += 1
        if register:
            values[register] = int(value, 16)
    assert followed > count // 2 and checked > 5, text
    assert any(line[2].startswith("main") for line in lines) and any(line[3] in ("sb", "sh") for line in lines), text
    command = [sys.executable, "-m", "girih.cli", "core", "echo", "--trace", "3", "--socket", str(wire.session.server.path)]
    (text,) = wire.run(command)
    assert len(text.splitlines()) == 3 and all(re.match(r"[0-9a-f]{8}  \w", line) for line in text.splitlines()), text
    wire.udp([18, 400])
    assert wire.count("echo.mark_restarts") == 0
