# SPDX-License-Identifier: Apache-2.0
"""host_offload against scapy: segments of frames of all sorts, each rebuilt from its bytes; frames that cannot be cut; and others between them."""

import itertools
import os
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, IPv6ExtHdrRouting, PadN
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw

from girih.testing import WIDTHS, run_cocotb
from girih.testing.messages import FLIT_BYTES, PARAMS, Message, Sink, Source, flits_of, reset, settle

TCP4, TCP6, UDP_ANY, ECN = 1, 4, 5, 0x80  # gso_type
ALL = 0b1111  # all that can be allowed: TCP over IPv4, over IPv6, with CWR, UDP
CWR, PSH, FIN = 0x80, 0x08, 0x01
MAX_FRAME = PARAMS.max_frame
LARGEST = 65535 + 40 + 18
MOST_HEADERS = 190


@pytest.mark.parametrize("data_width", WIDTHS)
def test_host_offload(data_width):
    run_cocotb("host_offload", __file__, data_width=data_width)


def test_frames_of_one_flit():
    """Frames are as small as they can be, and the headers alone take two flits or more."""
    run_cocotb("host_offload", __file__, data_width=128, max_frame=64, testcase="in_the_smallest_frames")


def test_without_segmentation():
    run_cocotb("host_offload", __file__, parameters={"Segmentation": 0}, testcase="with_and_without_segmentation", environment={"GIRIH_SEGMENTATION": "0"})


@dataclass
class Case:
    """A frame of the host: its header, what leaves the card for it, and the number of frames that are dropped. cut: it counts as one that is cut."""

    frame: bytes
    header: bytes
    expected: list["Segment"] = field(default_factory=list)
    bad: bool = False
    dropped: int = 0
    cut: bool = False


@dataclass
class Segment:
    """What a frame on the wire is to be. whole: these bytes. Otherwise the data, and the values that differ between segments."""

    whole: bytes | None = None
    data: bytes = b""
    identification: int = 0
    sequence: int = 0
    flags: int = 0
    of: Packet | None = None


def header(gso_type: int = 0, gso_size: int = 0, start: int = 0, offset: int = 0, flags: int = 1) -> bytes:
    """struct virtio_net_hdr; hdr_len is anything."""
    return struct.pack("<BBHHHHH", flags, gso_type, random.getrandbits(16), gso_size, start, offset, random.getrandbits(16))


def link(tag: bool | None = None) -> Ether:
    frame = Ether(dst="02:00:00:00:00:01", src="02:00:00:00:00:02")
    return frame / Dot1Q(vlan=5, prio=random.randrange(8)) if tag or (tag is None and random.random() < 0.4) else frame


def ipv4() -> IP:
    options = [IPOption_NOP()] * random.choice((0, 0, 4, 12, 40))
    return IP(src=f"10.8.{random.randrange(256)}.1", dst="255.255.255.254", ttl=random.randrange(1, 255), tos=random.getrandbits(8), id=random.choice((0xFFFE, random.getrandbits(16))), flags=random.choice(("", "DF")), options=options)


def ipv6() -> Packet:
    packet = IPv6(src=f"2001:db8::{random.randrange(1, 65536):x}", dst="ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe", hlim=random.randrange(1, 255), tc=random.getrandbits(8), fl=random.getrandbits(20))
    if random.random() < 0.2:
        packet = packet / IPv6ExtHdrHopByHop(options=[PadN(optdata=bytes(random.choice((4, 12, 28))))])
    if random.random() < 0.2:
        packet = packet / IPv6ExtHdrDestOpt(options=[PadN(optdata=bytes(random.choice((4, 20))))])
    return packet


def tcp() -> TCP:
    options = random.choice(([], [("NOP", None), ("NOP", None), ("Timestamp", (1, 2))], [("NOP", None)] * 40))
    sequence = random.choice((0xFFFFFFF0, random.getrandbits(32)))
    return TCP(sport=random.randrange(1, 65536), dport=80, seq=sequence, ack=random.getrandbits(32), flags=0x10 | random.choice((0, PSH, FIN | PSH, FIN)) | random.choice((0, CWR, CWR | 0x40)), window=random.getrandbits(16), options=options)


