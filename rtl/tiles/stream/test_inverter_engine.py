# SPDX-License-Identifier: Apache-2.0
"""An engine with the fewest AXI4-Stream ports, a parameter and a configuration, in a generated tile engine; also one whose ready is that of its output."""

import random

import cocotb
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import EngineBench
from girih.testing.messages import Message

MASK = 0x5A


@pytest.mark.parametrize("stages", [0, 3])
@pytest.mark.parametrize("data_width", WIDTHS)
def test_inverter_engine(data_width, stages):
    run_cocotb("inverter_engine", __file__, data_width=data_width, parameters={"Stages": stages, "InFlight": 2})


@cocotb.test()
async def payloads_come_back_inverted(dut):
    for idle, stall in ((0.0, 0.0), (0.5, 0.5)):
        bench = await EngineBench.start(dut, "inverter", idle=idle, stall=stall, inverted=MASK)
        payloads = [random.randbytes(random.choice([0, 1, 64, random.randrange(1400)])) for _ in range(40)]
        asked = []
        for payload in payloads:
            packet = bytes(Ether(dst="02:00:00:00:00:01", src="02:00:00:00:00:02") / IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=4000, dport=99) / Raw(payload))
            asked.append(Message(packet, {"length": len(packet), "l3_offset": 14, "l4_offset": 34, "payload_offset": 42}))
        out = await bench.run(asked)
        assert [answer.data[42:] for answer in out] == [bytes(byte ^ MASK for byte in payload) for payload in payloads]
        assert bench.events == {"mark_answered": len(payloads)}
