# SPDX-License-Identifier: Apache-2.0
"""tcp_echo: its response to each message of a stack."""

import random

import cocotb
import pytest

from girih.testing import run_cocotb
from girih.testing.engines import TRAFFIC, EngineBench
from girih.testing.messages import Message
from rtl.tiles.tcp.tcp_bench import CLOSE, DATA, OPENED, READ, WRITE


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_echo_engine(data_width):
    run_cocotb("tcp_echo_engine", __file__, data_width=data_width, groups=["stream"])


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def every_message_has_its_answers(dut, traffic):
    bench = await EngineBench.start(dut, "tcp_echo", idle=traffic[0], stall=traffic[1])
    sent, expected = [], []
    for number in range(200):
        op = random.choice([OPENED, DATA, DATA, DATA, READ, 0])
        size = random.choice([0, 1, 64, random.randint(1, 4000)]) if op == DATA else 0
        ends = op == DATA and random.random() < 0.3
        text = random.randbytes(size or 20)
        desc = {"stream_op": op, "stream_connection": number, "stream_bytes": size, "stream_end": int(ends), "tenant": number % 16}
        sent.append(Message(text, {name: value for name, value in desc.items() if value}))
        if size:
            expected.append((WRITE, number, text))
        if op == OPENED or ends:
            expected.append((CLOSE if ends else READ, number, b""))
    out = await bench.run(sent)
    got = []
    for message in out:
        op = message.desc["stream_op"]
        connection = message.desc.get("stream_connection", 0)
        assert message.desc.get("tenant", 0) == connection % 16
        if op == READ:
            assert message.desc["stream_bytes"] == message.desc["stream_room"] == message.desc["stream_end"] == 1
        got.append((op, connection, message.data if op == WRITE else b""))
    assert got == expected
    dropped = sum(message.desc.get("stream_op", 0) not in (OPENED, DATA) for message in sent)
    assert bench.events.get("drop_unexpected", 0) == dropped
