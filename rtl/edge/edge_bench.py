# SPDX-License-Identifier: Apache-2.0
"""What the tests of the crossings at the card's edge share: two clocks of a drawn ratio, resets, and frames as beats of a stream."""

from __future__ import annotations

import random
from dataclasses import dataclass

from cocotb.triggers import RisingEdge, Timer

from rtl.cdc.cdc_bench import Clock

WIDTH = 128
BYTES = WIDTH // 8


@dataclass(frozen=True)
class Beat:
    data: int
    keep: int
    last: bool
    user: bool


def frame(number: int, beats: int) -> list[Beat]:
    """A frame whose beats are all different, with its number in each."""
    return [
        Beat(number << 64 | beat << 32 | random.getrandbits(32), (1 << (BYTES if beat + 1 < beats else random.randint(1, BYTES))) - 1, beat + 1 == beats, False)
        for beat in range(beats)
    ]


async def start(dut) -> tuple[Clock, Clock]:
    """Starts the card's clock and that of the edge, and ends both resets. The inputs of streams are idle."""
    dut.rst_i.value = dut.edge_rst_i.value = 1
    dut.clk_i.value = dut.edge_clk_i.value = 0
    clocks = Clock(dut.clk_i, 4_000), Clock(dut.edge_clk_i, 4_000)
    await Timer(100, unit="ns")
    await reset(dut)
    return clocks


async def reset(dut) -> None:
    """Resets both sides, the edge behind the card, and waits until the crossing is open."""
    await RisingEdge(dut.clk_i)
    dut.rst_i.value = 1
    await RisingEdge(dut.edge_clk_i)
    dut.edge_rst_i.value = 1
    for _ in range(8):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    for _ in range(3):
        await RisingEdge(dut.edge_clk_i)
    dut.edge_rst_i.value = 0
    await Timer(1_500, unit="ns")


class Stream:
    """One end of an AXI4-Stream of the module: `mac_axis` or `card_axis`, in its clock."""

    def __init__(self, dut, name: str):
        self.clk = dut.edge_clk_i if name.startswith("mac") else dut.clk_i
        self.rst = dut.edge_rst_i if name.startswith("mac") else dut.rst_i
        self.pins = {signal: getattr(dut, f"{name}_t{signal}") for signal in ("data", "keep", "valid", "ready", "last", "user")}

    async def send(self, beats: list[Beat], gap: float = 0) -> None:
        """Sends beats; gap: the probability of a cycle without one."""
        for beat in beats:
            while random.random() < gap:
                self.pins["valid"].value = 0
                await RisingEdge(self.clk)
            for signal in ("data", "keep", "last", "user"):
                self.pins[signal].value = int(getattr(beat, signal))
            self.pins["valid"].value = 1
            await RisingEdge(self.clk)
            while not self.pins["ready"].value:
                await RisingEdge(self.clk)
        self.pins["valid"].value = 0

    async def take(self, found: list[list[Beat]], ready: list[float], whole: bool = False) -> None:
        """Takes frames endlessly, each beat with the probability ready[0]. whole: there may be no gap in a frame."""
        beats: list[Beat] = []
        while True:
            self.pins["ready"].value = taking = int(random.random() < ready[0])
            await RisingEdge(self.clk)
            if self.rst.value:
                beats.clear()
            elif self.pins["valid"].value:
                if taking:
                    data, keep, last, user = (int(self.pins[signal].value) for signal in ("data", "keep", "last", "user"))
                    beats.append(Beat(data, keep, bool(last), bool(user)))
                    if beats[-1].last:
                        found.append(beats)
                        beats = []
            else:
                assert not (whole and beats), "there is a gap within a frame"
