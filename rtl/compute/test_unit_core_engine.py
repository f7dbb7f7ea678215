# SPDX-License-Identifier: Apache-2.0
"""unit_core: PANIC's four programs do their work at least as fast as in the paper; answers are in order, and credits are conserved."""

import random
import struct

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from girih.testing import run_cocotb
from girih.testing.messages import Message
from rtl.compute.compute_bench import UnitBench, done_desc, random_desc, tagged_messages
from rtl.tiles.core.core_bench import PROBE, PROGRAMS, Operator

MTU = 1500
CLOCK_GHZ = 0.25
PAPER_GBPS = {"no_touch": 61.4, "copy": 1.2, "nat": 21.3, "swap": 20.2}
DROP, LOOP, KEEP = 1, 5, 11  # commands of the probe
WINDOW = 8
SLOTS, SLOT_BYTES = 16, 4096  # a slot has room for a packet and a copy of it
PUBLIC = "198.51.100.1"


@pytest.mark.parametrize("data_width", [512])
def test_unit_core_engine(data_width):
    run_cocotb("unit_core_engine", __file__, data_width=data_width, chained=True, parameters={"OutputFlits": 512, "SlotBytes": SLOT_BYTES})


async def unit(dut, source, watchdog=0, **traffic):
    operator = Operator(dut)
    dut.now_i.value = 0
    bench = await UnitBench.start(dut, "unit_core", {"slots": 255, "watchdog": watchdog}, **traffic)
    await operator.load(source)
    await ClockCycles(dut.clk_i, 1500)  # the program clears its data
    return bench


def packet(tag, size=None, flow=None):
    """A packet of a flow, with a tag in its destination's MAC address and right checksums."""
    flow = random.randrange(4000) if flow is None else flow
    size = random.randrange(60, 1400) if size is None else size
    ports = {"sport": 1024 + flow, "dport": 80 + flow % 5}
    transport = TCP(seq=tag, **ports) if flow % 2 else UDP(**ports)
    headers = Ether(dst=tag.to_bytes(4, "little") + b"\2\2", src="02:00:00:00:00:09") / IP(src=f"10.0.{flow >> 8}.{flow & 255}", dst="192.0.2.7") / transport
    data = bytes(headers / Raw(random.randbytes(max(0, size - len(headers)))))
    return Message(data, random_desc(len(data), l3_offset=14, l4_offset=34, payload_offset=54 if flow % 2 else 42, detoured=0))


def sums_are_right(data):
    again = Ether(data)
    kept = again[IP].chksum, again[IP].payload.chksum
    del again[IP].chksum, again[IP].payload.chksum
    again = Ether(bytes(again))
    return kept == (again[IP].chksum, again[IP].payload.chksum)


async def answers(bench, sent, window=WINDOW):
    """The outcome of the messages, with at most `window` of them in the unit, few enough that it sends none back."""
    for number, message in enumerate(sent):
        while number - len(bench.sink.messages) >= window:
            await ClockCycles(bench.dut.clk_i, 1)
        bench.source.send(message)
    return await bench.sink.count(len(sent))


@cocotb.test()
@cocotb.parametrize(program=["no_touch", "copy"], traffic=[(0.0, 0.0), (0.3, 0.5)])
async def messages_that_no_program_touches_stay_as_they_are(dut, program, traffic):
    bench = await unit(dut, PROGRAMS / f"{program}.c", idle=traffic[0], stall=traffic[1])
    sent = tagged_messages(12, size=lambda: random.choice([64, 65, 300, 2048]), payload_offset=0, l3_offset=0, l4_offset=0, detoured=0)
    for message, out in zip(sent, await answers(bench, sent), strict=True):
        assert (out.data, out.desc) == (message.data, done_desc(message.desc))
    await bench.settled()
    bench.check(sent)


@cocotb.test()
async def a_message_that_waits_for_a_slot_changes_no_other(dut):
    bench = await unit(dut, PROGRAMS / "copy.c")
    sent = tagged_messages(2 * SLOTS, size=64, payload_offset=0, l3_offset=0, l4_offset=0, detoured=0)
    for message, out in zip(sent, await answers(bench, sent, window=len(sent)), strict=True):
        assert (out.data, out.desc) == (message.data, done_desc(message.desc))


@cocotb.test()
async def swap_exchanges_the_addresses(dut):
    bench = await unit(dut, PROGRAMS / "swap.c")
    sent = [packet(tag) for tag in range(20)]
    for message, out in zip(sent, await answers(bench, sent), strict=True):
        before, after = Ether(message.data), Ether(out.data)
        assert (after.src, after.dst, after[IP].src, after[IP].dst) == (before.dst, before.src, before[IP].dst, before[IP].src)
        assert out.data[34:] == message.data[34:] and sums_are_right(out.data)


