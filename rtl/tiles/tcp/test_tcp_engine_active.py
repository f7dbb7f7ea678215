# SPDX-License-Identifier: Apache-2.0
"""Connections that an application opens, against a peer that does nothing by itself: each way in which the opening can succeed or fail."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from cocotb.utils import get_sim_time
from scapy.layers.inet import TCP

from girih.testing import run_cocotb
from girih.testing.clock import PERIOD_NS
from girih.testing.messages import Message
from rtl.tiles.tcp.tcp_bench import (
    ABORT,
    CARD,
    CLOSE,
    CONNECTIONS,
    HOST,
    MODULUS,
    OPEN,
    OPENED,
    PORT,
    TICK,
    WINDOW,
    WRITE,
    Peer,
    TcpBench,
)

REFUSED, UNANSWERED, UNPLACED = range(3)  # why a connection was not opened
OWN, APPLICATION = 40000, 9  # the port of the card, and the application's name in the node table
PAD = ("NOP", None)
OFFERED = [("MSS", 1460), PAD, PAD, ("Timestamp", None), PAD, PAD, ("SAckOK", b""), PAD, ("WScale", 0)]  # None: any


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


def dialled(bench: TcpBench, port: int = 80, own: int = OWN, **fields) -> Peer:
    """Lets the application open a connection; returns its peer."""
    bench.dial(port, own, application=APPLICATION)
    return bench.peer(port, to=own, **fields)


async def syn_of(bench: TcpBench, peer: Peer) -> TCP:
    syn = await bench.segment(40 * TICK)
    offered = [(name, None if name == "Timestamp" else value) for name, value in syn.options]
    assert str(syn.flags) == "S" and syn.ack == 0 and offered == OFFERED and syn.window == WINDOW
    assert (syn.sport, syn.dport) == (peer.to, peer.port)
    peer.ack = (syn.seq + 1) % MODULUS
    return syn


async def answered(bench: TcpBench, peer: Peer, options: list | None = None) -> None:
    """The peer accepts the connection, and the application hears of it."""
    await syn_of(bench, peer)
    peer.bench.give(peer.make("SA", options=[] if options is None else options))
    peer.seq = (peer.seq + 1) % MODULUS
    ack = await bench.segment()
    assert str(ack.flags) == "A" and ack.ack == peer.seq and ack.seq == peer.ack and not ack.payload
    await peer.opened(APPLICATION)


async def carries_bytes(bench: TcpBench, peer: Peer, size: int = 700) -> None:
    text, answer = random.randbytes(size), random.randbytes(size)
    peer.write(text)
    got = b""
    while len(got) < size:
        got += peer.take(await bench.segment())
    assert got == text
    peer.send(answer)
    ack = await bench.segment()
    assert ack.ack == peer.seq
    peer.read()
    assert (await peer.data()).data == answer


async def ends(bench: TcpBench, peer: Peer) -> None:
    """The peer closes first, so the place is free at once."""
    peer.send(flags="FA")
    await bench.segment()
    bench.command(CLOSE, peer.connection)
    segment = await bench.segment()
    assert "F" in segment.flags
    peer.take(segment)
    peer.send()


@cocotb.test()
async def an_application_opens_a_connection(dut):
    bench = await TcpBench.start(dut, stall=0.2)
    for number, start in enumerate((None, MODULUS - 1, MODULUS - 300)):
        peer = dialled(bench, 80 + number, seq=start)
        await answered(bench, peer)
        await carries_bytes(bench, peer)
        await ends(bench, peer)
    await bench.closed(3)
    assert bench.events["mark_opened"] == 3
    assert not [name for name in bench.events if name.startswith("drop_")]


@cocotb.test()
async def what_the_answer_says_is_used(dut):
    """The card uses the peer's maximum segment size, window scale and window, and SACK only if the peer permits it, too."""
    bench = await TcpBench.start(dut)
    for number, (options, mss, scale, sacks) in enumerate(
        (([], 536, 1, False), ([("MSS", 100)], 100, 1, False), ([("MSS", 9000), ("NOP", None), ("WScale", 3)], 1460, 8, False), ([("SAckOK", b""), ("WScale", 2)], 536, 4, True))
    ):
        peer = dialled(bench, 80 + number, window=100)
        await answered(bench, peer, options)
        peer.write(random.randbytes(1500))
        first = len((await bench.segment()).payload)
        assert first == min(mss, 100), "the window of the SYN is not scaled"
        peer.ack = (peer.ack + first) % MODULUS
        peer.send()
        sent = 0
        while sent < min(100 * scale, 1500 - first):
            segment = await bench.segment()
            assert 0 < len(segment.payload) <= mss
            sent += len(segment.payload)
        await bench.quiet()
        peer.bench.give(peer.make("A", b"behind a gap", seq=peer.seq + 50))
        ack = await bench.segment()
        assert (("SAck", ((peer.seq + 50) % MODULUS, (peer.seq + 62) % MODULUS)) in ack.options) == sacks
        peer.bench.give(peer.make("R"))
        await ClockCycles(dut.clk_i, 100)
        bench.command(CLOSE, peer.connection)
        await bench.closed(number + 1)


