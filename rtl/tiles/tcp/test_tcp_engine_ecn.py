# SPDX-License-Identifier: Apache-2.0
"""Explicit congestion notification (RFC 3168): who agrees to it, which packets routers may mark, and what both ends of a connection make of a mark.

Flags as scapy writes them: E is ECN-Echo, C is Congestion Window Reduced.
"""

from __future__ import annotations

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.layers.inet import TCP

from girih.testing import run_cocotb
from rtl.tiles.tcp.tcp_bench import CONNECTIONS, MODULUS, OPENED, PORT, TICK, WINDOW, Peer, TcpBench, sent_again
from rtl.tiles.tcp.tcp_ecn_bench import (
    CAPABLE,
    MARKED,
    MSS,
    NOT_CAPABLE,
    OPTIONS,
    ROUND,
    Flow,
    agreed,
    end,
    flags,
    last,
    shake,
    start,
    tos,
)

APPLICATION = 9


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


async def uses_ecn(peer: Peer, application: int = PORT) -> bool:
    """Whether the card sends data that may be marked, and takes marks, on a connection whose last segment of the hand-shake has been sent."""
    await peer.opened(application)
    peer.write(b"data")
    segment = await peer.bench.segment()
    assert peer.take(segment) == b"data" and str(segment.flags) == "PA" and tos(segment) in (NOT_CAPABLE, CAPABLE)
    peer.send(bytes(5), tos=MARKED)
    answer = await peer.bench.segment()
    assert str(answer.flags) in ("A", "AE") and answer.ack == peer.seq and tos(answer) == NOT_CAPABLE
    assert ("E" in answer.flags) == (tos(segment) == CAPABLE)
    return tos(segment) == CAPABLE


@cocotb.test()
async def a_peer_that_asks_gets_it(dut):
    """From an application that is named, whichever the entry, and only by a SYN with both flags (RFC 3168, 6.1.1). N is the flag that a SYN of AccECN has besides."""
    for ecn, syn, agrees in (
        (PORT, "SEC", True),
        (80 | PORT << 112, "SEC", True),
        (PORT, "SECN", True),
        (PORT, "S", False),
        (PORT, "SE", False),
        (PORT, "SC", False),
        (80, "SEC", False),
        (0, "SEC", False),
    ):
        bench = await start(dut, ecn=ecn)
        peer = bench.peer()
        assert await shake(peer, syn) == ("SAE" if agrees else "SA"), (ecn, syn)
        peer.send()
        assert await uses_ecn(peer) == agrees, (ecn, syn)
        assert bench.events.get("mark_ecn_received", 0) == agrees


@cocotb.test()
async def a_peer_that_gives_it_up_does_without(dut):
    """Its SYN comes again without the flags (6.1.1.1). One that comes again with them, or an answer that is lost, changes nothing."""
    bench = await start(dut, rto_initial=8)
    peer = bench.peer(1)
    assert await shake(peer) == "SAE"
    bench.give(peer.make("S", seq=peer.seq - 1, options=OPTIONS))
    assert str((await bench.segment()).flags) == "SA"
    peer.send()
    assert not await uses_ecn(peer)
    peer = bench.peer(2)
    assert await shake(peer) == "SAE"
    bench.give(peer.make("SEC", seq=peer.seq - 1, options=OPTIONS))
    assert str((await bench.segment()).flags) == "SAE"
    assert str((await bench.segment(20 * TICK)).flags) == "SAE"
    peer.send()
    assert await uses_ecn(peer)


async def dialled(bench: TcpBench) -> tuple[Peer, TCP]:
    bench.dial(80, PORT, application=APPLICATION)
    syn = await bench.segment()
    peer = bench.peer(80, to=PORT)
    peer.ack = (syn.seq + 1) % MODULUS
    assert tos(syn) == NOT_CAPABLE
    return peer, syn


