# SPDX-License-Identifier: Apache-2.0
"""Random and mutated segments from many addresses at the card of `designs/tcp_echo.yaml`, among them half-opened and open connections of the attackers, and
segments at the connections of others, without their sequence numbers. These carry bytes all the time. Afterwards they are alive, and no connection is left."""

from __future__ import annotations

import ipaddress
import random
import struct

import pytest

from girih.card import VirtualCard
from girih.experiments.tcp import (
    ACK,
    ETHERNET_ARP,
    FIN,
    OWN_IP,
    PUSH,
    RST,
    SYN,
    Peer,
    checksum,
    ip_frame,
    peer_port,
    with_checksum,
)
from girih.testing import SEED

URG = 0x20
MODULUS = 1 << 32
WINDOW = 8192  # of the card
LOOK = 256  # cycles between two looks at the output
SPACING = 16  # cycles for each segment of the attackers
PATIENCE = 400_000  # cycles in which a connection gets a message back, at most
AGAIN = 30_000  # cycles after which it sends a message again
VICTIMS = 64  # connections of the attackers whose numbers they know
SETTINGS = {"rto_initial": 20, "rto_min": 20, "rto_max": 100, "retries": 3, "time_wait": 20, "half_open": 40}  # in ticks of 256 cycles
ENDS = {"keep_idle": 40, "keep_interval": 20, "keep_count": 2}  # so that connections whose peers are silent end
MIXES = [0, FIN, SYN, RST, PUSH, ACK, ACK, ACK, ACK | PUSH, ACK | PUSH, ACK | FIN, ACK | FIN, ACK | RST, ACK | SYN, SYN | FIN, SYN | RST, SYN | FIN | ACK, ACK | URG, FIN | RST, 0xFF]


class Honest(Peer):
    """Sends a message, waits for its echo, and sends the next one."""

    def __init__(self, card: VirtualCard, own_port: int, rng: random.Random, stamps: bool):
        super().__init__(card, 7, own_port, stamps=stamps)
        self.rng, self.message, self.sent_at, self.begun_at, self.got, self.echoed = rng, b"", 0, 0, b"", 0

    def take_all(self) -> None:
        """What has come; sends an acknowledgement, or the next message."""
        come = self.come()
        for segment in come:
            assert not segment.flags & RST, "a connection was reset"
            assert not segment.flags & FIN, "a connection was closed"
            if segment.seq == self.ack:
                self.got += segment.data
                self.ack = (self.ack + len(segment.data)) % MODULUS
                if self.stamps:
                    self._stamp_of_card = self._stamp_in(segment)
        assert self.message.startswith(self.got), "other bytes come back"
        now = self.card.cycle
        if self.got == self.message:
            self.echoed += len(self.got)
            self.message, self.got = self.rng.randbytes(self.rng.choice((1, 100, 700, 1400))), b""
            self.sent_at = self.begun_at = now
            self._put(self.message)
        elif now - self.sent_at > AGAIN:
            self.seq = (self.seq - len(self.message)) % MODULUS
            self.sent_at = now
            self._put(self.message)
        elif any(segment.data for segment in come):
            self._put(b"")
        assert now - self.begun_at < PATIENCE, "a connection hangs"

    def _put(self, data: bytes) -> None:
        options = bytes([1, 1]) + self._stamp() if self.stamps else b""
        self.card.inject(0, self.frame(data, ACK | PUSH if data else ACK, options))
        self.seq = (self.seq + len(data)) % MODULUS


