# SPDX-License-Identifier: Apache-2.0
"""The parser against a walk through the parse graph: every stack, truncated everywhere, damaged, and with another graph. It takes four cycles, or
three without cuts, and a frame in every cycle."""

import os
import random
from pathlib import Path

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from girih.rmt.parse_graph import compile_graph, load_graph
from girih.spec.message import Field, pack, unpack
from girih.testing import WIDTHS, run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.messages import DESC_BITS, DESC_FIELDS, FLIT_BYTES, Message, reset, to_flits
from rtl.rmt.parser.frames import damaged, every_stack, frame_of, inner_frame
from rtl.rmt.parser.graph_reference import interpret

PHV = [
    Field(name, bits, count, None, "")
    for name, bits, count in (
        ("word", 32, 16),
        ("word_valid", 16, 1),
        ("headers", 16, 1),
        ("path", 5, 1),
        ("shift_l3", 6, 1),
        ("shift_l4", 6, 1),
        ("sum", 16, 4),
        ("edit", 71, 4),
        ("meta", 32, 1),
        ("mirror", 1, 1),
        ("mirror_exit", 8, 1),
        ("drop", 2, 1),
        ("may_be_lossless", 1, 1),
        ("desc", DESC_BITS, 1),
    )
]
REQUEST = [Field(n, b, 1, None, "") for n, b in (("valid", 1), ("write", 1), ("addr", 14), ("data", 32), ("tenant", 4))]
RESPONSE = [Field(n, b, 1, None, "") for n, b in (("done", 1), ("error", 1), ("data", 32))]
RUNT = 1
CYCLES = 3 + int(os.environ.get("GIRIH_CUT", "1"))
FRAMES = 3000 if FLIT_BYTES == 64 else 1200  # faults of a frame do not depend on the width
OTHER = Path(__file__).parent / "other_graph.yaml"


@pytest.mark.parametrize("data_width", WIDTHS)
def test_parser(data_width):
    run_cocotb("parser", __file__, data_width=data_width, chained=True)


@pytest.mark.thorough
@pytest.mark.parametrize("data_width", [128, 512])
def test_a_parser_without_cuts(data_width):
    run_cocotb(
        "parser",
        __file__,
        data_width=data_width,
        chained=True,
        parameters={"Cut": 0},
        testcase=["every_stack_is_parsed", "its_cycles_and_a_frame_per_cycle"],
        environment={"GIRIH_CUT": "0"},
    )


async def access(dut, addr: int, data: int | None = None, tenant: int = 0) -> tuple[int, int]:
    """One request of the window: (error, data)."""
    request = {"valid": 1, "write": int(data is not None), "addr": addr, "data": data or 0, "tenant": tenant}
    dut.window_i.value = pack(REQUEST, request)
    for _ in range(100):
        await RisingEdge(dut.clk_i)
        answer = unpack(RESPONSE, int(dut.window_o.value))
        if answer["done"]:
            dut.window_i.value = 0
            await RisingEdge(dut.clk_i)
            return answer["error"], answer["data"]
    raise AssertionError(f"no answer at {addr:#x}")


async def load(dut, program) -> None:
    for offset, value in program.writes():
        error, _ = await access(dut, offset, value)
        assert not error


class Bench:
    def __init__(self, dut):
        self.dut, self.sent, self.got = dut, [], []
        cocotb.start_soon(self._watch())

    async def _watch(self):
        while True:
            await RisingEdge(self.dut.clk_i)
            if self.dut.out_valid_o.value == 1:
                self.got.append((cycle_now(), unpack(PHV, int(self.dut.out_phv_o.value))))

    async def send(self, frames, idle: float = 0.0) -> None:
        dut = self.dut
        for frame in frames:
            stamp = random.getrandbits(24)
            for i, flit in enumerate(to_flits(Message(frame, {"timestamp": stamp, "timestamp_valid": 1}))):
                while random.random() < idle:
                    dut.in_valid_i.value = 0
                    await RisingEdge(dut.clk_i)
                dut.in_valid_i.value, dut.in_flit_i.value = 1, flit
                await RisingEdge(dut.clk_i)
                if i == 0:
                    self.sent.append((cycle_now(), frame, stamp))
        dut.in_valid_i.value = 0
        await ClockCycles(dut.clk_i, 8)

    def check(self, graph, program) -> None:
        assert len(self.got) == len(self.sent)
        for (_, frame, stamp), (_, phv) in zip(self.sent, self.got, strict=True):
            check_one(graph, program, frame, stamp, phv)
        self.sent.clear(), self.got.clear()


def check_one(graph, program, frame, stamp, phv):
    want = interpret(graph, frame)
    what = f"{frame.hex()} is {list(want.headers)}"
    desc = unpack(DESC_FIELDS, phv["desc"])
    assert (phv["drop"] == RUNT) == want.runt, what
    assert phv["headers"] == sum(1 << program.headers[name] for name in want.headers), what
    valid = {w for w in range(16) if phv["word_valid"] >> w & 1}
    assert valid == set(want.words), what
    for number, (value, _) in want.words.items():
        assert phv["word"][number] == value, f"word {number}: {phv['word'][number]:#x}, not {value:#x}; {what}"
    assert (desc["l3_offset"], desc["l4_offset"], desc["payload_offset"]) == (want.l3, want.l4, want.payload), what
    assert desc["length"] == want.length and desc["flow"] == want.flow, what
    assert desc["timestamp"] == stamp and desc["timestamp_valid"] == 1
    assert desc["chain_count"] == desc["route_count"] == 0
    for name, at in want.headers.items():
        if "sum" in graph.headers[name]:
            slot, where = graph.headers[name]["sum"]["slot"], graph.headers[name]["fields"]["checksum"][0] // 8
            assert phv["sum"][slot] == int.from_bytes(frame[at + where : at + where + 2], "big"), what
    for full, pieces in program.fields.items():
        header, _, name = full.rpartition(".")
        if header in want.headers and not program.hides[full] & set(want.headers):
            value = 0
            for piece in pieces:
                width = piece.high - piece.low + 1
                value = value << width | phv["word"][piece.word] >> piece.low & ((1 << width) - 1)
            first, bits = graph.headers[header]["fields"][name]
            at = want.headers[header]
            whole = int.from_bytes(frame[at : at + graph.headers[header]["bytes"]], "big")
            assert value == whole >> (8 * graph.headers[header]["bytes"] - first - bits) & ((1 << bits) - 1), full


