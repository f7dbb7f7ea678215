# SPDX-License-Identifier: Apache-2.0
"""host_verify against frames that scapy makes: checksums that are right, and the same frames with a bit that is not; all sorts of frames of which
nothing is said."""

import random
import struct

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP, in4_chksum
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, in6_chksum
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw

from girih.testing import WIDTHS, run_cocotb
from girih.testing.messages import Message, settle, start

SIZES = (0, 1, 2, 17, 18, 19, 60, 80, 81, 82, 83, 100, 1399)


@pytest.mark.parametrize("data_width", WIDTHS)
def test_host_verify(data_width):
    run_cocotb("host_verify", __file__, data_width=data_width)


def link() -> Ether:
    frame = Ether(dst="02:00:00:00:00:01", src="02:00:00:00:00:02")
    return frame / Dot1Q(vlan=5, prio=random.randrange(8)) if random.random() < 0.4 else frame


def segment():
    ports = {"sport": random.randrange(1, 65536), "dport": random.randrange(1, 65536)}
    data = Raw(random.randbytes(random.choice([*SIZES, random.randrange(300)])))
    return (TCP(**ports, seq=random.getrandbits(32), options=random.choice(([], [("MSS", 1460)]))) if random.random() < 0.5 else UDP(**ports)) / data


def packet(payload, **more):
    if random.random() < 0.5:
        return IP(src=f"10.8.{random.randrange(256)}.1", dst=f"10.9.{random.randrange(256)}.2", ttl=random.randrange(1, 255), flags=random.choice(("", "DF")), **more) / payload
    return IPv6(src=f"2001:db8::{random.randrange(1, 65536):x}", dst="2001:db8::2", hlim=random.randrange(1, 255)) / payload


def spoilt(data: bytes, start: int) -> bytes:
    """With a bit from there on that is another."""
    at = random.randrange(8 * start, 8 * len(data))
    return data[: at // 8] + bytes([data[at // 8] ^ 1 << at % 8]) + data[at // 8 + 1 :]


def padded(data: bytes) -> bytes:
    """With what a sender, or a hostile one, puts behind the packet."""
    least = max(0, 60 - len(data))
    return data + random.choice((bytes(least), random.randbytes(least + random.randrange(20))))


def right() -> bytes:
    return padded(bytes(link() / packet(segment())))


def wrong() -> bytes:
    whole = link() / packet(segment())
    bottom = whole[TCP] if TCP in whole else whole[UDP]
    data = bytes(whole)
    size = len(bytes(bottom))
    # A bit of ports, data or the checksum; lengths of UDP are another matter.
    while True:
        other = spoilt(data, len(data) - size)
        if UDP not in whole or other[len(data) - size + 4 : len(data) - size + 6] == data[len(data) - size + 4 : len(data) - size + 6]:
            return padded(other)


def wrong_address() -> bytes:
    whole = bytes(link() / IP(src="10.0.0.1", dst="10.0.0.2") / segment())
    at = whole.index(bytes([10, 0, 0, 1])) + random.randrange(8)
    return padded(whole[:at] + bytes([whole[at] ^ 0x80]) + whole[at + 1 :])


def summed(network: IP | IPv6, segment: bytes) -> bytes:
    """A segment, and two bytes behind it by which the sum of all is right."""
    of = in6_chksum(network.nh, network, segment + bytes(2)) if isinstance(network, IPv6) else in4_chksum(network.proto, network, segment + bytes(2))
    return segment + of.to_bytes(2, "big")


def unknown() -> bytes:
    """Nothing is said of these, although nothing may be wrong."""
    sort = random.randrange(11)
    if sort == 0:
        data = bytes(link() / ARP())
    elif sort == 1:
        data = bytes(link() / packet(ICMP()))
    elif sort == 2:
        data = bytes(link() / IP(options=[IPOption_NOP()] * 4) / segment())
    elif sort == 3:
        data = bytes(link() / IP(flags="MF", frag=random.choice((0, 7))) / segment())
    elif sort == 4:
        data = bytes(link() / IP() / UDP(chksum=0) / Raw(random.randbytes(30)))
    elif sort == 5:
        data = bytes(link() / IPv6(dst="2001:db8::2") / IPv6ExtHdrDestOpt() / segment())
    elif sort == 6:  # the length of UDP is another, and the sum right for that of the packet
        data = bytes(link() / packet(UDP(len=20) / Raw(random.randbytes(40))))
    elif sort == 7:  # cut off
        frame = bytes(link() / packet(segment() / Raw(bytes(80))))
        return frame[: random.randrange(60, len(frame))]
    elif sort == 8:  # UDP over IPv6 without a checksum, which would be 0xffff
        payload = random.randbytes(2 * random.randrange(40))
        network = IPv6(src="2001:db8::1", dst="2001:db8::2", nh=17)
        data = bytes(link() / network / Raw(summed(network, struct.pack(">HHHH", 1, 2, 8 + len(payload) + 2, 0) + payload)))
    elif sort == 9:  # less than a header of TCP
        network = random.choice((IP(src="10.0.0.1", dst="10.0.0.2", proto=6), IPv6(src="2001:db8::1", dst="2001:db8::2", nh=6)))
        data = bytes(link() / network / Raw(summed(network, random.randbytes(2 * random.randrange(3, 9)))))
    else:
        data = bytes(Ether() / Dot1Q(vlan=1) / Dot1Q(vlan=2) / packet(segment()))
    return padded(data)


async def said(dut, frames: list[bytes], idle: float, stall: float) -> list[bool]:
    source, sink = await start(dut, idle, stall)
    told: list[bool] = []

    async def watch() -> None:
        while True:
            await RisingEdge(dut.clk_i)
            if dut.out_valid_o.value == 1 and dut.out_ready_i.value == 1:
                right_now = dut.out_right_o.value == 1
                if len(sink.messages) > len(told):
                    told.append(right_now)

    cocotb.start_soon(watch())
    source.send(*(Message(frame) for frame in frames))
    await settle(dut, source, sink)
    assert [message.data for message in sink.messages] == frames
    return told


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.3], stall=[0.0, 0.3])
async def right_ones_are_told(dut, idle, stall):
    """And no other."""
    cases = [(make(), make is right) for make in random.choices((right, wrong, wrong_address, unknown), (3, 2, 1, 3), k=400)]
    told = await said(dut, [frame for frame, _ in cases], idle, stall)
    assert len(told) == len(cases)
    for number, ((frame, expected), found) in enumerate(zip(cases, told, strict=True)):
        assert found == expected, (number, frame.hex())


@cocotb.test()
async def large_frames(dut):
    frames = []
    for size in (1472, 2000, 4001, 8900):
        whole = bytes(link() / packet(UDP() / Raw(random.randbytes(size))))
        frames += [whole, spoilt(whole, len(whole) - size), struct.pack("6s6sH", bytes(6), bytes(6), 0) + whole[14:]]
    assert await said(dut, frames, 0.0, 0.1) == 4 * [True, False, False]