@cocotb.test()
async def a_peer_that_refuses(dut):
    """Its reset counts only if it acknowledges the SYN (RFC 9293, 3.10.7.3); the application hears of it once, and can try again."""
    bench = await TcpBench.start(dut)
    for number in range(3):
        peer = dialled(bench)
        syn = await syn_of(bench, peer)
        for flags, ack in (("R", 0), ("RA", syn.seq), ("RA", syn.seq + 2), ("RA", syn.seq + (1 << 31))):
            bench.give(peer.make(flags, ack=ack, seq=0))
        await bench.quiet()
        bench.give(peer.make("RA", seq=0))
        await peer.not_opened(REFUSED, APPLICATION)
        await bench.closed(number + 1)
    await bench.quiet()
    assert bench.events["mark_reset_received"] == 3 and bench.events["drop_bad_segment"] == 3 and bench.events["drop_bad_ack"] == 9
    assert "mark_opened" not in bench.events
    peer = dialled(bench)
    await answered(bench, peer)


@cocotb.test()
async def a_peer_that_does_not_answer(dut):
    """The SYN is sent again with the same number, at growing intervals, until the application hears that nobody answers."""
    bench = await TcpBench.start(dut, rto_initial=4, rto_min=4, retries=3)
    peer = dialled(bench)
    syn = await syn_of(bench, peer)
    for _ in range(3):
        assert (await syn_of(bench, peer)).seq == syn.seq
    await peer.not_opened(UNANSWERED, APPLICATION, limit=40 * TICK)
    assert bench.events["mark_gave_up"] == 1 and bench.events["mark_retransmitted"] == 3
    await bench.closed(1)
    # One whose SYN is lost once is answered.
    peer = dialled(bench)
    await syn_of(bench, peer)
    await answered(bench, peer)
    await carries_bytes(bench, peer, 500)  # one segment, since a SYN was lost


@cocotb.test()
async def after_a_lost_syn_one_segment_goes_first(dut):
    """The initial window is one segment if a SYN was lost (RFC 5681, 3.1), and ten segments if none was."""
    bench = await TcpBench.start(dut)
    for lost in (0, 1, 2):
        peer = dialled(bench, 80 + lost)
        for _ in range(lost):
            await syn_of(bench, peer)
        await answered(bench, peer, [("MSS", 100)])
        peer.write(random.randbytes(1500))
        await ClockCycles(dut.clk_i, 400)
        bench._sort()
        assert [len(segment.payload) for segment in bench.segments] == ([100] if lost else [100] * 10)
        bench.segments.clear()
        bench.give(peer.make("R"))
        await ClockCycles(dut.clk_i, 100)
        bench.command(CLOSE, peer.connection)
        await bench.closed(lost + 1)


