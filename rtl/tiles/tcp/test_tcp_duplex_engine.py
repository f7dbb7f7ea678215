# SPDX-License-Identifier: Apache-2.0
"""The tile `tcp_duplex`: the tests of `tcp`, with segments and commands at fabric ports of their own; what comes to the wrong port; the order of commands."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from girih.testing import run_cocotb
from girih.testing.messages import Message
from rtl.tiles.tcp.tcp_bench import ABORT, CONNECTIONS, MODULUS, OPENED, READ, WINDOW, WRITE, TcpBench
from rtl.tiles.tcp.test_tcp_memory_engine import ANYWHERE, FOLDER, SHARED

BUFFERS = {"Connections": CONNECTIONS, "Window": WINDOW}
KIND_OF_BENCH = {"GIRIH_KIND": "tcp_duplex"}
DEFAULT = ("", "_tenants")
APPLICATION = 9  # its name for connections that it opens


@pytest.mark.parametrize("name", [name if name in DEFAULT else pytest.param(name, marks=pytest.mark.thorough) for name in SHARED])
def test_the_tests_of_tcp(name):
    path = FOLDER / f"test_tcp_engine{name}.py"
    run_cocotb("tcp_duplex_bench", str(path), groups=["stream"], parameters=BUFFERS, environment=KIND_OF_BENCH)


@pytest.mark.parametrize("data_width", [pytest.param(width, marks=pytest.mark.thorough) for width in (128, 256, 1024)])
def test_the_tests_of_tcp_at_other_widths(data_width):
    path = FOLDER / "test_tcp_engine.py"
    run_cocotb("tcp_duplex_bench", str(path), data_width=data_width, groups=["stream"], parameters=BUFFERS, environment=KIND_OF_BENCH, testcase=list(ANYWHERE))


@pytest.mark.parametrize("data_width", [512, *(pytest.param(width, marks=pytest.mark.thorough) for width in (128, 256, 1024))])
def test_tcp_duplex_engine(data_width):
    run_cocotb("tcp_duplex_bench", __file__, data_width=data_width, groups=["stream"], parameters=BUFFERS, environment=KIND_OF_BENCH)


@cocotb.test()
async def what_comes_to_the_wrong_port_is_dropped(dut):
    """Segments among commands, and commands among segments: each is counted, and no connection changes."""
    bench = await TcpBench.start(dut)
    peer = await bench.open()
    dut.astray_i.value = 1
    for text in (b"to nobody", random.randbytes(500)):
        bench.give(peer.make("A", text))
        peer.write(text)
        peer.read()
    bench.command(ABORT, peer.connection)
    bench.dial(80, 40000, application=APPLICATION)
    aborted = Message(b"aborted", {"stream_op": WRITE, "stream_bytes": 7, "tenant": 2})
    aborted.bad = True
    bench.give(aborted)
    await bench.quiet(1000)  # all have come, at 128 bits too
    dut.astray_i.value = 0
    bench.give(aborted)  # at the right port
    peer.send(b"text")
    peer.read(4)
    assert (await peer.data()).data == b"text"
    peer.write(b"answer")
    assert bytes((await bench.segment()).payload) in (b"", b"answer")
    await ClockCycles(dut.clk_i, 500)
    assert {name: count for name, count in bench.events.items() if name.startswith("drop_")} == {"drop_command": 3, "drop_unsupported": 6, "drop_aborted": 1}


@cocotb.test()
async def commands_of_an_application_keep_their_order(dut):
    """One that opens a connection follows the abort of the same one, and precedes what comes behind it, whatever segments there are beside them."""
    bench = await TcpBench.start(dut, stall=0.0)
    bench.mix()
    other = await bench.open()
    flood = [other.make("A") for _ in range(60)]
    for number in range(12):
        port = 2000 + number % 3
        bench.give(*flood[: random.randint(0, 60)])
        bench.dial(port, 40000, application=APPLICATION)
        while str((syn := await bench.segment()).flags) != "S":
            pass
        peer = bench.peer(port, to=40000)
        peer.ack = (syn.seq + 1) % MODULUS
        bench.give(peer.make("SA"))
        peer.seq += 1
        await peer.opened(APPLICATION)
        # One stream of commands: bytes, the end, and again the same connection. Segments arrive at the same time.
        text = random.randbytes(random.choice((1, 64, 500)))
        peer.write(text)
        bench.give(*flood[: random.choice((0, 0, 0, 1, 60))])
        bench.command(ABORT, peer.connection)
        bench.dial(port, 40000, application=APPLICATION)
        bench.command(READ, other.connection, bytes=1)
        bench.give(*flood[: random.randint(0, 60)])
        while str((syn := await bench.segment()).flags) != "S":
            pass
        assert syn.dport == port
        peer = bench.peer(port, to=40000, seq=5)
        peer.ack = (syn.seq + 1) % MODULUS
        bench.give(peer.make("RA", seq=0))
        notice = await bench.notice()
        assert (notice.desc["stream_op"], notice.desc.get("stream_reset"), notice.key) == (OPENED, 1, APPLICATION)
        other.send(b"x")
        assert (await bench.notice()).data == b"x"
        flood = [other.make("A") for _ in range(60)]
        bench.segments.clear()
    dropped = {name for name in bench.events if name.startswith("drop_")}
    assert dropped <= {"drop_out_of_window"}, dropped
