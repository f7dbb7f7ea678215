# SPDX-License-Identifier: Apache-2.0
"""The TCP engine against a peer that does nothing by itself: each state, each rule for received segments, each timer."""

import itertools
import random
from ipaddress import ip_address

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.layers.inet import TCP

from girih.testing import run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.engines import config_word
from girih.testing.messages import Message, flits_of
from rtl.tiles.tcp.tcp_bench import (
    ABORT,
    CARD,
    CLOSE,
    CONFIG,
    CONNECTIONS,
    DATA,
    FLIT_BYTES,
    HOST,
    KIND,
    LATE,
    MODULUS,
    OPENED,
    PORT,
    TICK,
    WINDOW,
    Peer,
    TcpBench,
)
from rtl.tiles.tcp.test_tcp_hash import initial

NEAR_WRAP = MODULUS - 700
HEADERS = 54
# First byte of a segment and the one behind its last, the next byte that is missing then, and the ranges behind it.
BEHIND_GAPS = [
    (100, 200, 0, (100, 200)),
    (300, 400, 0, (300, 400), (100, 200)),
    (500, 600, 0, (300, 400), (100, 200)),  # is not kept
    (150, 250, 0, (100, 250), (300, 400)),
    (400, 450, 0, (300, 450), (100, 250)),
    (50, 100, 0, (50, 250), (300, 450)),
    (0, 10, 10, (50, 250), (300, 450)),
    (250, 300, 10, (50, 450)),
    (700, 800, 10, (700, 800), (50, 450)),
    (30, 900, 10, (30, 900)),
    (950, 1000, 10, (950, 1000), (30, 900)),
    (0, 30, 900, (950, 1000)),
    (100, 200, 900, (950, 1000)),  # again
    (880, 960, 1000),
]
LATENCY = 30  # cycles from the first flit of a small segment to its event


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


@cocotb.test()
async def opens_carries_bytes_both_ways_and_closes(dut):
    bench = await TcpBench.start(dut, stall=0.2)
    for start in (None, NEAR_WRAP):
        peer = await bench.open(seq=start)
        received = sent = b""
        for size in (1, 3, 64, 130, 1460, 9, 500, 700):
            text = random.randbytes(size)
            peer.read()
            peer.send(text)
            received += text
            ack = await bench.segment()
            assert ack.ack == peer.seq and not ack.payload
            assert (await peer.data()).data == text
            answer = random.randbytes(size)
            peer.write(answer)
            segment = await bench.segment()
            while not segment.payload:
                segment = await bench.segment()  # an update of the window
            assert peer.take(segment) == answer and "P" in segment.flags
            peer.send()
            sent += answer
        peer.send(flags="FA")
        assert (await bench.segment()).ack == peer.seq
        peer.read()
        end = await peer.data()
        assert end.data == b"" and end.desc["stream_end"] and not end.desc.get("stream_reset")
        bench.command(CLOSE, peer.connection)
        fin = await bench.segment()
        assert "F" in fin.flags and peer.take(fin) == b""
        peer.send()
    await bench.closed(2)
    assert bench.events["mark_opened"] == 2
    assert not [name for name in bench.events if name.startswith("drop_")]


@cocotb.test()
async def segments_are_as_large_as_the_peer_allows(dut):
    bench = await TcpBench.start(dut)
    for options, mss in (([("MSS", 100)], 100), ([("NOP", None), ("MSS", 1000)], 1000), ([("WScale", 3)], 536), ([("MSS", 9000)], 1460)):
        peer = await bench.open(options=options)
        text = random.randbytes(1500)
        peer.write(text)
        got = b""
        while len(got) < len(text):
            segment = await bench.segment()
            data = peer.take(segment)
            assert len(data) == min(mss, len(text) - len(got))
            got += data
            peer.send()
        assert got == text


@cocotb.test()
async def the_window_is_scaled_as_the_peer_said(dut):
    """The peer's window bounds the bytes in flight; the window in a SYN is not scaled."""
    bench = await TcpBench.start(dut)
    for options, scale in (([("MSS", 1000), ("NOP", None), ("WScale", 3)], 8), ([("WScale", 0)], 1), ([("SAckOK", b""), ("WScale", 2)], 4)):
        peer = await bench.open(options=options, window=100)
        peer.write(random.randbytes(1500))
        sent = 0
        while sent < 100 * scale:
            sent += len((await bench.segment()).payload)
        assert sent == 100 * scale
        await bench.quiet()


@cocotb.test()
async def a_window_is_open_that_is_larger_than_the_card_counts(dut):
    """The card counts up to 2^20 - 1 bytes of a window; the low 20 bits of these are 0."""
    bench = await TcpBench.start(dut)
    for shift, window in ((5, 0x8000), (6, 0x8000), (14, 1 << 6), (14, 0xC000)):
        peer = await bench.open(options=[("MSS", 1000), ("NOP", None), ("WScale", shift)], window=window)
        peer.write(random.randbytes(1500))
        sent = 0
        while sent < 1500:
            sent += len((await bench.segment()).payload)
            peer.send()