class Attackers:
    """They answer nobody, but know the numbers of some of their own connections from the card's segments."""

    def __init__(self, card: VirtualCard, honest: list[Honest], rng: random.Random):
        self.card, self.honest, self.rng = card, honest, rng
        addresses = card.manifest.addresses
        self._mac, self._ip = bytes.fromhex(addresses["mac"].replace(":", "")), ipaddress.ip_address(addresses["ip"]).packed
        self.known: dict[tuple[bytes, int, int], tuple[int, int]] = {}  # by address and ports, the next byte each way

    def learn(self, frame: bytes) -> None:
        """From a segment of the card to one of them."""
        key = (frame[30:34], *struct.unpack("!HH", frame[34:38])[::-1])
        seq, ack, words, flags = struct.unpack("!IIBB", frame[38:48])
        if flags & RST:
            self.known.pop(key, None)
        elif flags & ACK:
            size = struct.unpack("!H", frame[16:18])[0] - 20 - (words >> 4) * 4
            self.known[key] = (ack, (seq + size + bool(flags & SYN) + (flags & FIN)) % MODULUS)
            while len(self.known) > VICTIMS:
                del self.known[self.rng.choice(list(self.known))]

    def next(self) -> bytes:
        pick = self.rng.random()
        if pick < 0.2:
            return self._syn()
        if pick < 0.55 and self.known:
            return self._near()
        if pick < 0.75:
            return self._blind()
        if pick < 0.85:
            return self._stray()
        if pick < 0.9:
            return self._error()
        return self._malformed()

    def _address(self) -> bytes:
        return self.rng.choice((ipaddress.ip_address(OWN_IP).packed, bytes([192, 168, self.rng.randrange(256), self.rng.randrange(1, 255)])))

    def _own_port(self) -> int:
        return self.rng.randrange(1024, 40000)  # not those of the others

    def _port(self) -> int:
        return self.rng.choice((7, 7, 7, 7, 80, 80, 9))

    def _number(self) -> int:
        return self.rng.getrandbits(32)

    def _payload(self) -> bytes:
        return self.rng.randbytes(self.rng.choice((0, 0, 0, 0, 1, 2, 60, 200, 536, 1400)))

    def _window(self) -> int:
        return self.rng.choice((0, 1, 500, 8192, 65535))

    def _options(self) -> bytes:
        if self.rng.random() < 0.5:
            return b""
        text = b""
        for _ in range(self.rng.randrange(1, 6)):
            kind = self.rng.choice((0, 1, 1, 2, 3, 4, 5, 8, 19, 34, 254))
            right = {0: 1, 1: 1, 2: 4, 3: 3, 4: 2, 5: self.rng.choice((10, 18, 26, 34)), 8: 10}.get(kind, 6)
            size = right if self.rng.random() < 0.8 else self.rng.randrange(256)
            text += bytes([kind]) if kind < 2 else bytes([kind, size]) + self.rng.randbytes(max(0, min(right, size) - 2))
        text = text[:40]
        return text + bytes(-len(text) % 4)

    def _tcp(self, address: bytes, own_port: int, port: int, seq: int, ack: int, flags: int, data: bytes = b"", options: bytes = b"") -> bytes:
        head = struct.pack("!HHIIBBHHH", own_port, port, seq % MODULUS, ack % MODULUS, (20 + len(options)) << 2, flags, self._window(), 0, 0) + options
        return ip_frame(self._mac, address, self._ip, with_checksum(address, self._ip, head, data))

    def _syn(self) -> bytes:
        return self._tcp(self._address(), self._own_port(), self._port(), self._number(), 0, SYN | self.rng.choice((0, 0, 0, 0xC0)), options=self._options())

    def _near(self) -> bytes:
        """A segment of a connection of their own, whose numbers are right or nearly so."""
        (address, own_port, port), (seq, ack) = self.rng.choice(list(self.known.items()))
        seq += self.rng.choice((0, 0, 0, 0, 0, -1, 1, -1400, 300, WINDOW - 1, WINDOW, WINDOW + 1, self._number()))
        ack += self.rng.choice((0, 0, 0, 0, 0, -1, 1, -1400, 1400, 1 << 20, self._number()))
        return self._tcp(address, own_port, port, seq, ack, self.rng.choice(MIXES), self._payload(), self._options())

    def _blind(self) -> bytes:
        """A segment at another's connection, with numbers that do not count for it: bytes before or behind its window, resets within it but not at its beginning,
        SYNs, and bytes within it with an acknowledgement of what was not sent."""
        peer, data, flags = self.rng.choice(self.honest), self._payload(), self.rng.choice(MIXES)
        seq, ack = peer.seq, peer.ack + self.rng.choice((0, 0, -1, 1, 100, self._number()))
        kind = self.rng.randrange(5)
        if kind == 0:
            seq -= len(peer.message) + len(data) + 2 + self.rng.choice((0, 1, 1000, self.rng.randrange(1 << 30)))
        elif kind == 1:
            seq += WINDOW + self.rng.choice((0, 1, 1000, self.rng.randrange(1 << 30)))
        elif kind == 2:
            seq += self.rng.choice((1, 2, 1400, WINDOW - 1, self.rng.randrange(1, WINDOW)))
            flags, data = self.rng.choice((RST, RST | ACK)), b""
        elif kind == 3:
            seq += self.rng.choice((0, -1, 1, 1000, self._number()))
            flags = self.rng.choice((SYN, SYN | ACK, SYN | FIN, SYN | FIN | ACK, SYN | PUSH))
        else:
            seq += self.rng.choice((0, 0, 1, 1000))
            ack = peer.ack + self.rng.randrange(70_000, MODULUS - (1 << 20) - 70_000)
            flags = self.rng.choice((ACK, ACK | FIN, ACK | PUSH | FIN, FIN, 0))
        return self._tcp(peer._own_ip, peer.own_port, 7, seq, ack, flags, data, self._options())

    def _stray(self) -> bytes:
        return self._tcp(self._address(), self._own_port(), self._port(), self._number(), self._number(), self.rng.choice(MIXES), self._payload(), self._options())

    def _error(self) -> bytes:
        """An ICMP error about a segment that is not in flight; or, of a connection of their own, may be."""
        if self.known and self.rng.random() < 0.5:
            (address, own_port, port), (_, seq) = self.rng.choice(list(self.known.items()))
            seq -= self.rng.choice((0, 1, 100, 1460))
        else:
            peer = self.rng.choice(self.honest)
            address, own_port, port, seq = peer._own_ip, peer.own_port, 7, peer.ack + self.rng.randrange(70_000, 1 << 31)
        quoted = struct.pack("!BBHHHBBH", 0x45, 0, 1500, 0, 0x4000, 64, 6, 0) + self._ip + address + struct.pack("!HHI", port, own_port, seq % MODULUS)
        kind, code = self.rng.choice(((3, 4), (3, 4), (3, 4), (3, 1), (3, 3), (11, 0), (4, 0), (12, 0)))
        icmp = struct.pack("!BBHHH", kind, code, 0, 0, self.rng.choice((0, 68, 576, 1280, 1500, 65535))) + quoted
        return ip_frame(self._mac, self._address(), self._ip, icmp[:2] + struct.pack("!H", checksum(icmp)) + icmp[4:], protocol=1)

    def _malformed(self) -> bytes:
        """Any of the others, with some bytes changed: its lengths, its offset, its checksum, or whatever there is; or cut. Its checksums are right again in half of those
        that are for no connection of others: there, a longer segment could be one that counts."""
        blind = self.rng.random() < 0.3
        frame = bytearray(self._blind() if blind else self.rng.choice((self._syn, self._stray))())
        for _ in range(self.rng.randrange(1, 4)):
            frame[self.rng.choice((14, 16, 17, 20, 23, 46, 46, 50, 51, self.rng.randrange(50, len(frame))))] = self.rng.randrange(256)
        frame = frame[: self.rng.choice((len(frame), len(frame), self.rng.randrange(54, len(frame) + 1)))]
        if not blind and self.rng.random() < 0.5:
            size = len(frame) - 14 if self.rng.random() < 0.9 else self.rng.choice((struct.unpack("!H", frame[16:18])[0], self.rng.randrange(20, 60)))
            frame[14], frame[16:18], frame[20], frame[23:26], frame[50:52] = 0x45, struct.pack("!H", size), 0, b"\6\0\0", b"\0\0"
            frame[24:26] = struct.pack("!H", checksum(bytes(frame[14:34])))
            content = bytes(frame[34 : 14 + size])
            frame[50:52] = struct.pack("!H", checksum(bytes(frame[26:34]) + struct.pack("!HH", 6, len(content)) + content))
        return bytes(frame)


