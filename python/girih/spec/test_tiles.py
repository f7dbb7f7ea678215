# SPDX-License-Identifier: Apache-2.0
"""The generator of tiles, on a kind that uses every feature (`sample/`): several fabric ports, a window
for tenants, credit links, arrays of configuration, an Ethernet port beside both directions of the fabric."""

import os
import random
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.build.generate import generated_rtl
from girih.card.registers import violations
from girih.paths import BUILD
from girih.spec import windows
from girih.spec.kind import TILE_MAP
from girih.spec.kinds import COPIES, DROPS, WINDOW, WINDOW_DATA, WINDOW_INDEX, load_kinds, read_kind
from girih.spec.message import CardParams, pack, unpack
from girih.spec.tiles import generate
from girih.testing import run_cocotb
from girih.testing.messages import DESC_FIELDS, FLIT_FIELDS, Message, reset, to_flits
from girih.testing.ring import CTRL_FIELDS, RingClient, RingError

SAMPLE = Path(__file__).parent / "sample"
KIND = read_kind(SAMPLE / "sample.yaml")
NODES = [0x12, 0x13]
FAR = 0x21
REACHED = [0x31, 0x32]  # nodes for which it has rights as a master of the control network: the first to read and write, the second to read


def table_entry(key: int, node: int) -> int:
    return 1 << 25 | node << 16 | key


@pytest.mark.parametrize("few", [False, True])  # keys, so that the node table is searched when it is written
@pytest.mark.parametrize("channels", [1, 2])
def test_sample(channels, few):
    folder = BUILD / "generated" / f"sample_{channels}_{few:d}"  # two tests at once must not write the same files
    folder.mkdir(parents=True, exist_ok=True)
    kind = replace(KIND, next=replace(KIND.next, most=3 if few else KIND.next.most))
    assert kind.next.direct == (4 if few else 0)
    generate(folder, {"sample": kind}, CardParams.chained(128))
    weights = 0x003_002_001
    run_cocotb(
        "sample",
        __file__,
        data_width=128,
        chained=True,
        generated=[folder],
        extra=[SAMPLE / "sample_engine.sv"],
        parameters={
            "Channels": channels,
            "PortNodes": f"{8 * channels}'h{sum(node << 8 * p for p, node in enumerate(NODES[:channels])):x}",
            "NextHops": f"104'd{table_entry(0, FAR) | table_entry(1, FAR + 1) << 26}",
            "ControlNodes": f"16'h{REACHED[1]:02x}{REACHED[0]:02x}",
            "ControlReads": "2'b11",
            "ControlWrites": "2'b01",
            "ControlTenant": "4'd3",
            "Snapshots": "1'b1",
            "WholeChanges": "1'b1",
            "DropEntries": "16",
            "Config": f"46'd{weights << 10 | 0x55 << 2 | 0b10}",
        },
        environment={"CHANNELS": str(channels)},
    )


def test_a_kind_for_services_is_not_made_for_other_cards():
    assert KIND.chained
    plain, chained = generated_rtl(CardParams()), generated_rtl(CardParams.chained())
    names = {path.name for path in chained.iterdir()} - {path.name for path in plain.iterdir()}
    assert all(not name.startswith("echo") for name in names)


def test_what_the_kind_says():
    assert (KIND.has_input, KIND.has_output, KIND.at_port, KIND.many_ports) == (True, True, True, True)
    assert (KIND.ports_of({}), KIND.ports_of({"channels": 3})) == (2, 3)
    assert [(field.name, field.count, field.bits) for field in KIND.config] == [("weight", 3, 36), ("one", 0, 8), ("on", 2, 2)]
    names = [counter.name for counter in KIND.counters]
    assert names.index("in_messages_1") == 9 and names[27:] == ["mark_given", "mark_control_refused", "in_frames", "out_frames"]
    assert len(KIND.shell_events) == 9


