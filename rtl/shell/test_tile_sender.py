# SPDX-License-Identifier: Apache-2.0
"""tile_sender: the next hop of every message, by table or route, and which messages are discarded; the table changes while messages wait."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.spec.message import unpack
from girih.testing import WIDTHS, run_cocotb
from girih.testing.messages import DESC_FIELDS, FLIT_FIELDS, PARAMS, Message, Sink, Source, flits_of, reset

NODES = [0x01, 0x02, 0x13, 0xFE]
SELF = 0x02
ENTRIES = 4
KEYS = [0, 1, 2, 3] if os.environ.get("DIRECT") == "1" else [6, 17, 80, 99]
TABLE = dict(zip(KEYS, [0x01, 0x13, 0x55]))  # 0x55 does not exist, and the table does not have the last key


@pytest.mark.parametrize("direct", [0, 1])
@pytest.mark.parametrize("stall", [0.0, 0.5])
@pytest.mark.parametrize("data_width", WIDTHS)
def test_tile_sender(data_width, stall, direct):
    run_cocotb(
        "tile_sender",
        __file__,
        data_width=data_width,
        parameters={"Node": f"8'd{SELF}", "Nodes": f"256'd{sum(1 << n for n in NODES)}", "Entries": ENTRIES, "Direct": direct},
        environment={"STALL": str(stall), "DIRECT": str(direct)},
    )


def entry(key: int, node: int, any_key: int = 0) -> int:
    return 1 << 25 | any_key << 24 | node << 16 | key


async def bench(dut, idle: float):
    stall = float(os.environ["STALL"])
    await reset(dut, in_valid_i=0, in_key_i=0, out_ready_i=0, tenants_i=0xFFFF, lossless_i=1)
    for index, value in enumerate([entry(*pair) for pair in TABLE.items()] + [0]):
        dut.next_hops_i[index].value = value
    source = Source(dut, "in", idle=idle, beside=lambda message, *_: {"in_key_i": message.key})
    drops = {"none": 0, "bad": 0, "tenant": 0}

    async def count_drops():
        while True:
            await RisingEdge(dut.clk_i)
            drops["none"] += int(dut.drop_no_next_hop_o.value)
            drops["bad"] += int(dut.drop_bad_node_o.value)
            drops["tenant"] += int(dut.drop_bad_tenant_o.value)

    cocotb.start_soon(count_drops())
    return source, Sink(dut, "out", stall=stall), drops


@cocotb.test()
async def goes_where_route_or_table_say(dut):
    source, sink, drops = await bench(dut, idle=0.2)
    expected, none, bad = [], 0, 0
    for _ in range(400):
        count = random.randrange(PARAMS.route_hops + 1)
        route = [random.choice([*NODES, 0x77]) for _ in range(count)]
        message = Message(
            random.randbytes(random.choice([1, 60, PARAMS.flit_bytes, random.randrange(1, 700)])),
            bad=random.random() < 0.5,
            desc={
                "dst": random.getrandbits(8),
                "src": random.getrandbits(8),
                "route_count": count,
                "route": route,
                "tenant": random.getrandbits(4),
                "timestamp": random.getrandbits(24),
            },
            key=random.choice(KEYS),
        )
        source.send(message)
        node = route[0] if count else TABLE.get(message.key)
        if node is None:
            none += 1
        elif node not in NODES:
            bad += 1
        else:
            expected.append((message, node, route[1:]))
    await source.drained()
    await sink.count(len(expected))
    assert drops == {"none": none, "bad": bad, "tenant": 0}
    assert none and bad and len(sink.messages) == len(expected)
    for got, (message, node, route) in zip(sink.messages, expected):
        assert (got.data, got.bad) == (message.data, message.bad)
        assert got.desc["dst"] == node and got.desc["src"] == SELF
        assert got.desc["route_count"] == len(route)
        assert got.desc["route"][: len(route)] == route
        for name in ("tenant", "timestamp"):
            assert got.desc[name] == message.desc[name]


@cocotb.test()
async def only_some_tenants_messages_leave(dut):
    source, sink, drops = await bench(dut, idle=0.2)
    for tenants, lossless in ((0b1010, 0), (0b1, 1), (0, 0), (0xFFFF, 1)):
        dut.tenants_i.value, dut.lossless_i.value = tenants, lossless
        already, dropped = len(sink.messages), drops["tenant"]
        sent = [
            Message(random.randbytes(random.randrange(1, 300)), desc={"tenant": random.getrandbits(4), "lossless": random.getrandbits(1)}, key=KEYS[0])
            for _ in range(100)
        ]
        source.send(*sent)
        await source.drained()
        mine = [message for message in sent if tenants >> message.desc["tenant"] & 1]
        await sink.count(already + len(mine))
        await RisingEdge(dut.clk_i)
        assert drops["tenant"] - dropped == len(sent) - len(mine)
        for got, message in zip(sink.messages[already:], mine, strict=True):
            assert got.data == message.data and got.desc["tenant"] == message.desc["tenant"]
            assert got.desc["lossless"] == message.desc["lossless"] * lossless


@cocotb.test()
async def every_flit_says_whence_and_whither(dut):
    source, sink, _ = await bench(dut, idle=0.3)
    ends = []

    async def look():
        while True:
            await RisingEdge(dut.clk_i)
            if int(dut.out_valid_o.value) and int(dut.out_ready_i.value):
                desc = unpack(DESC_FIELDS, unpack(FLIT_FIELDS, int(dut.out_flit_o.value))["desc"])
                ends.append((desc["src"], desc["dst"]))

    cocotb.start_soon(look())
    expected = []
    for _ in range(60):
        key = random.choice(KEYS[:2])
        message = Message(random.randbytes(random.randrange(1, 700)), key=key)
        source.send(message)
        expected += [(SELF, TABLE[key])] * flits_of(message.data)
    await source.drained()
    await sink.count(60)
    await RisingEdge(dut.clk_i)
    assert ends == expected


@cocotb.test()
async def a_change_of_the_table_does_not_touch_what_waits(dut):
    source, sink, drops = await bench(dut, idle=0.0)
    sink.stall = 0.9
    sent = 300
    for _ in range(sent):
        source.send(Message(random.randbytes(20), key=KEYS[0]))
    while source.busy:
        dut.next_hops_i[0].value = random.choice([entry(KEYS[0], 0x01), entry(KEYS[0], 0x13), entry(KEYS[0], 0x55), 0])
        await RisingEdge(dut.clk_i)
    for _ in range(200):
        await RisingEdge(dut.clk_i)
    # The sink fails if a waiting flit changes or disappears. Nothing is lost or counted twice.
    assert len(sink.messages) + drops["none"] + drops["bad"] == sent
    assert len({message.desc["dst"] for message in sink.messages}) == 2 and drops["none"] and drops["bad"]
