# SPDX-License-Identifier: Apache-2.0
"""Applications in C on a whole card: a firewall and a UDP echo serve Linux's own stack, and a program is replaced under traffic."""

from __future__ import annotations

import itertools
import os
import sys
from types import SimpleNamespace

import pytest

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.cli import core
from girih.errors import GirihError
from girih.firmware.compile import FIRMWARE, compile_program
from girih.firmware.load import console, load, state
from tests.test_linux import CARD, HOST, TAP, judge, pytestmark  # noqa: F401  the conditions are the same
from tests.test_linux import Wire as LinuxWire

ECHO = FIRMWARE / "programs" / "udp_echo.c"
STRANGER = "10.77.0.66"  # an address whose packets the firewall drops
ASK = """
import socket, sys
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind((sys.argv[1], 0))
udp.settimeout(float(sys.argv[4]))
udp.sendto(b"question", (sys.argv[2], int(sys.argv[3])))
try:
    print(udp.recv(100).decode())
except TimeoutError:
    print("nothing")
"""


@pytest.fixture(scope="module")
def session(built):
    with Namespace("core") as namespace, VirtualCard(built("core")) as card, Session(card, control=False) as session:
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


def ask(wire, source: str, port: int, seconds: float) -> str:
    (text,) = wire.run([sys.executable, "-c", ASK, source, CARD, str(port), str(seconds)])
    return text.strip()


def test_udp_clients_of_every_size(wire):
    wire.ping(3, "-i", "0.1")
    wire.udp([0, 1, 18, 19, 500], [1472, 64, 1000])
    assert wire.count("firewall.drop_program") == 0
    for tile in ("firewall", "echo"):
        assert wire.count(f"{tile}.mark_restarts") == 0 and state(wire.card.registers, tile).running


def test_the_firewall_refuses_by_address_and_port(wire):
    wire.ip("address", "add", f"{STRANGER}/32", "dev", TAP)
    try:
        assert ask(wire, "10.77.0.1", 7, 10) == "question"
        before = wire.count("firewall.drop_program")
        assert ask(wire, STRANGER, 7, 0.3) == "nothing"
        assert ask(wire, "10.77.0.1", 9, 0.3) == "nothing"
        wire.session.serve(seconds=60, until=lambda: wire.count("firewall.drop_program") >= before + 2)
        assert wire.count("firewall.drop_program") == before + 2
    finally:
        wire.ip("address", "del", f"{STRANGER}/32", "dev", TAP)


def test_a_program_is_replaced_while_the_card_runs(wire, tmp_path):
    source = tmp_path / "loud.c"
    source.write_text(ECHO.read_text().replace("uint16_t source", 'girih_log("%lu bytes\\n", girih_length(message));\n        uint16_t source'))
    registers = wire.card.registers
    load(registers, "echo", compile_program(source, memory_bytes=32768).image)
    assert ask(wire, "10.77.0.1", 7, 10) == "question"
    assert console(registers, "echo") == "50 bytes\n"
    load(registers, "echo", compile_program(ECHO, memory_bytes=32768).image)
    assert ask(wire, "10.77.0.1", 7, 10) == "question"
    assert console(registers, "echo") == ""


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("int main(void) { return x; }", "bad.c:1:25: error: 'x' undeclared"),
        ("int main(void) { int x; return 0; }", "bad.c:1:22: error: unused variable 'x'"),
        ("char big[40000]; int main(void) { return big[0]; }", "the core has 32768. Write memory_bytes: 65536 in the tile, or make it smaller."),
        ("static const char big[40000] = {1}; int main(void) { return big[40]; }", None),  # an object that nothing reads is not linked
    ],
)
def test_what_is_wrong_with_a_program(tmp_path, text, fault):
    """`./girih check` of the design reports it with the file, the line and a remedy."""
    (tmp_path / "bad.c").write_text(text)
    design = tmp_path / "card.yaml"
    design.write_text((FIRMWARE.parent / "designs" / "core.yaml").read_text().replace("udp_echo.c", "bad.c"))
    from girih.compiler.check.card import check_file

    if fault is None:
        check_file(design)
        return
    with pytest.raises(GirihError) as caught:
        check_file(design)
    assert fault in str(caught.value)
    assert "card.yaml:12: tile echo: the program" in str(caught.value)


def test_who_interrupts_the_loading_of_a_program_is_told_that_the_core_may_be_held(monkeypatch, capsys):
    def interrupted(*_words):
        raise KeyboardInterrupt

    monkeypatch.setattr(core.cores, "load_program", interrupted)
    with pytest.raises(KeyboardInterrupt):
        core._load(SimpleNamespace(registers=None), "echo", ECHO)
    assert "echo may be held, with a part of the program. Load it again: ./girih core echo --load" in capsys.readouterr().err


MAIN = "int main(void) { girih_stop(CODE); }\n"


def test_what_a_program_includes_is_part_of_it(tmp_path):
    """Wherever the included file lies and whatever its name; files beside it have no influence."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "queue.h").mkdir()
    (tmp_path / ".#locked.h").symlink_to("nobody@nowhere")
    os.mkfifo(tmp_path / "pipe.h")
    code, source = tmp_path / "parts" / "code.def", tmp_path / "stop.c"
    source.write_text('#include "girih_core.h"\n#include "parts/code.def"\n' + MAIN)
    images = []
    for number in (3, 4, 3):
        code.write_text(f"#define CODE {number}\n")
        images.append(compile_program(source, memory_bytes=32768).image)
    assert images[0] == images[2] != images[1]


UNPROTECTED = """
fabric: crossbar
width: 128
max_frame: 1518
mac: 02:67:69:72:69:68
tiles:
  rx: {kind: eth_rx, next: back}
  back: {kind: core, pmp_regions: 0, program: no_touch.c, next: tx}
  tx: {kind: eth_tx}
"""


def test_a_program_runs_on_a_core_without_memory_protection(tmp_path):
    """Its registers are not even there."""
    design = tmp_path / "unprotected.yaml"
    design.write_text(UNPROTECTED)
    with VirtualCard.open(design) as card:
        card.keep_output(True)
        card.inject(0, bytes.fromhex("026769726968 020000000001 0800") + bytes(50))
        card.run_until_quiet()
        assert len(card.collect(0)) == 1
        assert card.registers.counters()["back"]["mark_restarts"] == 0
        card.check_conservation()


def test_a_program_is_bytes_and_its_name_may_be_long(tmp_path):
    source = tmp_path / f"{'long' * 60}.c"
    images = []
    for byte in (b"\xe8", b"\xe9"):  # Latin-1, in a comment and as the code
        source.write_bytes(b"// caf\xe9\n#include \"girih_core.h\"\n#define CODE '" + byte + b"'\n" + MAIN.encode())
        images.append(compile_program(source, memory_bytes=32768).image)
    assert images[0] != images[1]
    source.write_bytes(b"int main(void) { return caf\xe9; }\n")
    with pytest.raises(GirihError, match="c:1:25: error"):
        compile_program(source, memory_bytes=32768)


class Flooded:
    """The registers of a core whose program writes its console faster than it is read."""

    def __init__(self, text: bytes):
        self.letters = itertools.cycle(text)

    def read_window(self, tile: str, offset: int) -> int:
        return 1 << 8 | next(self.letters)


def test_a_console_ends_and_commands_no_terminal():
    text = console(Flooded(b"\x1b]0;owned\x07\t\xff \xc3\xa9\r\n"), "echo")
    assert text.startswith("\\x1b]0;owned\\x07\t\\xff \u00e9\\x0d\n") and len(text) < 4 * 2048
