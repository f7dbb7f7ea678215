# SPDX-License-Identifier: Apache-2.0
"""SYN cookies (RFC 4987, 3.6): a flood of SYNs keeps nobody out, and only an answer to a cookie opens a connection."""

import random
from ipaddress import ip_address

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.testing import run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.engines import config_word
from girih.testing.messages import flits_of
from rtl.tiles.tcp.tcp_bench import ABORT, CARD, CONFIG, CONNECTIONS, HOST, KIND, MODULUS, TICK, WINDOW, Peer, TcpBench
from rtl.tiles.tcp.test_tcp_hash import initial

MAC_BITS = 25
HALF = 3  # hand-shakes that may be under way
PERIOD, PERIODS = 8, 8  # ticks in which a cookie gets older by one, which is rto_initial; how old it may get
PATIENT = {"half_open": HALF, "rto_initial": PERIOD, "rto_min": 1000, "rto_max": 1000, "retries": 15}
BURST, WRONG, UNHEARD = 128, 1500, 81  # possible answers that a tenant may give at once; those of a flood; a port where nothing listens
AGAIN = 1024  # cycles after which a tenant may give another one
HASH = 24  # cycles for which an answer holds up others, at most
SILENT = range(1024, 20000)  # ports of the flood
OFFERED = [("MSS", 1460), ("SAckOK", b""), ("NOP", None), ("WScale", 7)]


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


class Flooded(TcpBench):
    """Segments to the ports of those who do not answer are theirs."""

    def _sort(self) -> None:
        super()._sort()
        self.segments = [segment for segment in self.segments if segment.dport not in SILENT or segment.dport in self.asked]

    asked: frozenset[int] = frozenset()


async def flood(bench: TcpBench, count: int = HALF, tenant: int = 2) -> list[Peer]:
    """Sends this many SYNs whose hand-shakes are never completed. They take connections until HALF of these are in use."""
    peers = [bench.peer(port, options=OFFERED, tenant=tenant) for port in random.sample(SILENT, count)]
    for peer in peers:
        bench.asked = frozenset({peer.port})
        answer = await peer.shake()
        assert len(answer.options) > 1
    bench.asked = frozenset()
    bench.segments.clear()
    return peers


async def baked(bench: TcpBench, **fields) -> Peer:
    """A peer that has been sent a cookie."""
    peer = bench.peer(random.randint(20000, 60000), **({"options": OFFERED} | fields))
    answer = await peer.shake()
    assert answer.options == [("MSS", 1460)], "a cookie holds no more"
    return peer


async def carries(bench: TcpBench, peer: Peer, size: int = 600) -> None:
    text, answer = random.randbytes(size), random.randbytes(size)
    peer.send(text)
    assert (await bench.segment()).ack == peer.seq
    peer.read()
    assert (await peer.data()).data == text
    peer.write(answer)
    got = b""
    while len(got) < size:
        got += peer.take(await bench.segment())
    peer.send()
    assert got == answer


@cocotb.test()
async def whoever_answers_a_cookie_has_a_connection(dut):
    """A client connects after ten times as many SYNs as there are connections."""
    bench = await Flooded.start(dut, **PATIENT)
    await flood(bench)
    for _ in range(10 * CONNECTIONS):
        bench.give(bench.peer(random.choice(SILENT)).make("S", options=OFFERED))
        await ClockCycles(dut.clk_i, 80)  # a burst of so many would not be let in
    bench._sort()
    bench.segments.clear()
    assert bench.events["mark_begun"] == HALF
    for number in range(CONNECTIONS - HALF):
        peer = await baked(bench, seq=MODULUS - 1 if number else None)
        peer.send()
        await peer.opened()
        if number % 4 == 0:
            await carries(bench, peer)
    assert bench.events["mark_begun"] == CONNECTIONS and bench.events["mark_opened"] == CONNECTIONS - HALF
    assert not [name for name in bench.events if name.startswith("drop_")], bench.events
    # Now all are in use: a cookie that is answered late is refused, and the next SYN gets none.
    last = bench.peer(30000)
    last.bench.give(last.make("S"))
    await bench.quiet()
    assert bench.events["drop_refused"] == 1


