# SPDX-License-Identifier: Apache-2.0
"""Each step between two states of RFC 9293 (3.3.2, figure 5) that a connection can take, and each way in which it can end in each state. tcp_states.sv counts them with
`./girih test --coverage`, and asserts in every simulation that there is no other step."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.testing import run_cocotb
from rtl.tiles.tcp.tcp_bench import ABORT, CLOSE, CONNECTIONS, MODULUS, TICK, WINDOW, Peer, TcpBench
from rtl.tiles.tcp.test_tcp_engine_active import APPLICATION, REFUSED, UNANSWERED, answered, dialled, syn_of

OPENING = ("SYN-SENT", "SYN-RECEIVED")
OPEN = ("ESTABLISHED", "CLOSE-WAIT")
CLOSED = ("FIN-WAIT-1", "FIN-WAIT-2", "CLOSING", "TIME-WAIT", "LAST-ACK")  # the application has closed its side
LONG = {"rto_initial": 1000, "rto_min": 1000, "rto_max": 5000, "time_wait": 5000}


@pytest.mark.parametrize("data_width", [512, pytest.param(128, marks=pytest.mark.thorough)])
def test_tcp_engine(data_width):
    run_cocotb("tcp_engine", __file__, data_width=data_width, groups=["stream"], parameters={"Connections": CONNECTIONS, "Window": WINDOW})


async def fin_of(bench: TcpBench) -> None:
    assert "F" in (await bench.segment()).flags


async def brought_to(bench: TcpBench, state: str, reads: bool = False) -> Peer:
    """A peer of a connection in this state. reads: the application, where it has closed its side, still reads."""
    if state == "SYN-SENT":
        peer = dialled(bench)
        await syn_of(bench, peer)
        return peer
    peer = bench.peer()
    await peer.shake()
    if state == "SYN-RECEIVED":
        return peer
    peer.send()
    await peer.opened()
    if state in ("CLOSE-WAIT", "LAST-ACK"):
        peer.send(flags="FA")
        assert (await bench.segment()).ack == peer.seq
    if state in CLOSED:
        bench.command(CLOSE, peer.connection, end=int(reads))
        await fin_of(bench)
    if state in ("FIN-WAIT-2", "TIME-WAIT"):
        peer.ack = (peer.ack + 1) % MODULUS
        peer.send()
    if state in ("CLOSING", "TIME-WAIT"):  # in CLOSING, the peer has not seen the card's FIN
        peer.send(flags="FA")
        assert (await bench.segment()).ack == peer.seq
    await ClockCycles(bench.dut.clk_i, 50)
    return peer


@cocotb.test()
async def a_reset_ends_each_state(dut):
    bench = await TcpBench.start(dut, **LONG)
    for freed, state in enumerate(OPENING + OPEN + CLOSED, start=1):
        peer = await brought_to(bench, state)
        if state == "SYN-SENT":
            bench.give(peer.make("RA"))
            await peer.not_opened(REFUSED, APPLICATION)
        else:
            peer.send(flags="R")
        if state in OPEN:  # the application has to close it
            await ClockCycles(dut.clk_i, 50)
            bench.command(CLOSE, peer.connection)
        await bench.quiet()
        assert bench.events["mark_reset_received"] == bench.events["mark_freed"] == freed, state


@cocotb.test()
async def a_silent_peer_ends_each_state(dut):
    """By the retransmission time-out, or in FIN-WAIT-2 and TIME-WAIT by the time that these last."""
    bench = await TcpBench.start(dut, rto_initial=4, rto_min=4, rto_max=8, time_wait=8, retries=1)
    gave_up = 0
    for freed, state in enumerate(OPENING + OPEN + CLOSED, start=1):
        peer = await brought_to(bench, state)
        if state in OPEN:
            peer.write(b"nobody takes this")
        waits = state in ("FIN-WAIT-2", "TIME-WAIT")
        gave_up += not waits
        if state == "SYN-SENT":
            await peer.not_opened(UNANSWERED, APPLICATION, limit=60 * TICK)
        if state in OPEN:
            for _ in range(60):
                if bench.events.get("mark_gave_up", 0) == gave_up:
                    break
                await ClockCycles(dut.clk_i, TICK)
            bench.command(CLOSE, peer.connection)
        await bench.closed(freed)
        await ClockCycles(dut.clk_i, 200)
        bench._sort()
        assert waits or state in OPENING or "R" in bench.segments[-1].flags, state
        bench.segments.clear()
        assert not bench.told and bench.events.get("mark_gave_up", 0) == gave_up, state


@cocotb.test()
async def an_application_ends_each_state(dut):
    """By an abort, also if it has closed its own side before and still reads. The peer gets a reset."""
    bench = await TcpBench.start(dut, **LONG)
    for freed, state in enumerate(OPEN + CLOSED, start=1):
        peer = await brought_to(bench, state, reads=True)
        bench.command(ABORT, peer.connection)
        assert "R" in (await bench.segment()).flags, state
        await bench.quiet()
        assert bench.events["mark_freed"] == freed, state
        assert not bench.events.get("drop_late_command"), state


@cocotb.test()
async def connections_close_in_each_order(dut):
    bench = await TcpBench.start(dut, time_wait=8)
    for freed, state in enumerate(("FIN-WAIT-1", "FIN-WAIT-2", "CLOSING", "LAST-ACK"), start=1):
        peer = await brought_to(bench, state)
        if state != "FIN-WAIT-2":
            peer.ack = (peer.ack + 1) % MODULUS
        if state in ("FIN-WAIT-1", "FIN-WAIT-2"):  # FIN-WAIT-1 ends with one segment that acknowledges the card's FIN and has the peer's
            peer.send(flags="FA")
            assert (await bench.segment()).ack == peer.seq
        else:
            peer.send()
        if state == "LAST-ACK":
            await bench.quiet()
            assert bench.events["mark_freed"] == freed, "there is no TIME-WAIT"
        else:
            await bench.quiet()
            assert bench.events.get("mark_freed", 0) == freed - 1, "TIME-WAIT"
            await bench.closed(freed)
    assert not bench.events.get("mark_gave_up") and not bench.events.get("mark_reset_received")


@cocotb.test()
async def a_hand_shake_ends_with_the_last_bytes_of_the_peer(dut):
    """Its last segment has a FIN, so the connection goes from SYN-RECEIVED to CLOSE-WAIT."""
    bench = await TcpBench.start(dut)
    peer = await brought_to(bench, "SYN-RECEIVED")
    peer.send(b"all I have to say", flags="FA")
    assert (await bench.segment()).ack == peer.seq
    await peer.opened()
    peer.read()
    end = await peer.data()
    assert end.data == b"all I have to say" and end.desc["stream_end"]
    bench.command(CLOSE, peer.connection)
    await fin_of(bench)
    peer.ack = (peer.ack + 1) % MODULUS
    peer.send()
    await bench.quiet()
    assert bench.events["mark_freed"] == 1


@cocotb.test()
async def connections_open_in_each_way(dut):
    """By the peer, by a SYN cookie, by the application, and by both at once."""
    bench = await TcpBench.start(dut, half_open=1, **LONG)
    await brought_to(bench, "SYN-RECEIVED")
    await bench.open()
    assert bench.events["mark_cookies"] == 1
    await answered(bench, dialled(bench))
    peer = dialled(bench, 81)
    await syn_of(bench, peer)
    bench.give(peer.make("S"))
    assert str((await bench.segment()).flags) == "SA"
    peer.seq = (peer.seq + 1) % MODULUS
    peer.send()
    await peer.opened(APPLICATION)
    assert bench.events["mark_opened"] == 3
