# SPDX-License-Identifier: Apache-2.0
"""tcp_chargen: the text of each connection, whatever room there is, in messages of any size."""

import random

import cocotb
import pytest

from girih.testing import run_cocotb
from girih.testing.engines import TRAFFIC, EngineBench
from girih.testing.messages import Message
from rtl.tiles.tcp.tcp_bench import CLOSE, CONNECTIONS, DATA, OPENED, READ, WRITE

PRINTABLE = "".join(map(chr, range(0x20, 0x7F)))
LINES = ["".join(PRINTABLE[(line + column) % len(PRINTABLE)] for column in range(72)) + "\r\n" for line in range(len(PRINTABLE))]
TEXT = "".join(LINES).encode()  # RFC 864: it repeats


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough), pytest.param(1024, marks=pytest.mark.thorough)])
def test_tcp_chargen_engine(data_width):
    run_cocotb("tcp_chargen_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS})


def text(start: int, size: int) -> bytes:
    at = start % len(TEXT)
    return (TEXT * (size // len(TEXT) + 2))[at : at + size]


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC, size=[1, 64, 1000, 9000])
async def each_connection_gets_the_text(dut, traffic, size):
    bench = await EngineBench.start(dut, "tcp_chargen", idle=traffic[0], stall=traffic[1], bytes=size, room=300)
    size = min(size, 8192)
    sent, expected, at = [], [], dict.fromkeys(range(CONNECTIONS), 0)
    for connection in range(CONNECTIONS):
        sent.append(Message(bytes(20), {"stream_op": OPENED, "stream_connection": connection, "tenant": connection, "stream_room": 999}))
        expected.append((READ, connection, b""))
    for _ in range(40):
        connection = random.randrange(CONNECTIONS)
        room = random.choice((0, 1, size, random.randint(1, 200 * size))) if size < 64 else random.choice((1, 300, size, random.randint(1, 12000)))
        ends = random.random() < 0.2
        came = random.randrange(3000)
        sent.append(Message(random.randbytes(came or 1), {"stream_op": DATA, "stream_connection": connection, "stream_bytes": came, "stream_room": room, "stream_end": int(ends), "tenant": connection}))
        if ends:
            expected.append((CLOSE, connection, b""))
            continue
        step = min(size, room)
        for _ in range(room // step if step else 0):
            expected.append((WRITE, connection, text(at[connection], step)))
            at[connection] += step
        expected.append((READ, connection, b""))
    sent.append(Message(bytes(20), {"stream_op": WRITE}))
    for message in sent:
        message.desc = {name: value for name, value in message.desc.items() if value}
    out = await bench.run(sent)
    got = []
    for message in out:
        op, connection = message.desc["stream_op"], message.desc.get("stream_connection", 0)
        assert message.desc.get("tenant", 0) == connection
        if op == READ:
            assert message.desc["stream_room"] == 300 and not message.desc.get("stream_bytes")
        if op == WRITE:
            assert message.desc["stream_bytes"] == len(message.data)
        got.append((op, connection, message.data if op == WRITE else b""))
    assert got == expected
    assert bench.events["drop_unexpected"] == 1 and bench.events["made_writes"] == sum(op == WRITE for op, *_ in expected)