@cocotb.test()
async def a_cookie_holds_the_largest_segment_and_no_scale(dut):
    bench = await Flooded.start(dut, **PATIENT)
    await flood(bench)
    for told, used in ((1460, 1460), (9000, 1460), (1459, 1220), (1220, 1220), (1000, 536), (536, 536), (535, 64), (100, 64)):
        peer = await baked(bench, options=[("MSS", told), ("WScale", 7)], window=used)
        peer.send()
        await peer.opened()
        peer.write(random.randbytes(WINDOW))
        assert len((await bench.segment()).payload) == used
        await bench.quiet(60)  # the window is not scaled
        bench.command(ABORT, peer.connection)  # so that nothing is sent again
        assert "R" in (await bench.segment()).flags


@cocotb.test()
async def what_is_no_answer_opens_nothing(dut):
    """Neither another client's number, nor one close to a cookie, nor an old one: each is refused like a segment without a connection."""
    bench = await Flooded.start(dut, **PATIENT)
    await flood(bench)
    peer = await baked(bench)
    begun, used = bench.events["mark_begun"], bench.events["used_segments"]
    wrong = [peer.make("A", ack=peer.ack + step) for step in (-1, 1, 1 << 24, random.getrandbits(25))]
    wrong.append(peer.make("A", ack=peer.ack + (8 << 27)))  # a period to come
    wrong += [other.make("A", ack=peer.ack) for other in (bench.peer(peer.port + 1), bench.peer(peer.port, to=80))]
    for message in wrong:
        bench.give(message)
        reset = await bench.segment()
        assert str(reset.flags) == "R"
    assert bench.events["used_segments"] == used and bench.events["drop_no_connection"] == len(wrong), "each is counted as a segment of no connection"
    await ClockCycles(dut.clk_i, (PERIODS + 2) * PERIOD * TICK)
    bench.segments.clear()
    other = await baked(bench)
    peer.send()
    reset = await bench.segment()
    assert str(reset.flags) == "R" and reset.seq == peer.ack, "it is too old"
    assert bench.events["mark_begun"] == begun and "mark_opened" not in bench.events
    # A cookie that is not too old is accepted, after a reset and an unanswered SYN.
    await ClockCycles(dut.clk_i, (PERIODS - 2) * PERIOD * TICK)
    bench.segments.clear()
    bench.give(other.make("R"), other.make("RA"), other.make("A", ack=other.ack - 1))
    assert str((await bench.segment()).flags) == "R"
    other.send()
    await other.opened()
    await carries(bench, other)


@cocotb.test()
async def an_answer_that_comes_with_bytes_or_again(dut):
    """The bytes of the answer must be sent again, as if they had been lost; once the connection is open, segments are accepted as usual."""
    bench = await Flooded.start(dut, **PATIENT)
    await flood(bench)
    for copies in (1, 2, 5):
        peer = await baked(bench)
        text = random.randbytes(200)
        start = peer.seq
        bench.give(*(peer.make("PA", text) for _ in range(copies)))
        await peer.opened()
        await ClockCycles(dut.clk_i, 400)
        bench._sort()
        bench.segments.clear()
        peer.send(text, seq=start)
        ack = await bench.segment()
        assert ack.ack == (start + 200) % MODULUS and str(ack.flags) == "A"
        peer.seq = ack.ack
        peer.read()
        assert (await peer.data()).data == text
        await carries(bench, peer)
    # Copies so close to each other that none of them finds a connection when it comes: the first one opens it.
    peer = await baked(bench)
    bench.give(*(peer.make("A") for _ in range(6)))
    await peer.opened()
    await bench.quiet()
    await carries(bench, peer)
    assert bench.events["mark_opened"] == 4


