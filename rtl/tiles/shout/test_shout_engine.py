# SPDX-License-Identifier: Apache-2.0
"""shout: datagrams come back to their sender in capitals."""

import random

import cocotb
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.packet import Raw

from girih.testing import WIDTHS, run_cocotb
from girih.testing.messages import Events, Message, flits_of, settle, start


@pytest.mark.parametrize("data_width", WIDTHS)
def test_shout_engine(data_width):
    run_cocotb("shout_engine", __file__, data_width=data_width)


def request(size: int, tagged: bool, source: int = 4000) -> Message:
    payload = bytes(random.choice(b"azAZ`{@[ 09\x00\x80\xe1\xfa") for _ in range(size))
    packet = Ether(dst="02:00:00:00:00:01", src="02:00:00:00:00:02")
    if tagged:
        packet /= Dot1Q(vlan=5)
    packet /= IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=source, dport=7777) / Raw(payload)
    l3 = 18 if tagged else 14
    return Message(
        bytes(packet),
        {
            "length": len(packet),
            "l3_offset": l3,
            "l4_offset": l3 + 20,
            "payload_offset": l3 + 28,
            "payload_sum_valid": 1,
            "payload_sum": 0x1234,
        },
    )


@cocotb.test()
async def answers_in_capitals(dut):
    source, sink = await start(dut, idle=0.3, stall=0.3)
    sizes = [0, 1, 18, 63, 64, 65, 1472] + [random.randrange(600) for _ in range(60)]
    requests = [request(size, random.random() < 0.3) for size in sizes]
    source.send(*requests)
    await settle(dut, source, sink)
    assert len(sink.messages) == len(requests)
    for asked, answer in zip(requests, sink.messages):
        at = asked.desc["payload_offset"]
        before, after = Ether(asked.data), Ether(answer.data)
        assert answer.data[at:] == bytes(c - 32 if 97 <= c <= 122 else c for c in asked.data[at:])
        assert (after[IP].src, after[IP].dst) == (before[IP].dst, before[IP].src)
        assert (after[UDP].sport, after[UDP].dport) == (before[UDP].dport, before[UDP].sport)
        assert answer.desc["payload_sum_valid"] == 0


@cocotb.test()
async def services_are_not_answered(dut):
    source, sink = await start(dut, idle=0.3, stall=0.3)
    events = Events(dut, ["drop_source_port", "mark_shouted"])
    source.send(*[request(size, False, port) for size in (0, 200) for port in (7, 4000, 7777, 19)])
    await settle(dut, source, sink)
    assert [Ether(answer.data)[UDP].dport for answer in sink.messages] == [4000, 4000]
    assert events.count == {"drop_source_port": 6, "mark_shouted": 2}


@cocotb.test()
async def takes_a_flit_in_every_cycle(dut):
    source, sink = await start(dut)
    requests = [request(size, False) for size in (0, 200, 1472, 1, 700) * 4]
    source.send(*requests)
    await settle(dut, source, sink)
    flits = sum(flits_of(request.data) for request in requests)
    assert sink.messages[-1].last - sink.messages[0].first == flits - 1