@cocotb.test()
async def after_a_lost_syn_the_time_out_is_three_times_as_long(dut):
    """Three times rto_initial, for the first data, until a round trip is known, whoever has opened the connection (RFC 6298, 5.7)."""
    bench = await TcpBench.start(dut, rto_min=2, rto_max=1000)
    first = 8  # ticks, rto_initial; a tick more until the timer comes by
    for number, (dials, lost) in enumerate(((True, 1), (True, 2), (False, 1))):
        if dials:
            peer = dialled(bench, 80 + number)
            for _ in range(lost):
                await syn_of(bench, peer)
            await answered(bench, peer)
        else:
            peer = bench.peer()
            answer = await peer.shake()
            assert (await bench.segment(20 * TICK)).seq == answer.seq
            peer.send()
            await peer.opened()
        peer.write(b"data")
        peer.take(await bench.segment())
        for longer in (1, 2):
            before = get_sim_time("ns")
            assert bytes((await bench.segment(80 * TICK)).payload) == b"data"
            ticks = (get_sim_time("ns") - before) / (PERIOD_NS * TICK)
            assert 3 * first * longer - 1 <= ticks <= 3 * first * longer + 2, ticks
        peer.send()
        for round_trip_known in (False, True):
            peer.write(b"more")
            peer.take(await bench.segment())
            if not round_trip_known:
                peer.send()
        before = get_sim_time("ns")
        await bench.segment(80 * TICK)
        assert (get_sim_time("ns") - before) / (PERIOD_NS * TICK) < first
        peer.bench.give(peer.make("R"))
        await ClockCycles(dut.clk_i, 100)
        bench.command(CLOSE, peer.connection)
        await bench.closed(number + 1)


@cocotb.test()
async def there_is_no_place_for_it(dut):
    """The same connection twice, addresses of no host, of the card or not of IPv4, and a full table; connections that are open are not affected."""
    bench = await TcpBench.start(dut)
    peer = dialled(bench)
    await answered(bench, peer)
    again = dialled(bench)
    await again.not_opened(UNPLACED, APPLICATION)
    strangers = ["2001:db8::a00:1", "::10.0.0.1", *(f"::ffff:{address}" for address in ("0.0.0.1", "127.0.0.1", "224.0.0.1", "255.255.255.255", CARD))]
    for address in strangers:
        bench.dial(80, OWN + 1, address=address, application=APPLICATION)
        notice = await bench.notice()
        assert notice.desc["stream_reset"] and notice.desc["stream_bytes"] == UNPLACED
    await bench.quiet()
    refused = bench.events["drop_refused"]
    assert refused == 1 + len(strangers)
    opened, tries = 1, 0
    while opened < CONNECTIONS:
        tries += 1
        other = dialled(bench, 1000 + tries)
        await ClockCycles(dut.clk_i, 100)
        bench._sort()
        if bench.told:
            await other.not_opened(UNPLACED, APPLICATION)  # no place in the tables for these ports
        else:
            await answered(bench, other)
            opened += 1
    late = dialled(bench, 9999)
    await late.not_opened(UNPLACED, APPLICATION)
    await bench.quiet()
    await carries_bytes(bench, peer)
    assert bench.events["drop_refused"] == refused + 1 + tries - (CONNECTIONS - 1)


@cocotb.test()
async def no_other_application_hears_of_it(dut):
    """A request in the name of an application that only accepts connections, or of the way to the network, is refused, and nobody is told."""
    bench = await TcpBench.start(dut)
    for address in ("::ffff:" + HOST, "::"):
        for application in (0, PORT, 80):
            bench.dial(80, OWN, address=address, application=application, tenant=3)
    await bench.quiet()
    assert bench.events["drop_refused"] == 6 and "used_commands" not in bench.events
    peer = dialled(bench)
    await answered(bench, peer)


@cocotb.test()
async def wishes_that_cannot_be_met_leave_others_their_answers(dut):
    """Another tenant makes impossible requests as fast as they are accepted, while the output link is slow."""
    bench = await TcpBench.start(dut)
    peer = await bench.open()
    peer.send(b"there")
    await bench.segment()
    bench.bench.sink.stall = 0.95
    for number in range(600):
        bench.dial(number, OWN, address="::", application=APPLICATION, tenant=3)
        if number == 200:
            peer.read()
    last = 0
    while (notice := await bench.notice(limit=3000)).key == APPLICATION:
        last = int.from_bytes(notice.data[16:18], "big")
    assert notice.data == b"there" and notice.desc["stream_connection"] == peer.connection
    assert 100 < last < 250, "the answer comes when its turn is"


