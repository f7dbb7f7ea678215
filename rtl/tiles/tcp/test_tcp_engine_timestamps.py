# SPDX-License-Identifier: Apache-2.0
"""Time stamps (RFC 7323): both opens agree on them, every segment has them, the right one is returned, old duplicates are dropped, and round trips are measured
by them, of retransmitted bytes too."""

from __future__ import annotations

import random
from ipaddress import ip_address

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from cocotb.utils import get_sim_time
from scapy.layers.inet import TCP

from girih.testing import run_cocotb
from girih.testing.clock import PERIOD_NS
from girih.testing.engines import config_word
from girih.testing.messages import Message, flits_of
from rtl.tiles.tcp.tcp_bench import (
    ABORT,
    CARD,
    CLOSE,
    CONFIG,
    CONNECTIONS,
    HOST,
    KIND,
    MODULUS,
    PORT,
    TICK,
    WINDOW,
    Peer,
    TcpBench,
    come,
    sizes,
)
from rtl.tiles.tcp.tcp_ecn_bench import CAPABLE, MARKED, tos
from rtl.tiles.tcp.test_tcp_engine_path_mtu import error
from rtl.tiles.tcp.test_tcp_hash import initial

PAD = ("NOP", None)
OPTION_BYTES = 12  # with padding
NEAR_WRAP = MODULUS - 700
PATIENT = {"rto_initial": 1000, "rto_min": 1000, "rto_max": 1000}
SYN_WITH_ALL = [("MSS", 1460), ("SAckOK", b""), PAD, ("WScale", 7)]


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


def stamp_of(segment: TCP) -> tuple[int, int] | None:
    """TSval and TSecr. A segment has at most one such option, which is padded."""
    found = [number for number, option in enumerate(segment.options) if option[0] == "Timestamp"]
    assert len(found) <= 1
    if not found:
        return None
    assert segment.options[found[0] - 2 : found[0]] == [PAD, PAD]
    return segment.options[found[0]][1]


class Stamped(Peer):
    """A peer with time stamps. value: that of its next segment. echo: the one that it returns, of the last segment that it has seen."""

    value, echo = 1000, 0

    def make(self, flags: str, payload: bytes = b"", tos: int = 0, **fields) -> Message:
        """options: those behind the time stamp. bare: all of them."""
        options, bare = fields.pop("options", []), fields.pop("bare", None)
        value, echo = fields.pop("value", self.value), fields.pop("echo", self.echo)
        stamp = [PAD, PAD, ("Timestamp", (value % MODULUS, echo % MODULUS))]
        return super().make(flags, payload, tos, **fields, options=[*stamp, *options] if bare is None else bare)

    async def shake(self) -> TCP:
        answer = await super().shake()
        self.see(answer)
        return answer

    def see(self, segment: TCP) -> TCP:
        stamp = stamp_of(segment)
        assert stamp, "a segment without time stamp"
        self.echo = stamp[0]
        return segment

    async def segment(self, limit: int = 2000) -> TCP:
        return self.see(await self.bench.segment(limit))


async def opened(bench: TcpBench, **fields) -> Stamped:
    peer = Stamped(bench, random.randint(1024, 65535), **fields)
    await peer.connect()
    return peer


