# SPDX-License-Identifier: Apache-2.0
"""The controller's side of a tile with a match-action pipeline, for tests of such tiles."""

from functools import cache

from cocotb.triggers import RisingEdge

from girih.rmt import stage
from girih.rmt.parse_graph import compile_graph, load_graph
from girih.rmt.tables import table_for
from rtl.rmt.parser.graph_reference import interpret

STAGE0 = 0x800
GRAPH = load_graph()


@cache
def program():
    """The parser's program for the shipped graph."""
    return compile_graph(GRAPH)


def announced(frame: bytes) -> int:
    """The bytes of a frame according to its headers, or its size where the headers do not tell."""
    return interpret(GRAPH, frame).length or len(frame)


class PipelineBench:
    """Reaches the window of the engine `dut`."""

    dut: object

    async def access(self, write: bool, offset: int, data: int = 0, tenant: int = 0) -> int:
        dut = self.dut
        dut.window_valid_i.value, dut.window_write_i.value = 1, int(write)
        dut.window_addr_i.value, dut.window_data_i.value, dut.window_tenant_i.value = offset, data, tenant
        for _ in range(1000):
            await RisingEdge(dut.clk_i)
            if dut.window_done_o.value == 1:
                error, value = int(dut.window_error_o.value), int(dut.window_data_o.value)
                dut.window_valid_i.value = 0
                await RisingEdge(dut.clk_i)
                if error:
                    raise stage.Refused(f"access to {offset:#x}")
                return value
        raise AssertionError(f"no answer at {offset:#x}")

    async def steps(self, steps, number=0):
        return await stage.run_async(steps, lambda w, o, d: self.access(w, STAGE0 * (1 + number) + o, d))

    async def insert(self, field, value, action, number=0):
        """One entry of stage `number` that matches a field of two halves or less."""
        piece = program().fields[field][-1]
        halves = [2 * piece.word + 1, 2 * piece.word]
        shift = piece.low
        mask = (1 << piece.high - piece.low + 1) - 1
        await self.steps(stage.set_key(halves), number)
        shape = await self.steps(stage.shape(), number)
        table = table_for(shape)
        await self.steps(table.load(), number)
        entry = stage.Entry(key=value << shift, mask=mask << shift, action=action)
        return await self.steps(table.insert(entry), number)