@cocotb.test()
async def many_at_once_are_each_answered_or_counted(dut):
    """More requests than there are places, without a pause; none is answered twice."""
    bench = await TcpBench.start(dut)
    for port in range(3 * CONNECTIONS):
        bench.dial(5000 + port, OWN, application=APPLICATION)
    await ClockCycles(dut.clk_i, 4000)
    bench._sort()
    syns = {segment.dport for segment in bench.segments if str(segment.flags) == "S"}
    told = [message for message in bench.told if message.desc.get("stream_reset")]
    refused = bench.events["drop_refused"]
    assert len(syns) + refused == 3 * CONNECTIONS and len(syns) <= CONNECTIONS
    ports = [int.from_bytes(message.data[16:18], "big") for message in told]
    assert len(ports) == len(set(ports)) == refused and not syns & set(ports)


@cocotb.test()
async def answers_of_both_sorts_come_at_any_distance(dut):
    """Answers to reads and to impossible requests: none is lost, and none comes twice."""
    bench = await TcpBench.start(dut)
    peer = dialled(bench)
    await answered(bench, peer)
    for cycles in range(40):
        bench.dial(peer.port, OWN, application=APPLICATION)
        await ClockCycles(dut.clk_i, cycles)
        peer.read(least=0)
        await ClockCycles(dut.clk_i, 80)
        bench._sort()
        assert len(bench.told) == 2 and sum(message.desc["stream_op"] == OPENED for message in bench.told) == 1
        bench.told.clear()


@cocotb.test()
async def both_open_at_once(dut):
    """RFC 9293, figure 7: the SYNs cross. The peer answers with a SYN and acknowledgement as in the figure, or with an acknowledgement alone."""
    bench = await TcpBench.start(dut)
    for number, last in enumerate(("SA", "A")):
        peer = dialled(bench, 80 + number)
        syn = await syn_of(bench, peer)
        bench.give(peer.make("S", options=[("MSS", 700)]))
        answer = await bench.segment()
        assert str(answer.flags) == "SA" and answer.seq == syn.seq and answer.ack == (peer.seq + 1) % MODULUS
        assert answer.options == [("MSS", 1460)]
        await bench.quiet()
        if last == "SA":
            # A segment with another number does not belong to this connection.
            bench.give(peer.make("SA", seq=peer.seq - 5))
            await ClockCycles(dut.clk_i, 100)
            bench._sort()
            assert not bench.told
            bench.segments.clear()
            bench.give(peer.make("SA"))
            ack = await bench.segment()
            assert str(ack.flags) == "A" and ack.ack == (peer.seq + 1) % MODULUS and ack.seq == peer.ack
            peer.seq = (peer.seq + 1) % MODULUS
        else:
            peer.seq = (peer.seq + 1) % MODULUS
            peer.send()
        await peer.opened(APPLICATION)
        await carries_bytes(bench, peer)
    # A reset after the SYNs have crossed: refused.
    peer = dialled(bench, 90)
    await syn_of(bench, peer)
    bench.give(peer.make("S"))
    await bench.segment()
    bench.give(peer.make("R", seq=peer.seq + 1))
    await peer.not_opened(REFUSED, APPLICATION)


@cocotb.test()
async def what_is_no_answer(dut):
    """A wrong acknowledgement is answered with a reset, and one without a SYN is dropped; the right answer is still accepted after either."""
    bench = await TcpBench.start(dut)
    peer = dialled(bench)
    syn = await syn_of(bench, peer)
    for flags, ack in (("A", syn.seq), ("SA", syn.seq + 2), ("SA", syn.seq), ("A", syn.seq - 9)):
        bench.give(peer.make(flags, ack=ack))
        reset = await bench.segment()
        assert str(reset.flags) == "R" and reset.seq == ack % MODULUS
    bench.give(peer.make("A"), peer.make("", b"text"), peer.make("FA"))
    await bench.quiet()
    assert bench.events["drop_bad_ack"] == 4 and bench.events["drop_bad_segment"] == 3
    stranger = peer.make("SA")
    stranger.desc["tenant"] = 1
    bench.give(stranger)
    await ClockCycles(dut.clk_i, 100)
    assert bench.events["drop_no_connection"] == 1 and "mark_opened" not in bench.events
    bench.give(peer.make("SA"))
    peer.seq = (peer.seq + 1) % MODULUS
    await bench.segment()
    await peer.opened(APPLICATION)
    await carries_bytes(bench, peer)


