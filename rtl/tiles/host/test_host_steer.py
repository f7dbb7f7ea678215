# SPDX-License-Identifier: Apache-2.0
"""host_steer: each frame goes whole to the pair that the table has for its flow. A frame is made together with the bytes that its flow is to have; the
hash is the remainder of a long division."""

import random
from dataclasses import dataclass

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from scapy.layers.inet import IP, TCP, UDP, IPOption_NOP
from scapy.layers.inet6 import (
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrRouting,
    Jumbo,
    PadN,
)
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw

from girih.spec.message import unpack
from girih.testing import WIDTHS, run_cocotb
from girih.testing.clock import cycle_now
from girih.testing.messages import FLIT_BYTES, FLIT_FIELDS, Message, Source, flits_of, reset

PAIRS, ENTRIES = 4, 32
POLYNOMIAL = 0x13D65
PORTS = (6, 17)  # the protocols that have them
EXTENSIONS = (0, 43, 44, 50, 51, 59, 60, 135, 139, 140, 253, 254)  # IANA's next headers that are not of a transport
HEADERS = 86  # bytes that a frame waits for


@pytest.mark.parametrize("data_width", WIDTHS)
def test_host_steer(data_width):
    run_cocotb("host_steer", __file__, data_width=data_width, parameters={"Pairs": PAIRS})


@dataclass
class Case:
    """A frame, the bytes of its flow, and how many bytes of the frame tell them; flow None: it has none."""

    data: bytes
    flow: bytes | None = None
    need: int = 0

    def cut(self, size: int) -> "Case":
        """The first bytes of the frame."""
        return Case(self.data[:size], self.flow if size >= self.need else None, self.need)


def entry_of(flow: bytes) -> int:
    """The entry of the table: the uppermost 5 bits of the CRC, whose register begins with ones."""
    bits = 8 * len(flow)
    rest = (int.from_bytes(flow) ^ 0xFFFF << bits - 16) << 16
    while rest >> 16:
        rest ^= POLYNOMIAL << rest.bit_length() - 17
    return rest >> 11


def link() -> Ether:
    frame = Ether(dst=random.randbytes(6), src=random.randbytes(6))
    return frame / Dot1Q(vlan=random.getrandbits(12), prio=random.randrange(8)) if random.random() < 0.4 else frame


def payload(least: int = 0) -> bytes:
    return random.randbytes(random.choice((least, least + 1, random.randrange(least, 300), random.randrange(least, 60))))


def dotted(address: bytes) -> str:
    return ".".join(map(str, address))


def colons(address: bytes) -> str:
    return ":".join(address[at : at + 2].hex() for at in range(0, 16, 2))


def transport(protocol: int, ports: bytes) -> Packet:
    of = {"sport": int.from_bytes(ports[:2]), "dport": int.from_bytes(ports[2:])}
    return (TCP(**of, seq=random.getrandbits(32), flags=random.getrandbits(8)) if protocol == 6 else UDP(**of)) / Raw(payload())


def ipv4() -> Case:
    """With options and without, fragments, protocols with ports and without."""
    src, dst, ports = random.randbytes(4), random.randbytes(4), random.randbytes(4)
    protocol = random.choice((6, 17, 6, 17, random.getrandbits(8)))
    flags, offset = random.choice((("", 0), ("DF", 0), ("MF", 0), ("", random.choice((1, 0x1000, 0x1FFF))), ("MF", 5)))
    words = random.choice((0, 0, 1, 2, 5, 10))
    start = link()
    header = start / IP(src=dotted(src), dst=dotted(dst), proto=protocol, flags=flags, frag=offset, tos=random.getrandbits(8), ttl=random.getrandbits(8), id=random.getrandbits(16), options=[IPOption_NOP()] * 4 * words)
    place = len(start) + 20
    if protocol in PORTS and "MF" not in flags and offset == 0:
        return Case(bytes(header / transport(protocol, ports)), src + dst + bytes([protocol]) + ports, place + 4 * words + 4)
    return Case(bytes(header) + payload(), src + dst + bytes([protocol]) + bytes(4), place)


def ipv6(below: Packet | None = None, next_header: int | None = None) -> Case:
    """What directly follows the header is TCP, UDP or, by default, also anything else."""
    src, dst, ports = random.randbytes(16), random.randbytes(16), random.randbytes(4)
    if next_header is None:
        next_header = random.choice((6, 17, 6, 17, 6, 17, 58, random.choice(EXTENSIONS), random.getrandbits(8)))
    start = link()
    header = start / IPv6(src=colons(src), dst=colons(dst), nh=next_header, tc=random.getrandbits(8), fl=random.getrandbits(20), hlim=random.getrandbits(8))
    has_ports = next_header in PORTS
    if below is None:
        below = transport(next_header, ports) if has_ports else Raw(payload(1))
    return Case(bytes(header / below), src + dst + bytes([next_header]) + (ports if has_ports else bytes(4)), len(start) + 40 + 4 * has_ports)


