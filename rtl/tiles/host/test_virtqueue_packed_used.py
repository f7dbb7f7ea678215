# SPDX-License-Identifier: Apache-2.0
"""virtqueue_packed_used beside a memory that answers late: it is told of every write that ends, however many wait."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from girih.testing import run_cocotb
from girih.testing.clock import start_clock

SIZE, RING, DEVICE = 256, 0x4000, 0x8000  # descriptors; where they are; where the driver is told when to notify
BELOW = 16 + 16 + 5 + 4  # bits of place_t below its addresses: start, size, what is so of the queue, and what may be cut
MOST = 32  # writes that may wait
LINKS = 5  # of a chain: each element lies in a flit of its own


def test_virtqueue_packed_used():
    run_cocotb("virtqueue_packed_used", __file__, data_width=512)


@cocotb.test()
@cocotb.parametrize(singles=[0, 20, MOST - 3, MOST - 2, MOST - 1])
async def the_request_to_notify_is_answered_behind_many_writes(dut, singles):
    """Single chains, two that belong together, and the request: no write ends before all have been requested that may be."""
    start_clock(dut)
    addr_bits = (len(dut.place_i) - BELOW) // 3
    bytes_bits = len(dut.ask_o) - addr_bits
    for name in ("halt", "used_valid", "checked", "said", "tell", "refused", "done", "done_error"):
        getattr(dut, f"{name}_i").value = 0
    dut.ask_ready_i.value = dut.data_ready_i.value = 1
    dut.tell_index_i.value = 0x1234
    dut.place_i.value = ((RING << 2 * addr_bits) | DEVICE) << BELOW | SIZE << 16
    dut.rst_i.value = 1
    for _ in range(4):
        await RisingEdge(dut.clk_i)
    dut.rst_i.value = 0
    chains = [*[False] * singles, True, False]  # belongs together with the next
    writes, ended, told = list[int](), 0, list[int]()
    for cycle in range(2000):
        ends = cycle > 1000 and ended < len(writes)
        dut.done_i.value = int(ends)
        dut.tell_i.value = int(cycle > 500 and not told)
        dut.used_valid_i.value = int(bool(chains))
        if chains:
            dut.used_i.value = int(chains[0]) << 39 | LINKS << 33 | len(chains) << 17 | 64
        await ReadOnly()
        if chains and dut.used_ready_o.value == 1:
            chains.pop(0)
        if dut.told_o.value == 1:
            told.append(ended)
        ended += ends
        if dut.ask_valid_o.value == 1:
            writes.append(int(dut.ask_o.value) >> bytes_bits)
        assert len(writes) - ended <= MOST, "more writes wait than their ends can be told apart"
        await RisingEdge(dut.clk_i)
    assert not chains and ended == len(writes) == singles + 3
    assert told == [writes.index(DEVICE)], "the end of the write is not reported"