def udp() -> UDP:
    return UDP(sport=random.randrange(1, 65536), dport=random.randrange(1, 65536))


def place_of(whole: Packet) -> int:
    """The place of the TCP or UDP header."""
    return len(whole) - len(whole[TCP] if TCP in whole else whole[UDP])


def large(size: int, gso_size: int, whole: Packet | None = None) -> Case:
    """A frame that is to be cut, with everything in its headers that does not matter at random."""
    whole = whole if whole is not None else link() / random.choice((ipv4, ipv6))() / random.choice((tcp, tcp, udp))()
    data = random.randbytes(size)
    start = place_of(whole)
    frame = bytearray(bytes(whole) + data)
    l3 = 18 if Dot1Q in whole else 14
    gso_type = UDP_ANY if UDP in whole else (TCP4 if IP in whole else TCP6) | (ECN if whole[TCP].flags & CWR or random.random() < 0.2 else 0)
    at = 16 if TCP in whole else 6
    frame[start + at : start + at + 2] = random.randbytes(2)
    if UDP in whole:
        frame[start + 4 : start + 6] = random.randbytes(2)
    if IP in whole:
        frame[l3 + 2 : l3 + 4] = random.randbytes(2)
        frame[l3 + 10 : l3 + 12] = random.randbytes(2)
    else:
        frame[l3 + 4 : l3 + 6] = random.randbytes(2)
    parts = [data[at : at + gso_size] for at in range(0, size, gso_size)]
    expected = []
    for number, part in enumerate(parts):
        segment = Segment(data=part, of=whole)
        if IP in whole:
            segment.identification = (whole[IP].id + number) % 65536
        if TCP in whole:
            segment.sequence = (whole[TCP].seq + number * gso_size) % 2**32
            gone = (0 if number == 0 else CWR) | (0 if number == len(parts) - 1 else FIN | PSH)
            segment.flags = int(whole[TCP].flags) & ~gone
        expected.append(segment)
    return Case(bytes(frame), header(gso_type, gso_size, start, at), expected, cut=True)


def check(found: bytes, expected: Segment) -> None:
    if expected.whole is not None:
        assert found == expected.whole
        return
    of = expected.of.copy()
    network = of[IP] if IP in of else of[IPv6]
    if IP in of:
        network.id = expected.identification
    if TCP in of:
        of[TCP].seq, of[TCP].flags = expected.sequence, expected.flags
    made = bytearray(bytes(of / Raw(expected.data)))
    start = place_of(expected.of)
    at = start + (16 if TCP in of else 6)
    if made[at : at + 2] == bytes(2):  # the card sends the other zero
        made[at : at + 2] = b"\xff\xff"
    assert found == bytes(made), f"\n{found.hex()}\n{bytes(made).hex()}"


def plain() -> Case:
    """A frame that is not to be cut, perhaps with a checksum."""
    data = random.randbytes(random.choice((14, 60, 64, 65, 1514, random.randint(14, min(2000, MAX_FRAME)))))
    data = data[:MAX_FRAME]
    if random.random() < 0.5 or len(data) < 40:
        return Case(data, header(flags=0), [Segment(whole=data)])
    start, offset = random.randrange(14, len(data) - 4), random.choice((0, 2))
    total = sum(int.from_bytes((data[start:] + bytes(1))[at : at + 2], "big") for at in range(0, len(data) - start, 2)) % 0xFFFF
    value = (~total & 0xFFFF or 0xFFFF) if total else 0xFFFF
    place = start + offset
    return Case(data, header(0, 0, start, offset), [Segment(whole=data[:place] + value.to_bytes(2, "big") + data[place + 2 :])])