@cocotb.test()
async def nat_translates_each_flow_to_a_port_of_its_own(dut):
    bench = await unit(dut, PROGRAMS / "nat.c")
    flows = random.sample(range(4000), 12)
    sent = [packet(tag, flow=random.choice(flows)) for tag in range(60)]
    ports = {}
    for message, out in zip(sent, await answers(bench, sent), strict=True):
        before, after = Ether(message.data), Ether(out.data)
        assert after[IP].src == PUBLIC and after[IP].sport >= 0x8000
        assert ports.setdefault(before[IP].sport, after[IP].sport) == after[IP].sport
        assert sums_are_right(out.data)
        wanted = before.copy()
        wanted[IP].src, wanted[IP].sport = PUBLIC, after[IP].sport
        wanted[IP].chksum, wanted[IP].payload.chksum = after[IP].chksum, after[IP].payload.chksum
        assert bytes(wanted) == out.data


@cocotb.test()
async def nat_drops_what_has_no_ports(dut):
    """Fragments, other protocols, packets that end within their header, and packets other than IPv4: none leaves with an address that was not
    translated."""
    bench = await unit(dut, PROGRAMS / "nat.c")

    def of(layer, payload=100, keep=None, **offsets):
        data = bytes(Ether(dst="02:00:00:00:00:08", src="02:00:00:00:00:09") / layer / Raw(random.randbytes(payload)))[:keep]
        return Message(data, random_desc(len(data), **({"l3_offset": 14, "l4_offset": 34, "payload_offset": 0, "detoured": 0} | offsets)))

    ends = {"src": "10.0.0.1", "dst": "192.0.2.7"}
    wrong = [
        *(of(IP(**ends, proto=protocol)) for protocol in (0, 1, 2, 5, 7, 16, 18, 47, 50, 132)),
        *(of(IP(**ends, flags=flags, frag=place, proto=17)) for flags, place in (("MF", 0), (0, 1), (0, 0x1F00), ("MF", 64))),
        *(of(IP(**ends) / layer, payload=0, keep=34 + size - 1) for layer, size in ((TCP(), 20), (UDP(), 8))),
        of(IP(**ends) / UDP(), l4_offset=0),
        of(Raw(bytes(60)), l3_offset=0, l4_offset=0),
    ]
    good = [packet(100 + number) for number in range(len(wrong))]
    out = []
    for pair in zip(wrong, good, strict=True):
        bench.source.send(*pair)
        out = await bench.sink.count(len(out) + 1)
    assert [message.data[:4] for message in out] == [message.data[:4] for message in good]
    assert bench.events.count["drop_engine"] == len(wrong)


@cocotb.test()
async def answers_are_in_order_and_void_where_there_is_none(dut):
    """The probe keeps messages while it sends later ones, drops some and gets stuck in one; some are too long for a slot."""
    bench = await unit(dut, PROBE, watchdog=3000)
    what = [KEEP, 0, 0, DROP, 0, KEEP, DROP, 0, KEEP, 0, LOOP, 0, 0, DROP, 0, 0]
    headers = {"payload_offset": 0, "l3_offset": 0, "l4_offset": 0, "detoured": 0}
    sent = []
    for tag, command in enumerate(what):
        data = struct.pack("<IIII", command, 0, 0, tag) + bytes(random.randrange(48, 1000))
        sent.append(Message(data, random_desc(len(data), **headers)))
        if tag % 5 == 4:
            long = bytes(16) + bytes(random.randrange(SLOT_BYTES, SLOT_BYTES + 3000))
            sent.append(Message(long, random_desc(len(long), **headers)))
    bench.source.send(*sent)
    await ClockCycles(dut.clk_i, 12_000)
    await bench.settled()
    out = [struct.unpack_from("<IIII", message.data)[3] for message in bench.sink.messages]
    assert all(message.desc["detoured"] == 0 and not message.bad for message in bench.sink.messages)
    # When the stuck program is restarted, it loses the third kept message and the one it is stuck in.
    assert out == [tag for tag, command in enumerate(what) if command == 0 or tag in (0, 5)]
    assert bench.events.count["drop_engine"] == len(sent) - len(out)
    assert bench.credits.give == len(sent) - sum(not m.desc["credit"] for m in sent) + bench.credits.cancel


@cocotb.test()
@cocotb.parametrize(program=list(PAPER_GBPS))
async def as_fast_as_the_paper(dut, program):
    """Packets of the MTU, back to back."""
    bench = await unit(dut, PROGRAMS / f"{program}.c")
    count = 6 if program == "copy" else 30
    out = await answers(bench, [packet(tag, size=MTU, flow=6) for tag in range(count)])
    assert all(not message.desc["detoured"] for message in out)
    cycles = (out[-1].last - out[2].last) / (count - 3)
    gbps = MTU * 8 * CLOCK_GHZ / cycles
    dut._log.info(f"{program}: {cycles:.1f} cycles a packet, {gbps:.1f} Gbps at 250 MHz, the paper's {PAPER_GBPS[program]}")
    assert gbps >= PAPER_GBPS[program]
