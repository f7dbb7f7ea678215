# SPDX-License-Identifier: Apache-2.0
"""ipip_tx and ipip_rx: what comes out is what scapy makes of each packet, and RFC 6040's table."""

from __future__ import annotations

import ipaddress
import itertools
import os
import random
from collections import Counter

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.layers.inet import IP, UDP

from girih.testing import run_cocotb
from girih.testing.engines import (
    TRAFFIC,
    EngineBench,
    check_no_bubbles,
    config_word,
    frame_of,
    random_options,
    random_size,
)
from girih.testing.messages import FLIT_BYTES, Message, flits_of

OURS = "10.77.0.2"
TUNNELS = [("192.168.7.0", "255.255.255.0", "10.77.0.9"), ("192.168.0.0", "255.255.0.0", "10.1.2.3"),
           ("0.0.0.0", "0.0.0.0", "10.77.0.254"), ("172.16.0.1", "255.255.255.255", "10.5.5.5")]  # fmt: skip
TTL, MTU = 61, 8000


@pytest.mark.parametrize("data_width", [512, *(pytest.param(width, marks=pytest.mark.thorough) for width in (128, 256, 1024))])
@pytest.mark.parametrize("kind", ["ipip_tx", "ipip_rx"])
def test_ipip_engine(kind, data_width):
    run_cocotb(f"{kind}_engine", __file__, data_width=data_width, environment={"GIRIH_KIND": kind})


def only(kind: str):
    return cocotb.test(skip=os.environ.get("GIRIH_KIND") != kind)


def array(addresses: list[str]) -> int:
    return sum(int(ipaddress.ip_address(address)) << 32 * n for n, address in enumerate(addresses))


def settings(enabled: int = 0b0011, tunnels=TUNNELS) -> dict[str, int | str]:
    columns = [array(list(column)) for column in zip(*tunnels, strict=True)]
    return {"ip": OURS, "ttl": TTL, "mtu": MTU, "to": columns[0], "mask": columns[1], "remote": columns[2], "enabled": enabled}


def message_of(packet: IP, tagged: bool | None = None, **desc) -> Message:
    frame, l3_offset, l4_offset = frame_of(packet, random.random() < 0.3 if tagged is None else tagged)
    return Message(frame, {"l3_offset": l3_offset, "l4_offset": l4_offset, "length": len(frame), "port": random.getrandbits(4)} | desc)


def inner_packet(dst: str, size: int | None = None, src: str = "192.168.99.2", **fields) -> IP:
    head = {"tos": random.getrandbits(8), "id": random.getrandbits(16), "ttl": random.randint(0, 255), "options": random_options()} | fields
    return IP(src=src, dst=dst, **head) / UDP(sport=1, dport=2) / random.randbytes(random_size() if size is None else size)


def tunnel_to(address: str, enabled: int) -> str | None:
    """The end of the first tunnel in use whose network has the address."""
    for number, (to, mask, remote) in enumerate(TUNNELS):
        if enabled >> number & 1 and ipaddress.ip_address(address) in ipaddress.ip_network(f"{to}/{mask}"):
            return remote
    return None


def split(message: Message) -> tuple[bytes, IP]:
    at = message.desc["l3_offset"]
    return message.data[:at], IP(message.data[at:])


DESTINATIONS = ["192.168.7.1", "192.168.7.255", "192.168.8.1", "192.169.0.1", "8.8.8.8", "172.16.0.1", "172.16.0.0"]


@only("ipip_tx")
@cocotb.parametrize(traffic=TRAFFIC)
async def packets_are_wrapped_for_the_first_tunnel_that_leads_there(dut, traffic):
    enabled = random.choice([0b0011, 0b1111, 0b1010, 0b1001])
    bench = await EngineBench.start(dut, "ipip_tx", idle=traffic[0], stall=traffic[1], **settings(enabled))
    sent, expected, why = [], [], Counter()
    for _ in range(250):
        dst = random.choice(DESTINATIONS)
        remote = tunnel_to(dst, enabled)
        src = random.choice(["192.168.99.2"] * 6 + [OURS, remote or OURS])
        message = message_of(inner_packet(dst, src=src))
        message.bad = random.random() < 0.1
        sent.append(message)
        if random.random() < 0.05:
            message.desc["length"] = 0
            why["drop_short"] += 1
        elif remote is None:
            why["drop_no_tunnel"] += 1
        elif len(message.data) - message.desc["l3_offset"] + 20 > MTU:
            why["drop_too_long"] += 1
        elif src in (OURS, remote):
            why["drop_loop"] += 1
        else:
            why["mark_encapsulated"] += 1
            expected.append((message, remote, len(sent) - 1))
    out = await bench.run(sent)
    assert bench.events == why
    for result, (message, remote, number) in zip(out, expected, strict=True):
        link, inner = split(message)
        outer = IP(src=OURS, dst=remote, tos=inner.tos, id=number, flags="DF", ttl=TTL, proto=4) / message.data[len(link) :]
        assert result.data == link + bytes(outer)
        assert result.bad == message.bad and result.key == message.desc["port"]
        assert result.desc == result.desc | message.desc | {"length": len(result.data), "l4_offset": len(link) + 20}


