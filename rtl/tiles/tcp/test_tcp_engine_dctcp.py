# SPDX-License-Identifier: Apache-2.0
"""DCTCP (RFC 8257): the receiver tells of exactly the segments that are marked, and the sender reduces its window by half of the share of marked bytes, as a model
in floating point does that knows only the RFC's formulas."""

from __future__ import annotations

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.testing import run_cocotb
from rtl.tiles.tcp.tcp_bench import CONNECTIONS, MODULUS, PORT, TICK, WINDOW, TcpBench, sent_again
from rtl.tiles.tcp.tcp_ecn_bench import (
    CAPABLE,
    MARKED,
    MSS,
    NOT_CAPABLE,
    Flow,
    agreed,
    flags,
    last,
    shake,
    start,
    tos,
)

ROUNDED = 0.05  # segments: the window is in bytes, and alpha has eleven bits when the window is reduced


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


async def begin(dut, **config) -> TcpBench:
    return await start(dut, **({"ecn": 0, "dctcp": 80 | PORT << 16} | config))


class Model:
    """The sender of RFC 8257, 3.3, a round trip at a time: the least and the greatest window, in segments, that it can have after what was seen of it. How it grows
    is a matter of NewReno: by at most a segment for each acknowledgement that does not tell of marks."""

    def __init__(self, segments: int):
        self.least, self.most, self.alpha, self.reductions = float(segments), float(segments), 1.0, 0

    def sees(self, segments: int) -> bool:
        """So many are in flight, whole ones; whether that is possible."""
        if segments == WINDOW // MSS:  # the buffer is the limit
            return self.most >= segments
        possible = self.least - ROUNDED < segments + 1 and segments <= self.most + ROUNDED
        self.least, self.most = max(self.least, segments), min(self.most, segments + 1)
        return possible

    def round(self, acknowledged: list[tuple[int, bool]]) -> None:
        """The acknowledgements of a window of data: segments, and whether they tell of marks."""
        if any(marked for _, marked in acknowledged):
            self.least, self.most = (max(window * (1 - self.alpha / 2), 2.0) for window in (self.least, self.most))
            self.reductions += 1
        self.most += sum(not marked for _, marked in acknowledged)
        share = sum(count for count, marked in acknowledged if marked) / sum(count for count, _ in acknowledged)
        self.alpha = self.alpha * 15 / 16 + share / 16


async def one_round(flow: Flow, model: Model, share: float) -> str:
    """All segments in flight are acknowledged, the first of them as marked. Fails if the model cannot have so many in flight."""
    segments = await flow.come()
    before = f"{model.least:.1f} to {model.most:.1f}"
    assert model.sees(len(segments)), f"{len(segments)} segments in flight; the RFC has {before}, alpha {model.alpha:.3f}"
    marked = round(share * len(segments))
    acknowledged = []
    for part, flag in ((segments[:marked], "AE"), (segments[marked:], "A")):
        if part:
            flow.acknowledge(last(part), flag)
            acknowledged.append((len(part), flag == "AE"))
    model.round(acknowledged)
    return f"{len(segments)} ({before})"


@cocotb.test()
async def the_window_follows_the_rfc(dut):
    """With shares of marks of all sizes, in an order that tells one alpha from another: all, none, and some marked."""
    histories = [[1.0] * 4, [0.0] * 4 + [1.0] * 3, [0.0] * 14 + [1.0] + [0.0] * 8 + [0.5] * 3, [0.0] * 20 + [1.0] * 8, [0.0] * 10 + [0.1] * 24]
    histories.append([random.choice([0.0, 0.0, 0.25, 0.5, 1.0]) for _ in range(24)])
    for history in histories:
        bench = await begin(dut)
        flow, model = await Flow.start(bench), Model(10)
        got = [await one_round(flow, model, share) for share in history]
        dut._log.info(f"alpha {model.alpha:.3f}: {', '.join(got)}")
        await flow.come()
        assert bench.events.get("mark_ecn_reduced", 0) == model.reductions
        assert "mark_retransmitted" not in bench.events


@cocotb.test()
async def the_share_of_marks_makes_the_difference(dut):
    """After many windows without a mark, one mark takes little; at first it takes half."""
    left = []
    for before in (0, 8, 24):
        bench = await begin(dut)
        flow = await Flow.start(bench)
        flow.each(await flow.come())
        first = await flow.come()
        assert len(first) == 20
        flow.acknowledge(last(first), "AE")  # alpha is still close to 1
        for _ in range(before):
            flow.acknowledge(last(await flow.come()))
        full = await flow.come()
        flow.acknowledge(last(full), "AE")
        left.append(len(await flow.come()) / len(full))
    assert 0.45 <= left[0] <= 0.56 and 0.6 <= left[1] <= 0.76 and left[2] >= 0.85, left


