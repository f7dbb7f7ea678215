# SPDX-License-Identifier: Apache-2.0
"""rmt_port: frames get their chain or their exit; edits keep checksums right; mirror, drop, overflow; latency and throughput; outgoing frames are cut
and padded."""

import os
import random
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.rmt import stage
from girih.spec.kinds import load_kind
from girih.spec.message import pack, struct_fields
from girih.testing import WIDTHS, run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.engines import config_word
from girih.testing.messages import FLIT_BYTES, Events, FirstPort, Message, Sink, Source, flits_of, reset, time_at
from rtl.rmt.parser.frames import every_stack, frame_of, inner_frame
from rtl.rmt.parser.graph_reference import interpret
from rtl.rmt.pipeline_bench import GRAPH, PipelineBench, announced, program
from rtl.tiles.ethernet.test_eth_rx_engine import Mac
from rtl.tiles.ethernet.test_eth_tx_engine import Frames

KIND = load_kind("rmt_port")
EXIT, TENANT, PORT = 0x42, 3, 5
TERNARY = 1
MAX_FRAME = 9018
LANES = int(os.environ.get("GIRIH_LANES", "1"))


@pytest.mark.parametrize("data_width", WIDTHS)
def test_rmt_port_engine(data_width):
    parameters = {"Port": PORT, "Kind0": TERNARY, "Entries0": 16, "KeyHalves0": 2}
    run_cocotb("rmt_port_engine", __file__, data_width=data_width, chained=True, parameters=parameters)


@pytest.mark.thorough
def test_rmt_port_engine_with_four_stages():
    parameters = {"Port": PORT, "Stages": 4, "Kind0": TERNARY, "Entries0": 16, "KeyHalves0": 2}
    run_cocotb(
        "rmt_port_engine",
        __file__,
        chained=True,
        parameters=parameters,
        testcase=["frames_without_a_table_go_to_the_exit", "latency_and_throughput"],
        environment={"GIRIH_STAGES": "4"},
    )


@pytest.mark.thorough
def test_rmt_port_engine_with_lanes():
    stages = {f"{name}{number}": value for number in range(4) for name, value in (("Kind", TERNARY), ("Entries", 16), ("KeyHalves", 2))}
    run_cocotb(
        "rmt_port_engine",
        __file__,
        chained=True,
        parameters={"Port": PORT, "Stages": 4, "Lanes": 2, **stages},
        testcase=["each_stage_counts_what_it_finds", "a_lane_that_stands_still_drops_what_comes_for_it"],
        environment={"GIRIH_LANES": "2"},
    )


class Bench(PipelineBench):
    """The engine with a MAC, a fabric and a controller around it."""

    @classmethod
    async def start(cls, dut, idle=0.0, stall=0.0, **cfg):
        self = cls()
        self.dut = dut
        dut.cfg_i.value = config_word("rmt_port", **({"tenant": TENANT, "exit": EXIT, "lossless": 0} | cfg))
        levels = dict.fromkeys(("in_valid_i", "out_ready_i", "s_axis_tvalid", "m_axis_tready", "window_valid_i"), 0)
        await reset(dut, now_i=0, **levels)
        cocotb.start_soon(self._count())
        self.mac, self.sink = Mac(dut, idle), Sink(FirstPort(dut), stall=stall)
        self.source, self.frames = Source(FirstPort(dut), idle=idle), Frames(dut, stall)
        self.events = Events(dut, [c.name for c in KIND.engine_counters])
        for offset, value in program().writes():
            await self.access(True, offset, value)
        return self

    async def _count(self):
        while True:
            self.dut.now_i.value = time_at(cycle_now() + 1)
            await RisingEdge(self.dut.clk_i)

    async def finish(self, cycles=200):
        """Waits until the engine is quiet, longer than it takes to discard several frames in a row."""
        await self.mac.drained()
        quiet = 0
        while quiet < cycles:
            await RisingEdge(self.dut.clk_i)
            quiet = 0 if self.sink.busy or self.source.busy else quiet + 1
        self.check_conservation()

    def forget(self):
        self.sink.messages.clear()
        self.events.count.clear()

    def check_conservation(self):
        count = self.events.count
        came = count["in_frames"] + count["made_mirrored"]
        assert came == len(self.sink.messages) + sum(n for name, n in count.items() if name.startswith("drop_"))


