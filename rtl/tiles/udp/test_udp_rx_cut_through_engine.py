# SPDX-License-Identifier: Apache-2.0
"""udp_rx_cut_through: what udp_rx drops leaves void or is dropped, everything else leaves whole, as soon as its headers have come."""

import random
from collections import Counter

import cocotb
import pytest
from scapy.layers.inet import UDP
from scapy.utils import checksum

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import TRAFFIC, EngineBench, check_no_bubbles, random_options, random_size, udp
from girih.testing.messages import FLIT_BYTES, Message
from rtl.tiles.udp.datagrams import CASES, good, message_of

HEADERS = 42  # bytes, without a tag and without options
UDP_HEADER = 8
LATENCY = 3 + (HEADERS - 1) // FLIT_BYTES  # from the first flit; later flits of the headers must come first


@pytest.mark.parametrize("data_width", WIDTHS)
def test_udp_rx_cut_through_engine(data_width):
    run_cocotb("udp_rx_cut_through_engine", __file__, data_width=data_width)


def outcome(message: Message, reason: str) -> tuple[str, bool]:
    """What is counted for a message for which udp_rx counts `reason`, and whether it leaves."""
    end = message.desc["l4_offset"] + UDP_HEADER
    if reason == "drop_aborted":  # void: only its end shows this, unless its headers are missing
        return ("mark_aborted", True) if len(message.data) >= end else ("drop_aborted", False)
    if reason == "drop_checksum":
        return "mark_checksum", True
    return reason, not reason.startswith("drop_")


def check(cases, out, events) -> None:
    outcomes = [(message, data, *outcome(message, reason)) for message, reason, data in cases]
    assert events == Counter(counted for _, _, counted, _ in outcomes if counted)
    left = [(message, data) for message, data, _, leaves in outcomes if leaves]
    assert len(out) == len(left)
    for (message, data), result in zip(left, out, strict=True):
        offset = message.desc["l4_offset"]
        header = message.data[offset : offset + UDP_HEADER]
        assert result.bad == (data is None)
        assert result.key == int.from_bytes(header[2:4], "big")
        expected = {"length": offset + int.from_bytes(header[4:6], "big"), "payload_offset": offset + UDP_HEADER}
        assert result.desc == result.desc | message.desc | expected
        if data is not None:
            assert result.data == data
            assert result.desc["payload_sum_valid"] == (header[6:] != bytes(2))
            if result.desc["payload_sum_valid"]:
                assert result.desc["payload_sum"] % 0xFFFF == (~checksum(data[offset + UDP_HEADER :]) & 0xFFFF) % 0xFFFF


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def right_datagrams_pass_and_others_are_void_or_counted(dut, traffic):
    bench = await EngineBench.start(dut, "udp_rx_cut_through", idle=traffic[0], stall=traffic[1])
    cases = [random.choice(CASES)() for _ in range(300)]
    check(cases, await bench.run([case[0] for case in cases]), bench.events)


@cocotb.test()
async def every_payload_size_and_every_place_of_the_header(dut):
    bench = await EngineBench.start(dut, "udp_rx_cut_through")
    cases = []
    for size in range(140):
        packet = udp(random.randbytes(size), options=random_options(size % 11))
        message = message_of(packet, tagged=size % 2 == 1)
        cases.append((message, "", message.data))
    check(cases, await bench.run([case[0] for case in cases]), bench.events)


@cocotb.test()
async def sums_at_the_ends_of_their_range(dut):
    """Payloads whose sum is 0 or 0xffff, and checksums of 1, 0xfffe and 0xffff."""
    bench = await EngineBench.start(dut, "udp_rx_cut_through")
    cases = []
    for wanted in (0x0001, 0xFFFE, 0xFFFF):
        packet = udp(bytes(2))
        del packet[UDP].chksum
        before = UDP(bytes(packet[UDP])).chksum
        packet[UDP].remove_payload()
        packet = packet / ((before - wanted) % 0xFFFF).to_bytes(2, "big")
        message = message_of(packet, tagged=False)
        assert int.from_bytes(message.data[40:42], "big") == wanted
        cases.append((message, "", None))
    for body in (b"", bytes(2), bytes(200), b"\xff\xff", b"\xff" * 64):
        cases.append((message_of(udp(body)), "", None))
    cases = [(message, reason, message.data) for message, reason, _ in cases]
    check(cases, await bench.run([case[0] for case in cases]), bench.events)


@cocotb.test()
async def random_bytes_never_hang_it(dut):
    bench = await EngineBench.start(dut, "udp_rx_cut_through", idle=0.1, stall=0.1)
    junk = []
    for _ in range(300):
        data = random.randbytes(random.randint(1, 300))
        desc = {"l3_offset": random.choice([14, 18, random.getrandbits(8)]), "l4_offset": random.getrandbits(8)}
        junk.append(Message(data, desc | {"length": random.choice([0, len(data), random.getrandbits(14)])}))
    out = await bench.run(junk)
    drops = sum(count for name, count in bench.events.items() if name.startswith("drop_"))
    assert len(out) + drops == len(junk)
    case = good()
    assert (await bench.run([case[0]]))[0].data == case[2]


@cocotb.test()
@cocotb.parametrize(bad=[True, False])
async def a_message_that_is_cut_anywhere_is_void(dut, bad):
    """Whether an earlier tile says so or not."""
    bench = await EngineBench.start(dut, "udp_rx_cut_through")
    cases = []
    for kept in range(1, HEADERS + 3 * FLIT_BYTES):
        message = message_of(udp(random.randbytes(3 * FLIT_BYTES)), tagged=False, bad=bad)
        message.data = message.data[:kept]
        cases.append((message, "drop_aborted", None))
    check(cases, await bench.run([case[0] for case in cases]), bench.events)


@cocotb.test()
async def it_leaves_before_its_end_has_come(dut):
    bench = await EngineBench.start(dut, "udp_rx_cut_through")
    for size in (1, 18, 22, 86, 470, 1472, 8972):
        sent = [message_of(udp(random.randbytes(size)), tagged=False) for _ in range(6)]
        out = await bench.run(sent)
        check_no_bubbles(out)
        assert out[0].first - sent[0].first == LATENCY
    sent = [message_of(udp(b"x"), tagged=False) for _ in range(100)]
    check_no_bubbles(await bench.run(sent))


@cocotb.test()
async def what_is_void_delays_nothing_behind_it(dut):
    """Datagrams of one flit or many, right, void and with trailing bytes, at full rate."""
    bench = await EngineBench.start(dut, "udp_rx_cut_through")
    cases = []
    for index in range(99):
        message = message_of(udp(random.randbytes(random_size())), tagged=False)
        cases.append((message, "", message.data))
        if index % 3 == 1:
            message.data = message.data[:-1] + bytes([message.data[-1] ^ 1])
            cases[-1] = (message, "drop_checksum", None)
        elif index % 3 == 2:
            message.data += random.randbytes(3 * FLIT_BYTES)
            message.desc["length"] = len(message.data)
    sent = [case[0] for case in cases]
    out = await bench.run(sent)
    check(cases, out, bench.events)
    assert all(after.last - before.last <= LATENCY for before, after in zip(sent, out, strict=True))