@cocotb.test()
async def the_syn_says_what_it_should(dut):
    bench = await TcpBench.start(dut)
    answer = await bench.peer(options=[("MSS", 1460), ("SAckOK", b""), ("NOP", None), ("WScale", 7)]).shake()
    assert answer.options == [("MSS", 1460), ("NOP", None), ("NOP", None), ("SAckOK", b""), ("NOP", None), ("WScale", 0)] and answer.window == WINDOW
    answer = await bench.peer(options=[("SAckOK", b""), ("MSS", 800)]).shake()
    assert answer.options == [("MSS", 1460), ("NOP", None), ("NOP", None), ("SAckOK", b"")]
    answer = await bench.peer(options=[("WScale", 7)]).shake()
    assert answer.options == [("MSS", 1460), ("NOP", None), ("WScale", 0)]
    answer = await bench.peer(options=[]).shake()
    assert answer.options == [("MSS", 1460)]
    for junk in ([(2, b"\1")], [(3, b"")], [(200, bytes(30))], [("MSS", 0)]):
        assert (await bench.peer(options=junk).shake()).options[0] == ("MSS", 1460)


def number_hash(port: int, own_port: int = PORT, tenant: int = 2, secret: int = CONFIG["secret"]) -> int:
    """The hash in the initial sequence number of a connection. port: the peer's."""
    return initial(secret, int(ip_address(HOST)), port, own_port, int(ip_address(CARD)), tenant)[0]


@cocotb.test()
async def initial_numbers_are_those_of_rfc_6528(dut):
    """The hash of RFC 6528 is SipHash-2-4 under the secret, the same each time for the same addresses, ports and tenant, and the clock goes up by one in a
    tick."""
    bench = await TcpBench.start(dut, rto_initial=1000, rto_max=1000)
    bench.tenants = {2, 5}
    clocks = []
    for port, to, tenant in ((1024, PORT, 2), (1024 + 256, PORT, 2), (1024, PORT, 2), (1024, 80, 2), (50000, PORT, 2), (1024, PORT, 5), (1024, PORT, 2)):
        await ClockCycles(dut.clk_i, 40 * TICK)
        bench.segments.clear()
        peer = bench.peer(port, to=to, tenant=tenant)
        answer = await peer.shake()
        clocks.append((answer.seq - number_hash(port, to, tenant)) % MODULUS)
        bench.give(peer.make("R"))
    for number, clock in enumerate(clocks, start=1):
        assert 40 * number <= clock <= 45 * number, clocks


@cocotb.test()
async def initial_numbers_do_not_depend_on_what_comes_beside(dut):
    """SYNs close behind one another, for a connection that exists, with wrong checksums, that are cut, to a port where nobody listens, and the requests
    of applications: each answer has the number of its own addresses and ports."""
    bench = await TcpBench.start(dut, stall=0.0, rto_initial=2000, rto_max=2000)
    bench.mix()
    ports = iter(range(2000, 60000))
    begun = ended = 0
    for _ in range(150):
        peers, dialled, messages = {}, [], []
        for _ in range(random.randint(1, 4)):
            kind = random.choice(("syn", "syn", "syn", "twice", "broken", "cut", "elsewhere", "dial", "data"))
            peer = bench.peer(next(ports), options=random.choice(([("MSS", 1460)], [("NOP", None), ("WScale", 2)], [])))
            syn = peer.make("S", options=peer.options)
            if kind in ("syn", "twice"):
                peers[peer.port] = peer
                messages += [syn] * (1 + (kind == "twice"))
            elif kind == "dial":
                peers[peer.port] = peer
                dialled.append(peer.port)
            elif kind == "elsewhere":
                messages.append(bench.peer(peer.port, to=9999).make("S"))
            elif kind == "data":
                messages.append(peer.make("R"))
            if kind in ("broken", "cut"):
                wrong = peer.make("S", options=peer.options)
                wrong.data = wrong.data[:-1] + bytes([wrong.data[-1] ^ 1]) if kind == "broken" else wrong.data[:50]
                messages.append(wrong)
        random.shuffle(messages)
        for message in messages:
            bench.give(message)
            for _ in range(random.choice((0, 0, 3, 9))):
                await ClockCycles(dut.clk_i, 1)
        for port in dialled:
            bench.dial(port, PORT, application=9)
        await ClockCycles(dut.clk_i, 400)
        bench._sort()
        answers = {}
        for segment in bench.segments:
            if "S" in segment.flags:
                answers.setdefault(segment.dport, segment.seq)
        assert answers.keys() == peers.keys()
        for port, seq in answers.items():
            clock = (seq - number_hash(port)) % MODULUS
            assert abs(clock - (cycle_now() - bench.begun) / TICK) <= 4, (port, clock)
            if port not in dialled:
                bench.give(peers[port].make("R", seq=peers[port].seq + 1))
            else:
                bench.give(peers[port].make("RA", ack=seq + 1))
                await peers[port].not_opened(0, 9)
        begun += len(peers)
        await ClockCycles(dut.clk_i, 100)
        bench.segments.clear()
        bench.told.clear()
        ended = bench.events.get("mark_freed", 0)
        assert ended == begun
    assert bench.events["mark_begun"] == begun