def want_desc(frame: bytes) -> dict:
    want = interpret(GRAPH, frame)
    return {
        "port": PORT,
        "tenant": TENANT,
        "exit": EXIT,
        "length": want.length,
        "l3_offset": want.l3,
        "l4_offset": want.l4,
        "payload_offset": want.payload,
        "flow": want.flow,
        "timestamp_valid": 1,
    }


def check(have: Message, frame: bytes, bad=False, **more):
    """Bytes behind the packet are cut off; a frame too short for its packet is void."""
    assert (have.data, have.bad) == (frame[: announced(frame)], bad or announced(frame) > len(frame))
    for name, value in (want_desc(frame) | more).items():
        assert have.desc[name] == value, f"{name} is {have.desc[name]}, not {value}, of {frame.hex()}"


@cocotb.test()
async def frames_without_a_table_go_to_the_exit(dut):
    bench = await Bench.start(dut)
    for idle, stall in ((0, 0), (0.4, 0), (0, 0.4), (0.4, 0.4)):
        bench.mac.idle, bench.sink.stall = idle, stall
        bench.forget()
        stacks = [frame for _, frame in every_stack()]
        longer = random.sample([frame for frame in stacks if len(frame) > interpret(GRAPH, frame).payload > 14], 10)
        frames = random.sample(stacks, 60) + [frame.ljust(60, b"\0") for frame in stacks if len(frame) < 60]
        frames += [random.choice(stacks) + random.randbytes(n) for n in (1, 20, 64, 65, 200, 1400, 5000)]
        frames += [frame[: -random.randint(1, len(frame) - interpret(GRAPH, frame).payload)] for frame in longer]
        random.shuffle(frames)
        bads = [random.random() < 0.1 for _ in frames]
        ats = [bench.mac.send(frame, bad) for frame, bad in zip(frames, bads, strict=True)]
        runts = [bench.mac.send(random.randbytes(random.randint(1, 13))) for _ in range(5)]
        await bench.finish()
        for frame, bad, at, have in zip(frames, bads, ats, bench.sink.messages, strict=True):
            check(have, frame, bad, timestamp=time_at(at["first"]), route_count=1, chain_count=0, lossless=0)
            assert have.desc["route"][0] == EXIT
        assert bench.events.count["drop_runt"] == len(runts)
        assert bench.events.count["mark_bad_in"] == sum(bads)
        assert bench.events.count["mark_truncated"] == sum(announced(frame) > len(frame) for frame in frames) > 0


@cocotb.test()
async def an_offered_flit_stands_whatever_is_written(dut):
    """Frames wait for an output that stalls. Changes to the configuration, the tables and the parser leave an offered flit unchanged, and each
    message is handled under one configuration."""
    bench = await Bench.start(dut, lossless=1)
    index = await bench.insert("udp.dst", 53, {"lossless_set": 1, "lossless": 1, "meta_set": 1, "meta": 1})
    frames = [frame_of("ipv4", "udp", payload=bytes(300)) for _ in range(3)]
    bench.sink.stall = 1.0
    old, new = {"tenant": 3, "exit": 0x21, "lossless": 1}, {"tenant": 12, "exit": 0x5E, "lossless": 0}
    dut.cfg_i.value = config_word("rmt_port", **old)
    for frame in frames:
        bench.mac.send(frame)
    await bench.mac.drained()
    for _ in range(40):
        await RisingEdge(dut.clk_i)
    assert dut.out_valid_o.value == 1
    before = int(dut.out_flit_o[0].value), int(dut.out_key_o[0].value)
    dut.cfg_i.value = config_word("rmt_port", **new)
    await bench.steps(stage.delete_entry(index))
    await bench.steps(stage.write_default({"drop": 1}))
    await bench.access(True, 0, 0)  # the parser is off
    for _ in range(20):
        await RisingEdge(dut.clk_i)
        assert (int(dut.out_flit_o[0].value), int(dut.out_key_o[0].value)) == before
    bench.sink.stall = 0.0
    await bench.finish()
    for have in bench.sink.messages:
        assert {name: have.desc[name] for name in old} == old
    assert len(bench.sink.messages) == len(frames)


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.4])
async def a_table_writes_chain_and_drops_and_mirrors(dut, stall):
    """Also for frames that the MAC marks bad, and for some that wrap round the end of the buffer."""
    bench = await Bench.start(dut, lossless=1, stall=stall, idle=0.75 if stall else 0.0)
    hop = [{"service": 2, "rank_class": 1, "meta": 7}, {"service": 5}]
    await bench.insert("udp.dst", 53, {"chain_set": 1, "chain_count": 2, "chain": hop, "tenant_set": 1, "tenant": 9})
    await bench.insert("udp.dst", 80, {"drop": 1})
    await bench.insert("udp.dst", 9000, {"mirror_set": 1, "mirror": 0x17})
    await bench.insert("udp.dst", 4788, {"mirror_set": 1, "mirror": 0x18, "drop": 1})
    frames = [frame_of("ipv4", "udp", payload=random.randbytes(random.randint(0, 1400 if stall else 300))) for _ in range(150)]
    bad = [random.random() < 0.1 for _ in frames]
    for frame, declared in zip(frames, bad):
        bench.mac.send(frame, declared)
    await bench.finish()
    assert not bench.events.count["drop_overflow"]
    want = []
    for frame, declared in zip(frames, bad):
        port = int.from_bytes(frame[36:38], "big")
        if port in (9000, 4790):
            want.append((frame, {"bad": declared, "route_count": 1, "chain_count": 0}, EXIT))
        if port == 53:
            chain = [pack(struct_fields("hop"), h) for h in hop] + [0] * 6
            want.append((frame, {"bad": declared, "chain_count": 2, "chain": chain, "route_count": 0, "tenant": 9}, None))
        if port in (9000, 4788):
            node = 0x17 if port == 9000 else 0x18
            want.append((frame, {"bad": declared, "route_count": 1, "chain_count": 0, "exit": node}, node))
    for (frame, more, node), have in zip(want, bench.sink.messages, strict=True):
        check(have, frame, lossless=1, **more)
        assert have.key == 1 + have.desc["flow"].bit_count() % 2
        assert node is None or have.desc["route"][0] == node
    count = bench.events.count
    assert count["drop_action"] > 10 and count["made_mirrored"] > 10 and count["mark_hits_0"] > 50