class Bench:
    """The module, with counts of its pulses."""

    def __init__(self, dut):
        self.dut = dut
        self.made = self.dropped = self.cut = 0

    async def start(self, idle: float = 0.0, stall: float = 0.0, allowed: int = ALL) -> None:
        await reset(self.dut, in_valid_i=0, out_ready_i=0, clear_i=0, allowed_i=allowed, in_cut_i=0, in_header_i=0)
        self.source, self.sink = Source(self.dut, idle=idle, beside=self._beside), Sink(self.dut, stall=stall)
        cocotb.start_soon(self._count())

    @staticmethod
    def _beside(message: Message, index: int, _last: bool) -> dict[str, int]:
        bits = message.beside["header"] if index == 0 else random.getrandbits(96)
        return {"in_header_i": bits, "in_cut_i": int(bits >> 8 & 0xFF != 0)}

    async def _count(self) -> None:
        while True:
            await RisingEdge(self.dut.clk_i)
            self.made += int(self.dut.made_o.value)
            self.dropped += int(self.dut.drop_o.value)
            self.cut += int(self.dut.cut_o.value)

    def send(self, cases: list[Case]) -> None:
        self.source.send(*(Message(case.frame, beside={"header": int.from_bytes(case.header, "little")}, bad=case.bad) for case in cases))

    async def run(self, cases: list[Case]) -> list[Message]:
        self.send(cases)
        await settle(self.dut, self.source, self.sink, cycles=200, limit=2_000_000)
        expected = [segment for case in cases for segment in case.expected]
        for number, (message, segment) in enumerate(zip(self.sink.messages, expected, strict=False)):
            assert not message.bad, number
            check(message.data, segment)
        assert len(self.sink.messages) == len(expected)
        dropped = sum(case.dropped for case in cases)
        assert (self.made, self.dropped) == (len(expected) + dropped, dropped)
        assert self.cut == sum(case.cut for case in cases)
        return self.sink.messages