@cocotb.test()
async def both_ends_agree_on_them(dut):
    """A SYN with the option is answered with it, and each later segment but a reset has it; a segment with data is smaller by the option. Otherwise none has it."""
    bench = await TcpBench.start(dut, **PATIENT)
    for options in ([("MSS", 1460)], SYN_WITH_ALL, [("WScale", 0), ("MSS", 9000)], [("MSS", 1000), ("SAckOK", b"")]):
        peer = Stamped(bench, random.randint(1024, 65535), options=options, seq=NEAR_WRAP)
        names = {name for name, _ in options}
        answer = await peer.shake()
        wanted = [("MSS", 1460), PAD, PAD, ("Timestamp", (peer.echo, peer.value)), *[PAD, PAD, ("SAckOK", b"")] * ("SAckOK" in names), *[PAD, ("WScale", 0)] * ("WScale" in names)]
        assert answer.options == wanted
        peer.value += 1
        peer.send()
        await peer.opened()
        peer.value += 1
        peer.send(b"question")
        ack = await peer.segment()
        assert stamp_of(ack)[1] == peer.value and ack.ack == peer.seq % MODULUS
        text = random.randbytes(1500)
        peer.write(text)
        most = min(dict(options)["MSS"], 1460) - OPTION_BYTES
        for part in (text[:most], text[most:]):
            segment = await peer.segment()
            assert peer.take(segment) == part and segment.dataofs == 8
        peer.send()
        bench.command(CLOSE, peer.connection, end=1)
        fin = await peer.segment()
        assert "F" in fin.flags and peer.take(fin) == b""
        peer.send()
        bench.command(ABORT, peer.connection)
        reset = await bench.segment()
        assert "R" in reset.flags and not stamp_of(reset) and reset.dataofs == 5
    assert not [name for name in bench.events if name.startswith("drop_")]
    plain = await bench.open()
    plain.write(bytes(1460))
    assert stamp_of(segment := await bench.segment()) is None and len(segment.payload) == 1460
    plain.ack += 1460
    for options in ([PAD, PAD, ("Timestamp", (5, 6))], [PAD, PAD, ("Timestamp", (4, 6))], []):  # nobody has agreed on it: it says nothing
        plain.send(b"x", options=options)
        plain.seq += 1
        assert stamp_of(ack := await bench.segment()) is None and ack.ack == plain.seq % MODULUS
    assert not [name for name in bench.events if name.startswith("drop_")]
    bench = await TcpBench.start(dut, timestamps=0)
    answer = await Peer(bench, 5000, options=[*SYN_WITH_ALL, PAD, PAD, ("Timestamp", (7, 0))]).shake()
    assert answer.options == [("MSS", 1460), PAD, PAD, ("SAckOK", b""), PAD, ("WScale", 0)]


@cocotb.test()
async def an_application_offers_them(dut):
    """Its SYN has the option. The peer's answer decides; both may also open at once."""
    reset = now()
    bench = await TcpBench.start(dut, secret=3)
    for number, (stamps, crosses) in enumerate(((True, False), (False, False), (True, True), (False, True))):
        bench.dial(80 + number, 40000, application=9)
        peer = Stamped(bench, 80 + number, to=40000) if stamps else bench.peer(80 + number, to=40000)
        syn = await bench.segment()
        value, echo = stamp_of(syn)
        assert str(syn.flags) == "S" and echo == 0
        assert abs((value - offset(3, 80 + number, 40000)) % MODULUS - (now() - reset)) <= 2
        peer.ack, peer.echo = (syn.seq + 1) % MODULUS, value
        if crosses:
            bench.give(peer.make("S", options=[("MSS", 1460)], **({"echo": 0} if stamps else {})))
            answer = await bench.segment()
            assert str(answer.flags) == "SA" and stamp_of(answer) == ((stamp_of(answer)[0], peer.value) if stamps else None)
        bench.give(peer.make("SA", options=[("MSS", 1460)]))
        peer.seq = (peer.seq + 1) % MODULUS
        ack = await bench.segment()
        assert str(ack.flags) == "A" and ack.ack == peer.seq
        assert stamp_of(ack) == ((stamp_of(ack)[0], peer.value) if stamps else None)
        await peer.opened(9)
        peer.write(bytes(1460))
        assert sizes(await come(bench)) == ([1448, 12] if stamps else [1460])
        peer.ack += 1460
        peer.send(b"and back")
        assert (await bench.segment()).ack == peer.seq
    assert not [name for name in bench.events if name.startswith("drop_")]
    bench = await TcpBench.start(dut, timestamps=0)
    bench.dial(80, 40000, application=9)
    assert stamp_of(await bench.segment()) is None
    # What a SYN has offered holds, although the setting changes before the answer comes.
    for offered in (1, 0):
        bench = await TcpBench.start(dut, timestamps=offered)
        bench.dial(80, 40000, application=9)
        syn = await bench.segment()
        dut.cfg_i.value = config_word(KIND, **(CONFIG | {"timestamps": 1 - offered}))
        peer = Stamped(bench, 80, to=40000)
        peer.ack, peer.echo = (syn.seq + 1) % MODULUS, stamp_of(syn)[0] if offered else 0
        bench.give(peer.make("SA", options=[("MSS", 1000)]))
        ack = await bench.segment()
        assert bool(stamp_of(ack)) == bool(offered)
        await peer.opened(9)
        peer.write(bytes(1000))
        assert sizes(await come(bench)) == ([988, 12] if offered else [1000])


