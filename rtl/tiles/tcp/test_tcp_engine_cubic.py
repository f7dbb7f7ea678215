# SPDX-License-Identifier: Apache-2.0
"""CUBIC (RFC 9438) beside NewReno, as the bytes in flight show it: what a loss leaves, and how the window grows, against a model in floating point that knows
only the RFC's formulas and when the card could send."""

from __future__ import annotations

import random
from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.layers.inet import TCP

from girih.testing import run_cocotb
from rtl.tiles.tcp.tcp_bench import CONNECTIONS, MODULUS, PORT, TICK, WINDOW, Peer, TcpBench, sent_again

MSS = 64
ROUND = 4  # ticks of a round trip
PATIENT = {"rto_initial": 60, "rto_min": 60, "rto_max": 100, "mss": MSS}
OPTIONS = [("MSS", MSS)]
BEFORE = 20  # segments in flight before the loss
K = (BEFORE * 0.3 / 0.4) ** (1 / 3)  # seconds
APPLICATION = 9


def rate(k: int) -> int:
    """The setting with which a window of BEFORE segments is reached again after k round trips."""
    return round(K / (k * ROUND) * 2**32)


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


class Path:
    """A connection whose application always has bytes to send, over a path of ROUND ticks."""

    def __init__(self, peer: Peer):
        self.peer, self.bench, self.unacked = peer, peer.bench, 0

    async def come(self) -> list[TCP]:
        await ClockCycles(self.bench.dut.clk_i, ROUND * TICK)
        self.bench._sort()
        segments = self.bench.segments[:]
        self.bench.segments.clear()
        return segments

    def fill(self, most: int = WINDOW) -> None:
        """The application writes until so many bytes are not acknowledged."""
        if most > self.unacked:
            self.peer.write(random.randbytes(most - self.unacked))
            self.unacked = most

    def acknowledge(self, behind: int) -> None:
        self.unacked -= (behind - self.peer.ack) % MODULUS
        self.peer.ack = behind
        self.peer.bench.give(self.peer.make("A"))

    async def round(self, most: int = WINDOW) -> int:
        """All that is in flight is acknowledged, segment by segment; returns its bytes."""
        self.fill(most)
        segments = await self.come()
        for segment in segments:
            self.acknowledge((segment.seq + len(segment.payload)) % MODULUS)
        return sum(len(segment.payload) for segment in segments)

    async def loss(self) -> None:
        """The first segment of a window is lost, and sent again."""
        self.fill()
        segments = await self.come()
        for _ in segments[1:]:
            self.peer.bench.give(self.peer.make("A"))
        later = await self.come()
        sent_again(later, segments[0].seq)
        self.acknowledge(max((segment.seq + len(segment.payload) - segments[0].seq) % MODULUS for segment in segments + later) + segments[0].seq)
        self.peer.ack %= MODULUS

    async def grown(self) -> None:
        """A slow start until BEFORE segments are in flight, whose first is lost."""
        assert await self.round() == BEFORE * MSS // 2
        await self.loss()


async def flights(path: Path, rounds: int) -> list[int]:
    return [await path.round() for _ in range(rounds)]


def model(rounds: int, seconds: float) -> list[float]:
    """The windows of RFC 9438 after a loss at BEFORE segments, in segments. seconds: in a round trip."""
    window = estimate = 0.7 * BEFORE
    windows = []
    for turn in range(rounds):
        windows.append(window)
        acked = window
        estimate += (3 * 0.3 / 1.7 if estimate < BEFORE else 1.0) * acked / window
        cubic = 0.4 * ((turn + 1) * seconds - K) ** 3 + BEFORE
        window = max(estimate, min(cubic, 1.5 * window), window)
    return windows


@cocotb.test()
async def a_loss_leaves_what_each_keeps(dut):
    """CUBIC keeps 0.7 of the window, NewReno half. Who uses CUBIC is a matter of the application: one that accepts, one that opens, one whose peer comes with a SYN cookie."""
    for cubic, kept in ((0, 10), (80, 10), (PORT, 14), (80 | PORT << 112, 14)):
        bench = await TcpBench.start(dut, **PATIENT, cubic=cubic)
        path = Path(await bench.open(options=OPTIONS))
        await path.grown()
        assert await path.round() == kept * MSS, f"cubic: {cubic:#x}"
    for cubic, kept in ((PORT | 80 << 16, 10), (APPLICATION << 32, 14)):
        bench = await TcpBench.start(dut, **PATIENT, cubic=cubic)
        bench.dial(80, PORT, application=APPLICATION)
        peer = bench.peer(80, to=PORT)
        syn = await bench.segment()
        peer.ack = (syn.seq + 1) % MODULUS
        peer.send(flags="SA", options=OPTIONS)
        peer.seq = (peer.seq + 1) % MODULUS
        await bench.segment()
        await peer.opened(APPLICATION)
        path = Path(peer)
        await path.grown()
        assert await path.round() == kept * MSS, f"cubic: {cubic:#x}"
    bench = await TcpBench.start(dut, **PATIENT, cubic=PORT, half_open=1)
    await bench.peer(1, options=OPTIONS).shake()
    path = Path(await bench.open(2, options=OPTIONS))
    assert bench.events["mark_cookies"] == 1
    await path.grown()
    assert await path.round() == 14 * MSS