@cocotb.test()
async def mirrored_frames_cross_the_end_of_the_buffer(dut):
    """Every frame is read twice, and the buffer wraps in the middle of some."""
    bench = await Bench.start(dut, idle=0.8)
    await bench.steps(stage.write_default({"mirror_set": 1, "mirror": 0x17}))
    frames = [frame_of("ipv4", "udp", payload=random.randbytes(random.randint(1300, 1400))) for _ in range(60)]
    for frame in frames:
        bench.mac.send(frame)
    await bench.finish()
    assert not bench.events.count["drop_overflow"]
    want = [(frame, exit) for frame in frames for exit in (EXIT, 0x17)]
    for (frame, exit), have in zip(want, bench.sink.messages, strict=True):
        check(have, frame, route_count=1, chain_count=0, exit=exit)
    assert bench.events.count["made_mirrored"] == len(frames)


@cocotb.test()
@cocotb.parametrize(port=[0, 1])
async def a_table_makes_messages_lossless_where_there_are_any(dut, port):
    bench = await Bench.start(dut, lossless=port)
    await bench.insert("udp.dst", 53, {"lossless_set": 1, "lossless": 1, "exit_set": 1, "exit": 0x17})
    await bench.insert("udp.dst", 80, {"lossless_set": 1, "lossless": 0, "exit_set": 1, "exit": 0x18})
    frames = [frame_of("ipv4", "udp", payload=bytes(50)) for _ in range(120)]
    for frame in frames:
        bench.mac.send(frame)
    await bench.finish()
    for frame, have in zip(frames, bench.sink.messages, strict=True):
        number = int.from_bytes(frame[36:38], "big")
        assert have.desc["exit"] == {53: 0x17, 80: 0x18}.get(number, EXIT)
        assert have.desc["lossless"] == (port if number != 80 else 0)
    assert bench.events.count["mark_hits_0"] > 20


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.4])
async def a_meter_drops_what_exceeds_its_rate(dut, stall):
    """A burst of frames of one port; those of other ports pass."""
    bench = await Bench.start(dut, stall=stall)
    await bench.steps(stage.write_meter(3, [0, 2000, 0, 2000]))  # no rate, and two buckets of 2,000 bytes
    await bench.insert("udp.dst", 53, {"meter_set": 1, "meter": 3, "treatment": [{}, {}, {"drop": 1}]})
    frames = [frame_of("ipv4", "udp", payload=bytes(400)) for _ in range(100)]
    metered = [frame for frame in frames if int.from_bytes(frame[36:38], "big") == 53]
    for frame in frames:
        bench.mac.send(frame)
    await bench.finish()
    dropped = bench.events.count["drop_meter"]
    passed = [have.data for have in bench.sink.messages if int.from_bytes(have.data[36:38], "big") == 53]
    assert 0 < dropped == len(metered) - len(passed) and passed == metered[: len(passed)]
    assert len(bench.sink.messages) == len(frames) - dropped


