# SPDX-License-Identifier: Apache-2.0
"""tile_shell around an engine that forges its messages' fields; here the test is that engine. What leaves never belongs to a tenant as which the tile
may not send, is never more of a tenant's messages than have come in, and never more lossless messages than allowed; and nothing of an honest engine
is dropped or changed. The test is the register block as well: each request reaches it once, and those that the shell refuses do not."""

import os
import random
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.spec.message import pack, unpack
from girih.testing import run_cocotb
from girih.testing.messages import Message, Sink, Source, reset, to_flits
from girih.testing.ring import CTRL_FIELDS

NODE, FAR = 0x12, 0x21
TABLE = 1 << 25 | 1 << 24 | FAR << 16  # any key leads to FAR
TENANTS = 0b0110
# Parameters of the shell: Tenants, KeepsTenant, Lossless, KeepsLossless.
SHELLS = {
    "keeps": (TENANTS, 1, 1, 1),
    "chooses": (TENANTS, 0, 1, 1),
    "flag": (TENANTS, 0, 1, 0),
    "one": (0b1000, 1, 1, 1),
    "plain": (0b0001, 1, 0, 1),
}


@pytest.mark.parametrize("shell", SHELLS)
def test_tile_shell(shell):
    tenants, keeps_tenant, lossless, keeps_lossless = SHELLS[shell]
    parameters = {
        "PortNodes": f"8'd{NODE}",
        "Nodes": f"256'd{1 << FAR}",
        "Entries": 1,
        "Tenants": f"16'd{tenants}",
        "KeepsTenant": keeps_tenant,
        "Lossless": lossless,
        "KeepsLossless": keeps_lossless,
        "SharedControl": int(shell == "one"),
    }
    run_cocotb("tile_shell", __file__, data_width=128, parameters=parameters, environment={"SHELL_KIND": shell}, inside=True)


class Bench:
    """Counts what came in, what the engine sent and what left."""

    def __init__(self, dut):
        self.dut = dut
        self.came: Counter[str | int] = Counter()
        self.drops = 0

    async def start(self) -> None:
        dut = self.dut
        levels = ("in_valid_i", "in_ready_i", "engine_valid_i", "engine_key_i", "out_ready_i", "event_i", "lossless_i", "ctrl_i")
        answers = ("reg_done_i", "reg_error_i", "reg_rdata_i", "window_done_i", "window_error_i", "window_data_i")
        await reset(dut, **dict.fromkeys((*levels, *answers, "counter_read_i", "counter_word_i"), 0))
        dut.next_hops_i[0].value = TABLE
        self.engine = Source(dut, "engine", idle=0.3)
        self.sink = Sink(dut, "out", stall=0.3)
        cocotb.start_soon(self._count())

    async def _count(self) -> None:
        while True:
            await RisingEdge(self.dut.clk_i)
            self.drops += int(self.dut.gen_port[0].u_sender.drop_bad_tenant_o.value)
            if os.environ["SHELL_KIND"] == "keeps":  # in every cycle, not only at the end
                out = Counter(message.desc["tenant"] for message in self.sink.messages)
                assert all(out[tenant] <= self.came[tenant] for tenant in out)

    async def arrive(self, message: Message) -> None:
        """A message that arrives from the fabric."""
        dut = self.dut
        for index, flit in enumerate(to_flits(message, NODE)):
            dut.in_valid_i.value, dut.in_flit_i.value = 1, flit
            if index == 0:
                self.came[message.desc["tenant"]] += 1
                self.came["lossless"] += message.desc["lossless"]
            for ready in [0] * random.choice([0, 0, 1, 3]) + [1]:
                dut.in_ready_i.value = ready
                await RisingEdge(dut.clk_i)
        dut.in_valid_i.value = dut.in_ready_i.value = 0

    async def settle(self) -> None:
        await self.engine.drained()
        await ClockCycles(self.dut.clk_i, 100)


def may_send() -> list[int]:
    tenants = SHELLS[os.environ["SHELL_KIND"]][0]
    return [tenant for tenant in range(16) if tenants >> tenant & 1]


def some_message(tenant: int | None = None, lossless: int | None = None) -> Message:
    tenant = random.choice([0, 1, 2, 3, 15]) if tenant is None else tenant
    desc = {"tenant": tenant, "lossless": random.getrandbits(1) if lossless is None else lossless}
    return Message(random.randbytes(random.randint(1, 60)), desc)