@cocotb.test()
async def the_time_stamp_returned_is_that_of_rfc_7323(dut):
    """The examples of 4.3: of segments acknowledged together, the first; in front of a gap, that of the last segment that advanced the window; and of the one that
    fills it, its own."""
    bench = await TcpBench.start(dut, stall=0.0, ack_delay=60, **PATIENT)
    peer = await opened(bench, seq=NEAR_WRAP)
    for first in (10, 20, 30):
        for number in range(2):
            peer.value = 2000 + first + number
            peer.send(random.randbytes(100))
        assert stamp_of(await peer.segment(200))[1] == 2000 + first
    start, text = peer.seq, random.randbytes(500)
    for value, place, acked, returned in ((1, 0, 0, 1), (3, 2, 1, 1), (2, 1, 3, 2), (5, 4, 3, 2), (4, 3, 5, 4)):
        peer.send(text[100 * place : 100 * place + 100], seq=start + 100 * place, value=3000 + value)
        ack = await peer.segment(100 * TICK)
        if acked:
            assert ack.ack == (start + 100 * acked) % MODULUS
        assert stamp_of(ack)[1] == 3000 + returned, (value, returned)
    # One that is outside the window returns nothing new; a pure acknowledgement does.
    peer.seq = start + 500
    peer.send(b"x", seq=peer.seq + 3 * WINDOW, value=3100)
    assert stamp_of(await peer.segment(200))[1] == 3004
    peer.send(value=3200, seq=peer.seq)
    peer.send(b"y", seq=peer.seq + 1, value=3300)  # behind a gap
    assert stamp_of(await peer.segment(200))[1] == 3200


@cocotb.test()
async def old_duplicates_are_dropped(dut):
    """PAWS (RFC 7323, 5): a segment with an older time stamp, although it is in the window, as after a wrap of the sequence numbers: nothing of it counts. A reset does."""
    bench = await TcpBench.start(dut, **PATIENT)
    for value in (1000, 3, MODULUS - 2, 2**31 + 5):
        peer = Stamped(bench, random.randint(1024, 65535), options=[("MSS", 64 + OPTION_BYTES), ("SAckOK", b"")])
        peer.value = value
        await peer.connect()
        peer.read(stands=True)
        peer.write(random.randbytes(10 * 64))
        assert sizes(await come(bench)) == [64] * 10
        dropped = bench.events.get("drop_paws", 0)
        for age in (1, 2, 1000, 2**31 - 1):
            for flags in ("A", "FA", "SA"):
                peer.send(b"an old duplicate", flags, value=value - age, ack=peer.ack + 64)
                ack = await bench.segment()
                assert ack.ack == peer.seq and stamp_of(ack)[1] == value and not ack.payload
        assert bench.events["drop_paws"] == dropped + 12
        # Neither do its blocks of SACK.
        for _ in range(3):
            peer.send(value=value - 1, options=[PAD, PAD, ("SAck", ((peer.ack + 64) % MODULUS, (peer.ack + 192) % MODULUS))])
        peer.ack += 64
        peer.send()
        assert sizes(await come(bench)) == [0, 0, 0] and not bench.events.get("mark_fast_retransmit")
        for newer in (value, value, value + 1, value + 2**31):
            peer.send(b"fresh", value=newer)
            peer.seq = (peer.seq + 5) % MODULUS
            assert stamp_of(await peer.segment())[1] == newer % MODULUS
            assert (await peer.data()).data == b"fresh"
        peer.send(flags="R", value=newer - 5)
        assert (await peer.data()).desc["stream_reset"]
        bench.command(ABORT, peer.connection)
        await come(bench)
    assert bench.events["mark_reset_received"] == 4 and bench.events["drop_paws"] == 4 * 15


