# SPDX-License-Identifier: Apache-2.0
"""The card of designs/panic.yaml between two namespaces of Linux: encrypted flows leave sockets at its wire port and
reach sockets at its host port decrypted, correct to the byte. ARP and ping pass it in both directions, as traffic without a chain."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.card.virtual import QUIET_CYCLES
from girih.testing import SEED
from tests.test_panic import IPSEC, KEY, VIDEO, cipher, load_key

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
]

WIRE, HOST = "10.77.0.1", "10.77.0.2"
SEALED_VIDEO = 5005  # UDP port of a chain of aes alone, added while the card runs
LAST = 9  # UDP port of the last datagrams, without a chain
SIZES = [0, 1, 50, 300, 1300]  # bytes before digest and vector
MTU = 1500
SECONDS = 120  # far longer than any step takes
QUIET_SECONDS = 1  # without another datagram, after all expected ones have arrived

# A datagram without a checksum: units change payloads, and a checksum would not fit them any more.
SEND = f"""
import json, socket, sys
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sender.setsockopt(socket.SOL_SOCKET, 11, 1)  # SO_NO_CHECK
sender.bind(("{WIRE}", 0))
for port, data in json.loads(sys.stdin.read()):
    sender.sendto(bytes.fromhex(data), ("{HOST}", port))
"""

# Receives this many datagrams, and any unexpected ones; prints them by port.
RECEIVE = f"""
import json, selectors, socket, sys
left, ports = int(sys.argv[1]), [int(word) for word in sys.argv[2:]]
ready, got = selectors.DefaultSelector(), []
for port in ports:
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    receiver.bind(("{HOST}", port))
    ready.register(receiver, selectors.EVENT_READ, port)
print("ready", flush=True)
while found := ready.select({SECONDS // 2} if len(got) < left else {QUIET_SECONDS}):
    for key, _ in found:
        got.append((key.data, key.fileobj.recv(65536).hex()))
print(json.dumps(got))
"""


class Link:
    """A card with a namespace at each of its two ports."""

    def __init__(self, session: Session, wire: Namespace, host: Namespace):
        self.session, self.card, self.wire, self.host = session, session.card, wire, host

    def await_end(self, *processes: subprocess.Popen) -> list[str]:
        """Runs the card until the processes have ended; returns the output of each."""
        try:
            self.session.serve(seconds=SECONDS, until=lambda: all(process.poll() is not None for process in processes))
            assert all(process.poll() == 0 for process in processes), [process.args for process in processes]
            return [process.communicate()[0] for process in processes]
        finally:
            for process in processes:
                process.kill()
                process.wait()

    def send(self, datagrams: list[tuple[int, bytes]], expected: int) -> list[tuple[int, bytes]]:
        """Sends datagrams {port, payload} from the wire; returns those that the host's sockets received."""
        datagrams = [*datagrams, (LAST, b"last")]
        ports = sorted({str(port) for port, _ in datagrams})
        receiver = self.host.popen([sys.executable, "-c", RECEIVE, str(expected + 1), *ports], stdout=subprocess.PIPE)
        assert receiver.stdout.readline() == "ready\n"
        sender = self.wire.popen([sys.executable, "-c", SEND], stdin=subprocess.PIPE)
        sender.stdin.write(json.dumps([(port, data.hex()) for port, data in datagrams]))
        sender.stdin.close()
        sender.stdin = None
        printed, _ = self.await_end(receiver, sender)
        self.session.serve(seconds=SECONDS, until=lambda: self.card.quiet_cycles > QUIET_CYCLES)
        got = [(port, bytes.fromhex(data)) for port, data in json.loads(printed)]
        got.remove((LAST, b"last"))
        return got

    def ping(self, source: Namespace, to: str, size: int) -> None:
        """Fails unless each of five echo requests was answered."""
        command = ["ping", "-n", "-q", "-c", "5", "-i", "0.2", "-s", str(size), to]
        (text,) = self.await_end(source.popen(command, stdout=subprocess.PIPE))
        assert "5 packets transmitted, 5 received" in text and "errors" not in text, text

    def voided(self) -> int:
        """Packets that units made void so far: dropped there, or at the exit if they had started to leave."""
        counters = self.card.registers.counters()
        return sum(v.get("drop_engine", 0) + v.get("drop_aborted", 0) for v in counters.values()) + counters["host"]["mark_bad_out"]


@pytest.fixture(scope="module")
def link(built):
    with Namespace("wire") as wire, Namespace("host") as host, VirtualCard(built("panic")) as card:
        load_key(card)
        with Session(card, control=False) as session:
            for port, (namespace, address) in enumerate(((wire, WIRE), (host, HOST))):
                session.watch(port, card.open_tap(port, f"girih{port}", namespace.path))
                namespace.bring_up(f"girih{port}", f"{address}/24", MTU)
            yield Link(session, wire, host)
        card.check_conservation()


def sealed(text: bytes) -> tuple[bytes, bytes]:
    """A text with its digest, encrypted behind its vector; and the card's expected output."""
    vector = random.randbytes(8)
    clear = text + hashlib.sha3_512(vector + text).digest()
    return vector + cipher(vector, clear), vector + clear


@pytest.mark.parametrize("size", [0, 56, 1400])
def test_ping_passes(link, size):
    link.ping(link.wire, HOST, size)
    link.ping(link.host, WIRE, size)


def test_flows_from_sockets_are_decrypted(link):
    """Three flows mixed: sealed datagrams, video that is encrypted, video that is to get its digest."""
    random.seed(SEED)
    link.card.services.add_chain("sealed_video", ["aes"], match={"udp.dst": SEALED_VIDEO}, tenant="ipsec")
    sent, expected = [], []
    for number in range(60):
        text, port = random.randbytes(random.choice(SIZES)), (IPSEC, SEALED_VIDEO, VIDEO)[number % 3]
        if port == IPSEC:
            payload, clear = sealed(text)
        elif port == SEALED_VIDEO:
            vector = random.randbytes(8)
            payload, clear = vector + cipher(vector, text), vector + text
        else:
            payload, clear = text + bytes(64), text + hashlib.sha3_512(text).digest()
        sent.append((port, payload))
        expected.append((port, clear))
    before = link.voided()
    got = link.send(sent, len(expected))
    link.card.services.delete_chain("sealed_video")
    assert sorted(got) == sorted(expected)
    assert link.voided() == before


def test_a_wrong_digest_does_not_arrive(link):
    """A datagram with one changed bit, in its vector or behind it, is dropped and counted."""
    random.seed(SEED)
    sent, expected, wrong = [], [], 0
    for number in range(30):
        payload, clear = sealed(random.randbytes(random.choice(SIZES)))
        if number % 3 == 1:
            broken = bytearray(payload)
            broken[random.randrange(len(broken))] ^= 1 << random.randrange(8)
            payload, wrong = bytes(broken), wrong + 1
        else:
            expected.append((IPSEC, clear))
        sent.append((IPSEC, payload))
    before = link.voided()
    got = link.send(sent, len(expected))
    assert sorted(got) == sorted(expected)
    assert link.voided() == before + wrong


def test_the_key_is_the_tenants(link):
    """Without the tenant's key the same datagrams do not pass: it is the card that decrypts them."""
    load_key(link.card, bytes([KEY[0] ^ 1]) + KEY[1:])
    before = link.voided()
    try:
        assert link.send([(IPSEC, sealed(b"x" * 100)[0]) for _ in range(5)], 0) == []
    finally:
        load_key(link.card)
    assert link.voided() == before + 5
