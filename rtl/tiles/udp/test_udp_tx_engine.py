# SPDX-License-Identifier: Apache-2.0
"""udp_tx: headers as scapy writes them, with the payload's sum given and without."""

import random
from collections import Counter

import cocotb
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import checksum

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import (
    TRAFFIC,
    EngineBench,
    check_no_bubbles,
    frame_of,
    random_options,
    random_size,
    udp,
)
from girih.testing.messages import Message, flits_of


@pytest.mark.parametrize("data_width", WIDTHS)
def test_udp_tx_engine(data_width):
    run_cocotb("udp_tx_engine", __file__, data_width=data_width)


def outgoing(size=None, *, summed=None, tagged=None, options=None, payload=None, **fields) -> tuple[Message, bytes]:
    """A datagram with only addresses and ports in its headers, and the expected result."""
    payload = random.randbytes(random_size() if size is None else size) if payload is None else payload
    packet = udp(payload, options=random_options() if options is None else options, **fields)
    frame, l3_offset, l4_offset = frame_of(packet, random.random() < 0.3 if tagged is None else tagged)
    raw = bytearray(frame)
    raw[l3_offset + 9] = random.getrandbits(8)
    raw[l4_offset + 4 : l4_offset + 8] = random.randbytes(4)
    summed = random.random() < 0.5 if summed is None else summed
    desc = {
        "l3_offset": l3_offset,
        "l4_offset": l4_offset,
        "length": len(frame),
        "payload_sum_valid": int(summed),
        "payload_sum": ~checksum(payload) & 0xFFFF if summed else random.getrandbits(16),
        "port": random.getrandbits(4),
    }
    return Message(bytes(raw), desc), frame


def event_of(message: Message) -> str:
    return "mark_passed" if message.desc["payload_sum_valid"] else "mark_summed"


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def headers_are_completed(dut, traffic):
    bench = await EngineBench.start(dut, "udp_tx", idle=traffic[0], stall=traffic[1])
    cases = [outgoing() for _ in range(200)]
    out = await bench.run([message for message, _ in cases])
    assert len(out) == len(cases)
    for (message, expected), result in zip(cases, out, strict=True):
        assert result.data == expected and not result.bad
        assert result.desc == result.desc | message.desc
        assert result.key == message.desc["port"]
    assert bench.events == Counter(event_of(message) for message, _ in cases)


@cocotb.test()
async def every_payload_size_and_every_place_of_the_header(dut):
    bench = await EngineBench.start(dut, "udp_tx")
    cases = [
        outgoing(size, summed=summed, tagged=size % 2 == 1, options=random_options(size % 11))
        for size in range(140)
        for summed in (False, True)
    ]
    out = await bench.run([message for message, _ in cases])
    assert [m.data for m in out] == [expected for _, expected in cases]


@cocotb.test()
async def a_checksum_of_zero_is_written_as_all_ones(dut):
    bench = await EngineBench.start(dut, "udp_tx")
    cases = []
    for summed in (False, True):
        _, frame = outgoing(2, summed=summed, payload=b"\0\0", tagged=False, options=[])
        packet = Ether(frame)
        makes_zero = packet[UDP].chksum.to_bytes(2, "big")
        fields = {"src": packet[IP].src, "dst": packet[IP].dst, "sport": packet.sport, "dport": packet.dport}
        case = outgoing(2, summed=summed, payload=makes_zero, tagged=False, options=[], **fields)
        assert case[1][40:42] == b"\xff\xff"
        cases.append(case)
    out = await bench.run([message for message, _ in cases])
    assert [m.data for m in out] == [expected for _, expected in cases]


@cocotb.test()
async def void_messages_are_dropped_or_stay_void(dut):
    bench = await EngineBench.start(dut, "udp_tx", idle=0.2, stall=0.2)
    sent = []
    for _ in range(200):
        (message, _), (good, _) = outgoing(), outgoing()
        message.bad = True
        if random.random() < 0.5:
            message.data = message.data[: random.randint(1, len(message.data))]
        sent += [message, good]
    out = await bench.run(sent)
    dropped = len(sent) - len(out)
    assert bench.events["drop_aborted"] == dropped
    assert sum(not m.bad for m in out) == 200
    # Without a sum, all of it was in the store; with one, what is longer than the headers is on its way.
    stored = sum(m.bad and not m.desc["payload_sum_valid"] for m in sent)
    short = sum(
        m.bad and m.desc["payload_sum_valid"] and flits_of(m.data) <= flits_of(bytes(m.desc["l4_offset"] + 8)) for m in sent
    )
    assert dropped == stored + short


@cocotb.test()
async def a_message_without_its_length_is_dropped(dut):
    bench = await EngineBench.start(dut, "udp_tx")
    sent = [outgoing()[0] for _ in range(20)]
    for message in sent:
        message.desc["length"] = 0
    good, expected = outgoing()
    out = await bench.run([*sent, good])
    assert [m.data for m in out] == [expected]
    assert bench.events["drop_aborted"] == len(sent)


@cocotb.test()
async def two_cycles_and_no_bubbles(dut):
    bench = await EngineBench.start(dut, "udp_tx")
    for size in (1, 18, 22, 86, 470, 1472, 8972):
        for summed in (True, False):
            sent = [outgoing(size, summed=summed, tagged=False, options=[])[0] for _ in range(6)]
            out = await bench.run(sent)
            check_no_bubbles(out)
            if summed:
                assert out[0].first - sent[0].first == flits_of(bytes(42)) + 1
            else:
                assert out[0].first - sent[0].last == 2
