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
# Microsoft's verification suite of the RSS hash: key; flow {source, destination, their ports}, hash with the ports and without them.
RSS_KEY = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")
RSS_FLOWS = (
    ("66.9.149.187", 2794, "161.142.100.80", 1766, 0x51CCC178, 0x323E8FC2),
    ("199.92.111.2", 14230, "65.69.140.83", 4739, 0xC626B0EA, 0xD718262A),
    ("24.19.198.95", 12898, "12.22.207.184", 38024, 0x5C2B394A, 0xD2D0A5DE),
    ("38.27.205.30", 48228, "209.142.163.6", 2217, 0xAFC7327F, 0x82989176),
    ("153.39.163.191", 44251, "202.188.127.2", 1303, 0x10E828A2, 0x5D1809C5),
    ("3ffe:2501:200:1fff::7", 2794, "3ffe:2501:200:3::1", 1766, 0x40207D3D, 0x2CC18CD5),
    ("3ffe:501:8::260:97ff:fe40:efab", 14230, "ff02::1", 4739, 0xDDE51BBF, 0x0F0C461C),
    ("3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251, "fe80::200:f8ff:fe21:67cf", 38024, 0x02D1FEEF, 0x4B61E985),
)
IP4, TCP4, UDP4, IP6, TCP6, UDP6 = (1 << bit for bit in range(6))  # hash types
BY_HEADERS = ["the_hash_is_that_of_the_verification_suite", "a_driver_spreads_flows_by_its_own_key", "frames_of_all_sorts", "every_byte_of_a_frame", "flows_spread_evenly", "as_fast_as_promised"]
BY_FLOW = ["messages_go_where_their_flow_says"]


@pytest.mark.parametrize("data_width", WIDTHS)
def test_host_steer(data_width):
    run_cocotb("host_steer", __file__, data_width=data_width, parameters={"Pairs": PAIRS}, testcase=BY_HEADERS)


@pytest.mark.parametrize("data_width", WIDTHS)
def test_host_steer_by_flow(data_width):
    run_cocotb("host_steer", __file__, data_width=data_width, chained=True, parameters={"Pairs": PAIRS, "Steering": 1}, testcase=BY_FLOW)


@dataclass
class Case:
    """A frame, the bytes of its flow, and how many bytes of the frame tell them; flow None: it has none. ports: it has ports."""

    data: bytes
    flow: bytes | None = None
    need: int = 0
    ports: bool = False

    def cut(self, size: int) -> "Case":
        """The first bytes of the frame."""
        return Case(self.data[:size], self.flow if size >= self.need else None, self.need, self.ports)


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
        return Case(bytes(header / transport(protocol, ports)), src + dst + bytes([protocol]) + ports, place + 4 * words + 4, True)
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
    return Case(bytes(header / below), src + dst + bytes([next_header]) + (ports if has_ports else bytes(4)), len(start) + 40 + 4 * has_ports, has_ports)


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
    await reset(dut, in_valid_i=0, out_ready_i=0, table_i=0, rss_i=0)
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
    """Three cycles, and those in which the bytes of all headers come, or the frame ends; one flit in each cycle."""
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
        assert came[0].first - messages[0].first == flits_of(bytes(min(size, HEADERS))) + 3


@cocotb.test()
async def messages_go_where_their_flow_says(dut):
    """The 16 bits of a flow are folded into five: those of the first five alone name an entry. Of a message, only the first flit's flow counts. Two cycles."""
    source, pairs = await begin(dut, idle=0.2, stall=0.3)
    table = [random.randrange(PAIRS) for _ in range(ENTRIES)]
    dut.table_i.value = sum(pair << 2 * entry for entry, pair in enumerate(table))
    flows = [*range(ENTRIES), *(1 << bit for bit in range(16)), 0xFFFF, *(random.getrandbits(16) for _ in range(200))]
    messages = [Message(random.randbytes(random.randint(1, 300)), bad=random.random() < 0.1, desc={"flow": flow}) for flow in flows]
    source.send(*messages)
    for _ in range(200 * len(flows)):
        await RisingEdge(dut.clk_i)
        if len(pairs.came) == len(flows):
            break
    for flow, message, (pair, came) in zip(flows, messages, pairs.came, strict=True):
        assert (came.data, came.bad) == (message.data, message.bad)
        digits = f"{flow:020b}"
        entry = 0
        for at in range(0, 20, 5):
            entry ^= int(digits[at : at + 5], 2)
        assert pair == table[entry], (flow, pair)
    source.idle, pairs.stall = 0.0, 0.0
    message = Message(bytes(600), desc={"flow": 3})
    source.send(message)
    for _ in range(60):
        await RisingEdge(dut.clk_i)
    assert pairs.came[-1][1].first - message.first == 2


def rss(types: int, unclassified: int, key: bytes) -> int:
    """rss_t, in force."""
    return (1 << 6 | types) << 2 + 8 * 40 | unclassified << 8 * 40 | int.from_bytes(key.ljust(40, b"\0"))


def toeplitz(data: bytes, key: bytes) -> int:
    """The hash: each bit of the data that is set adds the 32 bits of the key from its place on."""
    bits, result = int.from_bytes(key.ljust(40, b"\0")), 0
    for at in range(8 * len(data)):
        if data[at // 8] >> 7 - at % 8 & 1:
            result ^= bits >> 320 - 32 - at & 0xFFFFFFFF
    return result


async def settled(dut, source: Source, pairs: Pairs, frames: list[bytes]) -> list[int]:
    """The pair of each frame."""
    number = len(pairs.came)
    source.send(*map(Message, frames))
    for _ in range(100 * len(frames) + 100):
        await RisingEdge(dut.clk_i)
        if len(pairs.came) == number + len(frames):
            break
    assert [message.data for _, message in pairs.came[number:]] == frames
    return [pair for pair, _ in pairs.came[number:]]


@cocotb.test()
async def the_hash_is_that_of_the_verification_suite(dut):
    """TCP and UDP with ports, and without where only the addresses are hashed. The table shows two bits of an entry's index at a time."""
    source, pairs = await begin(dut)
    for shift in (0, 2, 3):
        dut.table_i.value = sum((entry >> shift & 3) << 2 * entry for entry in range(ENTRIES))
        for types, by_ports in ((TCP4 | TCP6, (TCP,)), (UDP4 | UDP6, (UDP,)), (IP4 | IP6, ()), (63, (TCP, UDP))):
            dut.rss_i.value = rss(types, 0, RSS_KEY)
            for from_, sport, to, dport, with_ports, without_ports in RSS_FLOWS:
                network = (IPv6 if ":" in to else IP)(src=from_, dst=to)
                for kind in (TCP, UDP):
                    (pair,) = await settled(dut, source, pairs, [bytes(Ether(dst=bytes(6), src=bytes(6)) / network / kind(sport=sport, dport=dport))])
                    hashed = kind in by_ports or types & IP4
                    expected = (with_ports if kind in by_ports else without_ports) >> shift & 3 & (31 >> shift)
                    assert pair == (expected if hashed else 0), (from_, kind, types)


@cocotb.test()
async def a_driver_spreads_flows_by_its_own_key(dut):
    """Frames of all sorts, types and keys: what is not hashed goes to the pair that the driver has named."""
    source, pairs = await begin(dut, 0.2, 0.3)
    for _ in range(40):
        types, other, key = random.choice([63, random.getrandbits(6)]), random.randrange(PAIRS), random.randbytes(random.choice([0, 4, 39, 40, 40]))
        table = [random.randrange(PAIRS) for _ in range(ENTRIES)]
        dut.rss_i.value = rss(types, other, key)
        dut.table_i.value = sum(pair << 2 * entry for entry, pair in enumerate(table))
        cases = [make() for make in random.choices((ipv4, ipv6, extended, cut_off, without), (4, 6, 2, 2, 2), k=40)]
        expected = []
        for case in cases:
            pair = other
            if case.flow is not None:
                size = (len(case.flow) - 5) // 2
                addresses, protocol, ports = case.flow[: 2 * size], case.flow[2 * size], case.flow[2 * size + 1 :]
                by_address, tcp, udp = (IP4, TCP4, UDP4) if size == 4 else (IP6, TCP6, UDP6)
                if case.ports and types & (tcp if protocol == 6 else udp):
                    pair = table[toeplitz(addresses + ports, key) % ENTRIES]
                elif types & by_address:
                    pair = table[toeplitz(addresses, key) % ENTRIES]
            expected.append(pair)
        assert await settled(dut, source, pairs, [case.data for case in cases]) == expected