def test_a_kind_can_be_without_the_fabric():
    kind = load_kinds()["pipeline_nic"]
    assert (kind.has_input, kind.has_output, kind.at_port, kind.next) == (False, False, True, None)


FIELD = "field { sw = rw; hw = r; }"


@pytest.mark.parametrize(
    "change, complaint",
    [
        (("window_bits: 18", "window_bits: 25"), "window_bits is 25; it may be 14 to 24, of a kind that uses window"),
        (("axis_out, window,", "axis_out,"), "window_bits is 18; it may be 14 to 24, of a kind that uses window"),
        (("fabric: both", "fabric: up"), "fabric is up; it must be one of in, out, both, none"),
        (("fabric: both", "fabric: in"), "a kind has a node table (next) if it sends to the fabric"),
        (("fabric: both", "fabric: in\noutput_register: true"), "a kind that does not send to the fabric has no output_register"),
        (("fabric_ports: channels", "fabric_ports: many"), "fabric_ports is many; it must be a number or a parameter"),
        (("fabric_ports: channels", "fabric_ports: 2"), "counters has 3 shell; write shell_counters shell[2]"),
        (("tenant: chooses", "tenant: any"), "tenant is any; it must be one of keeps, chooses, own"),
        (("fabric: both", "fabric: both\nwaits: [request]"), "a kind whose requests have no port of their own does not wait for them apart"),
        (("fabric: both", "fabric: both\nrequest_port: true"), "counters has 3 shell; write shell_counters shell[4]"),
        (("  units:", "  unit:"), "credits_in needs a parameter units"),
        (("fabric: both", "fabric: out"), "a kind with several fabric ports has fabric: both"),
        (("credits_out, control, interrupts", "credits_out"), "a kind that uses control, and no other, has registers control_right right[n] @ 0x0800"),
        (("counter mark_control_refused;\n        mark_control_refused->", "counter mark_refused;\n        mark_refused->"), "and a counter mark_control_refused"),
        (("credits_out, control, interrupts]", "credits_out]\nwaits: [control]"), "waits names control; only a kind that uses control waits for it"),
        (("interrupts: {", "interruptions: {"), "a kind with interrupts, and no other, has registers external interrupt_pending"),
        (("interrupt_enable @ 0x0C04", "interrupt_enable @ 0x0C08"), "a kind with interrupts, and no other, has registers"),
        (("{frame:", "{" + "".join(f"f{i}: x, " for i in range(31)) + "frame:"), "it has 33 interrupts; there may be 32"),
        (("counter in_frames;", "".join(f"counter drop_{i}; drop_{i}->desc = \"x\"; " for i in range(30)) + "counter in_frames;"), "it has 33 reasons of drops, with the shell's; there may be 32"),
        (("WIDTH(8)) one;", "WIDTH(8)) one @ 0x10;"), "cfg.one is at 0x410; the registers of cfg follow one another, so it must be at 0x40c"),
        (("right[2] @ 0x0800", "right[2] @ 0x0900"), "right is at 0x900; spec/tile_map.yaml says 0x800"),
        (("next_hop[4] @ 0x1000", "next_hop[4] @ 0x1100"), "next_hop is at 0x1100; spec/tile_map.yaml says 0x1000"),
        (("counters @ 0x8000", "counters @ 0x8100"), "the counters are at 0x8100; spec/tile_map.yaml says 0x8000"),
        (("control_right right", f"reg {{{FIELD} read[0:0]; {FIELD} write[2:2]; {FIELD} node[23:16];}} right"), "the fields of right are"),
        (("  key: port", "  key: port\n  names: {answer: 0}\n  asked_by: {answer: one}"), "asked_by says answer: one; it joins a word of names to a setting"),
        (("  key: port", "  key: port\n  asked_by: {answer: one}"), "asked_by says answer: one; it joins a word of names to a setting"),
        (("  key: port", "  key: port\n  leads_to: {answer: [echo]}"), "leads_to says answer: ['echo']; it joins a word of names to a list of kinds"),
        (("  key: port", "  key: port\n  names: {answer: 0}\n  leads_to: {answer: []}"), "leads_to says answer: []; it joins a word of names to a list of kinds"),
        (("  key: port", "  key: port\n  names: {answer: 0}\n  first_port: [answer]"), "first_port names answer; it names words of names, of a kind that reads stream"),
        (("weight->elements = \"channels\"", "weight->elements = \"units\""), "cfg.weight has 3 elements; it must have as many as its parameter units allows"),
        (("weight->elements = \"channels\"", "weight->elements = \"lanes\""), "cfg.weight has 3 elements; it must have as many as its parameter lanes allows"),
        (("cfg @ 0x0400", "cfg @ 0x0200"), "cfg is at 0x200; it may be at 0x400 or 0x3000"),
        (("} cfg @ 0x0400", "config_flag more[1019]; more->desc = \"x\"; } cfg @ 0x3000"), "cfg has 1025 words; there is room for 1024 at 0x3000"),
        (("config_number #(.WIDTH(12)) weight", "config_mac weight"), "cfg.weight is an array of registers of two words"),
    ],
)
def test_what_does_not_fit_is_refused(change, complaint, tmp_path):
    for suffix in ("rdl", "yaml"):
        (tmp_path / f"sample.{suffix}").write_text((SAMPLE / f"sample.{suffix}").read_text().replace(*change))
    with pytest.raises(ValueError, match=re.escape(complaint)):
        read_kind(tmp_path / "sample.yaml")


