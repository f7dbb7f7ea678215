# SPDX-License-Identifier: Apache-2.0
"""A debugger of a processor core, over the control network: halts it, steps, and reads and changes its registers and memory.

A halted core executes what is written to its window (rtl/tiles/core/core_debug.sv), up to DebugSteps instructions at a time, and a word passes between it
and the operator. Its registers are kept here while it is halted, so x8 and x9 are free for that, and are written back before it goes on. The RISC-V External Debug
Support specification 0.13 has the CSRs.
"""

from __future__ import annotations

import re
import time
from enum import Enum
from pathlib import Path

from girih.card.registers import AccessRefused, Registers
from girih.errors import GirihError
from girih.firmware.load import RUNS, hold, place, start, state
from girih.spec.formats import Format

MAP = {name: size["value"] for name, size in Format("core_map").sizes.items()}
ATTACHED, HALT, GO = 1, 2, 4
HALTED, FAILED = 2, 4
HALT_SECONDS = 20  # a core first completes its instruction: a read that waits for a message takes WaitCycles, and an idle virtual card runs slowly
REGISTERS = 32
DCSR, DPC = 0x7B0, 0x7B1
EBREAKS, STEP = 1 << 15 | 1 << 12, 1 << 2  # ebreak of machine and user mode halts; the core halts after an instruction
EBREAK, COMPRESSED_EBREAK, DRET = 0x00100073, 0x9002, 0x7B200073
A, B = 8, 9  # registers for the debugger's own steps


class DebugFault(Exception):
    """The debugger's request caused an exception in the core, or there is no such memory."""


class Stop(Enum):
    """Why a core has halted."""

    ASKED = "asked"
    BREAKPOINT = "breakpoint"
    STEP = "step"
    RESET = "reset"  # it has been restarted, and has not begun


CAUSES = {1: Stop.BREAKPOINT, 3: Stop.ASKED, 4: Stop.STEP}


def _load(register: int, base: int = 0, at: int = -4, function: int = 2) -> int:
    return (at & 0xFFF) << 20 | base << 15 | function << 12 | register << 7 | 0x03


def _store(register: int, base: int = 0, at: int = -4, function: int = 2) -> int:
    return (at >> 5 & 0x7F) << 25 | register << 20 | base << 15 | function << 12 | (at & 0x1F) << 7 | 0x23


def _read_csr(register: int, csr: int) -> int:
    return csr << 20 | 2 << 12 | register << 7 | 0x73


def _write_csr(csr: int, register: int) -> int:
    return csr << 20 | register << 15 | 1 << 12 | 0x73


