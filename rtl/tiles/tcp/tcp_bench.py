# SPDX-License-Identifier: Apache-2.0
"""What the tests of the TCP engine share: segments made and read with scapy, and the application's messages.

    bench = await TcpBench.start(dut)
    peer = await bench.open()                      # three-way hand-shake; the application knows the connection
    peer.send(b"text")                             # a segment with data, at the right place
    segment = await bench.segment()                # the next one that the card sends
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from ipaddress import ip_address

from cocotb.triggers import ClockCycles, RisingEdge
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

from girih.testing.clock import cycle_now
from girih.testing.engines import EngineBench
from girih.testing.messages import FLIT_BYTES, Message

CARD, HOST, PORT = "10.0.0.2", "10.0.0.1", 7
CONNECTIONS, WINDOW = 16, 2048
OPENED, DATA, READ, WRITE, CLOSE, ABORT, OPEN = range(1, 8)
TICK = 256  # cycles
KIND = os.environ.get("GIRIH_KIND", "tcp")  # of the tile under test
LATE = 200 if KIND == "tcp_memory" else 0  # cycles that buffers in a memory may take, more than those of the tile
CONFIG = {
    "listen": PORT | 80 << 16,
    "mss": 1460,
    "secret": 0x0123456789ABCDEF_8F6E3A07C51D2B94,
    "rto_initial": 8,
    "rto_min": 8,
    "rto_max": 100,
    "time_wait": 12,
    "retries": 4,
    "ip": int(ip_address(CARD)),
    "tenant_connections": 0,
    "keep_idle": 0,
    "keep_interval": 20,
    "keep_count": 3,
    "user_timeout": 0,
    "ack_delay": 0,
    "half_open": 0,
    "path_mtu_least": 552,
    "cubic": 0,
    "cubic_rate": 4398,
    "ecn": 0,
    "dctcp": 0,
    "pacing": 0,
    "tail_probe": 0,
    "rack": 0,
    "timestamps": 1,
    "timestamp_unit": 0,
    "timestamp_life": 2**31 - 1,
}
if KIND == "tcp_memory":
    CONFIG["first_page"] = 3
SYN, ACK, FIN, RST = "S", "A", "F", "R"
MODULUS = 1 << 32


def frame(segment: TCP, payload: bytes = b"", src: str = HOST, dst: str = CARD, tos: int = 0) -> Message:
    """A segment, as `ipv4_rx` hands it on."""
    data = bytes(Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(src=src, dst=dst, tos=tos) / segment / payload)
    return Message(data, {"l3_offset": 14, "l4_offset": 34, "length": len(data), "port": 3, "tenant": 2})


class TcpBench:
    """The engine between its network and an application, both of which are played by the test."""

    def __init__(self, bench: EngineBench):
        self.bench, self.dut, self._read = bench, bench.dut, 0
        self.begun = cycle_now()  # when the reset ended, and with it the first tick began
        self.segments: list[TCP] = []  # sent and not yet taken by `segment`
        self.told: list[Message] = []
        self.tenants = {2}  # whose segments the card may send
        self.services = {0}  # types of service that they may have

    @classmethod
    async def start(cls, dut, *, stall: float = 0.3, **config) -> TcpBench:
        """stall: so that whatever happens also happens while the output waits."""
        if KIND == "tcp_memory":
            dut.fails_i.value = 0
        if KIND == "tcp_duplex":
            dut.astray_i.value = 0
            dut.ordered_i.value = 1
        self = cls(await EngineBench.start(dut, KIND, stall=stall, **(CONFIG | config)))
        await ClockCycles(dut.clk_i, 2 * CONNECTIONS + 10)
        return self

    @property
    def events(self) -> dict[str, int]:
        return self.bench.events

    def mix(self) -> None:
        """From now on, segments and commands need not be handled in the order of this test, if each have a fabric port."""
        if KIND == "tcp_duplex":
            self.dut.ordered_i.value = 0

    def give(self, *messages: Message) -> None:
        self.bench.source.send(*messages)

    def command(self, op: int, connection: int, payload: bytes = b"", **fields) -> None:
        desc = {f"stream_{name}": value for name, value in fields.items()} | {"stream_op": op, "stream_connection": connection}
        if op == WRITE:
            desc["stream_bytes"] = len(payload)
        self.give(Message(payload or bytes(1), desc | {"tenant": 2}))

    def _sort(self) -> None:
        messages = self.bench.sink.messages
        for message in messages[self._read :]:
            if message.key:
                self.told.append(message)
            else:
                self.segments.append(checked(message, self.tenants, self.services))
        self._read = len(messages)

    async def _first(self, of: Callable[[], list], limit: int, what: str):
        for _ in range(limit):
            self._sort()
            if of():
                return of().pop(0)
            await RisingEdge(self.dut.clk_i)
        raise AssertionError(f"no {what} came in {limit} cycles")

    async def segment(self, limit: int = 2000) -> TCP:
        """The next segment that the card sends."""
        return await self._first(lambda: self.segments, limit, "segment")

    async def notice(self, limit: int = 2000) -> Message:
        """The next message to the application."""
        return await self._first(lambda: self.told, limit, "message to the application")

    async def quiet(self, cycles: int = 300) -> None:
        """Fails if the card sends anything in the next cycles."""
        await ClockCycles(self.dut.clk_i, cycles)
        self._sort()
        assert not self.segments and not self.told, (self.segments, self.told)

    @property
    def used(self) -> int:
        """The number of segments whose event has happened."""
        return self.events.get("used_segments", 0) + self.events.get("drop_out_of_window", 0)

    async def taken(self, *segments: Message) -> int:
        """Sends segments; the cycles until the event of each has happened."""
        before, cycles = self.used, 0
        self.give(*segments)
        while self.used < before + len(segments):
            await ClockCycles(self.dut.clk_i, 1)
            cycles += 1
        return cycles

    def dial(self, port: int, own_port: int, *, application: int = PORT, address: str = "::ffff:" + HOST, tenant: int = 2) -> None:
        """The application asks for a connection to a port of the host."""
        payload = ip_address(address).packed + b"".join(number.to_bytes(2, "big") for number in (port, own_port, application))
        self.give(Message(payload, {"stream_op": OPEN, "stream_bytes": len(payload), "port": 3, "tenant": tenant}))

    def peer(self, port: int | None = None, **fields) -> Peer:
        return Peer(self, port or random.randint(1024, 65535), **fields)

    async def open(self, port: int | None = None, **fields) -> Peer:
        peer = self.peer(port, **fields)
        await peer.connect()
        return peer

    async def closed(self, count: int) -> None:
        """Waits until `count` connections have ended."""
        for _ in range(300):
            if self.events.get("mark_freed", 0) >= count:
                break
            await ClockCycles(self.dut.clk_i, TICK)
        assert self.events.get("mark_freed", 0) == count


class Peer:
    """One end of a connection, as the test drives it; it does nothing by itself."""

    def __init__(
        self, bench: TcpBench, port: int, *, seq: int | None = None, window: int = 60000, options: list | None = None, to: int = PORT, tenant: int = 2
    ):
        self.bench, self.port, self.window, self.to, self.tenant = bench, port, window, to, tenant
        self.seq = random.getrandbits(32) if seq is None else seq
        self.ack = 0
        self.options = [("MSS", 1460)] if options is None else options
        self.connection = -1

    def make(self, flags: str, payload: bytes = b"", tos: int = 0, **fields) -> Message:
        values: dict[str, object] = {"sport": self.port, "dport": self.to, "flags": flags, "window": self.window} | fields
        values["seq"] = fields.get("seq", self.seq) % MODULUS
        values["ack"] = fields.get("ack", self.ack if "A" in flags else 0) % MODULUS
        message = frame(TCP(**values), payload, tos=tos)
        message.desc["tenant"] = self.tenant
        return message

    def send(self, payload: bytes = b"", flags: str = "A", tos: int = 0, **fields) -> None:
        """A segment with the peer's present sequence number, which it advances."""
        self.bench.give(self.make(flags, payload, tos, **fields))
        if not fields:
            self.seq = (self.seq + len(payload) + ("S" in flags) + ("F" in flags)) % MODULUS

    def take(self, segment: TCP) -> bytes:
        """Acknowledges a segment, and in all later ones; returns the segment's data."""
        data = bytes(segment.payload)
        assert segment.seq == self.ack, f"{segment.seq - self.ack} bytes from where it should be"
        self.ack = (segment.seq + len(data) + ("S" in segment.flags) + ("F" in segment.flags)) % MODULUS
        return data

    async def shake(self) -> TCP:
        self.bench.give(self.make("S", options=self.options))
        self.seq = (self.seq + 1) % MODULUS
        answer = await self.bench.segment()
        assert str(answer.flags) == "SA" and answer.ack == self.seq and answer.dport == self.port
        self.ack = (answer.seq + 1) % MODULUS
        return answer

    async def connect(self) -> None:
        await self.shake()
        self.send()
        await self.opened()

    async def opened(self, application: int = PORT) -> None:
        """The application hears that the connection is open."""
        notice = await self.bench.notice()
        assert notice.desc["stream_op"] == OPENED and notice.key == application and not notice.desc.get("stream_reset")
        assert notice.desc.get("stream_end", 0) == (application != PORT), "whether the application has asked for it"
        assert notice.data == self.names
        self.connection = notice.desc["stream_connection"]

    async def not_opened(self, why: int, application: int = PORT, limit: int = 2000) -> None:
        """The application hears that the connection could not be opened."""
        notice = await self.bench.notice(limit)
        assert notice.desc["stream_op"] == OPENED and notice.desc["stream_reset"] and notice.desc["stream_end"] and notice.key == application
        assert notice.desc.get("stream_bytes", 0) == why and notice.data == self.names and notice.desc["tenant"] == 2

    @property
    def names(self) -> bytes:
        return bytes(10) + b"\xff\xff\x0a\0\0\x01" + self.port.to_bytes(2, "big") + self.to.to_bytes(2, "big")

    def read(self, least: int = 1, room: int = 0, stands: bool = False) -> None:
        self.bench.command(READ, self.connection, bytes=least, room=room, end=int(stands))

    def write(self, payload: bytes) -> None:
        self.bench.command(WRITE, self.connection, payload)

    async def data(self) -> Message:
        """The answer to a read."""
        notice = await self.bench.notice()
        assert notice.desc["stream_op"] == DATA and notice.desc["stream_connection"] == self.connection
        assert len(notice.data) == (notice.desc["stream_bytes"] or 1)
        if not notice.desc["stream_bytes"]:
            assert notice.data == b"\0", "a message without bytes carries one of the buffer"
            notice.data = b""
        return notice