def channels() -> int:
    return int(os.environ["CHANNELS"])


async def bench(dut):
    client = RingClient(dut, KIND, NODES[0])
    quiet = {"s_axis_tvalid": 0, "m_axis_tready": 1, "in_valid_i": 0, "out_ready_i": 0, "now_i": 0, "interrupt_i": 0, "s_axis_tlast": 1, "s_axis_tuser": 0}
    for unit in range(4):
        dut.credit_i[unit].value = 0
    await reset(dut, **quiet)
    return client


@cocotb.test()
async def arrays_of_configuration(dut):
    client = await bench(dut)
    assert await client.read("node") == NODES[0]
    last = channels() - 1  # of the elements that the tile has
    assert [await client.read("cfg.weight", i) for i in range(last + 1)] == [1, 2][: last + 1]
    assert await client.read("cfg.one") == 0x55
    assert [await client.read("cfg.on", i) for i in range(2)] == [0, 1]
    await client.write("cfg.weight", 0xABC, last)
    assert await client.read("cfg.weight", last) == 0xABC
    kept = int(dut.cfg_q.value)
    assert kept == (0x003_002_001 & ~(0xFFF << 12 * last) | 0xABC << 12 * last) << 10 | 0x55 << 2 | 0b10
    for missing in range(last + 1, 3):
        with pytest.raises(RingError):
            await client.read("cfg.weight", missing)
        with pytest.raises(RingError):
            await client.write("cfg.weight", 0x123, missing)
    assert int(dut.cfg_q.value) == kept and await client.read("cfg.one") == 0x55
    await client.write("cfg.one", 0xA6)
    for index in range(2):
        await client.write("cfg.on", 1 - index, index)
    assert int(dut.cfg_q.value) == kept & ~0x3FF | 0xA6 << 2 | 0b01
    assert [await client.read("cfg.on", i) for i in range(2)] == [1, 0] and await client.read("cfg.one") == 0xA6