def used(card: VirtualCard) -> int:
    counters = card.registers.counters("tcp")["tcp"]
    return counters["mark_begun"] - counters["mark_freed"]


def look(card: VirtualCard, honest: dict[int, Honest], attackers: Attackers) -> None:
    for frame in card.collect():
        if frame.data[12:14] == ETHERNET_ARP:
            honest[min(honest)].receive(frame)
        elif port := peer_port(frame):
            if peer := honest.get(port):
                peer.receive(frame)
            else:
                attackers.learn(frame.data)
    for peer in honest.values():
        peer.take_all()


@pytest.mark.slow
@pytest.mark.parametrize("segments", [10_000, pytest.param(1_000_000, marks=pytest.mark.thorough)])
def test_random_segments(built, segments):
    print(f"seed {SEED}")
    rng = random.Random(SEED)
    with VirtualCard(built("tcp_echo")) as card:
        card.registers.write_many({f"tcp.{name}": value for name, value in SETTINGS.items()} | {"arp.gateway": int(ipaddress.ip_address(OWN_IP))})
        honest = {port: Honest(card, port, rng, stamps=bool(port % 2)) for port in range(50_000, 50_004)}
        for peer in honest.values():
            peer.connect()
            peer.begun_at = card.cycle
        attackers = Attackers(card, list(honest.values()), rng)
        assert used(card) == len(honest)
        before = card.registers.counters()
        for _ in range(0, segments, LOOK // SPACING):
            start = card.cycle
            for number in range(LOOK // SPACING):
                card.inject(0, attackers.next(), cycle=start + number * SPACING)
            card.run(LOOK)
            look(card, honest, attackers)
        counted = {name: value - before["tcp"][name] for name, value in card.registers.counters("tcp")["tcp"].items()}
        echoed = [peer.echoed for peer in honest.values()]
        print({name: value for name, value in counted.items() if value}, echoed)
        assert min(echoed) > segments // 4, f"bytes echoed: {echoed}"
        # Each way in which a segment can be wrong has come, and the attackers have had connections.
        for name in ("drop_no_connection", "drop_out_of_window", "drop_bad_segment", "drop_bad_ack", "drop_checksum", "drop_header", "drop_length", "drop_error", "mark_cookies", "mark_opened", "mark_reset_received"):
            assert counted.get(name), name
        assert used(card) > len(honest)
        # The attackers fall silent: their connections end, and the others go on.
        card.registers.write_many({f"tcp.{name}": value for name, value in ENDS.items()})
        for _ in range(600):
            if used(card) == len(honest):
                break
            for _ in range(8):
                card.run(LOOK)
                look(card, honest, attackers)
        assert used(card) == len(honest), "a connection has leaked"
        for peer in honest.values():
            peer.echoed = 0
        for _ in range(40):
            card.run(LOOK)
            look(card, honest, attackers)
        assert all(peer.echoed for peer in honest.values())
        card.registers.write("tcp.keep_idle", 0)
        card.run(AGAIN)
        for frame in card.collect():
            if peer_port(frame) in honest:
                honest[peer_port(frame)].receive(frame)
        for peer in honest.values():
            card.inject(0, peer.frame(flags=RST | ACK))
        card.run(2000)
        assert used(card) == 0
        card.check_conservation()