@cocotb.test()
async def hand_shakes_that_end_make_room_for_others(dut):
    """Hand-shakes end by opening a connection or by failing: then a SYN gets a connection, with its options, again. Other tenants are not affected."""
    bench = await Flooded.start(dut, **PATIENT)
    bench.tenants = {2, 5}
    for turn in range(2):
        peers = await flood(bench)
        await baked(bench)
        stranger = bench.peer(9, options=OFFERED, tenant=5)
        assert len((await stranger.shake()).options) > 1
        stranger.send(flags="R")
        for peer in peers:
            peer.send(flags="R" if turn else "A")
            if not turn:
                await peer.opened()
        await ClockCycles(dut.clk_i, 100)
    await flood(bench, 1)
    assert bench.events["mark_begun"] == 2 * (HALF + 1) + 1 and bench.events["mark_unopened"] == HALF + 2


@cocotb.test()
async def a_cookie_of_another_tenant_opens_nothing(dut):
    """Tenants may have the same addresses: a cookie of one tenant opens no connection of another."""
    bench = await Flooded.start(dut, **PATIENT)
    bench.tenants = {2, 5}
    for tenant in bench.tenants:
        await flood(bench, tenant=tenant)
        await baked(bench, tenant=tenant)
    peer = await baked(bench, tenant=5)
    peer.tenant = 2
    peer.send()
    assert str((await bench.segment()).flags) == "R"
    peer.tenant = 5
    peer.send()
    await peer.opened()


@cocotb.test()
async def wrong_answers_hold_up_others_for_a_burst_at_most(dut):
    """A peer that has a cookie sends thousands of acknowledgements of its period. Another tenant's segment behind them waits for a burst of hashes, and its
    cookie is accepted. Both are answered as if the other tenant's were alone."""
    bench = await Flooded.start(dut, **PATIENT | {"rto_initial": 1000})
    bench.tenants = {2, 5}
    friend = await bench.open(60001)
    for tenant in bench.tenants:
        await flood(bench, tenant=tenant)
    guest, rogue = await baked(bench), await baked(bench, tenant=5)

    async def waits(port: int) -> int:
        """Cycles until a segment behind a flood to this port of the card is acknowledged."""
        answers = [bench.peer(rogue.port, to=port, tenant=5, seq=rogue.seq).make("A", ack=rogue.ack + 1 + number) for number in range(WRONG)]
        on_link = sum(flits_of(answer.data) for answer in answers)
        bench.give(*answers)
        start = cycle_now()
        friend.send(b"x")
        while True:
            segment = await bench.segment(limit=2 * BURST * HASH + on_link - WRONG)
            if segment.dport == friend.port:
                return cycle_now() - start

    elsewhere = await waits(UNHEARD)
    assert await waits(rogue.to) < elsewhere + BURST * HASH
    assert WRONG - 2 * BURST < bench.events["drop_refused"] < WRONG
    bench.segments.clear()
    guest.send()
    await guest.opened()
    await carries(bench, guest)