@cocotb.test()
async def a_forging_engine_sends_nothing_that_it_may_not(dut):
    bench = Bench(dut)
    await bench.start()
    _, keeps_tenant, lossless, keeps_lossless = SHELLS[os.environ["SHELL_KIND"]]
    allowed = may_send()
    forged = [some_message() for _ in range(400)]
    bench.engine.send(*forged)
    for _ in range(60):
        await bench.arrive(some_message(tenant=random.choice(allowed)))
        await ClockCycles(dut.clk_i, random.choice([1, 1, 40]))
    await bench.settle()
    out = bench.sink.messages
    sent = Counter(message.desc["tenant"] for message in out)
    if len(allowed) == 1:  # whatever the engine says, they are that tenant's
        assert sent == {allowed[0]: len(forged)} and bench.drops == 0
    else:
        assert set(sent) == set(allowed) and bench.drops == len(forged) - len(out) > 0
        if keeps_tenant:
            assert all(sent[tenant] <= bench.came[tenant] for tenant in allowed)
        else:
            assert sent == Counter(m.desc["tenant"] for m in forged if m.desc["tenant"] in allowed)
    unsafe = sum(message.desc["lossless"] for message in out)
    assert unsafe <= (bench.came["lossless"] if keeps_lossless else 0) * lossless
    assert all(message.desc["src"] == NODE and message.desc["dst"] == FAR for message in out)


@cocotb.test()
async def an_honest_engine_is_not_hindered(dut):
    bench = Bench(dut)
    await bench.start()
    _, _, lossless, _ = SHELLS[os.environ["SHELL_KIND"]]
    dut.lossless_i.value = 1  # the flag of the tile; where there is none, the messages that come in decide
    allowed, inside, sent = may_send(), [], []
    for _ in range(200):
        inside.append(some_message(tenant=random.choice(allowed), lossless=random.getrandbits(1) * lossless))
        await bench.arrive(inside[-1])
        while inside and random.random() < 0.5:  # in any order
            sent.append(inside.pop(random.randrange(len(inside))))
            bench.engine.send(sent[-1])
    for message in inside:
        sent.append(message)
        bench.engine.send(message)
    await bench.settle()
    assert bench.drops == 0
    for message, got in zip(sent, bench.sink.messages, strict=True):
        assert (got.data, got.desc["tenant"], got.desc["lossless"]) == (message.data, message.desc["tenant"], message.desc["lossless"])


@cocotb.test()
async def the_flag_decides_what_is_lossless(dut):
    bench = Bench(dut)
    await bench.start()
    if SHELLS[os.environ["SHELL_KIND"]][3]:
        return
    for flag in (0, 1, 0):
        dut.lossless_i.value = flag
        already = len(bench.sink.messages)
        messages = [some_message(tenant=may_send()[0]) for _ in range(40)]
        bench.engine.send(*messages)
        await bench.settle()
        got = [message.desc["lossless"] for message in bench.sink.messages[already:]]
        assert got == [message.desc["lossless"] * flag for message in messages]


@cocotb.test()
async def a_request_reaches_the_registers_once(dut):
    bench = Bench(dut)
    await bench.start()
    for wait in [0, 0, 1, 2, 7] * 8:
        write, error, tenant, misplaced = (random.getrandbits(1) for _ in range(4))
        request = {"valid": 1, "write": write, "tenant": tenant, "node": NODE, "offset": 0x104 + misplaced, "data": 0xCAFE}
        dut.reg_error_i.value = error
        dut.ctrl_i.value = pack(CTRL_FIELDS, request)
        seen, answer = 0, {"valid": 0}
        for _ in range(wait + 7):
            dut.reg_done_i.value = seen >= wait  # also without a request
            dut.reg_rdata_i.value = 0xFFFF_FFFF * (seen >= wait)
            await RisingEdge(dut.clk_i)
            dut.ctrl_i.value = 0
            if int(dut.reg_valid_o.value):
                assert (int(dut.reg_write_o.value), int(dut.reg_offset_o.value), int(dut.reg_wdata_o.value)) == (write, 0x104, 0xCAFE)
                seen += 1
            assert not answer["valid"], "a second answer"
            answer = unpack(CTRL_FIELDS, int(dut.ctrl_o.value))
            if answer["valid"]:
                break
        refused = tenant or misplaced
        assert seen == (0 if refused else wait + 1), "cycles in which the registers have the request"
        assert (answer["valid"], answer["response"], answer["error"]) == (1, 1, error or refused)
        # Bit 0 of an error means that a window was late.
        assert answer["data"] & 1 == 0 if answer["error"] else answer["data"] == 0xFFFF_FFFF
        for _ in range(3):
            await RisingEdge(dut.clk_i)
            assert not int(dut.reg_valid_o.value) and not unpack(CTRL_FIELDS, int(dut.ctrl_o.value))["valid"]