@cocotb.test()
async def a_segment_without_one_is_dropped(dut):
    """Once both have agreed (RFC 7323, 3.2), silently; but a reset counts, and a SYN of a peer that has forgotten the connection gets its challenge."""
    bench = await TcpBench.start(dut, **PATIENT)
    peer = await opened(bench, options=SYN_WITH_ALL)
    peer.read(stands=True)
    plain = bench.peer(peer.port, seq=peer.seq)
    plain.ack = peer.ack
    for flags in ("A", "FA", "PA"):
        for options in ([], [PAD] * 8, [("SAck", (1, 2)), PAD, PAD], [("EOL", None)]):
            bench.give(plain.make(flags, b"lost", options=options))
    await bench.quiet()
    assert bench.events["drop_no_stamp"] == 12
    plain.send(flags="S", seq=peer.seq + 5)
    challenge = await peer.segment()
    assert str(challenge.flags) == "A" and challenge.ack == peer.seq and stamp_of(challenge)[1] == peer.value
    peer.send(b"found")
    assert (await peer.segment()).ack == peer.seq and (await peer.data()).data == b"found"
    plain.send(flags="R", seq=peer.seq)
    assert (await peer.data()).desc["stream_reset"]
    assert bench.events["mark_reset_received"] == 1 and bench.events["drop_no_stamp"] == 12


@cocotb.test()
async def the_option_is_found_wherever_it_is(dut):
    """Its usual place is behind two bytes of padding; others take longer. One with a wrong length is none."""
    bench = await TcpBench.start(dut, **PATIENT)
    peer = await opened(bench)
    count, dropped = 0, 0
    for layout, right in (
        (["t", PAD, PAD], True),
        ([PAD, "t", PAD], True),
        ([PAD, PAD, "t"], True),
        ([(254, b"sixteen bytes..."), PAD, PAD, "t"], True),
        ([PAD, PAD, "t", PAD, PAD, (253, b"two more bytes")], True),
        ([PAD, PAD, PAD, "t"], True),
        ([("EOL", None)], False),
        ([PAD, PAD, (8, bytes(4)), PAD, PAD], False),
        ([PAD, PAD, (8, bytes(12))], False),
        ([PAD, PAD, (9, bytes(8))], False),
    ):
        peer.value += 10
        stamp = ("Timestamp", (peer.value, peer.echo))
        peer.send(b"bytes", bare=[stamp if option == "t" else option for option in layout])
        if right:
            peer.seq = (peer.seq + 5) % MODULUS
            count += 1
            ack = await peer.segment()
            assert stamp_of(ack)[1] == peer.value and ack.ack == peer.seq, layout
        else:
            dropped += 1
            await bench.quiet()
            assert bench.events["drop_no_stamp"] == dropped, layout
    assert count == 6
    # One that the segment's data begin in is none, although the bytes are there.
    for layout, words in (([PAD, PAD, "t"], 7), ([PAD, PAD, (253, bytes(6)), PAD, PAD, "t"], 9)):
        peer.value += 10
        peer.send(b"bytes", bare=[("Timestamp", (peer.value, peer.echo)) if option == "t" else option for option in layout], dataofs=words)
        dropped += 1
        await bench.quiet()
        assert bench.events["drop_no_stamp"] == dropped, layout


