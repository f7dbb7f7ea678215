# SPDX-License-Identifier: Apache-2.0
"""What the unit tests of engines share: a bench around one engine, and packets made with scapy.

    bench = await EngineBench.start(dut, "ipv4_tx", idle=0.3, stall=0.3, ip="10.0.0.2", ttl=64)
    out = await bench.run([Message(...), ...])
    assert bench.events == {"mark_options_cleared": 3}
"""

from __future__ import annotations

import ipaddress
import itertools
import random

from scapy.data import ETH_P_IP
from scapy.layers.inet import ICMP, IP, UDP, IPOption, IPOption_NOP
from scapy.layers.l2 import Dot1Q, Ether

from girih.spec.kinds import load_kind
from girih.testing.messages import FLIT_BYTES, Events, Message, Sink, Source, flits_of, settle, start

# Probabilities of a pause before a flit, and of a cycle in which no flit is taken: (idle, stall).
TRAFFIC = ((0.0, 0.0), (0.4, 0.0), (0.0, 0.4), (0.5, 0.5))
LARGEST_PAYLOAD = 8972  # of UDP, in a packet of 9,000 bytes
TAGGED = 0x8100  # the type of a frame with a VLAN tag


def config_word(kind: str, **values: int | str) -> int:
    """The value of `cfg_i`: every field of the kind's configuration; addresses may be text, an array is one number, element 0 lowest."""
    fields = load_kind(kind).config
    assert set(values) == {f.name for f in fields}
    word = 0
    for field in fields:
        value = values[field.name]
        number = int(ipaddress.ip_address(value)) if isinstance(value, str) else int(value)
        word = word << field.bits | number
    return word


class EngineBench:
    """One engine between a source and a sink, with its events counted."""

    def __init__(self, dut, source: Source, sink: Sink, events: Events):
        self.dut, self.source, self.sink, self._events = dut, source, sink, events

    @classmethod
    async def start(cls, dut, kind: str, *, idle: float = 0.0, stall: float = 0.0, **config) -> EngineBench:
        if config:
            dut.cfg_i.value = config_word(kind, **config)
        source, sink = await start(dut, idle=idle, stall=stall)
        return cls(dut, source, sink, Events(dut, [c.name for c in load_kind(kind).engine_counters]))

    @property
    def events(self) -> dict[str, int]:
        return {name: count for name, count in self._events.count.items() if count}

    async def run(self, messages: list[Message]) -> list[Message]:
        """Sends the messages and returns those that came out, once the engine is quiet again."""
        already = len(self.sink.messages)
        self.source.send(*messages)
        await settle(self.dut, self.source, self.sink)
        return self.sink.messages[already:]


def addresses() -> dict[str, str]:
    return {"src": random_ip(), "dst": random_ip()}


def random_ip() -> str:
    """A source address that a packet may have."""
    return str(ipaddress.ip_address(random.randrange(128 << 24, 224 << 24)))


def random_options(words: int | None = None) -> list:
    """scapy's options of a whole number of words, at most 10; often none."""
    words = random.choice([0, 0, 0, 1, 2, 5, 10]) if words is None else words
    if words and random.random() < 0.5:
        return [IPOption(copy_flag=1, optclass=2, option=30, value=random.randbytes(4 * words - 2))]
    return [IPOption_NOP() for _ in range(4 * words)]


def random_size() -> int:
    """Payload bytes: often near an edge, seldom the largest."""
    flit = FLIT_BYTES
    kind = random.random()
    if kind < 0.3:
        return random.randint(0, 40)
    if kind < 0.6:
        return max(0, random.randint(1, 4) * flit - 42 + random.randint(-6, 6))
    if kind < 0.97:
        return random.randint(0, 600)
    return random.choice([1472, 4096, LARGEST_PAYLOAD - 1, LARGEST_PAYLOAD])


def frame_of(ip: IP, tagged: bool = False) -> tuple[bytes, int, int]:
    """The bytes of `ip` in an Ethernet frame without padding, and its l3_offset and l4_offset."""
    ether = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02", type=TAGGED if tagged else ETH_P_IP)
    if tagged:
        ether /= Dot1Q(vlan=random.randint(1, 4094), type=ETH_P_IP)
    head, packet = bytes(ether), bytes(ip)  # apart, because scapy takes its time for a packet within another
    return head + packet, len(head), len(head) + 4 * (packet[0] & 15)


def udp(payload: bytes, *, options: list | None = None, **fields) -> IP:
    """An IPv4 packet with a UDP datagram from a client's port; `fields` are UDP's, but src and dst are addresses."""
    ip = {name: fields.pop(name) for name in ("src", "dst") if name in fields}
    ports = {"sport": random.randint(1024, 0xBFFF), "dport": random.randint(0xC000, 0xFFFF)} | fields
    return IP(**(addresses() | ip), options=options or [], id=random.getrandbits(16)) / UDP(**ports) / payload


def echo_request(payload: bytes, *, options: list | None = None, **fields) -> IP:
    """An IPv4 packet with an echo request; `fields` are ICMP's, but src and dst are addresses."""
    ip = {name: fields.pop(name) for name in ("src", "dst") if name in fields}
    head = {"type": 8, "code": 0, "id": random.getrandbits(16), "seq": random.getrandbits(16)} | fields
    return IP(**(addresses() | ip), options=options or [], id=random.getrandbits(16)) / ICMP(**head) / payload


def check_no_bubbles(out: list[Message]) -> None:
    """n flits take n cycles, and the next message follows at once."""
    for message, following in itertools.pairwise(out):
        assert message.last - message.first == flits_of(message.data) - 1, f"a bubble in {len(message.data)} bytes"
        assert following.first - message.last == 1, f"a bubble after {len(message.data)} bytes"
