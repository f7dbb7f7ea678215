# SPDX-License-Identifier: Apache-2.0
"""echo: answers equal scapy's datagrams with addresses and ports swapped."""

import random

import cocotb
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether

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
def test_echo_engine(data_width):
    run_cocotb("echo_engine", __file__, data_width=data_width)


def datagram(size=None, tagged=None, options=None, **ports) -> Message:
    payload = random.randbytes(random_size() if size is None else size)
    packet = udp(payload, options=random_options() if options is None else options, **ports)
    frame, l3_offset, l4_offset = frame_of(packet, random.random() < 0.3 if tagged is None else tagged)
    desc = {
        "l3_offset": l3_offset,
        "l4_offset": l4_offset,
        "payload_offset": l4_offset + 8,
        "length": len(frame),
        "payload_sum_valid": 1,
        "payload_sum": random.getrandbits(16),
        "port": random.getrandbits(4),
        "tenant": random.getrandbits(4),
    }
    return Message(frame, desc, bad=random.random() < 0.1)


def swapped(frame: bytes) -> bytes:
    packet = Ether(frame)
    ip, udp_header = packet[IP], packet[UDP]
    ip.src, ip.dst = ip.dst, ip.src
    udp_header.sport, udp_header.dport = udp_header.dport, udp_header.sport
    return bytes(packet)  # the checksums stay: scapy keeps those that it has parsed


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def answers_are_the_requests_turned_round(dut, traffic):
    bench = await EngineBench.start(dut, "echo", idle=traffic[0], stall=traffic[1])
    sent = [datagram() for _ in range(150)]
    out = await bench.run(sent)
    assert len(out) == len(sent)
    for message, answer in zip(sent, out, strict=True):
        assert answer.data == swapped(message.data)
        assert answer.bad == message.bad
        assert answer.desc == answer.desc | message.desc
        assert answer.key == message.desc["port"]
    assert bench.events == {"mark_echoed": len(sent)}


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def services_do_not_answer_each_other(dut, traffic):
    """Requests come from the answering ports of RFC 862 to 868, from the port that is asked, and from port 0."""
    bench = await EngineBench.start(dut, "echo", idle=traffic[0], stall=traffic[1])
    sent, answered = [], []
    for port in [*range(64), 4000, 65535, *random.choices(range(65536), k=60)]:
        own = random.choice([7, 4000, 65535, random.getrandbits(16)])
        sent.append(datagram(sport=port, dport=own))
        if port not in (0, 7, 13, 17, 19, 37, own):
            answered.append(sent[-1])
    out = await bench.run(sent)
    assert [m.data for m in out] == [swapped(m.data) for m in answered]
    assert bench.events == {"mark_echoed": len(answered), "drop_source_port": len(sent) - len(answered)}


@cocotb.test()
async def void_messages_that_end_anywhere_pass(dut):
    bench = await EngineBench.start(dut, "echo")
    sent = []
    for end in range(1, 100):
        whole = datagram(size=60)
        sent += [Message(whole.data[:end], whole.desc, bad=True), datagram()]
    out = await bench.run(sent)
    assert [(len(m.data), m.bad) for m in out] == [(len(m.data), m.bad) for m in sent]
    assert [m.data for m in out[1::2]] == [swapped(m.data) for m in sent[1::2]]


@cocotb.test()
async def one_cycle_and_no_bubbles(dut):
    bench = await EngineBench.start(dut, "echo")
    for size in (1, 18, 22, 86, 470, 1472, 8972):
        sent = [datagram(size, tagged=False, options=[]) for _ in range(6)]
        out = await bench.run(sent)
        check_no_bubbles(out)
        # The window waits for the ports, 38 bytes, which are more than a flit at small widths.
        assert out[0].first - sent[0].first == flits_of(bytes(38))
