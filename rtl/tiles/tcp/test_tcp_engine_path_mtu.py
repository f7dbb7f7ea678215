# SPDX-License-Identifier: Apache-2.0
"""Path MTU discovery (RFC 1191): ICMP errors, made by scapy as routers send them, lower the segment size, if they are about a segment in flight (RFC 5927)."""

from __future__ import annotations

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import Ether

from girih.testing import run_cocotb
from girih.testing.messages import Message
from rtl.tiles.tcp.tcp_bench import (
    CARD,
    CLOSE,
    CONNECTIONS,
    HOST,
    MODULUS,
    PORT,
    TICK,
    WINDOW,
    Peer,
    TcpBench,
    come,
    sizes,
)
from rtl.tiles.tcp.test_tcp_engine_cubic import Path, rate

ROUTER = "192.0.2.7"
MSS = 1000
HEADERS = 40
PATIENT = {"rto_initial": 90, "rto_min": 90, "rto_max": 100}


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


def error(mtu: int, seq: int, peer: Peer, *, quoted: int = 8, tenant: int = 2, sport: int | None = None, dport: int | None = None, of=None, **ip) -> Message:
    """The ICMP error about the peer's connection, as the tile `icmp` hands it on. quoted: bytes behind the quoted IPv4 header. of: another protocol's header."""
    segment = TCP(sport=sport or peer.to, dport=dport or peer.port, seq=seq % MODULUS, flags="A") / random.randbytes(60)
    inner = IP(**{"src": CARD, "dst": HOST, "flags": "DF", "id": 7} | ip) / (of or segment)
    quote = bytes(inner)[: inner.ihl * 4 + quoted if inner.ihl else 20 + quoted]
    data = bytes(Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(src=ROUTER, dst=CARD) / ICMP(type=3, code=4, nexthopmtu=mtu) / quote)
    return Message(data, {"l3_offset": 42, "l4_offset": 62, "length": len(data), "port": 3, "tenant": tenant})


async def flying(bench: TcpBench, text: bytes | None = None) -> Peer:
    """A connection with two full segments and a rest in flight."""
    peer = await bench.open(options=[("MSS", MSS)])
    peer.write(text or random.randbytes(WINDOW))
    assert sizes(await come(bench)) == [MSS, MSS, WINDOW - 2 * MSS]
    return peer


async def size_now(peer: Peer) -> int:
    """Everything in flight is acknowledged; the size of the next segment."""
    peer.ack = (peer.ack + WINDOW) % MODULUS
    peer.send()
    peer.write(random.randbytes(WINDOW))
    return sizes(await come(peer.bench))[0]


@cocotb.test()
async def what_was_lost_comes_again_in_smaller_segments(dut):
    """By a slow start, at once, and with the right bytes; later errors about the same window have no effect; all later segments are small."""
    bench = await TcpBench.start(dut, **PATIENT)
    for number, quoted in enumerate((8, 20, 80)):
        text = random.randbytes(WINDOW)
        peer = await flying(bench, text)
        una = peer.ack
        for at in (0, MSS):
            bench.give(error(576, una + at, peer, quoted=quoted))
        got, rounds = b"", []
        while len(got) < WINDOW:
            segments = await come(bench)
            assert segments, f"only {len(got)} bytes came"
            rounds.append(sizes(segments))
            for segment in segments:
                got += peer.take(segment)
                peer.send()
        assert got == text and rounds == [[536], [536, 536], [440]]
        assert bench.events["used_errors"] == bench.events["drop_error"] == number + 1
        peer.write(random.randbytes(WINDOW))
        assert set(sizes(await come(bench))[:-1]) == {536}
    assert "mark_fast_retransmit" not in bench.events and "mark_gave_up" not in bench.events and bench.events["mark_retransmitted"] == 12