@cocotb.test()
async def a_new_secret_counts_at_once(dut):
    """For the same addresses and ports as before, too, whichever end opens the connection."""
    times = {"rto_initial": 2000, "rto_max": 2000}
    bench = await TcpBench.start(dut, stall=0.0, **times)
    for number in range(8):
        secret = random.getrandbits(128)
        dut.cfg_i.value = config_word(KIND, **CONFIG | times | {"secret": secret})
        peer = bench.peer(80)
        if number % 4 < 2:
            bench.dial(80, PORT, application=9)
            syn = await bench.segment()
            bench.give(peer.make("RA", ack=syn.seq + 1))
            await peer.not_opened(0, 9)
        else:
            syn = await peer.shake()
            bench.give(peer.make("R"))
        clock = (syn.seq - number_hash(80, secret=secret)) % MODULUS
        assert abs(clock - (cycle_now() - bench.begun) / TICK) <= 4, (number, clock)
        await ClockCycles(dut.clk_i, 100)


@cocotb.test()
async def a_syn_takes_a_cycle_longer_than_another_segment(dut):
    """Where its first flit shows all of its header; elsewhere it waits longer for the hash. The options are those of Linux. It holds up the next one for
    three cycles, of which two are its flits' own at 512 bits. The timer's event may come between, and what it causes."""
    bench = await TcpBench.start(dut, stall=0.0)
    waits = (1 if FLIT_BYTES >= HEADERS else 7) + (KIND == "tcp_memory")  # which compares a new connection's place with those of its notices a cycle before
    stamp = [("MSS", 1460), ("SAckOK", b""), ("Timestamp", (1, 0)), ("NOP", None), ("WScale", 7)]
    plain = [("MSS", 1460), ("NOP", None), ("NOP", None), ("SAckOK", b""), ("NOP", None), ("WScale", 7)]
    other = await bench.open(port=3000)
    took = []
    for number in range(10):
        for options in (stamp, plain):
            peer, close = (bench.peer(4000 + number, options=options, to=to) for to in (PORT, 80))
            syn, acknowledgement = peer.make("S", options=options), other.make("A", bytes(len(bytes(TCP(options=options))) - 20), seq=other.seq - 100)
            assert flits_of(syn.data) == flits_of(acknowledgement.data)
            for messages in ((syn,), (acknowledgement,), (close.make("S", options=options), acknowledgement), (acknowledgement,) * 2):
                await ClockCycles(dut.clk_i, random.randint(100, 130))
                took.append(await bench.taken(*messages))
            bench.give(*(one.make("R", seq=one.seq + 1) for one in (peer, close)))
            await ClockCycles(dut.clk_i, 200)
            bench.segments.clear()
    alone, together = (list(zip(took[first::4], took[first + 1 :: 4], strict=True)) for first in (0, 2))
    for pairs, fastest, slowest in ((alone, waits, waits + 2), (together, waits + 3, waits + 4)):
        syns, segments = zip(*pairs, strict=True)
        assert min(syns) - min(segments) <= fastest, took
        assert max(syn - segment for syn, segment in pairs) <= slowest, took


@cocotb.test()
async def what_is_lost_is_sent_again_with_backoff(dut):
    bench = await TcpBench.start(dut, stall=0.0)
    peer = await bench.open()
    text = random.randbytes(300)
    peer.write(text)
    first = await bench.segment()
    times = []
    for _ in range(4):
        again = await bench.segment(limit=200 * TICK)
        assert bytes(again.payload) == text and again.seq == first.seq
        times.append(bench.bench.sink.messages[-1].first)
    gaps = [b - a for a, b in itertools.pairwise(times)]
    for before, after in itertools.pairwise(gaps):
        assert 1.8 < after / before < 2.2, gaps
    # Then it is given up.
    peer.read()
    reset = await bench.segment(limit=200 * TICK)
    assert "R" in reset.flags
    assert (await peer.data()).desc["stream_reset"]
    peer.send()  # has not seen it
    reset = await bench.segment()
    assert str(reset.flags) == "R" and reset.seq == peer.ack
    bench.command(ABORT, peer.connection)
    await bench.closed(1)
    assert bench.events["mark_gave_up"] == 1 and bench.events["mark_retransmitted"] == 4


@cocotb.test()
async def three_duplicates_send_the_lost_segment_at_once(dut):
    bench = await TcpBench.start(dut, rto_min=200)
    peer = await bench.open(options=[("MSS", 100)])
    text = random.randbytes(1000)
    peer.write(text)
    segments = [await bench.segment() for _ in range(10)]
    # The first and the fourth are lost.
    peer.send()
    peer.send()
    await bench.quiet()
    for _ in segments[4:]:
        peer.send()
    again = await bench.segment()
    assert bytes(again.payload) == text[:100] and again.seq == peer.ack
    await bench.quiet()
    peer.ack += 300
    peer.send()
    again = await bench.segment()
    assert bytes(again.payload) == text[300:400] and again.seq == peer.ack % MODULUS
    peer.ack += 700
    peer.send()
    await bench.quiet()
    assert bench.events["mark_fast_retransmit"] == 1 and bench.events["mark_retransmitted"] == 2