@only("ipip_tx")
async def the_largest_packet_of_a_tunnel(dut):
    """To the byte; and a larger mtu lets no message grow beyond the largest one of the card."""
    bench = await EngineBench.start(dut, "ipip_tx", **settings() | {"mtu": 1500})
    sizes = [1500 - 48, 1500 - 47]
    out = await bench.run([message_of(inner_packet("192.168.7.1", size, options=[]), tagged=False) for size in sizes])
    assert [len(m.data) for m in out] == [1514] and bench.events["drop_too_long"] == 1
    dut.cfg_i.value = config_word("ipip_tx", **settings() | {"mtu": 65535})
    sizes = [9018 - 14 - 48, 9018 - 14 - 47]
    out = await bench.run([message_of(inner_packet("192.168.7.1", size, options=[]), tagged=False) for size in sizes])
    assert [len(m.data) for m in out] == [9018] and bench.events["drop_too_long"] == 2


@only("ipip_tx")
async def a_tunnel_is_moved_between_two_packets(dut):
    """One write of `enabled` moves a network to another tunnel under full traffic: each packet has one end or the other, none is lost."""
    moved = [TUNNELS[0], (TUNNELS[0][0], TUNNELS[0][1], "10.200.0.1"), *TUNNELS[2:]]
    bench = await EngineBench.start(dut, "ipip_tx", **settings(0b0001, moved))
    sent = [message_of(inner_packet("192.168.7.1", random.choice([0, 18, 400]), options=[]), tagged=False) for _ in range(400)]
    bench.source.send(*sent)
    for turn in range(60):
        await ClockCycles(dut.clk_i, random.randint(1, 20))
        dut.cfg_i.value = config_word("ipip_tx", **settings(0b0010 if turn % 2 == 0 else 0b0001, moved))
    await bench.run([])
    out = bench.sink.messages
    ends = [IP(m.data[14:]) for m in out]
    assert len(out) == len(sent) and {end.dst for end in ends} == {TUNNELS[0][2], "10.200.0.1"}
    for end, message in zip(ends, sent, strict=True):
        checksum = end.chksum
        del end.chksum
        assert IP(bytes(end)).chksum == checksum and bytes(end)[20:] == message.data[14:]


@only("ipip_tx")
async def four_cycles_and_a_flit_in_every_cycle(dut):
    bench = await EngineBench.start(dut, "ipip_tx", **settings())
    for size in (1, 18, 86, 470, 1472, 7900):
        sent = [message_of(inner_packet("192.168.7.1", size, options=[]), tagged=False) for _ in range(6)]
        out = await bench.run(sent)
        check_no_bubbles(out)
        assert out[0].first - sent[0].first == 4 + flits_of(bytes(34)) - 1


CONGESTED, ECT0, ECT1, NOT_ECT = 3, 2, 1, 0
# RFC 6040, figure 4: rows are the inner field, columns the outer one.
ARRIVES = {
    NOT_ECT: {NOT_ECT: NOT_ECT, ECT0: NOT_ECT, ECT1: NOT_ECT, CONGESTED: None},
    ECT0: {NOT_ECT: ECT0, ECT0: ECT0, ECT1: ECT1, CONGESTED: CONGESTED},
    ECT1: {NOT_ECT: ECT1, ECT0: ECT1, ECT1: ECT1, CONGESTED: CONGESTED},
    CONGESTED: {NOT_ECT: CONGESTED, ECT0: CONGESTED, ECT1: CONGESTED, CONGESTED: CONGESTED},
}


def wrapped(inner: IP | bytes, src: str = TUNNELS[0][2], tos: int | None = None, options: list | None = None, **kwargs) -> Message:
    outer = IP(src=src, dst=OURS, proto=4, tos=random.getrandbits(8) if tos is None else tos, options=random_options() if options is None else options)
    return message_of(outer / bytes(inner), **kwargs)


def taken(message: Message, inner: IP) -> bytes | None:
    """The frame with the inner packet; None: it must be dropped. scapy computes the checksum from the bytes."""
    link, outer = split(message)
    ecn = ARRIVES[inner.tos & 3][outer.tos & 3]
    if ecn is None:
        return None
    inner = IP(bytes(inner))
    inner.tos = inner.tos & 0xFC | ecn
    del inner.chksum
    return link + bytes(inner)


