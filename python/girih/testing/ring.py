# SPDX-License-Identifier: Apache-2.0
"""Software's side of one tile's control ring under cocotb: drives `ctrl_i`, waits on `ctrl_o`."""

from __future__ import annotations

from cocotb.triggers import RisingEdge

from girih.spec.kinds import Kind
from girih.spec.message import Field, pack, unpack

CTRL_FIELDS = [
    Field(name, bits, 1, None, "")
    for name, bits in [("valid", 1), ("response", 1), ("write", 1), ("error", 1), ("master", 2), ("tag", 2), ("tenant", 4), ("node", 8),
                       ("offset", 16), ("data", 32)]
]

# Of a tile that is a master of the control network: ctrl_request_t and ctrl_answer_t.
REQUEST_FIELDS = [
    Field(name, bits, 1, None, "") for name, bits in [("write", 1), ("tag", 2), ("node", 8), ("offset", 16), ("data", 32)]
]
ANSWER_FIELDS = [Field(name, bits, 1, None, "") for name, bits in [("tag", 2), ("status", 2), ("data", 32)]]


class RingError(Exception):
    """The tile answered with an error, or passed the request on."""


class RingClient:
    """Reads and writes registers of the tile `node`, by offset, or by name with its `kind`."""

    def __init__(self, dut, kind: Kind, node: int):
        self.dut, self.node = dut, node
        self.offsets = {register.name: register.offset for register in kind.registers}
        self.counters = kind.counters
        dut.ctrl_i.value = 0

    async def access(self, offset: int, data: int | None = None, node: int | None = None, tenant: int = 0, master: int = 0) -> int:
        beat = {
            "valid": 1,
            "write": int(data is not None),
            "master": master,
            "tenant": tenant,
            "node": self.node if node is None else node,
            "offset": offset,
            "data": data or 0,
        }
        self.dut.ctrl_i.value = pack(CTRL_FIELDS, beat)
        await RisingEdge(self.dut.clk_i)
        self.dut.ctrl_i.value = 0
        for _ in range(100):
            await RisingEdge(self.dut.clk_i)
            answer = unpack(CTRL_FIELDS, int(self.dut.ctrl_o.value))
            if answer["valid"] and answer["master"] == master:
                if not answer["response"] or answer["error"]:
                    raise RingError(f"offset 0x{offset:04x}")
                return answer["data"]
        raise AssertionError(f"no answer to offset 0x{offset:04x}")

    async def read(self, name: str, index: int = 0) -> int:
        return await self.access(self.offsets[name] + 4 * index)

    async def write(self, name: str, value: int, index: int = 0) -> None:
        await self.access(self.offsets[name] + 4 * index, value)

    async def read_counters(self) -> dict[str, int]:
        values = {}
        for counter in self.counters:
            low = await self.access(counter.offset)
            values[counter.name] = await self.access(counter.offset + 4) << 32 | low
        return values