def extended() -> Case:
    """IPv6 with extension headers before TCP or UDP: jumbograms, fragments and atomic ones, options, routing."""
    above = transport(random.choice(PORTS), random.randbytes(4))
    next_header, extension = random.choice(
        (
            (0, IPv6ExtHdrHopByHop(options=[Jumbo(jumboplen=random.randrange(65536, 1 << 32))])),
            (0, IPv6ExtHdrHopByHop(options=[PadN(optdata=bytes(random.choice((4, 12))))])),
            (44, IPv6ExtHdrFragment(offset=random.choice((0, 0, 1, 0x1FFF)), m=random.getrandbits(1), id=random.getrandbits(32))),
            (60, IPv6ExtHdrDestOpt(options=[PadN(optdata=bytes(4))])),
            (43, IPv6ExtHdrRouting(addresses=["2001:db8::1"])),
        )
    )
    if random.random() < 0.3:
        extension = extension / IPv6ExtHdrFragment(id=random.getrandbits(32))
    case = ipv6(extension / above, next_header)
    if next_header == 0 and random.random() < 0.5:  # the length of a jumbogram is in its option
        at = case.need - 40 + 4
        case.data = case.data[:at] + bytes(2) + case.data[at + 2 :]
    return case


def cut_off() -> Case:
    """Ends within its headers, or right behind what its flow needs."""
    case = random.choice((ipv4, ipv6, extended))()
    return case.cut(random.choice((case.need + random.choice((-5, -4, -1, 0, 1)), random.randint(1, HEADERS + 1))))


def changed(case: Case, at: int, value: int) -> Case:
    """Without a flow, for a byte of its headers."""
    return Case(case.data[:at] + bytes([value]) + case.data[at + 1 :])


def without() -> Case:
    """ARP, two tags, other EtherTypes, and versions that are not the EtherType's."""
    sort = random.randrange(5)
    if sort == 0:
        return Case(bytes(link() / ARP()) + payload(18))
    if sort == 1:
        two = Ether() / Dot1Q(vlan=1) / Dot1Q(vlan=2) / random.choice((IP() / UDP(), IPv6() / UDP()))
        return Case(bytes(two) + payload(20))
    four = random.random() < 0.5
    case = (ipv4 if four else ipv6)()
    tagged = case.data[12:14] == b"\x81\0"
    place = 18 if tagged else 14
    if sort == 2:  # a bit of the EtherType, or of the tag's
        at = random.choice((12, 13, 16, 17) if tagged else (12, 13))
        return changed(case, at, case.data[at] ^ 1 << random.randrange(8))
    if sort == 3:
        return changed(case, place, case.data[place] ^ random.randrange(1, 16) << 4)
    return Case(case.data[: place - 2] + (b"\x86\xdd" if four else b"\x08\0") + case.data[place:])


def short_header() -> Case:
    """An IPv4 header that says it has fewer words than five: the addresses are there, and no ports."""
    case = ipv4()
    place = 18 if case.data[12:14] == b"\x81\0" else 14
    data = case.data[:place] + bytes([0x40 | random.randrange(5)]) + case.data[place + 1 :]
    return Case(data, case.flow[:9] + bytes(4), place + 20)


class Pairs:
    """Takes what comes out, with the pair and the cycles of its first and last flit."""

    def __init__(self, dut, stall: float):
        self.dut, self.stall = dut, stall
        self.came: list[tuple[int, Message]] = []
        self.open: tuple[int, Message] | None = None
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut, held = self.dut, None
        while True:
            await RisingEdge(dut.clk_i)
            valid = int(dut.out_valid_o.value) if dut.rst_i.value == 0 else 0
            assert valid & valid - 1 == 0, "a flit for two pairs"
            assert held in (None, valid), "a flit has gone, or has another pair"
            held = None
            if valid & int(dut.out_ready_i.value):
                self._take(valid.bit_length() - 1, unpack(FLIT_FIELDS, int(dut.out_flit_o.value)))
            elif valid:
                held = valid
            dut.out_ready_i.value = sum(1 << pair for pair in range(PAIRS) if random.random() >= self.stall)

    def _take(self, pair: int, flit: dict[str, int]) -> None:
        home, message = self.open or (pair, Message(b"", first=cycle_now()))
        assert pair == home, "a frame in two pairs"
        message.data += flit["data"].to_bytes(FLIT_BYTES, "little")[: FLIT_BYTES - (flit["empty"] if flit["last"] else 0)]
        self.open = home, message
        if flit["last"]:
            message.bad, message.last = bool(flit["bad"]), cycle_now()
            self.came.append(self.open)
            self.open = None


