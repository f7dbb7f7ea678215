# SPDX-License-Identifier: Apache-2.0
"""A core under cocotb: its program is loaded through the window, as the operator does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cocotb.triggers import FallingEdge, RisingEdge

from girih.firmware.compile import FIRMWARE, compile_program
from girih.spec.windows import offset

PROGRAMS = FIRMWARE / "programs"
PROBE = Path(__file__).parent / "programs" / "probe.c"
HOARD = PROBE.with_name("hoard.c")
WINDOW = "core_window"


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