@cocotb.test()
async def a_flood_of_wrong_answers_resets_no_client(dut):
    """The client's answer comes in the flood and is dropped, and what it sends next finds a place: that is no reason for a reset, since the first byte comes
    again. After the flood, wrong answers are reset."""
    bench = await Flooded.start(dut, **PATIENT | {"rto_initial": 1000})
    await flood(bench)
    client, rogue = await baked(bench), await baked(bench)

    def wrong(count: int, start: int) -> None:
        bench.give(*(bench.peer(rogue.port, seq=rogue.seq).make("A", ack=rogue.ack + 1 + number) for number in range(start, start + count)))

    wrong(WRONG, 0)
    text = random.randbytes(200)
    client.send()  # is dropped
    client.send(text[:100])
    await ClockCycles(dut.clk_i, BURST * HASH + 3 * AGAIN)  # by then, the tenant may give two again
    client.send(text[100:])
    await ClockCycles(dut.clk_i, 500)
    bench._sort()
    assert not [segment for segment in bench.segments if segment.dport == client.port]
    await ClockCycles(dut.clk_i, AGAIN)
    while not bench.told:  # it sends again from the first byte on, until that is heard
        client.send(text[:100], seq=client.seq - 200)
        await ClockCycles(dut.clk_i, 500)
        bench._sort()
    await client.opened()
    bench.segments.clear()
    client.send(text, seq=client.seq - 200)
    client.read(200)
    assert (await client.data()).data == text
    await ClockCycles(dut.clk_i, (BURST // 2 + 2) * AGAIN)  # more than half of the burst is there again
    bench.segments.clear()
    wrong(1, WRONG)
    assert "R" in (await bench.segment()).flags


@cocotb.test()
async def cookies_are_answered_in_any_order(dut):
    """After those of others, and after SYNs of others, which are not answered. Each holds the hash of its own addresses and ports."""
    bench = await Flooded.start(dut, **PATIENT | {"rto_initial": 40})
    await flood(bench)
    peers = [await baked(bench) for _ in range(6)]
    random.shuffle(peers)
    for peer in peers:
        mac = initial(CONFIG["secret"], int(ip_address(HOST)), peer.port, peer.to, int(ip_address(CARD)), 2)[0] + peer.seq - 1
        assert (peer.ack - 1 - mac) % (1 << MAC_BITS) == 0
        bench.give(*(bench.peer(port).make("S") for port in random.sample(SILENT, random.randrange(3))))
        peer.send()
        await peer.opened()
        await carries(bench, peer)
    assert bench.events["mark_opened"] == len(peers)


@cocotb.test()
async def what_is_under_way_when_a_connection_ends_opens_none(dut):
    """Its segments acknowledge the same cookie, but do not start right after the SYN that the cookie was sent for."""
    bench = await Flooded.start(dut, **PATIENT)
    await flood(bench)
    peer = await baked(bench)
    peer.send()
    await peer.opened()
    bench.command(ABORT, peer.connection)
    assert "R" in (await bench.segment()).flags
    await bench.closed(1)
    for step, text in ((100, b""), (100, b"in the middle"), (MODULUS - 1, b"")):
        peer.send(text, seq=peer.seq + step)
        assert str((await bench.segment()).flags) == "R"
    assert bench.events["mark_opened"] == 1


@cocotb.test()
async def a_bound_of_the_tenant_leaves_a_way_in(dut):
    """Also a limit below half_open: cookies are sent once half of it is reached."""
    for bound, half in ((2, 1), (5, 3), (4 * HALF, HALF)):
        bench = await Flooded.start(dut, **PATIENT | {"tenant_connections": bound})
        await flood(bench, half)
        peer = await baked(bench)
        peer.send()
        await peer.opened()
        await carries(bench, peer)


@cocotb.test()
async def a_reset_of_the_card_ends_all_hand_shakes(dut):
    """Hand-shakes that were in progress no longer count for any tenant, not even for tenant 0, to which cleared records belong."""
    bench = await Flooded.start(dut, **PATIENT)
    await flood(bench)
    bench = await Flooded.start(dut, **PATIENT)
    bench.tenants = {0}
    await flood(bench, tenant=0)
    await baked(bench, tenant=0)


@cocotb.test()
async def a_cookie_ages_by_the_time_that_is_set(dut):
    """Also if that was far longer when the cookie was sent."""
    bench = await Flooded.start(dut, **PATIENT | {"rto_initial": (1 << 24) - 1})
    await ClockCycles(dut.clk_i, 2 * TICK)
    await flood(bench)
    peer = await baked(bench)
    dut.cfg_i.value = config_word(KIND, **CONFIG | PATIENT)
    await ClockCycles(dut.clk_i, (PERIODS + 2) * PERIOD * TICK)
    bench.segments.clear()
    peer.send()
    assert str((await bench.segment()).flags) == "R"