async def begin(dut, idle: float = 0.0, stall: float = 0.0) -> tuple[Source, Pairs]:
    await reset(dut, in_valid_i=0, out_ready_i=0, table_i=0)
    return Source(dut, idle=idle), Pairs(dut, stall)


async def steered(dut, source: Source, pairs: Pairs, cases: list[Case]) -> None:
    """With a table of random pairs, whose first entry is another pair than that of frames without a flow."""
    table = [random.randrange(1, PAIRS), *(random.randrange(PAIRS) for _ in range(ENTRIES - 1))]
    dut.table_i.value = sum(pair << 2 * entry for entry, pair in enumerate(table))
    number = len(pairs.came)
    messages = [Message(case.data, bad=random.random() < 0.1) for case in cases]
    source.send(*messages)
    for _ in range(200 * len(cases)):
        await RisingEdge(dut.clk_i)
        if len(pairs.came) == number + len(cases):
            break
    for case, message, (pair, came) in zip(cases, messages, pairs.came[number:], strict=True):
        assert (came.data, came.bad) == (message.data, message.bad)
        expected = 0 if case.flow is None else table[entry_of(case.flow)]
        assert pair == expected, (case.data.hex(), case.flow and case.flow.hex(), pair, expected)


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.3], stall=[0.0, 0.4])
async def frames_of_all_sorts(dut, idle, stall):
    source, pairs = await begin(dut, idle, stall)
    for _ in range(8):
        await steered(dut, source, pairs, [make() for make in random.choices((ipv4, ipv6, extended, cut_off, without, short_header), (4, 6, 3, 3, 3, 1), k=80)])


@cocotb.test()
async def every_byte_of_a_frame(dut):
    """A frame that ends at any byte, and one of which any byte is another: only what belongs to the flow matters."""
    source, pairs = await begin(dut)
    for make in (ipv4, lambda: ipv6(next_header=17), lambda: ipv6(next_header=6), lambda: ipv6(next_header=58), extended):
        for _ in range(2):
            case = make()
            case.data += random.randbytes(30)
            await steered(dut, source, pairs, [case.cut(size) for size in range(1, min(len(case.data), HEADERS + 10))])
    for protocol in (17, 6, 44):
        case = ipv6(next_header=protocol)
        place = case.need - 40 - 4 * (protocol in PORTS)
        others = []
        for at in (*range(12), *range(place, len(case.data))):
            data = case.data[:at] + bytes([case.data[at] ^ random.randrange(1, 256) & (0x0F if at == place else 0xFF)]) + case.data[at + 1 :]
            packet = data[place:]
            next_header = packet[6]
            has_ports = next_header in PORTS
            if len(packet) >= 44:
                others.append(Case(data, packet[8:40] + packet[6:7] + (packet[40:44] if has_ports else bytes(4))))
        await steered(dut, source, pairs, others)


@cocotb.test()
async def flows_spread_evenly(dut):
    """Consecutive ports and consecutive hosts, over IPv6: each entry of the table gets its share."""
    source, pairs = await begin(dut)
    start = bytes(Ether(dst=bytes(6), src=bytes(6)) / IPv6(src="2001:db8::1", dst="2001:db8::2") / UDP(sport=0, dport=443))
    for hosts, ports in ((1, 2048), (2048, 1), (64, 32)):
        frames = []
        for number in range(hosts * ports):
            host, port = 1 + number // ports, 40_000 + number % ports
            frames.append(start[:36] + host.to_bytes(2) + start[38:54] + port.to_bytes(2) + start[56:])
        dut.table_i.value = sum(pair << 2 * entry for entry, pair in enumerate(list(range(PAIRS)) * (ENTRIES // PAIRS)))
        number = len(pairs.came)
        source.send(*(Message(frame) for frame in frames))
        for _ in range(20 * len(frames)):
            await RisingEdge(dut.clk_i)
            if len(pairs.came) == number + len(frames):
                break
        share = [sum(pair == one for pair, _ in pairs.came[number:]) for one in range(PAIRS)]
        assert sum(share) == len(frames) and min(share) > 0.9 * len(frames) / PAIRS, (hosts, ports, share)


@cocotb.test()
async def as_fast_as_promised(dut):
    """Two cycles, and those in which the bytes of all headers come, or the frame ends; one flit in each cycle."""
    source, pairs = await begin(dut)
    for size in (60, 64, 100, 1518):
        messages = [Message(ipv6(Raw(bytes(1500)), 17).data[:size]) for _ in range(20)]
        number, flits = len(pairs.came), flits_of(messages[0].data)
        source.send(*messages)
        for _ in range(20 * flits + 30):
            await RisingEdge(dut.clk_i)
        came = [message for _, message in pairs.came[number:]]
        assert [message.data for message in came] == [message.data for message in messages]
        assert came[-1].last - came[0].first == 20 * flits - 1
        assert came[0].first - messages[0].first == flits_of(bytes(min(size, HEADERS))) + 2
