# SPDX-License-Identifier: Apache-2.0
"""Payload packets into and out of an engine core under cocotb: AXI4-Stream with a descriptor beside it."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from girih.testing.clock import cycle_now, start_clock
from girih.testing.messages import DESC_FIELDS, FLIT_BYTES, pack, unpack


@dataclass
class Packet:
    """A packet's bytes and descriptor fields; of one that came out also whether it is void, and the cycles of its first and last beat."""

    data: bytes
    desc: dict = field(default_factory=dict)
    void: bool = False
    first: int = 0
    last: int = 0


class Core:
    """Drives a core `dut`. idle, stall: probabilities that the input or the output pauses in a cycle."""

    def __init__(self, dut, idle: float = 0.0, stall: float = 0.0):
        self.dut = dut
        self.idle, self.stall = idle, stall
        self.random = random.Random(7)
        self.waiting: list[Packet] = []
        self.sent: list[Packet] = []
        self.received: list[Packet] = []

    async def start(self) -> None:
        dut = self.dut
        for name in ("s_axis_tvalid", "m_axis_tready", "window_valid_i", "rst_i"):
            if hasattr(dut, name):
                getattr(dut, name).value = 0
        start_clock(dut)
        dut.rst_i.value = 1
        for _ in range(3):
            await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        dut.rst_i.value = 0
        cocotb.start_soon(self._source())
        cocotb.start_soon(self._sink())

    def send(self, packet: Packet) -> None:
        self.waiting.append(packet)

    async def _source(self) -> None:
        dut = self.dut
        while True:
            if not self.waiting:
                await FallingEdge(dut.clk_i)
                continue
            packet = self.waiting.pop(0)
            beats = [packet.data[i : i + FLIT_BYTES] for i in range(0, len(packet.data), FLIT_BYTES)]
            for index, beat in enumerate(beats):
                while self.random.random() < self.idle:
                    await FallingEdge(dut.clk_i)
                dut.s_axis_tvalid.value = 1
                dut.s_axis_tdata.value = int.from_bytes(beat, "little")
                dut.s_axis_tkeep.value = (1 << len(beat)) - 1
                dut.s_axis_tlast.value = index == len(beats) - 1
                dut.s_desc_i.value = pack(DESC_FIELDS, packet.desc)
                await RisingEdge(dut.clk_i)
                while not dut.s_axis_tready.value:
                    await RisingEdge(dut.clk_i)
                if index == 0:
                    packet.first = cycle_now()
                packet.last = cycle_now()
                await FallingEdge(dut.clk_i)
                dut.s_axis_tvalid.value = 0
            self.sent.append(packet)

    async def _sink(self) -> None:
        dut = self.dut
        data, first = b"", 0
        while True:
            await FallingEdge(dut.clk_i)
            dut.m_axis_tready.value = int(self.random.random() >= self.stall)
            await RisingEdge(dut.clk_i)
            if not (dut.m_axis_tvalid.value and dut.m_axis_tready.value):
                continue
            first = first or cycle_now()
            keep = int(dut.m_axis_tkeep.value).bit_count()
            data += int(dut.m_axis_tdata.value).to_bytes(FLIT_BYTES, "little")[:keep]
            if dut.m_axis_tlast.value:
                desc = unpack(DESC_FIELDS, int(dut.m_desc_o.value))
                void = bool(dut.m_axis_tuser.value)
                self.received.append(Packet(data, desc, void, first, cycle_now()))
                data, first = b"", 0

    async def drain(self, count: int, limit: int = 200_000) -> None:
        """Waits until `count` packets have come out; fails after `limit` cycles."""
        for _ in range(limit):
            if len(self.received) >= count:
                return
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"{len(self.received)} of {count} packets came out in {limit} cycles")

    async def write(self, addr: int, data: int, tenant: int = 0) -> bool:
        """Writes a word of the window; whether it was accepted."""
        dut = self.dut
        await FallingEdge(dut.clk_i)
        dut.window_valid_i.value = 1
        dut.window_write_i.value = 1
        dut.window_addr_i.value = addr
        dut.window_data_i.value = data
        dut.window_tenant_i.value = tenant
        for _ in range(1000):
            await RisingEdge(dut.clk_i)
            if dut.window_done_o.value:
                good = not dut.window_error_o.value
                await FallingEdge(dut.clk_i)
                dut.window_valid_i.value = 0
                return good
        raise AssertionError("the window does not answer")
