# SPDX-License-Identifier: Apache-2.0
"""tcp_discard: its response to each message of a stack."""

import random

import cocotb
import pytest

from girih.testing import run_cocotb
from girih.testing.engines import TRAFFIC, EngineBench
from girih.testing.messages import Message
from rtl.tiles.tcp.tcp_bench import CLOSE, DATA, OPENED, READ


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_discard_engine(data_width):
    run_cocotb("tcp_discard_engine", __file__, data_width=data_width, groups=["stream"])


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def what_comes_is_thrown_away(dut, traffic):
    least = 77
    bench = await EngineBench.start(dut, "tcp_discard", idle=traffic[0], stall=traffic[1], least=least)
    sent, expected = [], []
    for number in range(200):
        op = random.choice([OPENED, DATA, DATA, DATA, READ, 0])
        size = random.choice([0, 1, 64, random.randint(1, 4000)]) if op == DATA else 0
        ends = op != OPENED and random.random() < 0.3
        desc = {"stream_op": op, "stream_connection": number, "stream_bytes": size, "stream_end": int(ends), "tenant": number % 16, "port": number % 8}
        sent.append(Message(random.randbytes(size or 20), {name: value for name, value in desc.items() if value}))
        if op == OPENED or (op == DATA and ends):
            expected.append((CLOSE if ends else READ, number, number % 16, number % 8))
    out = await bench.run(sent)
    assert [(message.desc["stream_op"], message.desc.get("stream_connection", 0), message.desc.get("tenant", 0), message.desc.get("port", 0)) for message in out] == expected
    assert all(message.desc["stream_bytes"] == least and message.desc["stream_end"] == 1 for message in out if message.desc["stream_op"] == READ)
    known = sum(message.desc.get("stream_op", 0) in (OPENED, DATA) for message in sent)
    assert bench.events.get("drop_unexpected", 0) == len(sent) - known
    assert bench.events["used_messages"] == known and bench.events["made_commands"] == len(expected)