@cocotb.test()
async def sack_and_time_stamps_go_together(dut):
    """The card's blocks stand behind its time stamp; the peer's, behind its own, fill its gaps. Blocks in a segment that has no time stamp, or an old one, do not."""
    bench = await TcpBench.start(dut, **PATIENT)
    peer = await opened(bench, options=[("MSS", 64 + OPTION_BYTES), ("SAckOK", b"")], seq=NEAR_WRAP)
    start = peer.seq
    told = []
    for first in (100, 300):
        peer.send(bytes(100), seq=start + first)
        ack = await peer.segment()
        told = [(first, first + 100), *told]
        assert ack.options[3:] == [PAD, PAD, ("SAck", tuple((start + edge) % MODULUS for block in told for edge in block))]
        assert ack.dataofs == 5 + 3 + 1 + 2 * len(told) and stamp_of(ack)[1] == peer.value
    peer.write(random.randbytes(10 * 64))
    assert sizes(await come(bench)) == [64] * 10
    una = peer.ack
    blocks: list[tuple[int, int]] = []
    for block in ((1, 2), (3, 4), (6, 7)):
        blocks = [block, *blocks]
        edges = tuple((una + 64 * edge) % MODULUS for pair in blocks for edge in pair)
        bare = None if block != (3, 4) else [("Timestamp", (peer.value, peer.echo)), PAD, PAD, ("SAck", edges)]
        peer.send(options=[PAD, PAD, ("SAck", edges)], bare=bare)
    again = await come(bench)
    assert [(segment.seq - una) % MODULUS // 64 for segment in again] == [0]
    peer.send(options=[PAD, PAD, ("SAck", ((una + 64 * 6) % MODULUS, (una + 64 * 8) % MODULUS))])
    again = await come(bench)
    assert [(segment.seq - una) % MODULUS // 64 for segment in again] == [2]
    block = [PAD, PAD, ("SAck", ((una + 64 * 4) % MODULUS, (una + 64 * 5) % MODULUS))]
    peer.send(options=block, value=peer.value - 1)
    peer.send(bare=block)
    assert sizes(await come(bench)) == [0] and bench.events["drop_paws"] == 1 and bench.events["drop_no_stamp"] == 1
    peer.send(options=[PAD, PAD, ("SAck", ((una + 64 * 8) % MODULUS, (una + 64 * 9) % MODULUS))])
    again = await come(bench)
    assert [(segment.seq - una) % MODULUS // 64 for segment in again] == [4]
    assert bench.events["mark_fast_retransmit"] == 1 and all(stamp_of(segment) for segment in again)


def offset(secret: int, port: int, own_port: int) -> int:
    """What a connection adds to the clock. port: the peer's."""
    return initial(secret, int(ip_address(HOST)), port, own_port, int(ip_address(CARD)), 2)[1]


@cocotb.test()
async def the_clock_is_that_of_the_setting(dut):
    """One unit is 2^timestamp_unit ticks. Each connection has an offset of its own, the same whenever it is opened: the second word of the hash of
    RFC 6528."""
    for unit, secret in ((0, 1), (3, 2**127 + 2**65 + 2)):
        reset = now()
        bench = await TcpBench.start(dut, stall=0.0, timestamp_unit=unit, secret=secret, **PATIENT)
        for port in (2000, 2001, 2000):
            peer = Stamped(bench, port)
            await peer.connect()
            first, before = peer.echo, now()
            clock = (first - offset(secret, port, PORT)) % MODULUS
            assert abs(clock - (before - reset) / 2**unit) <= 2, clock
            for ticks in (8, 20):
                await ClockCycles(dut.clk_i, ticks * TICK)
                peer.send(b"?")
                await peer.segment()
                units = (now() - before) / 2**unit
                assert abs((peer.echo - first) % MODULUS - units) <= 1.1, (unit, peer.echo - first, units)
            bench.command(ABORT, peer.connection)
            assert "R" in (await bench.segment()).flags


class Estimator:
    """RFC 6298 in fractions of a tick."""

    def __init__(self, first: float):
        self.mean, self.variation = first, first / 2

    def take(self, sample: float) -> None:
        self.variation += (abs(self.mean - sample) - self.variation) / 4
        self.mean += (sample - self.mean) / 8

    @property
    def timeout(self) -> float:
        return self.mean + 4 * self.variation


def now() -> float:
    return get_sim_time("ns") / PERIOD_NS / TICK


@cocotb.test()
async def retransmitted_bytes_measure_the_round_trip(dut):
    """A peer far away: the first time-outs are spurious; its acknowledgement of the first transmission says so, and the next time-out is late enough."""
    bench = await TcpBench.start(dut, stall=0.0, rto_initial=8, rto_min=8, rto_max=2000, retries=15)
    peer = await opened(bench)
    estimate = Estimator(1)
    for wait in (2, 1):
        peer.write(b"is anybody there?")
        first = await peer.segment()
        sent, echo = now(), peer.echo
        for _ in range(wait):
            await peer.segment(1000 * TICK)
        await ClockCycles(dut.clk_i, 10 * TICK)
        peer.ack = (peer.ack + len(first.payload)) % MODULUS
        peer.echo = echo
        estimate.take(now() - sent)
        peer.send()
        await ClockCycles(dut.clk_i, 50)
        assert not bench.segments
    peer.write(b"and now?")
    await peer.segment()
    sent = now()
    await peer.segment(1000 * TICK)
    dut._log.info(f"time-out {now() - sent:.1f}, expected {estimate.timeout:.1f}")
    assert estimate.timeout - 3 < now() - sent < estimate.timeout + 5 and estimate.timeout > 30
    # A time stamp that was never sent measures nothing.
    peer.ack += 8
    peer.echo += 1000
    peer.send()
    peer.write(b"well?")
    await peer.segment()
    sent = now()
    await peer.segment(1000 * TICK)
    assert estimate.timeout - 3 < now() - sent < estimate.timeout + 5


@cocotb.test()
async def a_round_trip_is_timed_by_the_clock_of_the_card(dut):
    """Which is finer than that of time stamps: one segment of each flight is timed, and what acknowledgements return says nothing. If bytes were sent again, no
    segment is timed, and the first acknowledgement of new bytes measures the round trip, but not those after it; a time stamp of the present unit counts as a
    unit old."""
    unit = 64  # ticks
    for old in (0, 3):
        bench = await TcpBench.start(dut, stall=0.0, rto_initial=200, rto_min=8, rto_max=2000, timestamp_unit=6)
        peer = Stamped(bench, 5000, options=[("MSS", 64 + OPTION_BYTES)])
        await peer.shake()
        await ClockCycles(dut.clk_i, 10 * TICK)
        peer.send()
        await peer.opened()
        estimate = Estimator(10)

        async def flight(count: int, bench=bench, peer=peer) -> tuple[list[TCP], float]:
            sent = now()
            peer.write(random.randbytes(64 * count))
            segments = await come(bench)
            assert sizes(segments) == [64] * count
            peer.see(segments[0])
            return segments, sent

        def acknowledge(count: int, old: int, size: int = 64, peer=peer) -> None:
            for _ in range(count):
                peer.ack = (peer.ack + size) % MODULUS
                peer.send(echo=peer.echo - old)

        for _ in range(3):
            _, sent = await flight(4)
            await ClockCycles(dut.clk_i, 8 * TICK)
            estimate.take(now() - sent)
            acknowledge(4, old)
            await ClockCycles(dut.clk_i, TICK)
        segments, sent = await flight(4)
        again = await bench.segment(1000 * TICK)
        dut._log.info(f"time-out {now() - sent:.1f}, expected {estimate.timeout:.1f}")
        assert again.seq == segments[0].seq and abs(now() - sent - estimate.timeout) < 4 and estimate.timeout < unit / 2
        peer.see(again)
        acknowledge(1, old, 4 * 64)
        estimate.take(max(old, 1) * unit)
        await come(bench)
        _, sent = await flight(2)
        estimate.take(now() - sent)
        acknowledge(2, 20)
        await come(bench)
        segments, sent = await flight(2)
        again = await bench.segment(1000 * TICK)
        dut._log.info(f"time-out {now() - sent:.1f}, expected {estimate.timeout:.1f}")
        assert again.seq == segments[0].seq and abs(now() - sent - estimate.timeout) < unit / 8


@cocotb.test()
async def ecn_and_time_stamps_go_together(dut):
    """Both opens agree on both; with DCTCP, an acknowledgement that comes because the marks change returns the time stamp of what it acknowledges, and the next one
    that of what follows. An old duplicate says nothing of marks."""
    bench = await TcpBench.start(dut, stall=0.0, ecn=9, dctcp=PORT, ack_delay=60, **PATIENT)
    bench.services = {0, CAPABLE}
    peer = Stamped(bench, 5000, options=SYN_WITH_ALL)
    bench.give(peer.make("SEC", options=SYN_WITH_ALL))
    answer = peer.see(await bench.segment())
    assert str(answer.flags) == "SAE" and stamp_of(answer)[1] == peer.value and tos(answer) == 0
    peer.seq, peer.ack = (peer.seq + 1) % MODULUS, (answer.seq + 1) % MODULUS
    peer.send()
    await peer.opened()
    start = peer.seq
    told = []
    for number, marked in enumerate((False, True, True, False, False, False, True)):
        peer.value = 2000 + number
        peer.send(bytes(100), tos=MARKED if marked else CAPABLE)
        peer.value -= 500
        peer.send(bytes(100), tos=0 if marked else MARKED, seq=peer.seq)
        told += [((segment.ack - start) % MODULUS // 100, stamp_of(segment)[1] - 2000, "E" in segment.flags) for segment in await come(bench)]
        peer.value += 500
    # The old duplicates have each been answered at once, which acknowledges the segment before them.
    assert told == [(1, 0, False), *[(2, 1, True)] * 2, (3, 2, True), *[(4, 3, False)] * 2, (5, 4, False), (6, 5, False), *[(7, 6, True)] * 2], told
    told.clear()
    for number, marked in enumerate((False, False, True, True, True, False)):
        peer.value = 3000 + number
        peer.send(bytes(100), tos=MARKED if marked else CAPABLE)
        told += [((segment.ack - start) % MODULUS // 100 - 7, stamp_of(segment)[1] - 3000, "E" in segment.flags) for segment in await come(bench)]
    # Every second segment, and those where the marks change.
    assert told == [(1, 0, False), (2, 1, False), (3, 2, True), (5, 3, True), (6, 5, False)], told


@cocotb.test()
async def a_time_stamp_grows_too_old(dut):
    """After timestamp_life without a segment, a lower time stamp is taken, and is the one to return from then on (RFC 7323, 5.5)."""
    life = 64
    bench = await TcpBench.start(dut, stall=0.0, timestamp_life=life, **PATIENT)
    peer = await opened(bench)
    for wait, taken in ((2, False), (life - 8, False), (life + 8, True)):
        peer.send(b"now", value=peer.value)
        peer.seq += 3
        assert stamp_of(await peer.segment())[1] == peer.value
        await ClockCycles(dut.clk_i, wait * TICK)
        peer.send(b"old", value=peer.value - 500)
        assert stamp_of(await peer.segment())[1] == peer.value - 500 * taken
        assert bench.events.get("drop_paws", 0) == (2 if taken else (1 if wait == 2 else 2))
    peer.seq += 3
    peer.send(b"older", value=peer.value - 501)
    assert stamp_of(await peer.segment())[1] == peer.value - 500 and bench.events["drop_paws"] == 3


@cocotb.test()
async def a_syn_that_is_sent_again_may_give_them_up(dut):
    """As stacks do whose SYN is not answered: then the answer has no time stamps, and neither side needs them."""
    bench = await TcpBench.start(dut, **PATIENT)
    for gives_up in (True, False):
        peer = Stamped(bench, random.randint(1024, 65535), options=SYN_WITH_ALL)
        first = await peer.shake()
        peer.value += 3
        again = {"bare": SYN_WITH_ALL} if gives_up else {"options": SYN_WITH_ALL}
        bench.give(peer.make("S", seq=peer.seq - 1, **again))
        answer = await bench.segment()
        assert str(answer.flags) == "SA" and answer.seq == first.seq and bool(stamp_of(answer)) != gives_up
        bare = {"bare": []} if gives_up else {}
        bench.give(peer.make("A", **bare))
        await peer.opened()
        bench.give(peer.make("A", b"bytes", **bare))
        ack = await bench.segment()
        assert ack.ack == (peer.seq + 5) % MODULUS and bool(stamp_of(ack)) != gives_up
    assert "drop_no_stamp" not in bench.events


@cocotb.test()
async def probes_have_them(dut):
    """The probe of a closed window, and a keep-alive, whose answer counts by its time stamp, too."""
    bench = await TcpBench.start(dut, keep_idle=12, keep_interval=6, keep_count=9)
    peer = await opened(bench, window=0)
    peer.write(b"patience")
    for number in range(3):
        before = peer.echo
        probe = await peer.segment(200 * TICK)
        assert bytes(probe.payload) == b"p" and stamp_of(probe)[1] == peer.value and peer.echo != before, number
        peer.value += 5
        peer.send()
    peer.window = 1000
    peer.send()
    assert peer.take(await peer.segment()) == b"patience"
    peer.send()
    for number in range(3):
        before = peer.echo
        question = await peer.segment(20 * TICK)
        assert (question.seq + 1) % MODULUS == peer.ack and not question.payload and stamp_of(question)[1] == peer.value and peer.echo != before, number
        peer.value += 5 * (number != 1)
        peer.send(value=peer.value - (number == 1))
        if number == 1:  # an old answer is none: the next question comes after the interval
            assert stamp_of(await peer.segment())[1] == peer.value
    assert bench.events["mark_keep_alives"] >= 3 and bench.events["drop_paws"] == 1


@cocotb.test()
async def a_clock_that_jumps_back_stops_the_connection_until_it_has_caught_up(dut):
    """What the peer sends meanwhile is answered, and does nothing: its acknowledgements neither. Nothing is lost."""
    bench = await TcpBench.start(dut, rto_initial=20, rto_min=20, rto_max=400, retries=15)
    peer = await opened(bench)
    text = random.randbytes(300)
    peer.write(text)
    first = await peer.segment()
    before, peer.value = peer.value, peer.value - 4
    while peer.value < before:
        peer.send(b"late", seq=peer.seq, ack=peer.ack + len(text))
        segments = await come(bench)
        assert any(not segment.payload for segment in segments) and {stamp_of(segment)[1] for segment in segments} == {before}
        assert all(segment.ack == peer.seq for segment in segments)
        peer.value += 1
    assert bench.events["drop_paws"] == 4
    again = await peer.segment(500 * TICK)
    assert again.seq == first.seq and bytes(again.payload) == text
    peer.take(again)
    peer.send(b"late")
    assert (await peer.segment()).ack == peer.seq
    peer.read()
    assert (await peer.data()).data == b"late"


@cocotb.test()
async def a_smaller_path_makes_room_for_them(dut):
    bench = await TcpBench.start(dut, **PATIENT)
    peer = await opened(bench)
    peer.write(random.randbytes(WINDOW))
    una = peer.ack
    assert sizes(await come(bench)) == [1448, 600]
    bench.give(error(600, una, peer))
    segments = await come(bench)
    assert sizes(segments) == [600 - 40 - OPTION_BYTES]
    bench.give(error(600, una, peer))
    assert not await come(bench) and bench.events["drop_error"] == 1


@cocotb.test()
async def a_cookie_has_none(dut):
    """Nor has the connection that it makes."""
    bench = await TcpBench.start(dut, half_open=1, rto_initial=1000)
    await Stamped(bench, 1000).shake()
    bench.segments.clear()
    answer = await Peer(bench, 2000, options=[*SYN_WITH_ALL, PAD, PAD, ("Timestamp", (7, 0))]).shake()
    assert answer.options == [("MSS", 1460)]
    peer = bench.peer(2001, options=SYN_WITH_ALL)
    await peer.connect()
    peer.write(bytes(1460))
    segment = await bench.segment()
    assert len(segment.payload) == 1460 and not segment.options


@cocotb.test()
async def segments_with_them_are_taken_as_fast_as_they_come(dut):
    """As those without: different connections one per cycle, one connection one per two cycles, and large ones at the speed of their flits. SACK behind them costs
    what its blocks do, not a walk through the options."""
    bench = await TcpBench.start(dut, stall=0.0, **PATIENT)
    peers = [await opened(bench, options=SYN_WITH_ALL) for number in range(CONNECTIONS)]
    many = [peers[number % CONNECTIONS].make("A") for number in range(100)]
    one = [peers[0].make("A") for _ in range(40)]
    large = [peers[0].make("A", random.randbytes(1448), seq=peers[0].seq - 1448) for _ in range(10)]
    block = [PAD, PAD, ("SAck", (peers[0].ack, peers[0].ack + 1))]
    told = [peers[0].make("A", options=block) for _ in range(40)]
    flits = flits_of(one[0].data)
    for segments, cycles in ((many, 1.05 * max(flits, 1)), (one, max(2.2, 1.05 * flits)), (large, 1.05 * flits_of(large[0].data)), (told, max(9, 1.05 * flits_of(told[0].data)))):
        count = await bench.taken(*segments)
        dut._log.info(f"{len(segments)} segments of {len(segments[0].data)} bytes: {count} cycles")
        assert count < 34 + cycles * len(segments), (count, len(segments), cycles)
        await ClockCycles(dut.clk_i, 200)