async def begin(dut, path=None):
    await reset(dut, in_valid_i=0, window_i=0)
    graph = load_graph(path) if path else load_graph()
    program = compile_graph(graph)
    await load(dut, program)
    return Bench(dut), graph, program


@cocotb.test()
async def every_stack_is_parsed(dut):
    bench, graph, program = await begin(dut)
    for idle in (0.0, 0.4):
        frames = [frame for _ in range(3) for _, frame in every_stack()]
        random.shuffle(frames)
        await bench.send(frames, idle)
        seen = {tuple(interpret(graph, frame).headers) for frame in frames}
        assert len(seen) >= 40
        bench.check(graph, program)


@cocotb.test()
async def truncated_anywhere(dut):
    bench, graph, program = await begin(dut)
    for _, frame in every_stack(payload_bytes=20):
        most = min(len(frame), 150)
        lengths = random.sample(range(1, most), min(FRAMES // 75, most - 1))
        await bench.send([frame[:n] for n in lengths] + [frame], random.choice([0, 0.3]))
    bench.check(graph, program)


@cocotb.test()
async def damaged_frames(dut):
    bench, graph, program = await begin(dut)
    whole = [frame for _, frame in every_stack()]
    await bench.send([damaged(random.choice(whole)) for _ in range(FRAMES)])
    await bench.send([random.randbytes(random.randint(1, 200)) for _ in range(FRAMES // 6)], 0.2)
    bench.check(graph, program)


@cocotb.test()
async def another_graph_at_run_time(dut):
    bench, graph, program = await begin(dut)
    frames = [frame for _, frame in every_stack()]
    await bench.send(frames)
    bench.check(graph, program)
    other = load_graph(OTHER)
    await load(dut, compile_graph(other))
    label = bytes.fromhex("020000000001020000000002")
    more = [label + bytes.fromhex("88b5") + random.randbytes(60) for _ in range(50)]
    more += [label + b"\x88\xb5" + bytes([0x10 + k // 4, k % 4]) + random.randbytes(30) for k in range(8)]
    await bench.send(frames + more)
    bench.check(other, compile_graph(other))
    await load(dut, program)
    await bench.send(frames)
    bench.check(graph, program)


@cocotb.test()
async def off_means_no_words(dut):
    bench, _graph, _program = await begin(dut)
    await access(dut, 0, 0)
    await bench.send([frame for _, frame in every_stack()] + [b"x"])
    assert len(bench.got) == len(bench.sent)
    assert all(phv["word_valid"] == phv["headers"] == phv["drop"] == 0 for _, phv in bench.got)
    assert all(phv["word"] == [0] * 16 for _, phv in bench.got)


@cocotb.test()
async def bad_requests_change_nothing(dut):
    bench, graph, program = await begin(dut)
    assert await access(dut, 0) == (0, 1)
    assert await access(dut, 0x44, 0x12345678) == (0, 0)
    assert await access(dut, 0x44) == (0, 0x12345678)
    for addr, data, tenant in (
        (0, 0, 3), (0x44, 1, 1), (0x004, 0x105, 2), (0x004, 0x300, 0), (0x004, 0x010, 0),
        (0x004, 0x120, 0), (0x004, 0x220, 0), (0x004, None, 0), (0x008, 1, 0), (0x080, 0, 0), (0x7FC, None, 0), (0x44, None, 5),
    ):  # fmt: skip
        error, value = await access(dut, addr, data, tenant)
        assert error and value == 0, hex(addr)
    assert await access(dut, 0x44) == (0, 0x12345678)
    await bench.send([frame for _, frame in every_stack()])
    bench.check(graph, program)


@cocotb.test()
async def its_cycles_and_a_frame_per_cycle(dut):
    bench, graph, program = await begin(dut)
    for net, kind in (("ipv4", "udp"), ("ipv4", "tcp"), ("ipv4", "esp"), ("arp", "udp")):
        frames = [frame_of(net, kind, payload=bytes(64))[:64] for _ in range(50)]
        await bench.send(frames)
        if FLIT_BYTES >= 64:
            assert all(got - sent == CYCLES for (sent, *_), (got, _) in zip(bench.sent, bench.got, strict=True))
        bench.check(graph, program)
        long = [frame_of(net, kind, payload=random.randbytes(1000)) for _ in range(5)]
        await bench.send(long)
        # A frame decided within its first flit does not wait for another.
        if FLIT_BYTES >= 64:
            assert all(got - sent == CYCLES for (sent, *_), (got, _) in zip(bench.sent, bench.got, strict=True))
        bench.check(graph, program)
    if FLIT_BYTES == 64:  # the inner headers are in the second flit
        await bench.send([frame_of("ipv4", "vxlan", inner=inner_frame(bytes(200), "ipv4", "tcp")) for _ in range(20)])
        assert all(got - sent == CYCLES + 1 for (sent, *_), (got, _) in zip(bench.sent, bench.got, strict=True))
        bench.check(graph, program)