@cocotb.test()
async def forged_errors_change_nothing(dut):
    """Who does not know a sequence number in flight, ports, addresses and tenant of a connection does not change it (RFC 5927, 4.1); nor does an MTU that is no smaller."""
    bench = await TcpBench.start(dut, **PATIENT)
    peer, other = await flying(bench), await flying(bench)
    una = peer.ack
    wrong_seqs = [una - 1, una - 2**16, una + WINDOW, una + WINDOW + 1, una + 2**31, una + 2**31 - 1, other.ack]
    refused = [error(576, seq, peer) for seq in wrong_seqs]
    refused += [error(mtu, una, peer) for mtu in (MSS + HEADERS, MSS + HEADERS + 1, 1500, 9000, 16384, 32768, 65535)]
    elsewhere = [error(576, una, peer, sport=80), error(576, una, peer, dport=peer.port ^ 1), error(576, una, peer, dst="10.0.0.9"), error(576, una, peer, src="10.0.0.9")]
    elsewhere += [error(576, una, peer, tenant=1), error(576, una, peer, src=HOST, dst=CARD)]
    headless = [
        error(576, una, peer, of=UDP(sport=PORT, dport=peer.port) / bytes(40)),
        error(576, una, peer, frag=1),
        error(576, una, peer, version=6),
        error(576, una, peer, ihl=6),
    ]
    cut = error(576, una, peer)
    cut.data, cut.desc["length"] = cut.data[:-1], cut.desc["length"] - 1
    used = bench.events["used_segments"]
    for message in [*refused, *elsewhere, *headless, cut]:
        bench.give(message)
    assert not await come(bench) and bench.events["used_segments"] == used
    assert {name: bench.events.get(name) for name in ("drop_error", "drop_no_connection", "drop_header", "drop_length", "used_errors")} == {
        "drop_error": len(refused), "drop_no_connection": len(elsewhere), "drop_header": len(headless), "drop_length": 1, "used_errors": None
    }  # fmt: skip
    assert await size_now(peer) == MSS and await size_now(other) == MSS
    # The last byte of what is in flight counts, and only this connection changes.
    bench.give(error(576, peer.ack + WINDOW - 1, peer))
    assert sizes(await come(bench)) == [536]
    assert await size_now(other) == MSS
    # Nothing is in flight any more: the same error as before comes too late.
    other.ack = (other.ack + WINDOW) % MODULUS
    other.send()
    bench.give(error(576, other.ack - 1, other))
    other.write(bytes(WINDOW))
    assert sizes(await come(bench))[0] == MSS


@cocotb.test()
async def no_error_goes_below_the_least(dut):
    """An MTU of 0, from a router older than RFC 1191, is as any that is too small."""
    for least, mtu, size in ((552, 0, 512), (552, 68, 512), (552, 552, 512), (552, 553, 513), (552, 39, 512), (0, 0, 64), (0, 104, 64), (0, 105, 65), (1500, 576, None), (65535, 0, None)):
        bench = await TcpBench.start(dut, **PATIENT, path_mtu_least=least)
        peer = await flying(bench)
        bench.give(error(mtu, peer.ack, peer))
        assert sizes(await come(bench)) == ([] if size is None else [size]), (least, mtu)


@cocotb.test()
async def the_slow_start_ends_at_the_window_of_before(dut):
    """An error is not a sign of congestion (RFC 1191, 6.4): the window doubles until it is as before, although that is beyond the threshold of the last loss, and then grows as before."""
    large, small = 128, 64
    for cubic in (0, PORT):
        bench = await TcpBench.start(dut, **PATIENT, cubic=cubic, cubic_rate=rate(4), path_mtu_least=0)
        path = Path(await bench.open(options=[("MSS", large)]))
        await path.loss()  # of ten segments
        before = [await path.round()]
        while before[-1] < 11 * large:
            before.append(await path.round())
        assert before[0] < 8 * large and before[-1] < WINDOW - large, before
        path.fill()
        bench.give(error(small + HEADERS, (await path.come())[0].seq, path.peer))
        after = [await path.round() for _ in range(8)]
        assert after[:5] == [small << turn for turn in range(5)] and bench.events["used_errors"] == 1, after
        assert before[-1] - 2 * small <= after[5] <= after[6] <= after[7], (before, after)
        assert cubic or after[5] <= before[-1] + large + small, (before, after)  # once more in the round trip before, and in this one


@cocotb.test()
async def an_error_ends_fast_recovery(dut):
    """Also one that comes with the third duplicate: the bytes come once, by a slow start that ends at half of what was in flight, and acknowledgements of what had fitted start no other recovery."""
    large, small = 128, 64
    for at_once in (True, False):
        bench = await TcpBench.start(dut, stall=0.0, **PATIENT, path_mtu_least=0)  # so that the error overtakes what the third duplicate makes the card send
        path = Path(await bench.open(options=[("MSS", large)]))
        path.fill()
        lost = await path.come()
        assert sizes(lost) == [large] * 10
        for _ in range(9 if not at_once else 3):
            bench.give(path.peer.make("A"))
        if not at_once:
            assert sizes(await path.come())[0] == large
        bench.give(error(small + HEADERS, lost[0].seq, path.peer))
        again = sizes(await path.come())
        # What had left before the last flit of the error came: the fast retransmission, and the new segments that the first duplicates permit.
        assert again[-1] == small and again[:-1] == [large] * (len(again) - 1) and len(again) <= (4 if at_once else 1)
        for _ in range(4):
            bench.give(path.peer.make("A"))
        assert not await path.come() and bench.events["mark_fast_retransmit"] == 1
        path.acknowledge((lost[0].seq + small) % MODULUS)
        flights = [await path.round() for _ in range(5)]
        assert flights[:3] == [small << turn for turn in range(1, 4)], flights
        assert 5 * large <= flights[3] + small and flights[4] <= 6 * large, flights