@cocotb.test()
async def a_tenant_reaches_its_window_only(dut):
    client = await bench(dut)
    for tenant in range(16):
        await client.access(WINDOW + 4 * tenant, 0xA0 + tenant)
    for tenant in range(1, 16):
        for word in range(16):
            if word == tenant:
                assert await client.access(WINDOW + 4 * word, tenant=tenant) == 0xA0 + word
                await client.access(WINDOW + 4 * word, 0xB0 + word, tenant=tenant)
            else:
                for data in (None, 1):
                    with pytest.raises(RingError):
                        await client.access(WINDOW + 4 * word, data, tenant=tenant)
        for offset in [client.offsets["node"], client.offsets["cfg.one"], KIND.counters[0].offset, WINDOW - 4, 2 * WINDOW]:
            for data in (None, 0):
                with pytest.raises(RingError):
                    await client.access(offset, data, tenant=tenant)
    assert [await client.access(WINDOW + 4 * word) for word in range(16)] == [0xA0, *range(0xB1, 0xC0)]
    assert await client.read("cfg.one") == 0x55
    for offset in (WINDOW + 0x40, WINDOW + 2, client.offsets["cfg.one"] + 1):
        with pytest.raises(RingError):
            await client.access(offset, 0)
    assert await client.access(WINDOW) == 0xA0 and await client.read("cfg.one") == 0x55


