# SPDX-License-Identifier: Apache-2.0
"""link_check: accepts legal messages silently, and stops the simulation at each breach of a rule."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from girih.spec.message import pack, unpack
from girih.testing import run_cocotb
from girih.testing.messages import FLIT_BYTES, FLIT_FIELDS, PARAMS, Message, reset, to_flits

NODE, OTHER = 0x12, 0x13
TENANTS = 0b0110
LEGAL = {"src": 0x01, "tenant": 1}
TWO_FLITS = 2 * FLIT_BYTES

# Fields that a message of two flits must not have.
WRONG = {
    "node": ({}, OTHER),
    "tenant": ({"tenant": 0}, NODE),
    "count": ({"route_count": PARAMS.route_hops + 1}, NODE),
    "length": ({"length": TWO_FLITS - 1}, NODE),
    "offset": ({"payload_offset": TWO_FLITS + 1}, NODE),
}
# The simulator's message for each breach.
SAID = {
    "reset": "a flit is offered during reset",
    "withdrawn": "u_stream",
    "changed": "u_stream",
    "first": "a flit is wrong about whether it is the first one of its message",
    "gap": "1 bytes are empty in the middle of a message",
    "mixed": "a flit of another message is within a message",
    "long": f"a message is longer than {PARAMS.max_frame} bytes",
    "node": f"a message is for node {OTHER}",
    "tenant": "a message is tenant 0's",
    "count": "a count of hops is beyond what the descriptor holds",
    "length": f"a message has {TWO_FLITS} bytes; its descriptor says {TWO_FLITS - 1}",
    "refused": "a link of replies is not ready: who asks has room for the answer",
    "offset": f"an offset is beyond the {TWO_FLITS} bytes of a message",
}


def run(testcase: str, **environment: str) -> None:
    parameters: dict[str, object] = {"Nodes": f"256'd{1 << NODE}", "Tenants": f"16'd{TENANTS}", "Taken": int(environment.get("BREACH") == "refused")}
    run_cocotb("link_check", __file__, parameters=parameters, testcase=testcase, environment=environment)


def test_legal_link():
    run("legal_messages_pass")


@pytest.mark.parametrize("breach", SAID)
def test_breach_is_caught(breach, capfd):
    with pytest.raises((AssertionError, RuntimeError)):  # the simulation stops
        run("breach", BREACH=breach)
    assert SAID[breach] in capfd.readouterr().out


async def show(dut, flit: int, ready: int = 1) -> None:
    dut.valid_i.value, dut.ready_i.value, dut.flit_i.value = 1, ready, flit
    await RisingEdge(dut.clk_i)
    dut.valid_i.value = 0


def changed(flit: int, **fields: int) -> int:
    return pack(FLIT_FIELDS, unpack(FLIT_FIELDS, flit) | fields)


@cocotb.test()
async def legal_messages_pass(dut):
    await reset(dut, valid_i=0, ready_i=0)
    for _ in range(200):
        data = random.randbytes(random.choice([1, 60, FLIT_BYTES, TWO_FLITS + 1, 600, PARAMS.max_frame]))
        most = min(len(data), 255)
        desc = LEGAL | {
            "tenant": random.choice([1, 2]),
            "length": random.choice([0, len(data)]),
            "l3_offset": random.randint(0, most),
            "payload_offset": random.randint(0, most),
            "route_count": random.randint(0, PARAMS.route_hops),
        }
        for flit in to_flits(Message(data, desc), NODE):
            while random.random() < 0.3:
                await RisingEdge(dut.clk_i)
            for _ in range(random.choice([0, 0, 2])):
                await show(dut, flit, ready=0)
            await show(dut, flit)
    # A void message has whatever length it has when it is cut off.
    for flit in to_flits(Message(bytes(20), LEGAL | {"length": 900, "l4_offset": 34}, bad=True), NODE):
        await show(dut, flit)


@cocotb.test()
async def breach(dut):
    kind = os.environ["BREACH"]
    await reset(dut, valid_i=0, ready_i=int(kind == "refused"))
    first, second = to_flits(Message(bytes(TWO_FLITS), LEGAL), NODE)
    if kind in WRONG:
        desc, node = WRONG[kind]
        for flit in to_flits(Message(bytes(TWO_FLITS), LEGAL | desc), node):
            await show(dut, flit)
    elif kind == "reset":
        dut.rst_i.value = 1
        await show(dut, first)
        await show(dut, first)
        await show(dut, first)
    elif kind == "refused":
        await show(dut, first)
        await show(dut, second)
        dut.ready_i.value = 0
    elif kind == "withdrawn":
        await show(dut, first, ready=0)
        await RisingEdge(dut.clk_i)
    elif kind == "changed":
        await show(dut, first, ready=0)
        await show(dut, first ^ 1)
    elif kind == "first":
        await show(dut, first)
        await show(dut, changed(second, first=1))
    elif kind == "gap":
        await show(dut, changed(first, empty=1))
    elif kind == "mixed":
        await show(dut, first)
        await show(dut, to_flits(Message(bytes(TWO_FLITS), LEGAL | {"src": 0x02}), NODE)[1])
    elif kind == "long":
        await show(dut, first)
        for _ in range(-(-PARAMS.max_frame // FLIT_BYTES) - 1):
            await show(dut, changed(second, last=0, empty=0))
        await show(dut, second)
    await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
