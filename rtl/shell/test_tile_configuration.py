# SPDX-License-Identifier: Apache-2.0
"""The registers of a generated tile with configuration and a histogram (`eth_tx`)."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.spec.histogram import BINS, bin_of
from girih.spec.kind import TILE_MAP
from girih.spec.kinds import load_kind
from girih.testing import run_cocotb
from girih.testing.messages import FLIT_BYTES, Message, Source, reset
from girih.testing.ring import RingClient, RingError

KIND = load_kind("eth_tx")
NODE = 0x03
MAC = 0x02_00_00_00_00_01
HOLD = TILE_MAP.size("ChangeHold")


def test_tile_configuration():
    run_cocotb(
        "eth_tx", __file__, data_width=128, parameters={"WholeChanges": 1, "SharedControl": 1, "Node": f"8'd{NODE}", "Config": f"49'd{MAC << 1}"}
    )


async def bench(dut):
    client = RingClient(dut, KIND, NODE)
    await reset(dut, in_valid_i=0, m_axis_tready=1, now_i=0)
    return client, Source(dut, "in", node=NODE)


async def frame(dut) -> bytes:
    """The next frame of the port."""
    data = b""
    for _ in range(1000):
        await RisingEdge(dut.clk_i)
        if dut.m_axis_tvalid.value == 1:
            keep = int(dut.m_axis_tkeep.value).bit_count()
            data += int(dut.m_axis_tdata.value).to_bytes(FLIT_BYTES, "little")[:keep]
            if dut.m_axis_tlast.value == 1:
                return data
    raise AssertionError("no frame left")


def source_mac(data: bytes) -> int:
    return int.from_bytes(data[6:12], "big")


@cocotb.test()
async def a_mac_changes_in_one_piece(dut):
    client, source = await bench(dut)
    new = 0x0A_0B_0C_0D_0E_0F
    low, high = KIND.config[0].offset, KIND.config[0].offset + 4
    assert await client.access(low) == MAC & 0xFFFF_FFFF
    assert await client.access(high) == MAC >> 32
    source.send(Message(random.randbytes(64)))
    assert source_mac(await frame(dut)) == MAC
    await client.access(low, new & 0xFFFF_FFFF)
    source.send(Message(random.randbytes(64)))
    assert source_mac(await frame(dut)) == MAC, "half of an address must not be used"
    await client.access(high, new >> 32)
    source.send(Message(random.randbytes(64)))
    assert source_mac(await frame(dut)) == new
    assert await client.access(low) == new & 0xFFFF_FFFF
    assert await client.access(high) == new >> 32


@cocotb.test()
async def a_flag_changes_what_the_engine_does(dut):
    client, source = await bench(dut)
    data = random.randbytes(64)
    for reflect in (0, 1):
        await client.write("cfg.reflect", 0xFFFF_FFFE | reflect)
        assert await client.read("cfg.reflect") == reflect
        source.send(Message(data))
        assert (await frame(dut))[:6] == (data[6:12] if reflect else data[:6])


@cocotb.test()
async def changes_of_several_words_have_effect_together(dut):
    """Frames leave all the time. Each has the old address and is not reflected, or has the new one and is."""
    client, source = await bench(dut)
    low, high = KIND.config[0].offset, KIND.config[0].offset + 4
    data = random.randbytes(64)
    seen = []

    async def watch():
        while True:
            got = await frame(dut)
            seen.append((source_mac(got), got[:6] == data[6:12]))

    async def flood():
        while True:
            source.send(Message(data))
            await source.drained()

    cocotb.start_soon(watch())
    cocotb.start_soon(flood())
    states = {(MAC, False)}
    for turn in range(10):
        mac, reflect = 0x0A_00_00_00_00_00 + turn, turn % 2 == 0
        states.add((mac, reflect))
        assert await client.access(HOLD) == 0
        await client.access(HOLD, 1, master=1)
        await client.access(HOLD, 1, master=3)
        assert await client.access(HOLD) == 0b1010
        await client.access(low, mac & 0xFFFF_FFFF, master=1)
        await client.access(high, mac >> 32, master=1)
        await client.access(HOLD, 0, master=3)  # another master's hold, which leaves that of master 1
        await ClockCycles(dut.clk_i, random.randrange(20))
        await client.write("cfg.reflect", reflect)  # the host's, which waits, too
        assert await client.access(low, master=1) == mac & 0xFFFF_FFFF, "what was written can be read at once"
        before = len(seen)
        await client.access(HOLD, 0, master=1)
        await ClockCycles(dut.clk_i, 60)
        assert len(seen) > before + 2 and seen[-1] == (mac, reflect)
    assert set(seen) <= states, set(seen) - states
    with pytest.raises(RingError):
        await client.access(HOLD, 1, tenant=1)


@cocotb.test()
async def latencies_land_in_their_bins(dut):
    client, source = await bench(dut)
    expected = [0] * BINS
    for _ in range(20):
        begin = random.getrandbits(24)
        source.send(Message(random.randbytes(64), desc={"timestamp": begin, "timestamp_valid": 1}))
        latency = random.getrandbits(random.randrange(4, 20))
        dut.now_i.value = (begin + latency) % (1 << 24)
        assert await frame(dut)
        expected[bin_of(latency)] += 1
    source.send(Message(random.randbytes(64)))  # without a time
    assert await frame(dut)
    assert [await client.read("latency.bin", index) for index in range(BINS)] == expected
    with pytest.raises(RingError):
        await client.write("latency.bin", 0)
    assert (await client.read_counters())["out_frames"] == 21
