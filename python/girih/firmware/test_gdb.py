# SPDX-License-Identifier: Apache-2.0
"""The server answers gdb, or any other client, for a core that is a model; tests/test_gdb.py has a real gdb and a real core."""

import re
import socket
import threading
from pathlib import Path

import pytest

from girih.errors import GirihError
from girih.firmware.debug import DebugFault, Debugger, Stop
from girih.firmware.gdb import GdbServer, description
from girih.firmware.load import CONSOLE_BYTES

SYMBOLS = "/tmp/a }#$* folder/pr\u00f6gramm.elf"  # with the characters that have a meaning in gdb's packets


class Fake:
    """A core that is halted after each step, with 256 bytes of memory."""

    registers, tile, core = None, "fake", 0
    leave = Debugger.leave

    def __init__(self):
        self.memory, self.pc, self.attached = bytearray(range(256)), 0x80, 0
        self.left = False
        self.stays = True  # halts after each step; else when it is asked to
        self.running = True

    def attach(self):
        self.attached += 1

    def detach(self):
        assert self.running
        self.left = True

    def restart(self):
        self.pc = 0x80

    def halt(self):
        self.stays = True

    def halted(self):
        return self.stays

    def runs(self):
        return self.running

    def abandon(self):
        self.left = True

    def gone(self):
        return None

    def resume(self, step=False):
        self.pc += 2

    def why(self):
        return Stop.STEP

    def register(self, number):
        return number << 8

    def set_register(self, number, value):
        pass

    def csr(self, number):
        return self.pc

    def set_csr(self, number, value):
        self.pc = value

    def read(self, address, size):
        if address + size > len(self.memory):
            raise DebugFault("beyond")
        return bytes(self.memory[address : address + size])

    def write(self, address, data):
        if address + len(data) > len(self.memory):
            raise DebugFault("beyond")
        self.memory[address : address + len(data)] = data

    def insert(self, address, size):
        self.read(address, size)

    def remove(self, address):
        pass


@pytest.fixture
def core(monkeypatch):
    monkeypatch.setattr("girih.firmware.gdb.console", lambda *_: "")
    fake = Fake()
    with GdbServer(fake, lambda _: Path(SYMBOLS)) as server:
        thread = threading.Thread(target=server.serve_one)
        thread.start()
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as fake.socket:
            yield fake
        thread.join(10)
    assert not thread.is_alive() and fake.attached == 1 and fake.left


def packet(text):
    return b"$" + text.encode() + b"#" + f"{sum(text.encode()) & 0xFF:02x}".encode()


def ask(core, text):
    """The answer to a packet with a correct checksum."""
    core.socket.sendall(packet(text))
    received = b""
    while b"#" not in received[:-2]:
        data = core.socket.recv(4096)
        assert data, "the server has gone"
        received += data
    body, check = received[2:-3], received[-2:]
    assert received.startswith(b"+$") and f"{sum(body) & 0xFF:02x}".encode() == check and not re.search(rb"[#$*]", body)
    return re.sub(rb"(?s)}(.)", lambda found: bytes([found[1][0] ^ 0x20]), body).decode()


def test_registers_and_memory(core):
    assert ask(core, "?") == "S05" and ask(core, "p2") == "00020000" and ask(core, "p20") == "80000000"
    assert ask(core, "m10,4") == "10111213" and ask(core, "mfc,8") == "fcfdfeff"
    assert ask(core, "M10,2:aabb") == "OK" and ask(core, "m10,4") == "aabb1213"
    assert ask(core, "vCont;s:1") == "T052:00020000;20:82000000;"
    assert ask(core, "P20=40000000") == "OK" and ask(core, "p20") == "40000000"
    assert ask(core, "qRcmd," + b"restart".hex()) == "OK" and ask(core, "p20") == "80000000" and "restart" in bytes.fromhex(ask(core, "qRcmd,00")).decode()
    assert ask(core, "Z0,10,2") == "OK" and ask(core, "z0,10,2") == "OK" and ask(core, "D") == "OK"


def test_gdb_finds_the_symbols_and_the_registers_piece_by_piece(core):
    assert ask(core, "qXfer:exec-file:read::0,fff") == "l" + SYMBOLS
    text, at = "", 0
    while piece := ask(core, f"qXfer:features:read:target.xml:{at:x},100"):
        text, at = text + piece[1:], at + 0x100
        if piece[0] == "l":
            break
    assert text == description()


@pytest.mark.parametrize("text", ["m", "mzz,1", "m1", "Mx", "M10,1:zz", "p", "pzz", "p99", "P", "P20=", "P20", "qRcmd,x", "Z0,zz,2", "qXfer:features:read:x", "cxyz", "p-1", "P-1=00000000", "m10,-4", "m+10,1", "m1_0,1", "Z0,-2,2"])
def test_what_cannot_be_read_is_refused(core, text):
    assert ask(core, text) == "E16"
    assert ask(core, "m10,4") == "10111213"


@pytest.mark.parametrize("text", ["mfff,4", "m100,1", "Mff,2:aabb", "Z0,1000,2", "mffffffffffffffff,1"])
def test_what_is_not_there_is_refused(core, text):
    assert ask(core, text) == "E0e"


@pytest.mark.parametrize("text", ["vKill;1", "X10,0:", "Z1,10,2", "qTStatus", "!", "\x7f"])
def test_what_is_unknown_has_no_answer(core, text):
    assert ask(core, text) == ""


def test_a_register_is_not_changed_if_the_server_does_not_say_so(core):
    """gdb then writes them one by one."""
    assert ask(core, "G" + "00" * 128) == ""


def test_ctrl_c_along_with_the_command(core):
    core.stays = False
    core.socket.sendall(packet("c") + b"\x03")
    received = b""
    while b"#" not in received[:-2]:
        received += core.socket.recv(4096)
    assert received.startswith(b"+$T05")


def test_gdb_goes_while_the_core_is_held(core):
    """As while another program is loaded: the server waits for the next gdb, and the core is left without a debugger."""
    core.stays = core.running = False
    core.socket.sendall(packet("c"))


def test_damaged_packets_are_asked_for_again(core):
    core.socket.sendall(b"nonsense$m10,4#00")
    assert core.socket.recv(1) == b"-"
    core.socket.sendall(b"x" * 3 * CONSOLE_BYTES)
    assert ask(core, "m10,4") == "10111213"


def test_a_port_that_is_taken():
    with GdbServer(Fake(), lambda _: None) as server, pytest.raises(GirihError, match="cannot be used"):
        GdbServer(Fake(), lambda _: None, server.port)