@cocotb.test()
async def an_application_that_opens_asks_for_it(dut):
    """And has it if the answer has ECE alone; a peer that returns both flags does not know them."""
    for ecn, asks, answer, agrees in (
        (APPLICATION << 16, "SEC", "SAE", True),
        (APPLICATION, "SEC", "SA", False),
        (APPLICATION, "SEC", "SAC", False),
        (APPLICATION, "SEC", "SAEC", False),
        (PORT, "S", "SAE", False),
    ):
        bench = await start(dut, ecn=ecn)
        peer, syn = await dialled(bench)
        assert str(syn.flags) == asks
        peer.send(flags=answer, options=OPTIONS)
        peer.seq = (peer.seq + 1) % MODULUS
        last = await bench.segment()
        assert str(last.flags) == "A" and tos(last) == NOT_CAPABLE
        assert await uses_ecn(peer, APPLICATION) == agrees, (ecn, answer)


@cocotb.test()
async def a_lost_syn_is_repeated_without(dut):
    """And what a peer says of it later is ignored: the card has sent both kinds of SYN (RFC 3168, 6.1.1)."""
    bench = await start(dut, ecn=APPLICATION, rto_initial=8)
    peer, syn = await dialled(bench)
    assert str(syn.flags) == "SEC"
    again = await bench.segment(20 * TICK)
    assert str(again.flags) == "S" and again.seq == syn.seq
    peer.send(flags="SAE", options=OPTIONS)
    peer.seq = (peer.seq + 1) % MODULUS
    assert str((await bench.segment()).flags) == "A"
    assert not await uses_ecn(peer, APPLICATION)


@cocotb.test()
async def both_that_open_at_once_agree(dut):
    for syn, answer, then, agrees in (("SEC", "SAE", "SAE", True), ("SEC", "SAE", "SA", False), ("S", "SA", "SAE", False)):
        bench = await start(dut, ecn=APPLICATION)
        peer, own = await dialled(bench)
        assert str(own.flags) == "SEC"
        bench.give(peer.make(syn, options=OPTIONS))
        assert str((await bench.segment()).flags) == answer
        bench.give(peer.make(then, options=OPTIONS))
        peer.seq = (peer.seq + 1) % MODULUS
        assert str((await bench.segment()).flags) == "A"
        assert await uses_ecn(peer, APPLICATION) == agrees, (syn, then)


@cocotb.test()
async def a_syn_cookie_agrees_to_nothing(dut):
    bench = await start(dut, half_open=1)
    assert await shake(bench.peer(1)) == "SAE"
    peer = bench.peer(2)
    assert await shake(peer) == "SA" and bench.events["mark_cookies"] == 1
    peer.send()
    assert not await uses_ecn(peer)


