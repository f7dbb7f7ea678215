# SPDX-License-Identifier: Apache-2.0
"""A cluster of cores on a whole card serves Linux's own stack: answers are in order, the other cores take over for one that is held, and a program is
replaced under traffic."""

from __future__ import annotations

import sys

import pytest

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.firmware.compile import FIRMWARE, compile_program
from girih.firmware.load import console, hold, load, start, state
from tests.test_linux import CARD, HOST, TAP, judge, pytestmark  # noqa: F401  the conditions are the same
from tests.test_linux import Wire as LinuxWire

CORES = 4
ECHO = FIRMWARE / "programs" / "udp_echo.c"
# Sends numbered datagrams, six in flight (fewer than a core has slots for a flow), and prints whether all came back in order.
COUNT = """
import socket, sys
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.settimeout(10)
udp.connect((sys.argv[1], 7))
numbers = []
for number in range(200):
    udp.send(b"%d" % number)
    if number >= 5:
        numbers.append(int(udp.recv(100)))
while len(numbers) < 200:
    numbers.append(int(udp.recv(100)))
print(numbers == list(range(200)))
"""


@pytest.fixture(scope="module")
def session(built):
    with Namespace("cluster") as namespace, VirtualCard(built("cluster")) as card, Session(card, control=False) as session:
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


def test_udp_clients_of_every_size(wire):
    wire.ping(3, "-i", "0.1")
    wire.udp([0, 1, 18, 19, 500], [1472, 64, 1000])
    registers = wire.card.registers
    assert all(state(registers, "echo", core).running for core in range(CORES)) and wire.count("echo.mark_restarts") == 0


def test_a_client_gets_its_answers_in_order(wire):
    wire.ping(1)
    (answer,) = wire.run([sys.executable, "-c", COUNT, CARD])
    assert answer.strip() == "True"


def test_cores_that_are_held_are_not_missed(wire):
    registers = wire.card.registers
    for core in range(CORES - 1):
        hold(registers, "echo", core)
        wire.udp([1, 400], [18])
    assert [state(registers, "echo", core).running for core in range(CORES)] == [False] * (CORES - 1) + [True]
    for core in range(CORES - 1):
        start(registers, "echo", core)
    assert wire.count("echo.drop_reset") == 0


def test_all_cores_get_a_new_program(wire, tmp_path):
    source = tmp_path / "loud.c"
    source.write_text(ECHO.read_text().replace("    for (;;) {", '    girih_log("core %lu\\n", girih_core());\n    for (;;) {', 1))
    registers = wire.card.registers
    load(registers, "echo", compile_program(source, memory_bytes=32768).image)
    wire.udp([1, 400], [18])
    assert [console(registers, "echo", core) for core in range(CORES)] == [f"core {core}\n" for core in range(CORES)]
    load(registers, "echo", compile_program(ECHO, memory_bytes=32768).image)
    wire.udp([1, 400], [18])
