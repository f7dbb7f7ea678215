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
    """In writes of its size, never more than there is room for whatever the stack has done of it when it answers, and never none."""
    ask = 300
    bench = await EngineBench.start(dut, "tcp_chargen", idle=traffic[0], stall=traffic[1], bytes=size, room=ask)
    size = min(size, 8192)
    sent, answers = [], {connection: [None] for connection in range(CONNECTIONS)}
    for connection in range(CONNECTIONS):
        sent.append(Message(bytes(20), {"stream_op": OPENED, "stream_connection": connection, "tenant": connection, "port": connection % 8, "stream_room": 999}))
    for _ in range(60):
        connection = random.randrange(CONNECTIONS)
        room = random.choice((0, 1, size, random.randint(1, 200 * size))) if size < 64 else random.choice((1, 300, size, random.randint(1, 16000), 16383))
        came = random.randrange(3000)
        ends = random.random() < 0.1
        answers[connection].append((room, ends))
        sent.append(Message(random.randbytes(came or 1), {"stream_op": DATA, "stream_connection": connection, "stream_bytes": came, "stream_room": room, "stream_end": int(ends), "tenant": connection, "port": connection % 8}))
    sent.append(Message(bytes(20), {"stream_op": WRITE}))
    for message in sent:
        message.desc = {name: value for name, value in message.desc.items() if value}
    out = await bench.run(sent)
    for connection, given in answers.items():
        mine = [message for message in out if message.desc.get("stream_connection", 0) == connection]
        assert all((message.desc.get("tenant", 0), message.desc.get("port", 0)) == (connection, connection % 8) for message in mine)
        starts = [at for at, message in enumerate(mine) if message.desc["stream_op"] in (READ, CLOSE)]
        assert len(starts) == len(given) and starts[0] == 0
        written, before, room_before = 0, 0, 0
        for answer, start, end in zip(given, starts, [*starts[1:], len(mine)], strict=True):
            command, writes = mine[start], mine[start + 1 : end]
            room, ends = answer or (0, False)
            assert command.desc["stream_op"] == (CLOSE if ends else READ)
            count = sum(len(message.data) for message in writes)
            if not ends:
                assert command.desc["stream_room"] >= min(ask + count, 16383) and not command.desc.get("stream_bytes") and not command.desc.get("stream_end")
            assert all(message.desc["stream_op"] == WRITE and message.desc["stream_bytes"] == len(message.data) for message in writes)
            assert all(len(message.data) == min(size, len(writes[0].data)) for message in writes)
            assert before + count <= room if writes else True
            assert writes or ends or room <= room_before
            assert b"".join(message.data for message in writes) == text(written, count)
            written += count
            if not ends:  # a connection that has ended keeps what it had
                before, room_before = count, room
    assert bench.events["drop_unexpected"] == 1 and bench.events["made_writes"] == sum(message.desc["stream_op"] == WRITE for message in out)