@only("ipip_rx")
@cocotb.parametrize(traffic=TRAFFIC)
async def packets_are_taken_from_the_ends_of_tunnels(dut, traffic):
    enabled = 0b0101
    remotes = {"remote": array([remote for *_, remote in TUNNELS]), "enabled": enabled}
    bench = await EngineBench.start(dut, "ipip_rx", idle=traffic[0], stall=traffic[1], **remotes)
    sent, expected, why = [], [], Counter()
    for _ in range(250):
        inner = inner_packet("192.168.99.2")
        src = random.choice([TUNNELS[0][2]] * 4 + [TUNNELS[2][2], TUNNELS[1][2], "10.9.9.9"])
        message = wrapped(inner, src)
        message.bad = random.random() < 0.1
        sent.append(message)
        if random.random() < 0.05:  # cut off anywhere up to the inner header's end, or of unknown length
            if random.random() < 0.5:
                message.data = message.data[: random.randint(1, message.desc["l4_offset"] + 19)]
                message.bad = True
            else:
                message.desc["length"] = random.randint(0, message.desc["l4_offset"] + 19)
            why["drop_short"] += 1
        elif src in (TUNNELS[1][2], "10.9.9.9"):
            why["drop_no_tunnel"] += 1
        elif random.random() < 0.05:
            at = message.desc["l4_offset"]
            message.data = message.data[:at] + b"\x60" + message.data[at + 1 :]
            why["drop_inner"] += 1
        elif (frame := taken(message, inner)) is None:
            why["drop_congestion"] += 1
        else:
            outer = IP(message.data[message.desc["l3_offset"] :])
            why["mark_congestion"] += (outer.tos & 3) == CONGESTED != (inner.tos & 3)
            why["mark_decapsulated"] += 1
            expected.append((message, frame))
    out = await bench.run(sent)
    assert bench.events == +why
    for result, (message, frame) in zip(out, expected, strict=True):
        assert result.data == frame
        assert result.bad == message.bad and result.key == message.desc["port"]
        assert result.desc["length"] == len(frame) and result.desc["l3_offset"] == message.desc["l3_offset"]


@only("ipip_rx")
async def every_congestion_mark_and_every_type_of_service(dut):
    bench = await EngineBench.start(dut, "ipip_rx", remote=array([TUNNELS[0][2]] * 4), enabled=1)
    sent, expected = [], []
    for tos in range(256):
        for outer in range(4):
            inner = inner_packet("192.168.99.2", 0, tos=tos, options=[])
            sent.append(wrapped(inner, tos=outer, options=[]))
            expected.append(taken(sent[-1], inner))
    out = await bench.run(sent)
    assert [m.data for m in out] == [frame for frame in expected if frame is not None]


@only("ipip_rx")
async def every_place_of_the_inner_header(dut):
    bench = await EngineBench.start(dut, "ipip_rx", remote=array([TUNNELS[0][2]] * 4), enabled=1)
    sent, expected = [], []
    for tagged in (False, True):
        for words in range(11):
            for size in (0, 1, 30, FLIT_BYTES, 300):
                inner = inner_packet("192.168.99.2", size, tos=2)
                sent.append(wrapped(inner, tos=3, options=random_options(words), tagged=tagged))
                expected.append(taken(sent[-1], inner))
    out = await bench.run(sent)
    assert [m.data for m in out] == expected


@only("ipip_rx")
async def random_bytes_never_hang_it(dut):
    bench = await EngineBench.start(dut, "ipip_rx", idle=0.1, stall=0.1, remote=array([TUNNELS[0][2]] * 4), enabled=1)
    junk = []
    for _ in range(300):
        data = random.randbytes(random.randint(1, 300))
        desc = {"l3_offset": random.choice([14, 18, random.getrandbits(8)]), "l4_offset": random.getrandbits(8)}
        junk.append(Message(data, desc | {"length": random.choice([0, len(data), random.getrandbits(14)])}))
    out = await bench.run(junk)
    assert len(out) + sum(n for name, n in bench.events.items() if name.startswith("drop")) == len(junk)
    message = wrapped(inner := inner_packet("192.168.99.2", 9, tos=0), tos=0)
    assert (await bench.run([message]))[0].data == taken(message, inner)


@only("ipip_rx")
async def four_cycles_and_no_bubbles_within_messages(dut):
    bench = await EngineBench.start(dut, "ipip_rx", remote=array([TUNNELS[0][2]] * 4), enabled=1)
    for size in (1, 18, 86, 470, 1472, 7900):
        sent = [wrapped(inner_packet("192.168.99.2", size, tos=0, options=[]), tos=0, options=[], tagged=False) for _ in range(6)]
        out = await bench.run(sent)
        for message in out:
            assert message.last - message.first == flits_of(message.data) - 1
        for one, two in itertools.pairwise(sent):
            assert two.first - one.last == 1  # taken in every cycle
        assert out[0].first - sent[0].first == 4 + flits_of(bytes(54)) - 1 + (20 // FLIT_BYTES)