@cocotb.test()
async def the_window_follows_the_rfc(dut):
    """Below the plateau, on it and above it, or as the estimate of NewReno grows, whichever is more."""
    for k in (6, 12, 1000):
        bench = await TcpBench.start(dut, **PATIENT, cubic=PORT, cubic_rate=rate(k))
        path = Path(await bench.open(options=OPTIONS))
        await path.grown()
        rounds = 14 if k == 6 else 20
        want = model(rounds, K / k)
        got = await flights(path, rounds)
        dut._log.info(f"k {k}: got {[round(flight / MSS, 1) for flight in got]}, the RFC has {[round(window, 1) for window in want]}")
        for turn, (flight, window) in enumerate(zip(got, want, strict=True)):
            if window > WINDOW // MSS - 2:
                break
            slack = 1.0 + 0.5 * (want[min(turn + 1, rounds - 1)] - want[max(turn - 1, 0)])  # a round trip early or late
            assert window - 1 - slack <= flight / MSS <= window + slack, (k, turn, flight / MSS, window)


@cocotb.test()
async def it_rises_by_at_most_half_of_what_is_acknowledged(dut):
    """However far the function of time is above the window: here a second passes in a tick."""
    bench = await TcpBench.start(dut, **PATIENT, cubic=PORT, cubic_rate=2**32 - 1)
    path = Path(await bench.open(options=OPTIONS))
    await path.loss()  # of ten segments
    got = await flights(path, 4)
    assert got[0] == 7 * MSS and got[3] > 2 * got[0], got
    assert all(after <= 1.5 * flight + MSS for flight, after in pairwise(got)), got


@cocotb.test()
async def newreno_is_as_it_was(dut):
    """Another application's connection beside one of CUBIC grows by a segment in a round trip."""
    bench = await TcpBench.start(dut, **PATIENT, cubic=80, cubic_rate=rate(6))
    path = Path(await bench.open(options=OPTIONS))
    await path.grown()
    got = await flights(path, 8)
    assert [flight // MSS for flight in got] == list(range(10, 18)), got


@cocotb.test()
async def time_without_enough_to_send_does_not_count(dut):
    """While the application sends less than the window, neither the window nor CUBIC's time moves."""
    bench = await TcpBench.start(dut, **PATIENT, cubic=PORT, cubic_rate=rate(6))
    path = Path(await bench.open(options=OPTIONS))
    await path.grown()
    got = await flights(path, 3)
    for _ in range(60):
        await path.round(5 * MSS)
    got += await flights(path, 11)
    want = model(14, K / 6)
    dut._log.info(f"got {[round(flight / MSS, 1) for flight in got]}, the RFC has {[round(window, 1) for window in want]}")
    for flight, window in zip(got, want, strict=True):
        if window > WINDOW // MSS - 2:
            break
        assert abs(flight / MSS - window) <= 2.5, (got, want)


@cocotb.test()
async def after_a_time_out_the_plateau_is_where_slow_start_ends(dut):
    """RFC 9438, 4.8: slow start to 0.7 of the window, and then the half of the function above its plateau."""
    bench = await TcpBench.start(dut, **PATIENT | {"rto_initial": 20, "rto_min": 20}, cubic=PORT, cubic_rate=rate(6))
    path = Path(await bench.open(options=OPTIONS))
    assert await path.round() == BEFORE * MSS // 2
    path.fill()
    lost = await path.come()
    assert len(lost) == BEFORE
    for _ in range(20 // ROUND + 2):
        if segments := await path.come():
            break
    assert [segment.seq for segment in segments] == [lost[0].seq]
    path.acknowledge((lost[0].seq + MSS) % MODULUS)
    got = await flights(path, 14)
    dut._log.info(f"after a time-out: got {[round(flight / MSS, 1) for flight in got]}")
    assert [flight // MSS for flight in got[:3]] == [2, 4, 8]
    step = K / 6
    for turn, flight in enumerate(got[5:]):
        cubic, estimate = 14 + 0.4 * (turn * step) ** 3, 14 + turn * 9 / 17
        if cubic > WINDOW // MSS - 2:
            break
        assert max(cubic, estimate) - 3 <= flight / MSS <= max(0.4 * ((turn + 2) * step) ** 3 + 14, estimate) + 2, (turn, flight / MSS, cubic, estimate)