@cocotb.test()
async def commands_that_are_not_well_formed(dut):
    bench = await TcpBench.start(dut)
    for payload, count in ((bytes(21), 21), (bytes(23), 23), (bytes(22), 21), (b"\0", 1)):
        bench.give(Message(payload, {"stream_op": OPEN, "stream_bytes": count, "port": 3, "tenant": 2}))
    await bench.quiet()
    assert bench.events["drop_command"] == 4 and "used_commands" not in bench.events
    await bench.open(PORT + 5000)


@cocotb.test()
async def what_the_peer_sends_is_read_when_no_more_is_written(dut):
    """A close with `end` ends only the writing: the connection stays until the application closes it without `end`, however long that takes."""
    bench = await TcpBench.start(dut, time_wait=4)
    for ends_first in (False, True):
        peer = await bench.open()
        peer.write(b"last words")
        bench.command(CLOSE, peer.connection, end=1)
        segment = await bench.segment()
        assert peer.take(segment) == b"last words"
        if "F" not in segment.flags:
            segment = await bench.segment()
            peer.take(segment)
        assert "F" in segment.flags
        peer.send()
        bench.command(WRITE, peer.connection, b"no more")
        await ClockCycles(dut.clk_i, 10 * TICK)  # longer than a connection that is closed waits for its peer
        texts = [random.randbytes(size) for size in (1, 500, 900)]
        behind = peer.make("A", texts[1], seq=peer.seq + 1)
        bench.give(behind)
        assert ((await bench.segment()).ack) == peer.seq
        peer.send(texts[0])
        peer.seq = (peer.seq + 500) % MODULUS
        while (await bench.segment()).ack != peer.seq:
            pass
        peer.send(texts[2])
        if ends_first:
            peer.send(flags="FA")
            await ClockCycles(dut.clk_i, 10 * TICK)
        got = b""
        while len(got) < 1401:
            peer.read()
            got += (await peer.data()).data
        assert got == b"".join(texts)
        if not ends_first:
            peer.send(flags="FA")
        peer.read()
        end = await peer.data()
        assert end.desc["stream_end"] and not end.desc.get("stream_reset") and not end.data
        assert bench.events.get("mark_freed", 0) == int(ends_first)
        bench.command(CLOSE, peer.connection)
        await bench.closed(1 + ends_first)
        await ClockCycles(dut.clk_i, 100)
        bench._sort()
        bench.segments.clear()
    assert bench.events["drop_write"] == 2
    # After the peer's FIN no window updates are sent: a peer that has closed completely would answer with a reset.
    peer = await bench.open()
    bench.command(CLOSE, peer.connection, end=1)
    peer.take(await bench.segment())
    peer.send(bytes(WINDOW - 1))
    peer.send(flags="FA")
    while (await bench.segment()).ack != peer.seq:
        pass
    peer.read()
    assert len((await peer.data()).data) == WINDOW - 1
    await bench.quiet()
    bench.command(CLOSE, peer.connection)
    await bench.closed(3)
    # A connection that the peer resets, one that the application aborts, and one that it closes twice.
    for number in range(3):
        peer = await bench.open()
        bench.command(CLOSE, peer.connection, end=1)
        fin = await bench.segment()
        peer.take(fin)
        if number == 0:
            bench.give(peer.make("R"))
            bench.command(CLOSE, peer.connection, end=1)
            peer.read()
            assert (await peer.data()).desc["stream_reset"]
            bench.command(CLOSE, peer.connection)
        elif number == 1:
            bench.command(ABORT, peer.connection)
            assert "R" in (await bench.segment()).flags
        else:
            peer.send()
            bench.command(CLOSE, peer.connection, end=1)
            bench.command(CLOSE, peer.connection)
            peer.send(b"nobody reads this")
            peer.send(flags="FA")
        await bench.closed(4 + number)
        await ClockCycles(dut.clk_i, 100)
        bench._sort()
        bench.segments.clear()