@cocotb.test()
async def what_is_longer_than_the_largest_frame_is_void(dut):
    bench = await Bench.start(dut, stall=0.7)
    sizes = [MAX_FRAME + 1, MAX_FRAME, MAX_FRAME + 1000]
    frames = [frame_of("ipv4", "udp", payload=bytes(size))[:size] for size in sizes]
    for frame in frames:
        bench.mac.send(frame)
        await bench.finish()
    assert bench.events.count["mark_oversize"] == 2 and bench.events.count["in_frames"] == 3
    assert all(len(have.data) <= MAX_FRAME for have in bench.sink.messages)


@cocotb.test(skip=LANES < 2)
async def each_stage_counts_what_it_finds(dut):
    bench = await Bench.start(dut, stall=0.3)
    ports = [53, 80, 9000, 4788]
    for number, port in enumerate(ports):
        await bench.insert("udp.dst", port, {"meta_set": 1, "meta": 1}, number)
    frames = [frame_of("ipv4", "udp", payload=bytes(50)) for _ in range(200)]
    for frame in frames:
        bench.mac.send(frame)
    await bench.finish()
    asked = Counter(int.from_bytes(frame[36:38], "big") for frame in frames)
    for number, port in enumerate(ports):
        assert bench.events.count[f"mark_hits_{number}"] == asked[port] > 0
        assert bench.events.count[f"mark_misses_{number}"] == len(frames) - asked[port]


@cocotb.test(skip=LANES < 2)
async def a_lane_that_stands_still_drops_what_comes_for_it(dut):
    """Messages with a chain leave by the second lane, which nobody takes: each tenant's own are dropped and counted, and others leave by the first one."""
    bench = await Bench.start(dut, stall=0.3)
    hop = [{"service": 2}]
    others = [frame_of("ipv4", "udp", payload=bytes(50)) for _ in range(20)]
    others = [frame for frame in others if int.from_bytes(frame[36:38], "big") != 53]
    chained = next(frame for frame in iter(lambda: frame_of("ipv4", "udp", payload=bytes(8000)), None) if int.from_bytes(frame[36:38], "big") == 53)
    count = bench.events.count
    for tenant in range(8):
        await bench.insert("udp.dst", 53, {"chain_set": 1, "chain_count": 1, "chain": hop, "tenant_set": 1, "tenant": tenant})
        before = dict(count)
        already = len(bench.sink.messages)
        for frame in [chained] * 10 + others:
            bench.mac.send(frame)
        await bench.mac.drained()
        await bench.sink.count(already + len(others))
        grown = {name: count[name] - before.get(name, 0) for name in count if name.startswith("drop_")}
        assert {name: number for name, number in grown.items() if number} == {f"drop_busy_{tenant}": grown[f"drop_busy_{tenant}"]}
        assert 0 < grown[f"drop_busy_{tenant}"] <= 10
        assert [have.data for have in bench.sink.messages[already:]] == others


