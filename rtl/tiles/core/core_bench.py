# SPDX-License-Identifier: Apache-2.0
"""A core under cocotb: its program is loaded through the window, as the operator does."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from girih.firmware.compile import FIRMWARE, compile_program
from girih.spec.formats import Format
from girih.spec.windows import offset
from girih.testing.engines import EngineBench
from girih.testing.messages import Message

PROGRAMS = FIRMWARE / "programs"
PROBE = Path(__file__).parent / "programs" / "probe.c"
HOARD = PROBE.with_name("hoard.c")
WINDOW = "core_window"
CONSOLE_BYTES = Format("core_map").size("ConsoleBytes")
DROP, WRITE, LOOP, BABBLE, MAKE = 1, 3, 5, 22, 23  # commands of the probe


class Operator:
    """The window of the core in `dut`; tenant 0 is the operator. base: the offset of the core's part of the window."""

    def __init__(self, dut, base: int = 0):
        self.dut, self.base = dut, base
        dut.window_valid_i.value = 0
        dut.window_write_i.value = 0

    async def _access(self, part: str, write: int, data: int, tenant: int, word: int = 0) -> tuple[bool, int]:
        dut = self.dut
        await FallingEdge(dut.clk_i)
        dut.window_valid_i.value = 1
        dut.window_write_i.value = write
        dut.window_addr_i.value = self.base + offset(WINDOW, part) + 4 * word
        dut.window_data_i.value = data
        dut.window_tenant_i.value = tenant
        for _ in range(1000):
            await RisingEdge(dut.clk_i)
            if dut.window_done_o.value == 1:
                answer = dut.window_error_o.value == 0, int(dut.window_data_o.value)
                await FallingEdge(dut.clk_i)
                dut.window_valid_i.value = 0
                return answer
        raise AssertionError("the window does not answer")

    async def write(self, part: str, data: int, tenant: int = 0) -> bool:
        """Writes a word; returns whether that was accepted."""
        return (await self._access(part, 1, data, tenant))[0]

    async def write_word(self, part: str, word: int, data: int) -> bool:
        """Writes one of the words of a part; returns whether that was accepted."""
        return (await self._access(part, 1, data, 0, word))[0]

    async def read(self, part: str, tenant: int = 0) -> int | None:
        """Reads a word; None if that was refused."""
        good, word = await self._access(part, 0, 0, tenant)
        return word if good else None

    async def load(self, source: Path, read_by: Sequence[Operator] = (), **options) -> None:
        """Compiles a program, loads it, reads it back and starts it. read_by: the cores' own windows, if this is the part of the window for all cores
        of a cluster."""
        image = compile_program(source, memory_bytes=32768, **options).image
        image += bytes(-len(image) % 4)
        words = [int.from_bytes(image[at : at + 4], "little") for at in range(0, len(image), 4)]
        await self.load_words(words, len(image), read_by)

    async def load_words(self, words: Sequence[int], protect: int, read_by: Sequence[Operator] = ()) -> None:
        """Loads a program, reads it back and starts it. protect: the first byte that the core can write."""
        assert await self.write("control", 0)
        assert await self.write("address", 0)
        for word in words:
            assert await self.write("data", word)
        for reader in read_by or [self]:
            assert await reader.write("address", 0)
            assert [await reader.read("data") for _ in words] == list(words)
        assert await self.write("protect", protect)
        assert await self.write("control", 1)

    async def console(self) -> str:
        """What the program has written since the last call."""
        text = ""
        while (word := await self.read("console")) & 0x100:
            text += chr(word & 0xFF)
        return text


async def counts_what_a_core_counts(bench: EngineBench, slots: int, slot_bytes: int) -> None:
    """What any kind with one core counts of its messages and its program, each while the output takes nothing. The core runs the probe in machine mode;
    `bench.operator` has its window."""

    def message(what: int, at: int = 0, value: int = 0, size: int = 64, bad: bool = False) -> Message:
        return Message(struct.pack("<III", what, at, value) + bytes(size - 12), {"tenant": 1}, bad=bad)

    async def happens(count: int, *names: str) -> None:
        """These events and no others happen, each so often."""
        wanted = dict(bench.events)
        for name in names:
            wanted[name] = wanted.get(name, 0) + count
        for _ in range(100):
            await ClockCycles(bench.dut.clk_i, 100)
            if bench.events == wanted:
                return
        raise AssertionError(f"{bench.events} in place of {wanted}")

    bench.sink.stall = 1.0
    await ClockCycles(bench.dut.clk_i, 2)
    bench.source.send(message(DROP, size=slot_bytes + 1))
    await happens(1, "drop_too_long")
    bench.source.send(message(DROP, bad=True))
    await happens(1, "drop_aborted")
    bench.source.send(message(DROP))
    await happens(1, "drop_program")
    bench.source.send(message(WRITE, 0x40000000))
    await happens(1, "drop_reset", "mark_refused", "mark_faults", "mark_restarts")
    assert "fault 7 at" in await bench.operator.console()
    bench.source.send(message(BABBLE, value=CONSOLE_BYTES + 70))
    await bench.source.drained()
    await ClockCycles(bench.dut.clk_i, 20 * CONSOLE_BYTES)
    kept = len(await bench.operator.console())
    assert kept >= CONSOLE_BYTES and bench.events["mark_console_lost"] == CONSOLE_BYTES + 70 - kept > 0
    bench.source.send(message(MAKE, 1, 1))  # and drop it
    await happens(1, "made_messages", "drop_program")
    bench.source.send(message(LOOP))
    await bench.source.drained()
    await ClockCycles(bench.dut.clk_i, 500)
    bench.source.send(*(message(DROP) for _ in range(slots + 3)))  # three slots have two answers, which wait, and the message of the loop
    await happens(6, "drop_overrun")
    assert await bench.operator.write("control", 0)
    await happens(slots - 2, "drop_reset")