@cocotb.test()
async def segments_behind_a_gap_are_kept(dut):
    """Two ranges of bytes are kept, and reported to a peer that permits SACK; a third is dropped. Bytes that were kept need not be sent again."""
    bench = await TcpBench.start(dut)
    for sacks in (True, False):
        peer = await bench.open(options=[("MSS", 1460), ("SAckOK", b"")] if sacks else None, seq=NEAR_WRAP)
        text = random.randbytes(1000)
        start = peer.seq
        for first, last, ack, *ranges in BEHIND_GAPS:
            peer.send(text[first:last], seq=start + first)
            segment = await bench.segment()
            assert (segment.ack - start) % MODULUS == ack
            told = [((a - start) % MODULUS, (b - start) % MODULUS) for name, edges in segment.options if name == "SAck" for a, b in zip(edges[::2], edges[1::2], strict=True)]
            assert told == (ranges if sacks else [])
        peer.seq = start + 1000
        peer.read()
        assert (await peer.data()).data == text
    assert bench.events["drop_out_of_order"] == 2 and bench.events["drop_out_of_window"] == 2 and bench.events["mark_out_of_order"] == 18


@cocotb.test()
async def bytes_come_out_in_order_however_they_come(dut):
    """A window of segments of any size, in any order, some twice: only received bytes are acknowledged, and the application gets all bytes in order."""
    bench = await TcpBench.start(dut)
    peer = await bench.open(seq=NEAR_WRAP)
    peer.read(stands=True)
    whole, got = b"", b""
    for turn in range(30):
        text = random.randbytes(WINDOW if turn % 2 else 900)
        start, sent = peer.seq, [False] * len(text)
        cuts = sorted({0, len(text), *random.sample(range(1, len(text)), random.choice((1, 3, 9)))})
        pieces = [(max(0, a - random.choice((0, 0, 20))), b) for a, b in itertools.pairwise(cuts)]
        pieces += random.sample(pieces, 1)
        random.shuffle(pieces)
        known = 0
        while known < len(text):
            for some in (pieces[::2], pieces[1::2]):
                for first, last in some:
                    peer.send(text[first:last], seq=start + first)
                    sent[first:last] = [True] * (last - first)
                await ClockCycles(dut.clk_i, 400 + 8 * WINDOW // FLIT_BYTES)
                bench._sort()
                known = max((segment.ack - start) % MODULUS for segment in bench.segments)
                bench.segments.clear()
                assert all(sent[:known])
        assert known == len(text)
        peer.seq = (start + len(text)) % MODULUS
        whole += text
        got += b"".join(message.data for message in bench.told)
        bench.told.clear()
        assert got == whole
    assert bench.events["mark_out_of_order"] > 30


@cocotb.test()
async def neighbours_that_change_places_are_taken_once(dut):
    """Nothing is dropped, and nothing has to be sent again; only a FIN behind a gap is not kept."""
    bench = await TcpBench.start(dut)
    peer = await bench.open()
    peer.read(stands=True)
    text = random.randbytes(1800)
    start = peer.seq
    for at in range(0, 1800, 200):
        for first in (at + 100, at):
            peer.send(text[first : first + 100], seq=start + first)
    await ClockCycles(dut.clk_i, 250 + LATE + 4 * 1800 // FLIT_BYTES)
    bench._sort()
    assert bench.segments[-1].ack == (start + 1800) % MODULUS
    assert b"".join(message.data for message in bench.told) == text
    assert not [name for name in bench.events if name.startswith("drop_")]
    bench.segments.clear()
    bench.told.clear()
    peer.seq = start + 1800
    peer.send(b"the end", flags="FA", seq=peer.seq + 5)
    assert (await bench.segment()).ack == peer.seq % MODULUS
    peer.send(b"here:")
    assert (await bench.segment()).ack == (peer.seq + 7) % MODULUS
    peer.send(b"the end", flags="FA")
    assert (await bench.segment()).ack == peer.seq % MODULUS
    await ClockCycles(dut.clk_i, LATE)
    bench._sort()
    assert b"".join(message.data for message in bench.told if message.desc.get("stream_bytes")) == b"here:the end" and bench.told[-1].desc["stream_end"]


@cocotb.test()
async def a_fin_alone_behind_a_gap_takes_no_place(dut):
    """It has no bytes to keep: nothing is reported to the peer, and both ranges stay free for later segments."""
    bench = await TcpBench.start(dut)
    peer = await bench.open(options=[("MSS", 1460), ("SAckOK", b"")], seq=NEAR_WRAP)
    text = random.randbytes(100)
    start = peer.seq
    for flags, first, last, *told in (("FA", 30, 30), ("FA", 90, 90), ("A", 60, 80, 60, 80), ("FA", 80, 80, 60, 80), ("A", 20, 40, 20, 40, 60, 80), ("FA", 100, 100, 20, 40, 60, 80)):
        peer.send(text[first:last], flags=flags, seq=start + first)
        segment = await bench.segment()
        assert segment.ack == start % MODULUS
        assert [(edge - start) % MODULUS for name, edges in segment.options if name == "SAck" for edge in edges] == told
    peer.send(text[:60], seq=start)
    assert (await bench.segment()).ack == (start + 80) % MODULUS
    assert bench.events["mark_out_of_order"] == 2 and bench.events["drop_out_of_order"] == 4


@cocotb.test()
async def the_window_closes_and_opens(dut):
    bench = await TcpBench.start(dut)
    peer = await bench.open()
    text = random.randbytes(WINDOW)
    peer.send(text[:1400])
    assert (await bench.segment()).window == WINDOW - 1400
    peer.send(text[1400:] + b"more than fits", seq=peer.seq)
    peer.seq += WINDOW - 1400
    ack = await bench.segment()
    assert ack.window == 0 and ack.ack == peer.seq % MODULUS
    peer.send(b"m")  # a probe
    peer.seq -= 1
    assert (await bench.segment()).ack == peer.seq % MODULUS
    peer.read()
    assert (await peer.data()).data == text
    update = await bench.segment()
    assert update.window == WINDOW and update.ack == peer.seq % MODULUS
    peer.send(b"m")
    assert (await bench.segment()).ack == peer.seq % MODULUS


@cocotb.test()
async def a_segment_wider_than_the_window_fills_it(dut):
    """It starts within what has been received and ends behind the window, so none of its edges is inside; both are cut off (RFC 9293, 3.10.7.4)."""
    bench = await TcpBench.start(dut)
    for seq, kept, flags in ((None, None, "A"), (NEAR_WRAP, None, "FA"), (NEAR_WRAP, (1500, 1700), "A")):
        peer = await bench.open(seq=seq)
        start, text = peer.seq, random.randbytes(WINDOW + 400)
        peer.send(text[:1400], seq=start)
        assert (await bench.segment()).ack == (start + 1400) % MODULUS
        if kept:
            peer.send(text[slice(*kept)], seq=start + kept[0])
            assert (await bench.segment()).ack == (start + 1400) % MODULUS
        refused = bench.events.get("drop_out_of_window", 0)
        for times in range(3):
            peer.send(text[1380 : WINDOW + 20], flags, seq=start + 1380)
            ack = await bench.segment()
            assert ack.ack == (start + WINDOW) % MODULUS and ack.window == 0
            assert bench.events.get("drop_out_of_window", 0) == refused + times  # while the window is shut there is nothing to fill
        peer.read()
        answer = await peer.data()
        assert answer.data == text[:WINDOW] and not answer.desc.get("stream_end")
        assert (await bench.segment()).window == WINDOW
        peer.send(text[WINDOW - 1 :], seq=start + WINDOW - 1)
        assert (await bench.segment()).ack == (start + len(text)) % MODULUS
        peer.read()
        assert (await peer.data()).data == text[WINDOW:]


@cocotb.test()
async def a_closed_window_is_probed(dut):
    bench = await TcpBench.start(dut)
    peer = await bench.open(window=0)
    peer.write(b"patience")
    for _ in range(6):  # more often than a segment is sent again before a connection is given up
        probe = await bench.segment(limit=200 * TICK)
        assert bytes(probe.payload) == b"p" and probe.seq == peer.ack
        peer.send()
    peer.window = 5
    peer.send()
    segment = await bench.segment()
    assert peer.take(segment) == b"patie"
    peer.window = 1000
    peer.send()
    assert peer.take(await bench.segment()) == b"nce"
    peer.send()
    assert bench.events["mark_probes"] == 6


@cocotb.test()
async def half_closed_from_either_side(dut):
    bench = await TcpBench.start(dut)
    peer = await bench.open()
    peer.send(b"last words", flags="FA")
    assert (await bench.segment()).ack == peer.seq
    peer.read(least=100)  # more than will ever come
    end = await peer.data()
    assert end.data == b"last words" and end.desc["stream_end"]
    for _ in range(3):  # the card's own direction is still open
        text = random.randbytes(200)
        peer.write(text)
        assert peer.take(await bench.segment()) == text
        peer.send()
    bench.command(CLOSE, peer.connection)
    assert "F" in (await bench.segment()).flags
    peer.ack += 1
    peer.send()
    await bench.closed(1)
    # The card closes first; what comes then is acknowledged and forgotten.
    peer = await bench.open()
    peer.write(b"bye")
    bench.command(CLOSE, peer.connection)
    segment = await bench.segment()
    assert peer.take(segment) == b"bye"
    if "F" not in segment.flags:
        fin = await bench.segment()
        assert "F" in fin.flags and peer.take(fin) == b""
    peer.send()
    for _ in range(3):
        peer.send(random.randbytes(1000))
        ack = await bench.segment()
        assert ack.ack == peer.seq and ack.window > WINDOW // 2
    peer.send(flags="FA")
    assert (await bench.segment()).ack == peer.seq
    peer.send(flags="FA", seq=peer.seq - 1)  # the acknowledgement was lost: TIME-WAIT answers
    assert (await bench.segment()).ack == peer.seq
    assert bench.events["mark_freed"] == 1
    await bench.closed(2)


@cocotb.test()
async def both_close_at_once(dut):
    bench = await TcpBench.start(dut)
    peer = await bench.open()
    bench.command(CLOSE, peer.connection)
    fin = await bench.segment()
    assert "F" in fin.flags
    peer.send(flags="FA")  # has not seen it
    assert (await bench.segment()).ack == peer.seq
    peer.ack += 1
    peer.send()
    await bench.quiet()
    assert not bench.events.get("mark_freed")
    await bench.closed(1)


@cocotb.test()
async def a_lost_hand_shake_is_made_good_or_forgotten(dut):
    bench = await TcpBench.start(dut)
    peer = bench.peer()
    answer = await peer.shake()
    bench.give(peer.make("S", seq=peer.seq - 1, options=peer.options))  # it was lost
    again = await bench.segment()
    assert str(again.flags) == "SA" and again.seq == answer.seq
    third = await bench.segment(limit=100 * TICK)  # by itself
    assert str(third.flags) == "SA" and third.seq == answer.seq
    peer.send(ack=peer.ack + 5)
    reset = await bench.segment()
    assert str(reset.flags) == "R" and reset.seq == peer.ack + 5
    # Data with the last of the three.
    peer.send(b"eager")
    assert (await bench.segment()).ack == peer.seq
    opened = await bench.notice()
    assert opened.desc["stream_op"] == OPENED
    peer.connection = opened.desc["stream_connection"]
    peer.read()
    assert (await peer.data()).data == b"eager"
    # A connection whose peer never answers is forgotten, and its application never hears of it.
    await bench.peer().shake()
    await bench.closed(1)
    bench.segments.clear()
    assert not bench.told


@cocotb.test()
async def reads_wait_for_bytes_and_for_room(dut):
    bench = await TcpBench.start(dut)
    peer = await bench.open(window=0)
    peer.read(least=10)
    peer.send(b"12345")
    assert (await bench.segment()).ack == peer.seq
    await bench.quiet(200)
    peer.send(b"67890")
    assert (await bench.segment()).ack == peer.seq
    assert (await peer.data()).data == b"1234567890"
    peer.write(bytes(WINDOW - 3))
    peer.read(least=1, room=1)
    peer.send(b"abcdef")
    notice = await peer.data()
    assert notice.data == b"abc" and notice.desc["stream_room"] == 3 and notice.desc["stream_op"] == DATA


@cocotb.test()
async def a_standing_read_is_answered_to_the_end(dut):
    bench = await TcpBench.start(dut)
    peer = await bench.open()
    for least in (0, 1, 100):
        peer.read(least, stands=True)
        text = random.randbytes(1000)
        for at in range(0, 1000, 100):
            peer.send(text[at : at + 100])
        got = b""
        while len(got) < len(text):
            got += (await peer.data()).data
        assert got == text
    peer.send(text[:50], flags="FA")
    end = await peer.data()
    assert end.data == text[:50] and end.desc["stream_end"]
    bench.segments.clear()
    await ClockCycles(dut.clk_i, 200)
    bench._sort()
    assert not bench.told


@cocotb.test()
async def a_standing_read_gives_what_there_is_room_to_send(dut):
    """The bytes that it has given count as if they had been written; another read ends that."""
    bench = await TcpBench.start(dut, rto_initial=1000)
    peer = await bench.open(window=0)
    peer.read(room=1, stands=True)
    text = random.randbytes(WINDOW + 500)
    got = b""
    for at in range(0, len(text), 500):
        peer.send(text[at : at + 500])
        await ClockCycles(dut.clk_i, 200)
        bench._sort()
        got += b"".join(message.data for message in bench.told)
        bench.told.clear()
    assert got == text[:WINDOW]
    peer.write(got[:1000])
    peer.write(got[1000:])
    await ClockCycles(dut.clk_i, 200)
    bench._sort()
    assert not bench.told and not bench.events.get("drop_write")
    bench.segments.clear()
    peer.window = 60000
    peer.send()
    peer.take(await bench.segment())
    peer.send()
    assert (await peer.data()).data == text[WINDOW:]
    peer.read(room=WINDOW // 2)
    sent = b""
    while len(sent) < len(got) - 1460:
        sent += peer.take(await bench.segment())
        peer.send()
    peer.send(b"x")
    assert (await peer.data()).data == b"x"


@cocotb.test()
async def events_of_one_connection_lose_nothing_between_them(dut):
    """Segments, writes and turns in random order, as close together as possible: of one connection, of two, and with those of others between."""
    bench = await TcpBench.start(dut, rto_initial=100000, rto_min=100000, rto_max=100000)
    bench.mix()
    peers = [await bench.open() for _ in range(4)]
    for peer in peers:
        peer.read(stands=True)
        peer.sent, peer.written, peer.got = b"", b"", b""
    for number in range(800):
        peer = peers[0] if number < 300 else random.choice(peers[: 2 if number < 600 else 4])
        text = random.randbytes(random.choice((1, 2, random.randint(1, 6))))
        if random.random() < 0.5:
            peer.send(text)
            peer.sent += text
        elif len(peer.written) < WINDOW - 6:
            peer.write(text)
            peer.written += text
        if random.random() < 0.1:
            await ClockCycles(dut.clk_i, random.randint(1, 30))
    await ClockCycles(dut.clk_i, 4000)
    bench._sort()
    for peer in peers:
        segments = [segment for segment in bench.segments if segment.dport == peer.port]
        assert max((segment.ack - peer.seq) % MODULUS for segment in segments[-1:]) == 0
        assert b"".join(bytes(segment.payload) for segment in segments) == peer.written
        assert b"".join(message.data for message in bench.told if message.desc["stream_connection"] == peer.connection) == peer.sent
    assert not bench.events.get("mark_retransmitted") and not [name for name in bench.events if name.startswith("drop_")]


async def under_way(bench):
    """The number of bytes of each segment that the card sends before it waits."""
    await ClockCycles(bench.dut.clk_i, 100 + LATE + 6400 // FLIT_BYTES)
    bench._sort()
    sizes = [len(segment.payload) for segment in bench.segments]
    bench.segments.clear()
    return sizes


@cocotb.test()
async def what_is_under_way_is_bounded_by_newreno(dut):
    """RFC 6928, 5681 and 6582: ten segments at first, slow start, half after a loss, one after a time-out."""
    bench = await TcpBench.start(dut, rto_min=20)
    mss = 64
    peer = await bench.open(options=[("MSS", mss)])
    peer.write(random.randbytes(29 * mss))
    assert await under_way(bench) == [mss] * 10
    peer.ack += mss
    peer.send()
    assert await under_way(bench) == [mss] * 2
    for _ in range(2):
        peer.ack += mss
        peer.send()
    assert await under_way(bench) == [mss] * 4
    # 13 are in flight. The first is lost: two duplicates permit a new segment each. With the third it is sent again, and half of the 13 plus three may be in
    # flight, plus one for each further duplicate.
    for duplicates, sizes in ((1, [mss]), (1, [mss]), (1, [mss]), (6, []), (1, [mss])):
        for _ in range(duplicates):
            peer.send()
        assert await under_way(bench) == sizes, duplicates
    # All is acknowledged: six and a half may be in flight, and slow start is over.
    peer.ack += 16 * mss
    peer.send()
    assert await under_way(bench) == [mss] * 6
    peer.write(random.randbytes(16 * mss))
    for number in range(13):  # once in a round trip it grows by a segment
        peer.ack += mss
        peer.send()
        assert await under_way(bench) == [mss] * (1 + (number in (0, 6))), number
    # A time-out: one segment, then slow start up to half of the bytes that were in flight.
    await ClockCycles(dut.clk_i, 30 * TICK)
    assert await under_way(bench) == [mss]
    for expected in ([mss] * 2, [mss] * 2):
        peer.ack += mss
        peer.send()
        assert await under_way(bench) == expected


@cocotb.test()
async def the_first_two_duplicates_permit_a_new_segment_each(dut):
    """RFC 3042: so three segments in flight, the first of which is lost, bring three duplicates. The congestion window stays as it is, and the peer's bounds the rest."""
    bench = await TcpBench.start(dut, rto_min=20)
    mss = 64
    peer = await bench.open(options=[("MSS", mss)])
    peer.write(random.randbytes(29 * mss))
    assert await under_way(bench) == [mss] * 10
    await ClockCycles(dut.clk_i, 30 * TICK)
    assert await under_way(bench) == [mss], "a time-out"
    for _ in range(2):  # not behind a time-out
        peer.send()
        assert await under_way(bench) == []
    for acknowledged, sizes in ((10, [mss] * 2), (1, [mss] * 2)):
        peer.ack += acknowledged * mss
        peer.send()
        assert await under_way(bench) == sizes
    # Three are in flight; the last duplicate is of the first of the two that follow.
    for _ in range(2):
        peer.send()
        assert await under_way(bench) == [mss]
    peer.send()
    await ClockCycles(dut.clk_i, 200)
    bench._sort()
    assert [(segment.seq - peer.ack) % MODULUS for segment in bench.segments] == [0] and bench.events["mark_fast_retransmit"] == 1
    bench.segments.clear()
    peer.ack += 5 * mss
    peer.send()
    assert await under_way(bench) == [mss] * 2, "half of three is less than two"
    peer.ack += mss
    peer.send()
    assert await under_way(bench) == [mss] * 2, "one more in each round trip"
    # What was only overtaken leaves no more in flight than before.
    peer.send()
    assert await under_way(bench) == [mss]
    peer.ack += mss
    peer.send()
    assert await under_way(bench) == []
    peer.ack += 3 * mss
    peer.window = 2 * mss
    peer.send()
    assert await under_way(bench) == [mss] * 2
    for _ in range(2):
        peer.send()
        assert await under_way(bench) == [], "beyond the peer's window"


@cocotb.test()
async def a_loss_leaves_half_of_what_was_sent_before_the_duplicates(dut):
    """Without what limited transmit has sent (RFC 5681, 3.2, equation 4), in whatever cycle the third duplicate comes: of ten segments five, and no half segment more."""
    mss = 64
    for delay in range(24):
        bench = await TcpBench.start(dut, stall=0.0, rto_initial=90)
        peer = await bench.open(options=[("MSS", mss)])
        peer.write(random.randbytes(12 * mss))
        assert await under_way(bench) == [mss] * 10
        for _ in range(2):
            peer.send()
        await ClockCycles(dut.clk_i, delay)
        peer.send()
        later = await under_way(bench)
        assert later in ([mss] * (1 + new) for new in range(3)) and bench.events["mark_fast_retransmit"] == 1, (delay, later)
        new = len(later) - 1  # while it recovers, the window has no room for more
        peer.write(random.randbytes(11 * mss // 2 - (2 - new) * mss))
        peer.ack += (10 + new) * mss
        peer.send()
        assert await under_way(bench) == [mss] * 5, (delay, new)


async def after_a_loss(dut, mss: int, count: int) -> tuple[TcpBench, Peer]:
    """A connection that has sent so many segments, all that it had, and the first of them again after three duplicates."""
    bench = await TcpBench.start(dut)
    peer = await bench.open(options=[("MSS", mss)])
    peer.write(random.randbytes(count * mss))
    assert await under_way(bench) == [mss] * count
    for _ in range(3):
        peer.send()
    assert await under_way(bench) == [mss] and bench.events["mark_fast_retransmit"] == 1
    return bench, peer


@cocotb.test()
async def a_loss_leaves_half_of_what_was_in_flight(dut):
    """And not of a window that the application had not filled. In fast recovery three segments more may be in flight."""
    mss = 64
    bench, peer = await after_a_loss(dut, mss, 4)
    peer.write(random.randbytes(10 * mss))
    assert await under_way(bench) == [mss], "five in flight"
    peer.ack += 5 * mss
    peer.send()
    assert await under_way(bench) == [mss] * 2


@cocotb.test()
async def a_window_that_is_not_filled_does_not_grow(dut):
    """In congestion avoidance, however many round trips the application does not use it in."""
    mss = 64
    bench, peer = await after_a_loss(dut, mss, 10)
    peer.ack += 10 * mss
    peer.send()
    for _ in range(6):
        peer.write(random.randbytes(4 * mss))
        assert await under_way(bench) == [mss] * 4
        for _ in range(4):
            peer.ack += mss
            peer.send()
    peer.write(random.randbytes(20 * mss))
    assert await under_way(bench) == [mss] * 5


@cocotb.test()
async def segments_are_taken_as_fast_as_they_come(dut):
    """Their look-ups, events and bytes overlap: those of different connections one per cycle, of one connection one per two cycles, and large ones
    at the speed of their flits."""
    bench = await TcpBench.start(dut, stall=0.0)
    peers = [await bench.open(port=3000 + number) for number in range(CONNECTIONS)]
    for peer in peers:
        peer.old = random.randbytes(1400)
    many = [peers[number % CONNECTIONS].make("A") for number in range(100)]
    one = [peers[0].make("A") for _ in range(40)]
    large = [peers[0].make("A", peers[0].old, seq=peers[0].seq - 1400) for _ in range(10)]
    for segments, cycles in ((many, 1.2), (one, max(2.2, 1.05 * flits_of(one[0].data))), (large, 1.05 * flits_of(large[0].data))):
        count = await bench.taken(*segments)
        assert count < LATENCY + cycles * len(segments) * max(1, flits_of(segments[0].data) if cycles < 2 else 1), (count, len(segments))
        await ClockCycles(dut.clk_i, 200)


@cocotb.test()
async def segments_of_all_lengths_follow_each_other(dut):
    """Those of different connections, each at the rate of its flits, of one length and of several; the bytes of each reach their connection."""
    bench = await TcpBench.start(dut, stall=0.0)
    peers = [await bench.open(port=3000 + number) for number in range(CONNECTIONS)]
    between = 0.1 + (KIND == "tcp_memory")  # cycles between two messages, whose bytes go to a tile of memory
    for least, most in (*((flits, flits) for flits in range(1, 7)), (1, 6), (1, 3), (1, 2)):
        segments, texts = list[Message](), dict.fromkeys(peers, b"")
        for _ in range(3):
            for peer in random.sample(peers, CONNECTIONS):
                bytes_of = [FLIT_BYTES * random.randint(least, most) - extra for extra in (0, 1, FLIT_BYTES - 1)]
                text = random.randbytes(max(0, random.choice(bytes_of) - HEADERS))
                segments.append(peer.make("A", text, seq=peer.seq + len(texts[peer])))
                texts[peer] += text
        flits = sum(flits_of(segment.data) for segment in segments)
        count = await bench.taken(*segments)
        assert count < LATENCY + 1.05 * flits + between * len(segments), (least, most, count, flits)
        for peer, text in texts.items():
            peer.seq += len(text)
            if text:
                peer.read(len(text))
                assert (await peer.data()).data == text
        await ClockCycles(dut.clk_i, 200)