@cocotb.test()
async def an_observation_window_is_a_window_of_data(dut):
    """However many visits of the timer there are in a round trip: acknowledgements that come one by one over all of it make alpha no smaller than those that come at once."""
    bench = await begin(dut)
    flow = await Flow.start(bench)
    flow.acknowledge(last(await flow.come()), "AE")  # alpha stays 1
    rounds = 8
    for _ in range(rounds):
        segments = await flow.come()
        for part in range(4):
            flow.each(segments[len(segments) * part // 4 : len(segments) * (part + 1) // 4])
            await ClockCycles(dut.clk_i, 2 * TICK)
    full = await flow.come()
    flow.acknowledge(last(full), "AE")
    left = len(await flow.come()) / len(full)
    most, least = ((15 / 16) ** windows for windows in (rounds / 2, rounds + 2))  # a window of data takes one or two of these round trips
    assert 1 - most / 2 - 1 / len(full) <= left <= 1 - least / 2 + 1 / len(full), (left, most, least, len(full))


@cocotb.test()
async def a_loss_halves_the_window(dut):
    """Whatever alpha is (RFC 8257, 3.4), and not again for a mark in the same window."""
    bench = await begin(dut)
    flow = await Flow.start(bench)
    flow.each(await flow.come())
    first = await flow.come()
    flow.acknowledge(last(first), "AE")
    for _ in range(20):
        flow.acknowledge(last(await flow.come()))
    full = await flow.come()
    flow.repeat(len(full) - 1)
    again = await flow.come()
    assert tos(sent_again(again, full[0].seq)) == NOT_CAPABLE and bench.events["mark_fast_retransmit"] == 1
    flow.acknowledge(last(full + again), "AE")
    later = await flow.come()
    assert len(full) // 2 - 1 <= len(later) <= len(full) // 2 + 1 and bench.events["mark_ecn_reduced"] == 1
    assert sum("C" in text for text in flags(again + later)) == 1


@cocotb.test()
async def without_ecn_it_is_newreno(dut):
    """A peer that does not agree gets a connection without marks, even of an application that is in `cubic`, too."""
    bench = await begin(dut, cubic=PORT)
    peer = bench.peer()
    assert await shake(peer, "S") == "SA"
    peer.send()
    await peer.opened()
    flow = Flow(peer)
    flow.each(await flow.come())
    first = await flow.come()
    assert len(first) == 20 and {tos(segment) for segment in first} == {NOT_CAPABLE}
    flow.repeat(len(first) - 1, "AE")
    again = await flow.come()
    flow.acknowledge(last(first + again), "AE")
    later = await flow.come()
    assert len(later) == 10 and set(flags(later)) == {"A"} and "mark_ecn_reduced" not in bench.events


@cocotb.test()
async def the_receiver_tells_of_the_last_mark(dut):
    """RFC 8257, 3.2: ECE is the mark of the last segment, with or without CWR, on data too."""
    bench = await begin(dut)
    peer = await agreed(bench)
    for flag, service in (("A", CAPABLE), ("A", MARKED), ("A", MARKED), ("AC", MARKED), ("A", CAPABLE), ("AC", CAPABLE), ("A", MARKED), ("A", CAPABLE)):
        peer.send(bytes(7), flags=flag, tos=service)
        answer = await bench.segment()
        assert str(answer.flags) == ("AE" if service == MARKED else "A") and answer.ack == peer.seq, (flag, service)
        peer.send(tos=CAPABLE if service == MARKED else MARKED)  # without data: no news
        peer.write(b"x")
        data = await bench.segment()
        assert str(data.flags) == ("PAE" if service == MARKED else "PA")
        peer.take(data)
        peer.send()
    assert bench.events["mark_ecn_received"] == 4


@cocotb.test()
async def a_change_is_acknowledged_at_once(dut):
    """And what has waited is acknowledged by itself, with the mark that it had."""
    bench = await begin(dut, ack_delay=12)
    peer = await agreed(bench)
    peer.send(b"waits", tos=CAPABLE)
    await bench.quiet()
    for service, before, after in ((MARKED, "A", "AE"), (CAPABLE, "AE", "A")):
        old = peer.seq
        peer.send(b"changes", tos=service)
        first, second = await bench.segment(200), await bench.segment(200)
        assert (str(first.flags), first.ack) == (before, old) and (str(second.flags), second.ack) == (after, peer.seq)
        assert first.seq == second.seq == peer.ack and first.window >= WINDOW - 100
        peer.send(b"waits again", tos=service)
        await bench.quiet()
    assert str((await bench.segment(20 * TICK)).flags) == "A"
    peer.send(b"changes, and nothing waits", tos=MARKED)
    assert str((await bench.segment(200)).flags) == "AE"
    await bench.quiet()


@cocotb.test()
async def the_peer_counts_all_marks(dut):
    """However acknowledgements are delayed: as many bytes are acknowledged with ECE as were marked."""
    bench = await begin(dut, ack_delay=6)
    peer = await agreed(bench)
    marked = counted = 0
    acked = peer.seq
    service = CAPABLE
    for turn in range(150):
        if random.random() < 0.3:
            service = MARKED if service == CAPABLE else CAPABLE
        piece = bytes(random.randint(1, 60))
        marked += len(piece) * (service == MARKED)
        peer.send(piece, tos=service)
        peer.read(1)
        await ClockCycles(dut.clk_i, random.choice([1, 5, 60, 400]))
        if turn % 10 == 9:
            await ClockCycles(dut.clk_i, 12 * TICK)
        bench._sort()
        for segment in bench.segments:
            advance = (segment.ack - acked) % MODULUS
            assert advance < MODULUS // 2, "acknowledgements go backwards"
            counted += advance * ("E" in segment.flags)
            acked = segment.ack
        bench.segments.clear()
        bench.told.clear()
    assert acked == peer.seq and counted == marked, (counted, marked)