@cocotb.test()
async def only_new_data_can_be_marked(dut):
    """Not what is sent again after a time-out or three duplicates, nor acknowledgements, nor a FIN without data, nor the probe of a closed window (RFC 3168, 6.1.4 to 6.1.6)."""
    bench = await start(dut, rto_initial=16, rto_min=16)
    flow = await Flow.start(bench)
    first = await flow.come()
    assert len(first) == 10 and {tos(segment) for segment in first} == {CAPABLE} and set(flags(first)) == {"A"}
    flow.repeat(3)
    again = await flow.come()
    lost = sent_again(again, first[0].seq)
    assert tos(lost) == NOT_CAPABLE and flags([lost]) == ["A"]
    assert all(tos(segment) == CAPABLE for segment in again if segment is not lost)
    flow.acknowledge(last(first + again))
    lost = await flow.come()
    assert lost and all(tos(segment) == CAPABLE for segment in lost)
    for _ in range(16 // ROUND + 2):
        if late := await flow.come():
            break
    assert [segment.seq for segment in late] == [lost[0].seq] and tos(late[0]) == NOT_CAPABLE and flags(late) == ["A"]

    bench = await start(dut)
    peer = await agreed(bench)
    peer.send(bytes(3))
    acknowledgement = await bench.segment()
    assert tos(acknowledgement) == NOT_CAPABLE
    peer.window = 0
    peer.send()
    peer.write(b"behind a closed window")
    probe = await bench.segment(100 * TICK)
    assert len(probe.payload) == 1 and tos(probe) == NOT_CAPABLE
    peer.window = 60000
    peer.send()
    data = await bench.segment()
    assert tos(data) == NOT_CAPABLE or bytes(data.payload)[:1] != b"b", "the byte of the probe is sent again"
    peer.ack = end(data)
    peer.send()
    bench.command(5, peer.connection)
    fin = await bench.segment()
    assert "F" in fin.flags and not len(fin.payload) and tos(fin) == NOT_CAPABLE


@cocotb.test()
async def a_mark_is_told_of_until_the_peer_has_reduced_its_window(dut):
    """On all segments, data too. Of a segment with CWR that is marked itself, the mark counts (RFC 3168, 6.1.3)."""
    bench = await start(dut)
    peer = await agreed(bench)
    for flag, service, echo in (("A", CAPABLE, False), ("A", MARKED, True), ("A", CAPABLE, True), ("A", NOT_CAPABLE, True), ("AC", MARKED, True), ("AC", CAPABLE, False), ("A", CAPABLE, False)):
        peer.send(bytes(7), flags=flag, tos=service)
        answer = await bench.segment()
        assert str(answer.flags) == ("AE" if echo else "A") and answer.ack == peer.seq, (flag, service)
        peer.write(b"x")
        data = await bench.segment()
        assert str(data.flags) == ("PAE" if echo else "PA") and tos(data) == CAPABLE
        peer.take(data)
        peer.send()
    assert bench.events["mark_ecn_received"] == 2


@cocotb.test()
async def a_mark_is_told_of_at_once(dut):
    """Although acknowledgements may wait; later segments wait again, with the flag."""
    bench = await start(dut, ack_delay=12)
    peer = await agreed(bench)
    peer.send(b"waits", tos=CAPABLE)
    await bench.quiet()
    assert str((await bench.segment(20 * TICK)).flags) == "A"
    peer.send(b"does not", tos=MARKED)
    assert str((await bench.segment(200)).flags) == "AE"
    peer.send(b"waits again", tos=CAPABLE)
    await bench.quiet()
    assert str((await bench.segment(20 * TICK)).flags) == "AE"
    assert bench.events["mark_late_acks"] == 2


@cocotb.test()
async def marks_that_do_not_count(dut):
    """On segments outside the window, without data, behind the FIN, and on connections without ECN (RFC 3168, 6.1.5)."""
    bench = await start(dut)
    peer = await agreed(bench)
    peer.send(bytes(10), tos=CAPABLE)
    assert str((await bench.segment()).flags) == "A"
    for old in ({"seq": peer.seq - 10}, {"seq": peer.seq + 5000}):
        bench.give(peer.make("A", bytes(10), MARKED, **old))
        assert str((await bench.segment()).flags) == "A"
    peer.send(tos=MARKED)
    peer.send(bytes(10), tos=CAPABLE)
    assert str((await bench.segment()).flags) == "A"
    # Behind a gap it counts: the packet has come by a path with congestion.
    bench.give(peer.make("A", bytes(10), MARKED, seq=peer.seq + 20))
    assert str((await bench.segment()).flags) == "AE"
    assert bench.events["mark_ecn_received"] == 1
    plain = bench.peer()
    assert await shake(plain, "S") == "SA"
    plain.send()
    await plain.opened()
    plain.send(bytes(10), flags="AC", tos=MARKED)
    assert str((await bench.segment()).flags) == "A"
    assert bench.events["mark_ecn_received"] == 1


@cocotb.test()
async def a_mark_halves_the_window_once_for_each_window_of_data(dut):
    """And the next segment with new data says so. Until a byte sent after it is acknowledged, further marks change nothing, except that the window does not grow (RFC 3168, 6.1.2)."""
    for cubic, left in ((0, 10), (PORT, 14)):
        bench = await start(dut, cubic=cubic, cubic_rate=1)
        flow = await Flow.start(bench)
        flow.each(await flow.come())
        first = await flow.come()
        assert len(first) == 20 and set(flags(first)) == {"A"}
        # All twenty acknowledgements tell of marks; the first halves the window, so the card sends again once less than that is in flight.
        flow.each(first, "AE")
        second = await flow.come()
        assert len(second) == left and flags(second) == ["AC"] + ["A"] * (left - 1), (cubic, flags(second))
        assert {tos(segment) for segment in second} == {CAPABLE}
        assert bench.events["mark_ecn_reduced"] == 1
        # Growth as usual, a segment at most in a round trip; then the peer tells of a new mark.
        flow.each(second)
        third = await flow.come()
        assert len(third) in (left, left + 1) and set(flags(third)) == {"A"}
        flow.each(third, "AE")
        fourth = await flow.come()
        kept = len(third) * (45 / 64 if cubic else 0.5)
        assert kept - 1 <= len(fourth) <= kept + 1 and flags(fourth)[0] == "AC" and set(flags(fourth)[1:]) == {"A"}
        assert bench.events["mark_ecn_reduced"] == 2 and "mark_retransmitted" not in bench.events


@cocotb.test()
async def a_mark_that_is_told_of_without_a_break(dut):
    """A peer that has not got CWR yet goes on: that is the same mark up to the last byte sent before the reduction, and a new one behind it."""
    bench = await start(dut)
    flow = await Flow.start(bench)
    flow.each(await flow.come())
    first = await flow.come()
    flow.acknowledge(end(first[0]), "AE")
    second = await flow.come()
    assert bench.events["mark_ecn_reduced"] == 1 and second == [], "twenty are in flight, of which ten may be"
    flow.repeat(2, "AE")
    flow.acknowledge(end(first[-1]), "AE")
    third = await flow.come()
    assert len(third) == 10 and flags(third)[0] == "AC" and bench.events["mark_ecn_reduced"] == 1
    flow.bench.give(flow.peer.make("AE", ack=end(first[5])))  # late
    await flow.come()
    assert bench.events["mark_ecn_reduced"] == 1
    flow.acknowledge(end(third[0]), "AE")
    await flow.come()
    assert bench.events["mark_ecn_reduced"] == 2


@cocotb.test()
async def a_connection_without_ecn_ignores_what_it_is_told(dut):
    bench = await start(dut)
    peer = bench.peer()
    assert await shake(peer, "S") == "SA"
    peer.send()
    await peer.opened()
    flow = Flow(peer)
    for count in (10, 20, 32):
        segments = await flow.come()
        assert len(segments) == count and set(flags(segments)) == {"A"} and {tos(segment) for segment in segments} == {NOT_CAPABLE}
        flow.each(segments, "AE")
    assert "mark_ecn_reduced" not in bench.events


@cocotb.test()
async def what_the_hand_shake_tells_is_no_mark(dut):
    bench = await start(dut)
    peer = bench.peer()
    assert await shake(peer) == "SAE"
    peer.send(flags="AE")
    await peer.opened()
    flow = Flow(peer)
    assert len(await flow.come()) == 10 and "mark_ecn_reduced" not in bench.events


@cocotb.test()
async def two_segments_are_the_least(dut):
    """However many windows in a row are marked; and a window that a time-out has made smaller does not become larger."""
    bench = await start(dut)
    flow = await Flow.start(bench)
    sizes = []
    for _ in range(5):
        segments = await flow.come()
        sizes.append(len(segments))
        flow.each(segments, "AE")
    assert sizes == [10, 5, 2, 2, 2], sizes
    bench = await start(dut, rto_initial=16, rto_min=16)
    flow = await Flow.start(bench)
    lost = await flow.come()
    for _ in range(16 // ROUND + 2):
        if late := await flow.come():
            break
    assert len(late) == 1
    flow.acknowledge(end(lost[-1]))
    segments = await flow.come()
    assert len(segments) == 2 and flags(segments) == ["AC", "A"], "the time-out is told of"
    assert segments[0].seq == end(lost[-1])


@cocotb.test()
async def a_loss_beside_a_mark(dut):
    """In the same window of data the loss does not reduce the window again, in either order; in the next one it does. A fast retransmission is told of, like a mark (RFC 3168, 6.1.2)."""
    bench = await start(dut)
    flow = await Flow.start(bench)
    flow.each(await flow.come())
    first = await flow.come()
    assert len(first) == 20
    flow.acknowledge(end(first[0]), "AE")  # reduces: ten are left
    flow.repeat(18, "AE")  # the second segment is lost, and the others come
    again = await flow.come()
    lost = sent_again(again, first[1].seq)
    assert tos(lost) == NOT_CAPABLE and flags([lost]) == ["A"]
    assert bench.events["mark_fast_retransmit"] == 1
    flow.acknowledge(last(first + again))
    second = await flow.come()
    assert len(second) == 10, "ten are still left"
    assert sum("C" in text for text in flags(again + second)) == 1, "CWR goes out once, with new data"
    flow.repeat(8)  # the first segment of the next window is lost
    again = await flow.come()
    assert sent_again(again, second[0].seq) and bench.events["mark_fast_retransmit"] == 2
    flow.acknowledge(last(second + again), "AE")  # of the same window: not again
    third = await flow.come()
    assert len(third) == 5 and bench.events["mark_ecn_reduced"] == 1
    assert sum("C" in text for text in flags(again + third)) == 1


@cocotb.test()
async def a_loss_in_the_window_behind_a_mark(dut):
    """Its first segment, which the reduction has let out, is lost: that is another sign of congestion."""
    bench = await start(dut)
    flow = await Flow.start(bench)
    flow.each(await flow.come())
    first = await flow.come()
    flow.acknowledge(last(first), "AE")
    second = await flow.come()
    assert (len(first), len(second)) == (20, 10) and bench.events["mark_ecn_reduced"] == 1
    flow.repeat(len(second) - 1)
    again = await flow.come()
    assert sent_again(again, second[0].seq) and bench.events["mark_fast_retransmit"] == 1
    flow.acknowledge(last(second + again))
    assert len(await flow.come()) == 5


@cocotb.test()
async def an_old_acknowledgement_tells_nothing(dut):
    """It was overtaken by one that says more."""
    bench = await start(dut)
    flow = await Flow.start(bench)
    first = await flow.come()
    flow.each(first)
    flow.bench.give(flow.peer.make("AE", ack=end(first[5])))
    assert len(await flow.come()) == 20 and "mark_ecn_reduced" not in bench.events


@cocotb.test()
async def bytes_are_right_whatever_is_marked(dut):
    """Random marks both ways, with a peer that follows RFC 3168: all bytes come, and each reduction that is told of ends the peer's telling."""
    bench = await start(dut, ack_delay=random.choice([0, 4]))
    peer = await agreed(bench)
    sent = got = b""
    echo = False
    text = random.randbytes(20_000)
    told = 0
    peer.read(1, 0, True)
    back = b""
    for _ in range(400):
        if len(got) == len(text):
            break
        while len(sent) < len(text) and len(sent) - len(got) < WINDOW:
            piece = text[len(sent) :][: min(MSS, WINDOW - len(sent) + len(got))]
            peer.write(piece)
            sent += piece
        await ClockCycles(dut.clk_i, 150)
        bench._sort()
        for segment in bench.segments:
            if "C" in segment.flags:
                assert tos(segment) == CAPABLE and echo, "CWR answers ECE"
                echo = False
                told += 1
            if tos(segment) == CAPABLE and random.random() < 0.1:
                echo = True
            got += peer.take(segment)
            peer.send(flags="AE" if echo else "A")
        bench.segments.clear()
        back += b"".join(notice.data for notice in bench.told if notice.desc["stream_op"] != OPENED)
        bench.told.clear()
        peer.send(random.randbytes(random.randint(1, 30)), flags=random.choice(["A", "AC"]), tos=random.choice([NOT_CAPABLE, CAPABLE, MARKED]))
    assert got == text and told > 3 and told <= bench.events["mark_ecn_reduced"] <= told + 1
    assert "mark_retransmitted" not in bench.events
