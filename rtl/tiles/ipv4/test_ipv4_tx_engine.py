# SPDX-License-Identifier: Apache-2.0
"""ipv4_tx: headers as scapy writes them."""

import random

import cocotb
import pytest
from scapy.layers.inet import IP

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

OURS, TTL = "10.0.0.2", 61


@pytest.mark.parametrize("data_width", WIDTHS)
def test_ipv4_tx_engine(data_width):
    run_cocotb("ipv4_tx_engine", __file__, data_width=data_width)


def outgoing(size=None, *, tagged=None, options=None, src_known=None) -> Message:
    """A packet whose header has random values wherever ipv4_tx must write."""
    payload = random.randbytes(random_size() if size is None else size)
    packet = udp(payload, options=random_options() if options is None else options)
    frame, l3_offset, l4_offset = frame_of(packet, random.random() < 0.3 if tagged is None else tagged)
    raw = bytearray(frame)
    raw[l3_offset + 1] = random.getrandbits(8)  # the type of service, which stays
    raw[l3_offset + 2 : l3_offset + 9] = random.randbytes(7)
    raw[l3_offset + 10 : l3_offset + 12] = random.randbytes(2)
    if not (random.random() < 0.7 if src_known is None else src_known):
        raw[l3_offset + 12 : l3_offset + 16] = bytes(4)
    desc = {"l3_offset": l3_offset, "l4_offset": l4_offset, "length": len(frame), "port": random.getrandbits(4)}
    return Message(bytes(raw), desc, bad=random.random() < 0.1)


def completed(message: Message, identification: int) -> bytes:
    at, end = message.desc["l3_offset"], message.desc["l4_offset"]
    packet = IP(message.data[at:end])
    src = packet.src if packet.src != "0.0.0.0" else OURS
    head = IP(ihl=packet.ihl, tos=packet.tos, len=message.desc["length"] - at, id=identification, flags="DF", ttl=TTL,
              proto=packet.proto, src=src, dst=packet.dst)  # fmt: skip
    # scapy sums the header with its options: zeros, which change no sum.
    return message.data[:at] + bytes(head) + bytes(end - at - 20) + message.data[end:]


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def headers_are_completed(dut, traffic):
    bench = await EngineBench.start(dut, "ipv4_tx", idle=traffic[0], stall=traffic[1], ip=OURS, ttl=TTL)
    sent = [outgoing() for _ in range(300)]
    out = await bench.run(sent)
    assert len(out) == len(sent)
    for identification, (message, result) in enumerate(zip(sent, out, strict=True)):
        assert result.data == completed(message, identification)
        assert result.bad == message.bad
        assert result.desc == result.desc | message.desc
        assert result.key == message.desc["port"]
    options = sum(m.desc["l4_offset"] - m.desc["l3_offset"] > 20 for m in sent)
    assert bench.events == {"mark_options_cleared": options}


@cocotb.test()
async def every_place_of_the_header(dut):
    bench = await EngineBench.start(dut, "ipv4_tx", ip=OURS, ttl=TTL)
    sent = [
        outgoing(size, tagged=tagged, options=random_options(words))
        for size in (0, 1, 50)
        for tagged in (False, True)
        for words in range(11)
    ]
    out = await bench.run(sent)
    assert [m.data for m in out] == [completed(m, i) for i, m in enumerate(sent)]


@cocotb.test()
async def a_message_without_its_length_leaves_void(dut):
    bench = await EngineBench.start(dut, "ipv4_tx", ip=OURS, ttl=TTL)
    sent = [outgoing() for _ in range(40)]
    for message in sent[::2]:
        message.desc["length"] = 0
    out = await bench.run(sent)
    assert [m.bad for m in out] == [m.bad or i % 2 == 0 for i, m in enumerate(sent)]


@cocotb.test()
async def junk_of_any_length_passes(dut):
    bench = await EngineBench.start(dut, "ipv4_tx", idle=0.1, stall=0.1, ip=OURS, ttl=TTL)
    sent = [
        Message(random.randbytes(random.randint(1, 200)), {"l3_offset": random.getrandbits(8), "length": 100})
        for _ in range(300)
    ]
    out = await bench.run(sent)
    assert [len(m.data) for m in out] == [len(m.data) for m in sent]


@cocotb.test()
async def two_cycles_and_no_bubbles(dut):
    bench = await EngineBench.start(dut, "ipv4_tx", ip=OURS, ttl=TTL)
    for size in (1, 18, 22, 86, 470, 1472, 8972):
        sent = [outgoing(size, tagged=False, options=[]) for _ in range(6)]
        out = await bench.run(sent)
        check_no_bubbles(out)
        # The window waits for the 34 bytes of headers, which are more than a flit at small widths.
        assert out[0].first - sent[0].first == 2 + flits_of(bytes(34)) - 1
