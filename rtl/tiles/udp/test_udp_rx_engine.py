# SPDX-License-Identifier: Apache-2.0
"""udp_rx: every fault dropped and counted, everything else passed whole with the payload's sum."""

import random
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.utils import checksum

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import (
    TRAFFIC,
    EngineBench,
    check_no_bubbles,
    random_options,
    udp,
)
from girih.testing.messages import FLIT_BYTES, PARAMS, Message
from rtl.tiles.udp.datagrams import CASES, good, message_of

FULL = 4 * PARAMS.max_frame // FLIT_BYTES  # messages of a flit or more: more than the store has room for


@pytest.mark.parametrize("data_width", WIDTHS)
def test_udp_rx_engine(data_width):
    run_cocotb("udp_rx_engine", __file__, data_width=data_width)


def check(cases, out, events) -> None:
    assert events == Counter(reason for _, reason, _ in cases if reason)
    passed = [(message, data) for message, _, data in cases if data is not None]
    assert len(out) == len(passed)
    for (message, data), result in zip(passed, out, strict=True):
        offset = message.desc["l4_offset"]
        assert result.data == data and not result.bad
        assert result.key == int.from_bytes(data[offset + 2 : offset + 4], "big")
        assert result.desc == result.desc | message.desc | {
            "length": len(data),
            "payload_offset": offset + 8,
            "payload_sum_valid": 1,
        }
        assert result.desc["payload_sum"] % 0xFFFF == (~checksum(data[offset + 8 :]) & 0xFFFF) % 0xFFFF


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def right_datagrams_pass_and_others_are_counted(dut, traffic):
    bench = await EngineBench.start(dut, "udp_rx", idle=traffic[0], stall=traffic[1])
    cases = [random.choice(CASES)() for _ in range(300)]
    check(cases, await bench.run([case[0] for case in cases]), bench.events)


@cocotb.test()
async def every_payload_size_and_every_place_of_the_header(dut):
    bench = await EngineBench.start(dut, "udp_rx")
    cases = []
    for size in range(140):
        packet = udp(random.randbytes(size), options=random_options(size % 11))
        message = message_of(packet, tagged=size % 2 == 1)
        cases.append((message, "", message.data))
    check(cases, await bench.run([case[0] for case in cases]), bench.events)


@cocotb.test()
async def random_bytes_never_hang_it(dut):
    bench = await EngineBench.start(dut, "udp_rx", idle=0.1, stall=0.1)
    junk = []
    for _ in range(300):
        data = random.randbytes(random.randint(1, 300))
        desc = {"l3_offset": random.choice([14, 18, random.getrandbits(8)]), "l4_offset": random.getrandbits(8)}
        junk.append(Message(data, desc | {"length": random.choice([0, len(data), random.getrandbits(14)])}))
    out = await bench.run(junk)
    drops = sum(count for name, count in bench.events.items() if name.startswith("drop_"))
    assert len(out) + drops == len(junk)
    case = good()
    assert (await bench.run([case[0]]))[0].data == case[2]


@cocotb.test()
async def trailing_bytes_are_removed_while_the_store_is_full(dut):
    """Nothing leaves until the source can send no more; what follows a datagram is discarded all the same."""
    bench = await EngineBench.start(dut, "udp_rx", stall=1.0)
    cases = []
    for _ in range(FULL):
        message = message_of(udp(b"x" * random.randint(1, 12)), tagged=False)
        datagram = message.data
        message.data += random.randbytes(3 * FLIT_BYTES)
        message.desc["length"] = len(message.data)
        cases.append((message, "", datagram))
    bench.source.send(*[case[0] for case in cases])
    await ClockCycles(dut.clk_i, 6 * FULL)
    assert bench.source.busy and not bench.sink.messages
    bench.sink.stall = 0.0
    check(cases, await bench.run([]), bench.events)


@cocotb.test()
async def three_cycles_and_no_bubbles(dut):
    bench = await EngineBench.start(dut, "udp_rx")
    for size in (1, 18, 22, 86, 470, 1472, 8972):
        sent = [message_of(udp(random.randbytes(size)), tagged=False) for _ in range(6)]
        out = await bench.run(sent)
        check_no_bubbles(out)
        assert out[0].first - sent[0].last == 3
    # As many as there are, of the shortest.
    sent = [message_of(udp(b"x"), tagged=False) for _ in range(100)]
    check_no_bubbles(await bench.run(sent))
