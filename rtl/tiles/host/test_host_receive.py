# SPDX-License-Identifier: Apache-2.0
"""host_receive whose host offers no buffers, on a link that others share: lossless messages hold it up for a bounded number of cycles."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.testing import run_cocotb
from girih.testing.messages import FLIT_BYTES, Message, Source, reset

PATIENCE, LEAK = 100, 64  # cycles that messages may wait, and in which one of them comes back
FLITS = 256


@pytest.mark.parametrize("patience", [0, PATIENCE])
def test_host_receive(patience):
    """0: nothing else is on the link, and messages wait without end."""
    test = "waits_without_end" if patience == 0 else ["holds_the_link_up_for_a_bounded_time", "is_patient_again"]
    run_cocotb("host_receive", __file__, data_width=128, max_frame=1518, parameters={"Flits": FLITS, "Patience": patience}, testcase=test)


class Host:
    """A host whose memory is all zeros: its receive queue works, and has no buffers."""

    def __init__(self, dut):
        self.dut, self.waits, self.drops = dut, 0, {"late": 0, "room": 0, "stopped": 0}
        self.source = Source(dut)
        cocotb.start_soon(self.run())

    @classmethod
    async def start(cls, dut) -> "Host":
        await reset(
            dut, enable_i=1, kick_i=0, read_ready_i=1, read_refused_i=0, came_i=0, came_error_i=0, came_data_i=0, write_ready_i=3, write_refused_i=0, data_ready_i=3,
            done_i=0, done_error_i=0, place_i=(64 << 16), in_right_i=0,
        )  # fmt: skip
        host = cls(dut)
        for _ in range(20):
            await RisingEdge(dut.clk_i)
        assert dut.active_o.value == 1
        return host

    async def run(self) -> None:
        """Answers the reads, and counts."""
        dut = self.dut
        while True:
            await RisingEdge(dut.clk_i)
            dut.came_i.value = int(dut.read_valid_o.value)
            self.waits += dut.in_valid_i.value == 1 and dut.in_ready_o.value == 0
            for name in self.drops:
                self.drops[name] += int(getattr(dut, f"drop_{name}_o").value)

    async def fill(self) -> None:
        """As many messages as there is room for, and more."""
        self.send(FLITS // 2, lossless=0)
        await self.source.drained()
        assert self.drops["room"] > 0 == self.waits

    def send(self, count: int, lossless: int) -> None:
        self.source.send(*(Message(random.randbytes(random.randint(2 * FLIT_BYTES + 1, 4 * FLIT_BYTES)), {"lossless": lossless}) for _ in range(count)))


async def cycles(dut, count: int) -> None:
    for _ in range(count):
        await RisingEdge(dut.clk_i)


@cocotb.test()
async def waits_without_end(dut):
    host = await Host.start(dut)
    await host.fill()
    host.send(1, lossless=1)
    await cycles(dut, 20 * PATIENCE)
    assert host.source.busy and host.waits > 19 * PATIENCE and host.drops["late"] == 0


@cocotb.test()
async def holds_the_link_up_for_a_bounded_time(dut):
    """However many lossless messages come, and each that is dropped is counted; droppable ones never wait."""
    host = await Host.start(dut)
    await host.fill()
    for turn in range(1, 6):
        before = host.drops["room"]
        host.send(20, lossless=1)
        host.send(5, lossless=0)
        await host.source.drained()
        await cycles(dut, 2)
        assert host.drops["late"] == 20 * turn and host.drops["room"] == before + 5
    assert PATIENCE <= host.waits <= PATIENCE + 20 * 25


@cocotb.test()
async def is_patient_again(dut):
    """One cycle for each 64."""
    host = await Host.start(dut)
    await host.fill()
    host.send(1, lossless=1)
    await host.source.drained()
    waited = host.waits
    assert PATIENCE <= waited <= PATIENCE + 2
    await cycles(dut, 40 * LEAK)
    host.send(1, lossless=1)
    await host.source.drained()
    assert 39 <= host.waits - waited <= 42
    await cycles(dut, 3 * PATIENCE * LEAK)
    waited = host.waits
    host.send(1, lossless=1)
    await host.source.drained()
    assert PATIENCE <= host.waits - waited <= PATIENCE + 2, "more has come back than was there at first"