@cocotb.test()
async def a_window_of_any_size_is_reached_by_an_index(dut):
    """Random accesses of tenants at several masters: each has an index of its own, which goes on with each access that is not refused."""
    client = await bench(dut)
    window_bytes, far, owners, words = 1 << KIND.window_bits, 0x20000, [(tenant, master) for tenant in range(16) for master in (0, 2, 3)], {}  # the tile itself is master 1
    indices = dict.fromkeys(owners, 0)

    async def access(place: int, data: int | None, owner: tuple[int, int]) -> int | None:
        """What is read; None: refused."""
        try:
            return await client.access(place, data, tenant=owner[0], master=owner[1])
        except RingError:
            return None

    for owner in owners:
        assert await access(WINDOW_INDEX, None, owner) == 0
    for owner in owners:  # so that every word is known
        if owner[1] == 0:
            for at in (4 * owner[0], far + 4 * owner[0]):
                assert await access(WINDOW_INDEX, at, owner) is not None and await access(WINDOW_DATA, at ^ 0xBEEF, owner) is not None
                words[at] = at ^ 0xBEEF
            indices[owner] = far + 4 * owner[0] + 4
    refused = 0
    for _ in range(1500):
        owner = random.choice(owners)
        if random.random() < 0.5:
            index = random.choice([far + 4 * owner[0], 4 * owner[0], far + 4 * random.randrange(20), 4 * random.randrange(20), window_bytes - 4, window_bytes, 2 * window_bytes, far + 2, 0xFFFF_FFFC])
            answer = await access(WINDOW_INDEX, index, owner)
            assert (answer is not None) == (index < window_bytes and index % 4 == 0), hex(index)
            if answer is not None:
                indices[owner] = index
        at, data = indices[owner], random.choice([None, random.getrandbits(32)])
        answer = await access(WINDOW_DATA, data, owner)
        allowed = at in words and owner[0] in (0, at % far // 4)
        assert (answer is not None) == allowed, (hex(at), owner)
        if allowed:
            assert data is not None or answer == words[at]
            words[at] = words[at] if data is None else data
            indices[owner] += 4
        else:
            refused += 1
            assert unpack(CTRL_FIELDS, int(dut.ctrl_o.value))["data"] & 1 == 0, "an access that was refused passes for one without an answer in time"
        assert await access(WINDOW_INDEX, None, owner) == indices[owner]
        near = random.choice([at for at in words if at < far])
        assert await access(WINDOW + near, None, (0, 0)) == words[near], "the first bytes are reached directly, too"
    assert 200 < refused < 1400


@cocotb.test()
async def every_port_sends_and_counts(dut):
    client = await bench(dut)
    ports = range(channels())
    sent = [random.randrange(20, 60) for _ in ports]
    flits = [to_flits(Message(b"x"), node)[0] for node in NODES]
    for number in range(60):  # messages of one flit, on both ports in the same cycle
        dut.in_valid_i.value = sum((number < sent[p]) << p for p in range(len(ports)))
        for p in ports:
            dut.in_flit_i[p].value = flits[p]
        dut.out_ready_i.value = (1 << len(ports)) - 1
        await ClockCycles(dut.clk_i, 1)
        for p in ports:
            if int(dut.out_valid_o.value) >> p & 1:
                seen = unpack(DESC_FIELDS, unpack(FLIT_FIELDS, int(dut.out_flit_o[p].value))["desc"])
                assert (seen["src"], seen["dst"]) == (NODES[p], FAR + p)
    dut.in_valid_i.value = 0
    await ClockCycles(dut.clk_i, 5)
    counters = await client.read_counters()
    for p in range(3):
        suffix = f"_{p}" if p else ""
        expected = sent[p] if p in ports else 0
        for name in ("in_messages", "out_messages", "mark_in_flits"):
            assert counters[name + suffix] == expected, (name, p)
    assert violations({"sample": counters}) == []


@cocotb.test()
async def entries_change_together(dut):
    """While the table is held, messages go where they went; then, from one cycle on, all go by both new entries."""
    client = await bench(dut)
    ports, hold = range(channels()), TILE_MAP.size("ChangeHold")
    flits = [to_flits(Message(b"x"), node)[0] for node in NODES]
    for p in ports:
        dut.in_flit_i[p].value = flits[p]
    dut.in_valid_i.value = dut.out_ready_i.value = (1 << len(ports)) - 1
    seen = []

    async def watch():
        while True:
            await ClockCycles(dut.clk_i, 1)
            if int(dut.out_valid_o.value) == (1 << len(ports)) - 1:
                ends = [unpack(DESC_FIELDS, unpack(FLIT_FIELDS, int(dut.out_flit_o[p].value))["desc"])["dst"] for p in ports]
                if not seen or seen[-1] != ends:
                    seen.append(ends)

    cocotb.start_soon(watch())
    wanted = [[FAR + p for p in ports]]
    for turn in range(6):
        await client.access(hold, 1)
        nodes = [FAR + 2 + 2 * turn + p for p in ports]
        for p in ports:
            await client.write("next_hop", 1 << 31 | nodes[p] << 16 | p, p)
            await ClockCycles(dut.clk_i, random.randrange(20))
        await client.access(hold, 0)
        await ClockCycles(dut.clk_i, 20)
        wanted.append(nodes)
    assert seen == wanted


@cocotb.test()
async def credits_pass_through(dut):
    client = await bench(dut)
    for number in range(10):
        dut.credit_i[0].value = 0b100 * (number < 7)
        dut.credit_i[3].value = number % 8
        await ClockCycles(dut.clk_i, 1)
        assert int(dut.credit_o.value) == number % 8
    dut.credit_i[0].value = 0
    await ClockCycles(dut.clk_i, 2)
    assert (await client.read_counters())["mark_given"] == 7


@cocotb.test()
async def asks_as_a_master_within_its_rights(dut):
    """Requests of the engine: those that reach the ring, under the tile's number and tenant, and those that are refused."""
    client = await bench(dut)
    okay, refused = 0, 1
    refusals = 0

    async def ask(node: int, offset: int, data: int | None = None) -> tuple[dict | None, int]:
        """The request that leaves the tile, if one does, and the status of its answer."""
        tag = random.randrange(4)
        word = (data is not None) << 31 | tag << 29 | (data or 0) << 16 | node << 8 | offset
        seen = None

        async def ring():
            nonlocal seen
            for _ in range(40):
                beat = unpack(CTRL_FIELDS, int(dut.ctrl_o.value))
                if beat["valid"] and beat["master"] == 1:
                    seen = beat
                    break
                await ClockCycles(dut.clk_i, 1)

        watcher = cocotb.start_soon(ring())
        await client.access(WINDOW + 0x400, word)
        await watcher
        if seen is not None:  # the request comes back as a response
            dut.ctrl_i.value = pack(CTRL_FIELDS, seen | {"response": 1, "data": 0x123})
            await ClockCycles(dut.clk_i, 1)
            dut.ctrl_i.value = 0
            await ClockCycles(dut.clk_i, 4)
        answer = await client.access(WINDOW + 0x400)
        assert answer >> 30 == tag
        assert seen is None or answer & 0xFFF == 0x123
        return seen, answer >> 28 & 3

    async def judge(rights: list[int]):
        nonlocal refusals
        for node in (*REACHED, NODES[0], 0):
            for data in (None, 0x155):
                seen, status = await ask(node, 0x44, data)
                right = rights[REACHED.index(node)] if node in REACHED else 0
                if right >> (data is not None) & 1:
                    expected = {"node": node, "offset": 0x44, "write": int(data is not None), "tenant": 3, "response": 0}
                    assert seen is not None and {key: seen[key] for key in expected} == expected
                    assert seen["data"] == (data or 0) and status == okay
                else:
                    assert seen is None and status == refused
                    refusals += 1

    assert [await client.read("right", i) for i in range(2)] == [REACHED[0] << 16 | 0b11, REACHED[1] << 16 | 0b01]
    await judge([0b11, 0b01])
    await client.write("right", 0xFFFF_FFFF, 1)  # the host cannot raise it beyond what the design gives
    await client.write("right", 0b01, 0)
    await judge([0b01, 0b01])
    for value, kept in ((0b11, 0b01), (0b00, 0b00), (0b11, 0b00)):  # another master can only lower it, even one of the operator
        await client.access(client.offsets["right"], value, master=2)
        assert await client.read("right", 0) == REACHED[0] << 16 | kept
    await judge([0b00, 0b01])
    await client.write("right", 0b10, 0)  # the host raises it again
    await judge([0b10, 0b01])
    assert (await client.read_counters())["mark_control_refused"] == refusals


@cocotb.test()
async def interrupts_are_pending_until_they_are_cleared(dut):
    client = await bench(dut)
    pending, enable = "interrupt_pending", "interrupt_enable"

    async def frame(refused: int = 0):
        dut.s_axis_tvalid.value, dut.s_axis_tuser.value = 1, refused
        await ClockCycles(dut.clk_i, 1)
        dut.s_axis_tvalid.value = 0
        await ClockCycles(dut.clk_i, 3)

    await frame()
    assert (await client.read(pending), await client.read(enable), int(dut.interrupt_o.value)) == (0b01, 0, 0)
    await client.write(enable, 0b10)
    await ClockCycles(dut.clk_i, 2)
    assert dut.interrupt_o.value == 0
    await frame(refused=1)
    assert await client.read(pending) == 0b11 and dut.interrupt_o.value == 1
    await client.write(pending, 0b01)
    assert await client.read(pending) == 0b10 and dut.interrupt_o.value == 1
    await client.write(pending, 0b10)
    await ClockCycles(dut.clk_i, 2)
    assert await client.read(pending) == 0 and dut.interrupt_o.value == 0
    dut.s_axis_tvalid.value, dut.s_axis_tuser.value = 1, 1  # frames in every cycle
    await client.write(pending, 0b11)
    assert await client.read(pending) == 0b10 and dut.interrupt_o.value == 1
    dut.s_axis_tvalid.value = 0
    await client.write(enable, 0xFFFF_FFFF)
    assert await client.read(enable) == 0b11, "there are two"
    for name in (pending, enable):
        with pytest.raises(RingError):
            await client.access(client.offsets[name], 0, tenant=1)


@cocotb.test()
async def a_master_sees_the_interrupts_of_what_it_may_read(dut):
    client = await bench(dut)
    dut.interrupt_i.value = 0b11
    assert await client.access(WINDOW + 0x500) == 0b11
    dut.interrupt_i.value = 0b01
    assert await client.access(WINDOW + 0x500) == 0b01
    await client.write("right", 0b10, 0)  # it may write there, and no more read
    assert await client.access(WINDOW + 0x500) == 0
    dut.interrupt_i.value = 0b10
    assert await client.access(WINDOW + 0x500) == 0b10


@cocotb.test()
async def a_snapshot_has_all_counters_as_they_were_in_one_cycle(dut):
    """A frame passes from port to port in every cycle: in_frames equals out_frames in each cycle, while single reads of the two differ."""
    client = await bench(dut)
    count = len(KIND.counters)
    first = min(counter.offset for counter in KIND.counters)
    assert await client.access(COPIES) == 0, "there is no copy yet"
    dut.s_axis_tvalid.value = 1
    seen = []
    for turn in range(4):
        await ClockCycles(dut.clk_i, 50)
        await client.access(COPIES, 1)
        for _ in range(2):  # the copy does not change as time passes
            copy = {}
            for counter in KIND.counters:
                offset = COPIES + counter.offset - first
                copy[counter.name] = await client.access(offset) | await client.access(offset + 4) << 32
            assert copy["in_frames"] == copy["out_frames"] > 50 * turn
            seen.append(copy["in_frames"])
            await ClockCycles(dut.clk_i, 20)
    assert seen[0::2] == seen[1::2] and len(set(seen)) == 4
    low = [await client.access(counter.offset) for counter in KIND.counters if counter.name in ("in_frames", "out_frames")]
    assert low[0] != low[1], "single reads show different cycles"
    dut.s_axis_tvalid.value = 0
    await ClockCycles(dut.clk_i, 3 * count)
    counters = await client.read_counters()
    assert counters["in_frames"] == counters["out_frames"] > seen[-1]
    for offset, data in ((COPIES + 8 * count, None), (COPIES + 2, None), (COPIES + 4, 1), (0xFFFC, None)):
        with pytest.raises(RingError):
            await client.access(offset, data)
    for data in (None, 1):
        with pytest.raises(RingError):
            await client.access(COPIES, data, tenant=1)


@cocotb.test()
async def the_last_drops_are_kept(dut):
    """Each drop of a message without a next hop is logged, while the copies of the counters are in use, too."""
    client = await bench(dut)
    await client.access(COPIES, 1)
    place = DROPS + windows.offset("drop_log_window", "next")
    assert await client.access(place) == 0
    flits = [to_flits(Message(b"x"), node)[0] for node in NODES]
    for p in range(channels()):
        dut.in_flit_i[p].value = flits[p]
        await client.write("next_hop", 0, p)
    dut.out_ready_i.value = (1 << channels()) - 1
    sent = [random.randrange(1, 1 << channels()) for _ in range(12)]
    pauses = [random.randrange(1, 40) for _ in sent]
    for ports, pause in zip(sent, pauses):
        dut.in_valid_i.value = ports
        await ClockCycles(dut.clk_i, 1)
        dut.in_valid_i.value = 0
        await ClockCycles(dut.clk_i, pause)
    assert await client.access(place) == len(sent)
    cycles = []
    for number, ports in enumerate(sent):
        reasons, low, high = [await client.access(DROPS + windows.offset("drop_log_window", "records", slot=number, word=word)) for word in range(3)]
        assert KIND.drop_reasons[reasons.bit_length() - 1] == "drop_no_next_hop" and reasons.bit_count() == 1
        assert high >> 16 == (0 if ports & 1 else 1), "the key of the lowest port that dropped"
        cycles.append((high & 0xFFFF) << 32 | low)
    assert [after - before - 1 for before, after in pairwise(cycles)] == pauses[:-1]
    assert (await client.read_counters())["drop_no_next_hop"] == sum(ports & 1 for ports in sent)
    for address, data in ((place, 1), (place + 4, None), (DROPS + windows.offset("drop_log_window", "keys"), None), (DROPS + windows.offset("drop_log_window", "records", slot=16), None), (DROPS + 0x1FFC, None)):
        with pytest.raises(RingError):
            await client.access(address, data)
    with pytest.raises(RingError):
        await client.access(place, tenant=1)