def some_size(gso_size: int) -> int:
    several = random.randint(1, 5) * gso_size
    return max(1, random.choice((several, several - 1, several + 1, random.randint(1, 4 * gso_size), gso_size // 2)))


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.3], stall=[0.0, 0.3])
async def segments_and_other_frames(dut, idle, stall):
    """Of all sorts, with data of any size, in order."""
    bench = Bench(dut)
    await bench.start(idle, stall)
    cases = []
    for _ in range(40):
        gso_size = random.choice((1, 2, 7, 60, 64, 536, 1448, 1460, random.randint(1, 2000)))
        cases.append(large(min(some_size(gso_size), 12 * gso_size), gso_size) if random.random() < 0.7 else plain())
    await bench.run(cases)


@cocotb.test()
async def everything_is_held_back(dut):
    """Until nothing has room any more, and then again and again: all leaves as it would have."""
    bench = Bench(dut)
    await bench.start(0.0, 1.0)

    async def release() -> None:
        waited = 0
        for _ in range(20_000):
            await RisingEdge(dut.clk_i)
            waited = waited + 1 if dut.in_valid_i.value == 1 and dut.in_ready_o.value == 0 else 0
            if waited == 100:
                bench.sink.stall = 0.5
                return
        raise AssertionError("there is always room")

    cocotb.start_soon(release())
    cases = [large(LARGEST - 94, 1460, link() / IP() / TCP(flags="A"))]
    for gso_size in (7, 64, 200, 536, 1448) * 4:
        cases += [large(random.randint(1, 10 * gso_size), gso_size), plain()]
    await bench.run([*cases, large(20_000, 1448)])


@cocotb.test()
async def sizes_at_their_limits(dut):
    """A byte of data, less than a segment, exactly one or two, a byte more; segments of a byte, and the largest; the largest frame."""
    bench = Bench(dut)
    await bench.start()
    cases = []
    for whole in (link() / ipv4() / tcp(), link() / ipv6() / tcp(), link() / ipv4() / udp()):
        for gso_size in (1, FLIT_BYTES, 1000):
            cases += [large(size, gso_size, whole) for size in (1, max(1, gso_size - 1), gso_size, gso_size + 1, 2 * gso_size, 2 * gso_size + 1)]
    whole = link(tag=True) / IPv6(**V6) / TCP(options=[("NOP", None)] * 16)
    cases.append(large(50, 7, link() / IP() / TCP(seq=0xFFFFFFF0)))  # the sequence number wraps between two segments
    cases += [large(LARGEST - 94, MAX_FRAME - 94, whole), large(2 * (MAX_FRAME - 94), MAX_FRAME - 94, whole)]
    await bench.run(cases)


@cocotb.test()
async def headers_end_anywhere_in_a_flit(dut):
    """Every length of the headers that there can be, with data that end at every byte of a flit."""
    bench = Bench(dut)
    await bench.start()
    cases = []
    for number in range(max(44, FLIT_BYTES // 4)):
        network = IP(options=[IPOption_NOP()] * 4 * (number % 11)) if number % 2 else IPv6(src="::1", dst="::2")
        whole = link() / network / TCP(seq=7, flags="A", options=[("NOP", None)] * 4 * (number // 4 % 11))
        cases.append(large(2 * FLIT_BYTES + 4 * number + random.randrange(4), FLIT_BYTES + random.randrange(FLIT_BYTES), whole))
    await bench.run(cases)


def wrong_header(**changes: int) -> Callable[[], Case]:
    """A good TCP frame over IPv4 with another header before it."""

    def make() -> Case:
        good = {"gso_type": TCP4, "gso_size": 100, "start": 34, "offset": 16}
        return Case(bytes(link(tag=False) / IP() / TCP() / Raw(bytes(300))), header(**good | changes), dropped=1)

    return make


def wrong_frame(make: Callable[[], Packet | bytes], gso_type: int = TCP4, start: int = 34, offset: int = 16, gso_size: int = 100) -> Callable[[], Case]:
    return lambda: Case(bytes(make()), header(gso_type, gso_size, start, offset), dropped=1)


V6 = {"src": "::1", "dst": "::2"}
# A good frame of each sort that can be cut, with each header that says what follows.
GOOD = [IP() / TCP(flags="A"), IP() / UDP(), IPv6(**V6) / TCP(flags="A"), IPv6(**V6) / UDP(), IPv6(**V6) / IPv6ExtHdrDestOpt(options=[PadN(optdata=bytes(4))]) / TCP(flags="A")]
LONG = [IPv6ExtHdrDestOpt(options=[PadN(optdata=bytes(random.choice((100, 120))))]) for _ in range(2)]
WRONG = [
    wrong_header(gso_size=0),
    wrong_header(flags=0),
    wrong_header(start=32),
    wrong_header(start=36),
    wrong_header(start=0x8022),
    wrong_header(offset=6),
    wrong_header(offset=0x8010),
    wrong_header(gso_size=MAX_FRAME - 53),
    wrong_header(gso_size=0xFFFF),
    *(wrong_header(gso_type=kind) for kind in (TCP6, UDP_ANY, 2, 3, 6, 0x41, ECN, ECN | UDP_ANY, 0x7F, 0xFF)),
    wrong_frame(lambda: link(tag=False) / IP() / UDP() / bytes(300)),
    wrong_frame(lambda: link(tag=False) / IP() / TCP() / bytes(300), UDP_ANY, offset=6),
    wrong_frame(lambda: link(tag=False) / IPv6(**V6) / TCP() / bytes(300), TCP4, start=54),
    wrong_frame(lambda: link(tag=False) / IPv6(**V6) / UDP() / bytes(300), TCP6, start=54),
    wrong_frame(lambda: link(tag=False) / IPv6(**V6) / IPv6ExtHdrRouting() / TCP() / bytes(300), TCP6, start=62),
    wrong_frame(lambda: link(tag=False) / IPv6(**V6) / IPv6ExtHdrHopByHop() / IPv6ExtHdrFragment() / TCP() / bytes(300), TCP6, start=70),
    wrong_frame(lambda: link(tag=False) / IPv6(**V6, version=5) / TCP() / bytes(300), TCP6, start=54),
    wrong_frame(lambda: link(tag=False) / IPv6(**V6) / LONG[0] / LONG[1] / TCP() / bytes(600), TCP6, start=54),
    wrong_frame(lambda: link(tag=False) / IP() / ICMP() / bytes(300)),
    wrong_frame(lambda: link(tag=False) / IP(version=6) / TCP() / bytes(300)),
    wrong_frame(lambda: link(tag=False) / IP(ihl=4) / TCP() / bytes(300)),
    wrong_frame(lambda: link(tag=False) / IP(flags="MF") / TCP() / bytes(300)),
    wrong_frame(lambda: link(tag=False) / IP(frag=1) / TCP() / bytes(300)),
    wrong_frame(lambda: link(tag=False) / IP() / TCP(dataofs=4) / bytes(300)),
    wrong_frame(lambda: link(tag=False) / ARP() / bytes(300)),
    wrong_frame(lambda: link(tag=True) / Dot1Q(vlan=2) / IP() / TCP() / bytes(300), start=42),
    wrong_frame(lambda: bytes(LARGEST)),
]


def truncated(whole: Packet, gso_type: int, offset: int) -> list[Case]:
    """The frame ends somewhere in its headers, or right behind."""
    data, start = bytes(whole), place_of(whole)
    return [Case(data[:size], header(gso_type, 100, start, offset), dropped=1) for size in range(14, len(data) + 1)]


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.3])
async def what_cannot_be_cut_is_dropped(dut, idle):
    """And counted, whatever is wrong; the frames around it leave."""
    bench = Bench(dut)
    await bench.start(idle, idle)
    wrong = [make() for make in WRONG]
    wrong += truncated(link(tag=False) / IP() / TCP(), TCP4, 16) + truncated(link(tag=True) / IPv6(**V6) / UDP(), UDP_ANY, 6)
    cases = []
    for case in wrong:
        cases += [*random.choice(([], [plain()], [large(300, 150)], [large(20, 5), plain()])), case]
    await bench.run([*cases, plain(), large(3000, 1000)])


def flipped(whole: Packet) -> list[Case]:
    """The frame with each bit flipped of what says which headers it has and where, one at a time."""
    good = large(300, 100, whole)
    l3 = 18 if Dot1Q in whole else 14
    four = IP in whole
    # Of the frame: byte, mask of the bits. EtherType, version, fragment, and the protocol of what follows.
    fields = [(l3 - 2, 0xFF), (l3 - 1, 0xFF), (l3, 0xF0), *([(l3 + 6, 0x3F), (l3 + 7, 0xFF), (l3 + 9, 0xFF)] if four else [(l3 + 6, 0xFF)])]
    if IPv6ExtHdrDestOpt in whole:
        fields.append((l3 + 40, 0xFF))
    # Of virtio_net_hdr: NEEDS_CSUM, gso_type, csum_start, csum_offset.
    asked = [(0, 1), (1, 0xFF if UDP in whole else 0x7F), (6, 0xFF), (7, 0xFF), (8, 0xFF), (9, 0xFF)]  # TCP can have the flag CWR
    cases = []
    for in_header, at, bits in [*((False, *one) for one in fields), *((True, *one) for one in asked)]:
        for bit in (1 << number for number in range(8) if bits >> number & 1):
            frame, start = bytearray(good.frame), bytearray(good.header)
            (start if in_header else frame)[at] ^= bit
            if start[1]:  # otherwise no segments are requested
                cases.append(Case(bytes(frame), bytes(start), dropped=1))
    return cases


@cocotb.test()
async def every_bit_counts(dut):
    """Of the fields that are compared, in each sort of frame: with any bit flipped, the frame is dropped."""
    bench = Bench(dut)
    await bench.start()
    cases = []
    for whole in GOOD:
        good = large(300, 100, link() / whole)
        cases += [good, *flipped(good.expected[0].of)]
    await bench.run(cases)


@cocotb.test()
async def headers_that_are_too_short_or_too_long(dut):
    """Headers of up to 190 bytes, and none beyond; a length of the IPv4 or TCP header that is less than the least, with csum_start where that
    places the upper header."""
    bench = Bench(dut)
    await bench.start()
    cases, sizes = [], set()
    uppers = [UDP(), *(TCP(flags="A", options=[("NOP", None)] * options) for options in range(0, 44, 4))]
    for tag, padded, upper in itertools.product((False, True), range(96, 144, 8), uppers):
        whole = link(tag) / IPv6(**V6) / IPv6ExtHdrDestOpt(options=[PadN(optdata=bytes(padded - 4))]) / upper
        case = large(60, 40, whole)
        if len(whole) > MOST_HEADERS:
            case.expected, case.dropped, case.cut = [], 1, False
        sizes.add(len(whole))
        cases.append(case)
    assert {MOST_HEADERS - 4, MOST_HEADERS, MOST_HEADERS + 4} < sizes
    for words in range(5):
        before = bytes(link(False) / IP(ihl=words, proto=6))[: 14 + 4 * words]
        cases.append(Case(before + bytes(TCP(flags="A")) + bytes(300), header(TCP4, 100, len(before), 16), dropped=1))
        cases.append(Case(bytes(link(False) / IP() / TCP(dataofs=words) / bytes(300)), header(TCP4, 100, 34, 16), dropped=1))
    for units in (16, 32, 64, 128):  # an extension beyond the limit, with a TCP header where it would end if it were short
        extension = bytes([6, units, 1, 4, 0, 0, 0, 0]) + bytes(TCP(flags="A"))
        before = bytes(link(False) / IPv6(**V6, nh=60))
        cases.append(Case(before + extension + bytes(8 * units), header(TCP6, 100, len(before) + 8, 16), dropped=1))
    await bench.run([*cases, plain(), large(300, 100)])


@cocotb.test()
async def only_what_was_negotiated(dut):
    """Each of the four sorts alone."""
    bench = Bench(dut)
    await bench.start()
    sorts = [IP() / TCP(flags="A"), IPv6(**V6) / TCP(flags="A"), IP() / TCP(flags="CA"), IP() / UDP(), IPv6(**V6) / UDP()]
    expected = {1: {0}, 2: {1}, 4: set(), 5: {0, 2}, 8: {3, 4}, 0: set()}
    done = []
    for allowed, good in expected.items():
        dut.allowed_i.value = allowed
        for number, whole in enumerate(sorts):
            case = large(250, 100, link() / whole)
            if number != 2:
                case.header = case.header[:1] + bytes([case.header[1] & ~ECN]) + case.header[2:]
            if number not in good:
                case.expected, case.dropped, case.cut = [], 1, False
            done.append(case)
            bench.send([case])
            await settle(dut, bench.source, bench.sink, cycles=100)
    found = [message.data for message in bench.sink.messages]
    segments = [segment for case in done for segment in case.expected]
    assert len(found) == len(segments)
    for data, segment in zip(found, segments, strict=True):
        check(data, segment)
    assert bench.dropped == sum(case.dropped for case in done)


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.3])
async def frames_that_are_cut_off(dut, stall):
    """Segments before the end leave, the one with the end is dropped, and so is a frame that ends in its headers."""
    bench = Bench(dut)
    await bench.start(0.0, stall)
    cases = []
    for _ in range(40):
        gso_size = random.choice((1, 10, 100, 1000))
        case = large(random.randint(1, min(3000, 20 * gso_size)), gso_size)
        start, case.bad, case.dropped = len(case.frame) - sum(len(segment.data) for segment in case.expected), True, 1
        whole = (flits_of(case.frame) - 1) * FLIT_BYTES  # the last flit is not the frame's
        case.cut = whole > start
        case.expected = case.expected[: (whole - start) // struct.unpack_from("<H", case.header, 4)[0]] if case.cut else []
        cases += [case, random.choice((plain, lambda: large(30, 20)))()]
    await bench.run(cases)


@cocotb.test()
async def a_long_frame_is_cut(dut):
    """One that requests nothing, but is larger than a frame: what leaves is bad, and all behind it is discarded until the queue is clear."""
    bench = Bench(dut)
    await bench.start()
    for size in (MAX_FRAME, MAX_FRAME + 1, MAX_FRAME + 3 * FLIT_BYTES, LARGEST):
        number = len(bench.sink.messages)
        frame = random.randbytes(size)
        bench.send([Case(frame, header(flags=0)), *([plain(), large(3000, 1000)] if size > MAX_FRAME else [])])
        await settle(dut, bench.source, bench.sink, cycles=100)
        (message,) = bench.sink.messages[number:]
        assert message.data == frame[:MAX_FRAME] and message.bad == (size > MAX_FRAME) == (dut.too_long_o.value == 1)
        assert (bench.made, bench.dropped, bench.cut) == (number + 1, 0, 0)
        dut.clear_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.clear_i.value = 0
        await RisingEdge(dut.clk_i)
        assert dut.too_long_o.value == 0
    number = len(bench.sink.messages)
    last = [plain(), large(3000, 1000)]
    bench.send(last)
    await settle(dut, bench.source, bench.sink, cycles=100)
    assert len(bench.sink.messages) - number == 1 + len(last[1].expected)


@cocotb.test()
async def with_and_without_segmentation(dut):
    """A card without it drops and counts what requests it."""
    bench = Bench(dut)
    await bench.start(0.0, 0.1)
    cases = [make() for _ in range(10) for make in (plain, lambda: large(300, 100))]
    if os.environ.get("GIRIH_SEGMENTATION") == "0":
        for case in cases[1::2]:
            case.expected, case.dropped, case.cut = [], 1, False
    await bench.run(cases)


@cocotb.test()
async def in_the_smallest_frames(dut):
    """Where the largest frame leaves little room behind headers."""
    bench = Bench(dut)
    await bench.start(0.0, 0.1)
    cases = []
    for _ in range(40):
        whole = link() / random.choice((IP() / UDP(), IP() / TCP(), IPv6(**V6) / UDP()))
        most = min(MAX_FRAME - len(whole), 30)
        cases.append(large(random.randint(1, 60), max(1, most), whole))
        if most < 1:
            cases[-1].expected, cases[-1].dropped, cases[-1].cut = [], 1, False
        cases.append(plain())
    await bench.run(cases)


async def cycles_of(dut, cases: list[Case]) -> tuple[int, int]:
    """Cycles from the first flit to the last at the output, and the flits."""
    bench = Bench(dut)
    await bench.start()
    messages = await bench.run(cases)
    return messages[-1].last - messages[0].first, sum(flits_of(message.data) for message in messages)


@cocotb.test()
async def as_fast_as_promised(dut):
    """A segment takes a cycle for each flit of its headers, for each that its data touch, and perhaps for its end."""
    for size, gso_size in ((30_000, 1448), (30_000, 1460)):
        cases = [large(size, gso_size, link(tag=False) / IP() / TCP(flags="A", options=[("NOP", None)] * 12 * (gso_size == 1448))) for _ in range(2)]
        cycles, flits = await cycles_of(dut, cases)
        segments = sum(len(case.expected) for case in cases)
        headers = flits_of(bytes(66 if gso_size == 1448 else 54))
        dut._log.info("gso_size %d: %d flits in %d cycles, %.1f %%, %.1f cycles a segment", gso_size, flits, cycles, 100 * flits / cycles, cycles / segments)
        assert cycles / segments <= headers + gso_size / FLIT_BYTES + 2


def cycles_for(case: Case, gso_size: int) -> list[int]:
    """The cycles that each segment is to take."""
    headers, found = len(case.expected[0].of), []
    for number, segment in enumerate(case.expected):
        start = headers + number * gso_size
        end = start + len(segment.data)
        touched = (end - 1) // FLIT_BYTES - start // FLIT_BYTES + 1
        last = min(len(segment.data), (end - 1) % FLIT_BYTES + 1)  # bytes in the last of them
        own = (headers + len(segment.data) - last) % FLIT_BYTES + last > FLIT_BYTES  # the end needs a flit of its own
        found.append(flits_of(bytes(headers)) + max(9, touched + own))
    return found


@cocotb.test()
async def small_segments_take_what_is_promised(dut):
    """Of any size: the values in the headers of a segment take nine cycles, in which the data before may leave."""
    for gso_size in (1, 2, FLIT_BYTES, 4 * FLIT_BYTES + 3, 8 * FLIT_BYTES, 9 * FLIT_BYTES + 1, 12 * FLIT_BYTES + 5):
        for whole in GOOD:
            case = large(20 * gso_size, gso_size, link(tag=False) / whole)
            bench = Bench(dut)
            await bench.start()
            messages = await bench.run([case])
            cycles, promised = messages[-1].last - messages[0].last, sum(cycles_for(case, gso_size)[1:])
            dut._log.info("gso_size %d, headers of %d: %d cycles, %d promised", gso_size, len(whole) + 14, cycles, promised)
            assert abs(cycles - promised) <= 2


@cocotb.test()
async def other_frames_wait_for_nothing(dut):
    """A frame that requests nothing leaves four cycles after it has come, as host_checksum promises, and one follows another."""
    bench = Bench(dut)
    await bench.start()
    await bench.run([Case(bytes(60), header(flags=0), [Segment(whole=bytes(60))]) for _ in range(20)])
    (first, *_, last) = bench.sink.messages
    assert last.last - first.first == 20 * flits_of(bytes(60)) - 1