@cocotb.test()
async def the_timer_starts_again(dut):
    """A time-out that was nearly over begins anew with what is sent again."""
    bench = await TcpBench.start(dut, **PATIENT)
    peer = await flying(bench)
    await ClockCycles(dut.clk_i, 70 * TICK)
    used = bench.events["used_segments"]
    bench.give(error(576, peer.ack, peer))
    assert sizes(await come(bench)) == [536] and bench.events["used_segments"] == used  # an error is not a segment
    for _ in range(4):
        bench.give(peer.make("A"))  # since later segments had fitted
    assert not await come(bench) and "mark_fast_retransmit" not in bench.events
    await ClockCycles(dut.clk_i, 70 * TICK)
    assert not await come(bench)
    await ClockCycles(dut.clk_i, 30 * TICK)
    assert sizes(await come(bench)) == [536]


@cocotb.test()
async def only_open_connections_have_a_path(dut):
    """During the hand-shake, in TIME-WAIT and after the end an error has no effect; a FIN in flight is sent again behind the bytes."""
    bench = await TcpBench.start(dut, **PATIENT)
    peer = bench.peer(options=[("MSS", MSS)])
    await peer.shake()
    bench.give(error(576, peer.ack - 1, peer))
    await bench.quiet()
    assert bench.events["drop_error"] == 1
    peer.send()
    await peer.opened()
    peer.write(random.randbytes(MSS + 200))
    bench.command(CLOSE, peer.connection)
    segments = await come(bench)
    first, last = segments[0], segments[-1]
    assert "F" in last.flags
    bench.give(error(576, first.seq, peer))
    got = []
    while not got or "F" not in got[-1].flags:
        segment = await bench.segment()
        peer.take(segment)
        peer.send()
        got.append(segment)
    assert sizes(got) == [536, 536, 128]
    peer.send(flags="FA")
    await come(bench)
    bench.give(error(552, last.seq, peer))
    await ClockCycles(dut.clk_i, 100)
    assert bench.events["drop_error"] == 2
    await bench.closed(1)
    bench.give(error(552, last.seq, peer))
    await bench.quiet()
    assert bench.events["drop_no_connection"] == 1


@cocotb.test()
async def a_path_that_narrows_carries_every_byte(dut):
    """A router drops what does not fit, and reports each; its MTU falls twice. Of either congestion control."""
    for cubic in (0, PORT):
        bench = await TcpBench.start(dut, **PATIENT, cubic=cubic, path_mtu_least=100)
        peer = await bench.open(options=[("MSS", MSS), ("SAckOK", b"")])
        text = random.randbytes(5 * WINDOW)
        written = WINDOW
        peer.write(text[:written])
        got = b""
        for _ in range(300):
            if len(got) == len(text):
                break
            for segment in await come(bench):
                mtu = 1500 if len(got) < WINDOW else 700 if len(got) < 3 * WINDOW else 300
                if len(segment.payload) + HEADERS > mtu:
                    bench.give(error(mtu, segment.seq, peer))
                    continue
                if segment.seq == peer.ack:
                    got += peer.take(segment)
                peer.send()
                if more := text[written : len(got) + WINDOW]:
                    peer.write(more)
                    written += len(more)
        assert got == text
        assert bench.events["used_errors"] == 2 and "mark_gave_up" not in bench.events


@cocotb.test()
async def errors_come_while_the_output_is_stalled(dut):
    """Each is decided at once, whatever waits to be sent."""
    bench = await TcpBench.start(dut, **PATIENT, stall=0.9, path_mtu_least=100)
    peer = await bench.open(options=[("MSS", MSS)])
    peer.write(random.randbytes(WINDOW))
    await ClockCycles(dut.clk_i, 150)
    for mtu in range(900, 400, -50):
        bench.give(error(mtu, peer.ack, peer), error(mtu, peer.ack - 1, peer))
        await ClockCycles(dut.clk_i, 60)
    await ClockCycles(dut.clk_i, 1000)
    assert bench.events["used_errors"] == bench.events["drop_error"] == 10
    text = b""
    while len(text) < WINDOW:
        segment = await bench.segment(4000)
        if segment.seq == peer.ack:
            assert len(segment.payload) <= MSS
            text += peer.take(segment)
            peer.send()