class Debugger:
    """The debugger of one core. All but `check`, `await_start`, `attach`, `halted`, `halt`, `runs`, `gone` and `leave` need a core that is halted."""

    def __init__(self, registers: Registers, tile: str, core: int = 0, notes: Path | None = None):
        """notes: a file with the breakpoints that are set and the original values of the registers that the debugger uses, so that the next debugger can
        restore both after one has been killed."""
        self.registers, self.tile, self.core, self._notes = registers, tile, core, notes
        self.memory_bytes = registers.manifest.tile(tile).memory_bytes
        self._breakpoints: dict[int, bytes] = {}  # the instructions of the program there
        self._forget()
        self._written: list[int | None] = [None] * MAP["DebugSteps"]
        self._asked = False

    def check(self) -> None:
        """Raises GirihError if the core has no debug mode, or does not run."""
        self._check_mode()
        if not self.runs():
            word = "is held" if self.gone() is None else "has stopped itself"
            raise GirihError(f"core {self.core} {word}", self.tile, "Start it with a program: ./girih core TILE --load FILE.c")

    def _check_mode(self) -> None:
        try:
            self._read("debug")
        except AccessRefused as error:
            raise GirihError("its cores have no debug mode", self.tile, "Write debug: 1 in the tile.") from error

    def await_start(self) -> None:
        """Makes a core that is held halt before its first instruction when it is started. Raises GirihError if it has no debug mode."""
        self._check_mode()
        self._write("debug", ATTACHED)

    def attach(self) -> None:
        """Halts the core. Raises GirihError if it has no debug mode, or does not run."""
        self.check()
        self._written = [None] * MAP["DebugSteps"]
        left = self.halted()
        self.halt()
        self._wait()
        self._take_over(left)

    def detach(self) -> None:
        """Removes the breakpoints and lets the core run on, without a debugger."""
        for address in list(self._breakpoints):
            self.remove(address)
        self._restore(0)
        self._write("debug", ATTACHED | GO)
        self._write("debug", 0)

    def abandon(self) -> None:
        """Leaves a core that does not run."""
        self._breakpoints.clear()
        self._forget()
        self._note()
        self._write("debug", 0)

    def halt(self) -> None:
        """Asks the core to halt."""
        self._asked = True
        self._write("debug", ATTACHED | HALT)

    def restart(self) -> None:
        """Restarts the program and halts it before its first instruction. Its messages are dropped."""
        hold(self.registers, self.tile, self.core)
        start(self.registers, self.tile, self.core)
        self._forget()
        self._note()
        self._wait()
        self.why()

    def halted(self) -> bool:
        """Whether the core is halted."""
        return bool(self._read("debug") & HALTED)

    def runs(self) -> bool:
        """Whether the core runs, halted or not, or is being restarted: it is not held in reset, and has not stopped itself."""
        return bool(self._read("control") & RUNS) and self.gone() is None

    def gone(self) -> int | None:
        """The code with which the program has stopped the core; None if it has not."""
        now = state(self.registers, self.tile, self.core)
        return now.code if now.stopped else None

    def resume(self, step: bool = False) -> None:
        """Resumes the core. step: for only one instruction."""
        self._restore(EBREAKS | (STEP if step else 0))
        self._write("debug", ATTACHED | GO)

    def step(self) -> bool:
        """Executes one instruction. Returns whether the core has halted after it: if not, the program has stopped the core."""
        self.resume(step=True)
        if not self._wait(may_end=True):
            return False
        self.why()
        return True

    def leave(self) -> None:
        """Lets the core run without a debugger, whatever its state; one that does not run does so when it is started again."""
        if not self.runs():
            self.abandon()
            if not self.runs():
                return
        if not self.halted():
            self.attach()
        self.detach()

    def why(self) -> Stop:
        """Why the core has halted."""
        cause = CAUSES.get(self.csr(DCSR) >> 6 & 7, Stop.ASKED)
        asked, self._asked = self._asked, False
        return Stop.RESET if cause == Stop.ASKED and not asked else cause

    def register(self, number: int) -> int:
        """The value of register x<number>."""
        if number == 0:
            return 0
        if number not in self._values:
            self._values[number] = self._execute(_store(number))
        return self._values[number]

    def set_register(self, number: int, value: int) -> None:
        """Changes register x<number>."""
        if number:
            self._values[number] = value & 0xFFFFFFFF
            self._changed.add(number)
            self._note()

    def csr(self, number: int) -> int:
        """The value of a control and status register; DPC is the program counter. Raises DebugFault if there is none."""
        self._borrow(A)
        return self._execute(_read_csr(A, number), _store(A))

    def set_csr(self, number: int, value: int) -> None:
        """Changes a control and status register. Raises DebugFault if there is none, or if it cannot be written."""
        self._borrow(A)
        self._execute(_load(A), _write_csr(number, A), value=value, answers=False)

    def read(self, address: int, size: int) -> bytes:
        """Bytes of the memory of the core, or of its messages, as the program sees them: without breakpoints. Raises DebugFault."""
        data = bytearray()
        here = None  # the word of the memory that is read next
        while len(data) < size:
            at, left = address + len(data), size - len(data)
            width = 4 if at % 4 == 0 and left >= 4 else 1
            if self._is_memory(at):
                if at - at % 4 != here:
                    self._write("address", at - at % 4)
                here = at - at % 4 + 4
                data += self._read("data").to_bytes(4, "little")[at % 4 :][: min(left, 4 - at % 4)]
            else:
                self._refuse_devices(at)
                self._borrow(A)
                word = self._execute(_load(A), _load(A, A, 0, 2 if width == 4 else 4), _store(A), value=at)
                data += word.to_bytes(4, "little")[:width]
        for at, original in self._breakpoints.items():
            for index, byte in enumerate(original):
                if address <= at + index < address + size:
                    data[at + index - address] = byte
        return bytes(data)

    def write(self, address: int, data: bytes) -> None:
        """Changes the memory of the core, including its code, or a message that its program holds. Raises DebugFault."""
        done = 0
        while done < len(data):
            at = address + done
            if self._is_memory(at):
                start, count = at % 4, min(4 - at % 4, len(data) - done)
                self._write("address", at - start)
                word = bytearray(self._read("data").to_bytes(4, "little"))
                word[start : start + count] = data[done : done + count]
                self._write("address", at - start)
                self._write("data", int.from_bytes(word, "little"))
            else:
                self._refuse_devices(at)
                count = 4 if at % 4 == 0 and len(data) - done >= 4 else 1
                self._borrow(A)
                self._borrow(B)
                self._execute(_load(A), value=at, answers=False)
                value = int.from_bytes(data[done : done + count], "little")
                self._execute(_load(B), _store(B, A, 0, 2 if count == 4 else 0), value=value, answers=False)
            done += count

    def program_bytes(self) -> int:
        """The size of the program with its constants, which the core cannot change."""
        return self._read("protect")

    def insert(self, address: int, size: int) -> None:
        """Sets a breakpoint in the place of an instruction of 2 or 4 bytes. Raises DebugFault if there is no memory for programs."""
        if address in self._breakpoints:
            return
        if any(other < address + size and address < other + len(there) for other, there in self._breakpoints.items()):
            raise DebugFault(f"another breakpoint is in the instruction at {address:#x}")
        if size not in (2, 4) or address % 2 or not self._is_memory(address) or not self._is_memory(address + size - 1):
            raise DebugFault(f"no instruction can be at {address:#x}")
        original = self.read(address, size)
        self._breakpoints[address] = original
        self._note()
        self.write(address, self._break(size))

    def remove(self, address: int) -> None:
        """Removes a breakpoint. A program loaded in the meantime stays as it is."""
        original = self._breakpoints.pop(address, None)
        if original is not None and self.read(address, len(original)) == self._break(len(original)):
            self.write(address, original)
        self._note()

    def _note(self) -> None:
        """Writes the notes: before a breakpoint is set or a register is changed, and after everything is restored."""
        if self._notes is None:
            return
        lines = [f"{address:x} {original.hex()}" for address, original in self._breakpoints.items()]
        lines += [f"x{number} {self._values[number]:08x}" for number in sorted(self._changed)]
        if lines:
            new = self._notes.with_name(self._notes.name + ".new")
            new.write_text("".join(f"{line}\n" for line in lines))
            new.replace(self._notes)
        else:
            self._notes.unlink(missing_ok=True)

    def _take_over(self, halted: bool) -> None:
        """Restores what a killed debugger had changed. halted: the core was still halted by it. The contents of the file are checked, not trusted."""
        if self._breakpoints or self._notes is None or not self._notes.exists():
            return
        for line in self._notes.read_text(errors="replace").splitlines():
            if found := re.fullmatch(r"([0-9a-f]{1,8}) ([0-9a-f]{4}|[0-9a-f]{8})", line):
                self._breakpoints[int(found[1], 16)] = bytes.fromhex(found[2])
            elif halted and (found := re.fullmatch(r"x([1-9]|[12][0-9]|3[01]) ([0-9a-f]{8})", line)):
                self.set_register(int(found[1]), int(found[2], 16))
        for address in list(self._breakpoints):
            if self._is_memory(address):
                self.remove(address)
        self._breakpoints.clear()
        self._note()

    @staticmethod
    def _break(size: int) -> bytes:
        return (COMPRESSED_EBREAK if size == 2 else EBREAK).to_bytes(size, "little")

    def _is_memory(self, address: int) -> bool:
        return 0 <= address < self.memory_bytes

    @staticmethod
    def _refuse_devices(address: int) -> None:
        """Refuses to read a device, because that could take a message from the program."""
        if not MAP["PacketsBase"] <= address < MAP["DevicesBase"]:
            raise DebugFault(f"nothing can be read or changed at {address:#x}")

    def _forget(self) -> None:
        self._values: dict[int, int] = {}
        self._changed: set[int] = set()

    def _borrow(self, number: int) -> None:
        """Makes a register free for steps of the debugger."""
        self.register(number)
        if number not in self._changed:
            self._changed.add(number)
            self._note()

    def _restore(self, mode: int) -> None:
        """Writes back what the debugger has changed in the core; the next step must be the one that resumes it."""
        before = self.csr(DCSR)  # which differs if the core has been loaded since it halted
        now = before & ~(EBREAKS | STEP) | mode
        if now != before:
            self.set_csr(DCSR, now)
        for number in sorted(self._changed):
            self._execute(_load(number), value=self._values[number], answers=False)
        self._forget()
        self._note()
        self._steps(DRET)

    def _steps(self, *steps: int) -> None:
        for index, step in enumerate(steps):
            if self._written[index] != step:
                self._written[index] = None  # if this is interrupted
                self.registers.write_window(self.tile, self._place("steps") + 4 * index, step)
                self._written[index] = step

    def _execute(self, *steps: int, value: int | None = None, answers: bool = True) -> int:
        """Has the core execute some instructions. value: the word for them; returns theirs, if they leave one. Raises DebugFault."""
        self._steps(*steps, *([EBREAK] if len(steps) < MAP["DebugSteps"] else []))
        if value is not None:
            self._write("exchange", value)
        self._write("debug", ATTACHED | GO)
        deadline = time.monotonic() + HALT_SECONDS
        while not (now := self._read("debug")) & HALTED:
            if time.monotonic() > deadline:
                raise GirihError(f"core {self.core} does not answer its debugger", self.tile, "Was it held, or loaded? Try again.")
        if now & FAILED:
            raise DebugFault("the core refuses that")
        return self._read("exchange") if answers else 0

    def _wait(self, may_end: bool = False) -> bool:
        """Waits until the core has halted. Returns whether it has: if not, the program has stopped the core, as it may. Raises GirihError if it has
        done neither in time."""
        deadline = time.monotonic() + HALT_SECONDS
        while not self.halted():
            if may_end and self.gone() is not None:
                return False
            if time.monotonic() > deadline:
                raise GirihError(f"core {self.core} does not halt", self.tile, "Does the card run? A paused one does not.")
            time.sleep(0.002)
        return True

    def _place(self, part: str) -> int:
        return place(self.registers, self.tile, part, self.core)

    def _read(self, part: str) -> int:
        return self.registers.read_window(self.tile, self._place(part))

    def _write(self, part: str, value: int) -> None:
        self.registers.write_window(self.tile, self._place(part), value)