def ones_sum(data: bytes) -> int:
    total = sum(int.from_bytes(data[i : i + 2].ljust(2, b"\0"), "big") for i in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def check_sums(before: bytes, after: bytes) -> set[int]:
    """Checks that every correct checksum stays correct; returns the bytes of the checksums."""
    places = set()
    parsed = interpret(GRAPH, before)
    names = list(parsed.headers)
    for i, name in enumerate(names):
        header = GRAPH.headers[name]
        if "sum" not in header:
            continue
        at, own = parsed.headers[name], header["fields"]["checksum"][0] // 8
        places |= {at + own, at + own + 1}
        if header["sum"]["over"] == "header":
            size = (after[at] & 15) * 4
            assert ones_sum(after[at : at + size]) == 0xFFFF, name
            continue
        net = names[i - 1]
        net_at = parsed.headers[net]
        told = after[at + own : at + own + 2]
        was = before[at + own : at + own + 2]
        nested = i + 1 < len(names)
        if was == b"\0\0" and header["sum"].get("zero_is_none"):
            assert told == was, name
            continue
        if nested and any(before[j] != after[j] for j in range(at + 8, min(len(before), 128))):
            assert told == b"\0\0", "the sum of a tunnel whose inside has changed"
            continue
        if nested and told == b"\0\0":
            continue
        if net.endswith("ipv4"):
            if int.from_bytes(before[net_at + 6 : net_at + 8], "big") & 0x3FFF:
                continue
            end = net_at + int.from_bytes(before[net_at + 2 : net_at + 4], "big")
            pseudo, protocol = after[net_at + 12 : net_at + 20], before[net_at + 9]
        else:
            end = net_at + 40 + int.from_bytes(before[net_at + 4 : net_at + 6], "big")
            pseudo, protocol = after[net_at + 8 : net_at + 40], before[net_at + 6]
        body = after[at:end]
        total = ones_sum(pseudo + bytes([0, protocol]) + len(body).to_bytes(2, "big") + body)
        assert total == 0xFFFF, (name, before.hex())
        assert not (header["sum"].get("zero_is_none") and told == b"\0\0")
    return places


EDITED = (
    *("ipv4.src", "ipv4.dst", "tcp.dst", "udp.src", "ipv6.src", "ethernet.dst", "vlan.tci"),
    *("inner.ipv4.dst", "inner.ipv4.src", "inner.tcp.dst", "inner.udp.src"),
)


@cocotb.test()
async def edits_keep_checksums_right(dut):
    bench = await Bench.start(dut)
    for first in EDITED:
        word = program().fields[first][-1].word  # one word is not written twice by one action
        others = [name for name in EDITED if program().fields[name][-1].word != word]
        fields = [first, random.choice(others)]
        edits = []
        for name in fields:
            piece = program().fields[name][-1]
            halves = (2 if piece.high > 15 else 0) | (1 if piece.low < 16 else 0)
            mask = (1 << piece.high + 1) - (1 << piece.low)
            value = random.choice([random.getrandbits(32), 0xFFFFFFFF, 0]) & mask
            edits.append({"op": "set", "number": piece.word, "halves": halves, "value": value})
        await bench.steps(stage.set_key([0, 1]))
        await bench.steps(stage.write_entry(0, stage.Entry(key=0, mask=0, action={"edit": edits})))
        bench.forget()
        frames = [frame for _, frame in every_stack()]
        for frame in frames:
            bench.mac.send(frame)
        bench.sink.stall = random.choice([0, 0.3])
        await bench.finish()
        for frame, have in zip(frames, bench.sink.messages, strict=True):
            parsed = interpret(GRAPH, frame)
            want = bytearray(frame)
            for edit in edits:
                if edit["number"] in parsed.owners:
                    header, byte = parsed.owners[edit["number"]]
                    at = parsed.headers[header] + byte
                    for half in (0, 1):
                        there = 2 * half + 2 <= parsed.words[edit["number"]][1]
                        if edit["halves"] >> (1 - half) & 1 and there:
                            value = edit["value"] >> 16 * (1 - half) & 0xFFFF
                            want[at + 2 * half : at + 2 * half + 2] = value.to_bytes(2, "big")
            if bytes(want) == frame:
                continue
            places = check_sums(frame, have.data)
            assert len(have.data) == len(frame)
            for i, (a, b) in enumerate(zip(want, have.data, strict=True)):
                assert a == b or i in places, f"byte {i} of {frame.hex()} {fields}"


@cocotb.test()
async def an_edited_udp_sum_of_zero_is_sent_as_ones(dut):
    """Zero means that there is no checksum (RFC 768)."""
    bench = await Bench.start(dut)
    piece = program().fields["udp.src"][-1]
    source = 0xBEEF
    edit = {"op": "set", "number": piece.word, "halves": 2 if piece.high > 15 else 1, "value": source << piece.low}
    await bench.steps(stage.set_key([0, 1]))
    await bench.steps(stage.write_entry(0, stage.Entry(key=0, mask=0, action={"edit": [edit]})))
    wanted = []
    for _ in range(20):
        before = bytearray(frame_of("ipv4", "udp", payload=random.randbytes(2 * random.randint(2, 200))))
        headers = interpret(GRAPH, bytes(before)).headers
        at, addresses = headers["udp"], headers["ipv4"] + 12

        def total(frame, at=at, addresses=addresses):
            return ones_sum(frame[addresses : addresses + 8] + bytes([0, 17]) + (len(frame) - at).to_bytes(2, "big") + frame[at:])

        before[at + 6 : at + 10] = bytes(4)  # the checksum, and two bytes of the payload
        after = before.copy()
        after[at : at + 2] = source.to_bytes(2, "big")
        balance = (0xFFFF - total(after)).to_bytes(2, "big")
        before[at + 8 : at + 10] = after[at + 8 : at + 10] = balance
        assert total(after) == 0xFFFF
        before[at + 6 : at + 8] = (0xFFFF - total(before) or 0xFFFF).to_bytes(2, "big")
        after[at + 6 : at + 8] = b"\xff\xff"
        bench.mac.send(bytes(before))
        wanted.append(bytes(after))
    await bench.finish()
    assert [have.data for have in bench.sink.messages] == wanted


@cocotb.test()
async def a_full_buffer_drops_whole_frames(dut):
    bench = await Bench.start(dut, stall=1.0)
    frames = [frame_of("ipv4", "udp", payload=random.randbytes(random.choice([20, 1400, 8900]))) for _ in range(80)]
    for frame in frames:
        bench.mac.send(frame)
    await bench.mac.drained()
    assert bench.events.count["drop_overflow"] > 0
    bench.sink.stall = 0
    await bench.finish()
    bench.sink.stall = 0.5
    more = [frame_of("ipv4", "tcp", payload=bytes(10)) for _ in range(300)]
    for frame in more:
        bench.mac.send(frame)
    await bench.finish()
    everything, position = frames + more, 0
    for message in bench.sink.messages:
        position = everything.index(message.data, position) + 1
        check(message, message.data)


@cocotb.test()
async def latency_and_throughput(dut):
    stages = int(os.environ.get("GIRIH_STAGES", "1"))
    bench = await Bench.start(dut)
    cycles = 5 + 3 * stages
    for size in (60, 64, 65, 512, 1500):
        bench.forget()
        number = 300 if size <= 65 else 20
        frames = [frame_of("ipv4", "tcp", payload=bytes(size))[:size] for _ in range(number)]
        ats = [bench.mac.send(frame) for frame in frames]
        await bench.finish()
        have = bench.sink.messages
        assert len(have) == number
        assert have[-1].last - have[0].first + 1 == sum(flits_of(frame) for frame in frames), "a bubble"
        if FLIT_BYTES >= 64:
            assert {m.first - at["first"] for m, at in zip(have, ats, strict=True)} == {cycles}, size
    assert cycles <= {1: 8, 4: 17}[stages]
    assert bench.events.count["drop_overflow"] == 0
    bench.forget()
    for _ in range(50):
        bench.mac.send(frame_of("ipv4", "vxlan", inner=inner_frame(bytes(100), "ipv4", "udp")))
    await bench.finish()
    have = bench.sink.messages
    assert have[-1].last - have[0].first + 1 == sum(flits_of(m.data) for m in have)


@cocotb.test()
async def what_leaves_is_cut_and_padded(dut):
    bench = await Bench.start(dut, stall=0.3)
    want = []
    for _ in range(60):
        frame, bad = random.randbytes(random.choice([14, 30, 59, 60, 64, 65, 400, 1514])), random.random() < 0.2
        cut = random.choice([0, 0, len(frame) - random.randint(0, 10)])
        bench.source.send(Message(frame, {"length": cut, "timestamp_valid": 0}, bad))
        want.append(((frame[:cut] if cut else frame).ljust(60, b"\0"), int(bad)))
    while len(bench.frames.frames) < len(want):
        await RisingEdge(dut.clk_i)
    await ClockCycles(dut.clk_i, 20)
    assert [(data, user) for data, user, *_ in bench.frames.frames] == want
    assert bench.events.count["out_frames"] == len(want)
    bench.frames.stall = 0
    await ClockCycles(dut.clk_i, 5)
    message = Message(bytes(64), {"timestamp_valid": 1, "timestamp": time_at(cycle_now() - 5)})
    bench.source.send(message)
    await ClockCycles(dut.clk_i, 20)
    _, _, first, _ = bench.frames.frames[-1]
    assert first - message.first == 1
    assert bench.frames.latencies


@cocotb.test()
async def nobody_else_is_in_the_window(dut):
    bench = await Bench.start(dut)
    for offset in (0x1000, 0x2000, 0x3FFC):  # stages that do not exist
        with pytest.raises(stage.Refused):
            await bench.access(False, offset)
    with pytest.raises(stage.Refused):
        await bench.access(True, 0, 0, tenant=3)