async def come(bench: TcpBench) -> list[TCP]:
    """All segments that the card sends before it waits."""
    await ClockCycles(bench.dut.clk_i, 500)
    bench._sort()
    segments = bench.segments[:]
    bench.segments.clear()
    return segments


def sizes(segments: list[TCP]) -> list[int]:
    return [len(segment.payload) for segment in segments]


def sent_again(segments: list[TCP], place: int) -> TCP:
    """The segment that is sent again from this place on: there is one, behind at most the two new ones that the first duplicates permit (RFC 3042), which leave first
    where a segment takes longer than an acknowledgement."""
    places = [segment.seq for segment in segments[:3]]
    assert [segment.seq for segment in segments].count(place) == 1 and place in places, f"{place} is not sent again in {places}"
    return segments[places.index(place)]


def checked(message: Message, tenants: set[int], services: set[int]) -> TCP:
    """The segment in a message to the network, all of whose fields that `ipv4_tx` does not write are right."""
    assert not message.bad and message.desc["l3_offset"] == 14 and message.desc["l4_offset"] == 34
    assert message.desc["length"] == len(message.data) and message.desc["port"] == 3 and message.desc["tenant"] in tenants
    packet = Ether(message.data)
    ip = packet[IP]
    assert packet.type == 0x800 and ip.version == 4 and ip.ihl == 5 and ip.proto == 6 and ip.tos in services
    assert ip.src == CARD and ip.dst == HOST
    raw = bytearray(message.data[34:])
    got = int.from_bytes(raw[16:18], "big")
    raw[16:18] = b"\0\0"
    right = IP(bytes(IP(src=ip.src, dst=ip.dst, proto=6) / bytes(raw)))
    tcp = TCP(bytes(raw))
    tcp.chksum = None
    want = IP(bytes(IP(src=right.src, dst=right.dst) / tcp))[TCP].chksum
    assert got == want, "wrong checksum"
    assert packet[TCP].dataofs * 4 <= len(raw)
    return packet[TCP]


__all__ = ["ABORT", "ACK", "CLOSE", "CONFIG", "CONNECTIONS", "FIN", "FLIT_BYTES", "MODULUS", "OPEN", "RST", "SYN", "TICK", "WINDOW", "TcpBench", "come", "frame", "sent_again", "sizes"]
