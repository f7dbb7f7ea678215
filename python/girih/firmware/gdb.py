# SPDX-License-Identifier: Apache-2.0
"""A server of gdb's remote serial protocol for a processor core of a running card: `target remote 127.0.0.1:PORT` (GDB manual, appendix E)."""

from __future__ import annotations

import os
import re
import select
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from girih.card.registers import AccessRefused
from girih.errors import GirihError
from girih.firmware.debug import DPC, REGISTERS, DebugFault, Debugger, Stop
from girih.firmware.load import console

PACKET_BYTES = 4096
POLL_SECONDS = 0.01
EXPEDITED = (2, REGISTERS)  # the stack pointer and the program counter, which gdb wants at each stop
INTERRUPT = b"\x03"
HEXADECIMAL = re.compile(r"[0-9a-fA-F]+").fullmatch  # int() takes signs, spaces and underscores, too
ESCAPED = re.compile(rb"[#$}*]")  # bytes with a meaning in a packet
REFUSED, MALFORMED = "E0e", "E16"  # EFAULT, EINVAL
NAMES = ["zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "fp", "s1", *(f"a{i}" for i in range(8)), *(f"s{i}" for i in range(2, 12)), *(f"t{i}" for i in range(3, 7))]
CSRS = {"mstatus": 0x300, "mtvec": 0x305, "mepc": 0x341, "mcause": 0x342, "mtval": 0x343, "mcycle": 0xB00}
POINTERS = {"ra": "code_ptr", "sp": "data_ptr", "gp": "data_ptr", "fp": "data_ptr"}


def description() -> str:
    """The description of the processor for gdb: registers 0 to 31, the program counter, and some control and status registers."""
    general = "".join(f'<reg name="{name}" bitsize="32" type="{POINTERS.get(name, "int")}" regnum="{i}"/>' for i, name in enumerate(NAMES))
    general += f'<reg name="pc" bitsize="32" type="code_ptr" regnum="{REGISTERS}"/>'
    special = "".join(f'<reg name="{name}" bitsize="32" type="int" regnum="{REGISTERS + 1 + i}" group="csr"/>' for i, name in enumerate(CSRS))
    features = f'<feature name="org.gnu.gdb.riscv.cpu">{general}</feature><feature name="org.gnu.gdb.riscv.csr">{special}</feature>'
    return f'<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0"><architecture>riscv:rv32</architecture>{features}</target>'


def listen(port: int, name: str = "PORT") -> socket.socket:
    """A listener at a TCP port of the loopback address; 0: a free one. name: of the port in the remedy. Raises GirihError if it is taken."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        raise GirihError(f"port {port} cannot be used: {error}", "--gdb", f"Name another one: --gdb {name}") from error


class GdbServer:
    """Serves one gdb after the other. While none is connected, the core runs without a debugger."""

    def __init__(self, debugger: Debugger, elf: Callable[[Debugger], Path | None], port: int | socket.socket = 0):
        """elf: finds the file with the symbols of the program. port: as for `listen`, or its result. Raises GirihError if it is taken."""
        self.debugger, self._elf = debugger, elf
        self._listener = listen(port) if isinstance(port, int) else port
        self._connection: socket.socket | None = None
        self.port = self._listener.getsockname()[1]

    def __enter__(self) -> GdbServer:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._listener.close()

    def serve_one(self) -> None:
        """Waits for a gdb, and serves it until it disconnects. Raises GirihError if the core cannot be halted."""
        while not select.select([self._listener], [], [], 1.0)[0]:
            self.debugger.gone()  # which raises GirihError if the card has ended
        connection, _ = self._listener.accept()
        with connection:
            self._connection = connection
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _Connection(self.debugger, connection, self._elf).serve()

    def disconnect(self) -> None:
        """Ends the connection to a gdb, for which another thread may be serving it."""
        if self._connection:
            with suppress(OSError):  # it has been closed already
                self._connection.shutdown(socket.SHUT_RDWR)


class _Connection:
    def __init__(self, debugger: Debugger, connection: socket.socket, elf: Callable[[Debugger], Path | None]):
        self.debugger, self._socket, self._elf = debugger, connection, elf
        self._received = b""
        self._acknowledges = True
        self._last = "S05"
        self._ended = False

    def serve(self) -> None:
        self.debugger.attach()
        try:
            self.debugger.why()
            while not self._ended and (packet := self._packet()) is not None:
                try:
                    self._send(self._answer(packet))
                except (DebugFault, AccessRefused):
                    self._send(REFUSED)
                except (ValueError, IndexError):
                    self._send(MALFORMED)
        except ConnectionError:
            pass
        finally:
            self.debugger.leave()

    # Packets.

    def _packet(self) -> str | None:
        """The next packet; None if gdb has disconnected. Asks again for a damaged packet."""
        while True:
            start = self._received.find(b"$")
            end = self._received.find(b"#", start)
            if 0 <= start < end and len(self._received) >= end + 3:
                body, check = self._received[start + 1 : end], self._received[end + 1 : end + 3]
                self._received = self._received[end + 3 :]
                good = f"{sum(body) & 0xFF:02x}".encode() == check.lower()
                if self._acknowledges:
                    self._socket.sendall(b"+" if good else b"-")
                if good:
                    return body.decode("latin-1")
            elif not self._receive():
                return None

    def _receive(self) -> bool:
        data = self._socket.recv(PACKET_BYTES)
        self._received = (self._received + data)[-2 * PACKET_BYTES :]
        return bool(data)

    def _send(self, text: str) -> None:
        body = ESCAPED.sub(lambda found: b"}" + bytes([found[0][0] ^ 0x20]), text.encode("latin-1"))
        self._socket.sendall(b"$" + body + b"#" + f"{sum(body) & 0xFF:02x}".encode())

    # Commands.

    def _answer(self, packet: str) -> str:
        command, rest = packet[:1], packet[1:]
        match command:
            case "?":
                return self._last
            case "g":
                return _hex(0)  # the others one by one, when they are wanted
            case "p":
                return _hex(self._register(_number(rest)))
            case "P":
                which, value = rest.split("=")
                self._set_register(_number(which), _word(value))
                return "OK"
            case "m":
                address, size = (_number(part) for part in rest.split(","))
                return self._read(address, min(size, PACKET_BYTES // 2 - 8))
            case "M":
                place, data = rest.split(":")
                self.debugger.write(_number(place.split(",")[0]), bytes.fromhex(data))
                return "OK"
            case "Z" | "z" if rest.startswith("0,"):
                address, size = (_number(part) for part in rest.split(";")[0].split(",")[1:])
                if command == "Z":
                    self.debugger.insert(address, size)
                else:
                    self.debugger.remove(address)
                return "OK"
            case "c" | "s":
                if rest:
                    self._set_register(REGISTERS, _number(rest) & 0xFFFFFFFF)
                return self._run(command == "s")
            case "v" if packet == "vCont?":
                return "vCont;c;C;s;S"
            case "v" if packet.startswith("vCont;"):
                return self._run(packet[6:7] in "sS")
            case "H" | "T":
                return "OK"
            case "D" | "k":
                self._ended = True
                return "OK"
            case "q" if packet.startswith("qRcmd,"):
                if bytes.fromhex(packet.partition(",")[2]) != b"restart":
                    return b"monitor restart: the program begins again\n".hex()
                self.debugger.restart()
                return "OK"
            case "q" | "Q":
                return self._query(packet)
            case _:
                return ""

    def _query(self, packet: str) -> str:
        name, _, rest = packet.partition(":")
        match name:
            case "qSupported":
                return f"PacketSize={PACKET_BYTES:x};qXfer:features:read+;qXfer:exec-file:read+;swbreak+;vContSupported+;QStartNoAckMode+"
            case "QStartNoAckMode":
                self._acknowledges = False
                return "OK"
            case "qAttached":
                return "1"
            case "qC":
                return "QC1"
            case "qfThreadInfo":
                return "m1"
            case "qsThreadInfo":
                return "l"
            case "qXfer":
                kind, _, _, window = rest.split(":")
                at, size = (_number(part) for part in window.split(","))
                text = description() if kind == "features" else os.fsencode(self._elf(self.debugger) or "").decode("latin-1") if kind == "exec-file" else None
                if text is None:
                    return ""
                return ("m" if at + size < len(text) else "l") + text[at : at + size]
            case _:
                return ""

    def _register(self, number: int) -> int:
        if number < REGISTERS:
            return self.debugger.register(number)
        return self.debugger.csr(DPC if number == REGISTERS else list(CSRS.values())[number - REGISTERS - 1])

    def _set_register(self, number: int, value: int) -> None:
        if number < REGISTERS:
            self.debugger.set_register(number, value)
        else:
            self.debugger.set_csr(DPC if number == REGISTERS else list(CSRS.values())[number - REGISTERS - 1], value)

    def _read(self, address: int, size: int) -> str:
        """As many of the bytes as there are."""
        try:
            return self.debugger.read(address, size).hex()
        except DebugFault:
            data = bytearray()
            for at in range(address, address + size):
                try:
                    data += self.debugger.read(at, 1)
                except DebugFault:
                    break
            return data.hex() or REFUSED

    def _run(self, step: bool) -> str:
        """Resumes the core until it halts; returns the reason. Shows what it logs meanwhile. gdb may interrupt it."""
        self.debugger.resume(step)
        while True:
            ready, _, _ = select.select([self._socket], [], [], 0 if step else POLL_SECONDS)
            if ready and not self._receive():
                raise ConnectionError
            if INTERRUPT in self._received:  # it may have come along with the command
                self._received = self._received.replace(INTERRUPT, b"")
                self.debugger.halt()
                step = True  # it halts soon
            halted = self.debugger.halted()
            code = None if halted else self.debugger.gone()
            if not step and (text := console(self.debugger.registers, self.debugger.tile, self.debugger.core)):
                self._send("O" + text.encode().hex())
            if halted:
                self._last = {Stop.BREAKPOINT: "T05swbreak:;", Stop.STEP: "T05", Stop.ASKED: "T02", Stop.RESET: "T06"}[self.debugger.why()]
                return self._last + "".join(f"{number:x}:{_hex(self._register(number))};" for number in EXPEDITED)
            if code is not None:
                self._ended = True
                return f"W{code & 0xFF:02x}"


def _hex(value: int) -> str:
    return value.to_bytes(4, "little").hex()


def _number(text: str) -> int:
    if not HEXADECIMAL(text):
        raise ValueError(text)
    return int(text, 16)


def _word(text: str) -> int:
    if len(text) != 8:
        raise ValueError(text)
    return int.from_bytes(bytes.fromhex(text), "little")
