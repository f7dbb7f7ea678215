# SPDX-License-Identifier: Apache-2.0
"""The card of `designs/tcp_echo.yaml` against Linux's own stack: bytes come back, whatever the wire does to segments, and no connection is left."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from scapy.layers.inet import ICMP, IP, TCP
from scapy.layers.l2 import Ether

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.experiments.tcp import ACK, OWN_IP, RST, SYN, Peer
from tests.tcp_wire import CARD, SECONDS, TCP_INFO, Wire, at_rest, wired

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
]

CHECKSUMS = [word for protocol in ("ip", "tcp") for word in ("-o", f"{protocol}.check_checksum:TRUE")]


@pytest.fixture(scope="module")
def card(built):
    with wired(built("tcp_echo"), Wire) as wire:
        yield wire


@pytest.fixture
def wire(card):
    with at_rest(card):
        yield card


def test_bytes_come_back(wire, tmp_path):
    """And tshark finds no fault in what the card sends."""
    program = shutil.which("tshark")
    assert program, "tshark is not installed: as root, apt-get install tshark"
    capture = tmp_path / "sent.pcapng"
    wire.card.start_capture(capture, ["port0.tx"])
    wire.echo(1, 1_000_000)
    wire.echo(8, 1)
    wire.card.stop_capture()
    fields = ["-T", "fields", "-e", "_ws.malformed", "-e", "ip.checksum.status", "-e", "tcp.checksum.status", "-Y", "tcp"]
    text = subprocess.run([program, "-r", str(capture), *CHECKSUMS, *fields], capture_output=True, text=True, check=True).stdout
    assert set(text.splitlines()) == {"\t1\t1"}


def assert_no_stamp_is_refused(wire: Wire, before: dict[str, int]) -> None:
    """Neither by the card, since its counters were these, nor ever by the kernel."""
    after = wire.card.registers.counters("tcp")["tcp"]
    assert after["drop_paws"] == before["drop_paws"] and after["drop_no_stamp"] == before["drop_no_stamp"]
    refused = {name: int(re.findall(r"\d+", wire.run(["nstat", "-asz", name])[0])[0]) for name in ("TcpExtPAWSEstab", "TcpExtPAWSActive")}
    assert not any(refused.values()), refused


@pytest.mark.parametrize("timestamps", [1, 0])
def test_time_stamps(wire, timestamps):
    """The kernel says that it has agreed on them, and takes every segment; without the setting it has not. Its segments get smaller by the option."""
    text = f"""
import socket
{TCP_INFO}
s = socket.create_connection(("{CARD}", 7))
data = bytes(range(256)) * 200
for at in range(0, len(data), 2048):
    s.sendall(data[at:at + 2048])
    assert s.recv(2048, socket.MSG_WAITALL) == data[at:at + 2048]
print(tcp_info(s)[:2])
s.close()
"""
    before = wire.card.registers.counters("tcp")["tcp"]
    wire.card.registers.write("tcp.timestamps", timestamps)
    try:
        assert wire.python(text) == str((bool(timestamps), 1460 - 12 * timestamps))
    finally:
        wire.card.registers.write("tcp.timestamps", 1)
    assert_no_stamp_is_refused(wire, before)


def test_a_new_secret_on_a_running_card(wire, tmp_path):
    """Open connections keep their numbers and the offsets of their time stamps: neither side refuses a segment for its stamp. New ones open as before."""
    ready, go = tmp_path / "ready", tmp_path / "go"
    text = f"""
import os, socket, time
def echo(s):
    for _ in range(10):
        data = os.urandom(2048)
        s.sendall(data)
        assert s.recv(len(data), socket.MSG_WAITALL) == data
old = [socket.create_connection(("{CARD}", 7)) for _ in range(8)]
for s in old:
    echo(s)
open({str(ready)!r}, "w").close()
while not os.path.exists({str(go)!r}):
    time.sleep(0.01)
for s in old + [socket.create_connection(("{CARD}", 7)) for _ in range(8)]:
    echo(s)
    s.close()
"""
    program = wire.namespace.popen([sys.executable, "-c", text])
    try:
        wire.session.serve(seconds=SECONDS, until=lambda: ready.exists() or program.poll() is not None)
        before = wire.card.registers.counters("tcp")["tcp"]
        for word in range(4):
            wire.card.registers.write(f"tcp.secret[{word}]", 0x9E3779B9 * (word + 1) % 2**32)
        go.touch()
        wire.session.serve(seconds=SECONDS, until=lambda: program.poll() is not None)
    finally:
        if program.poll() is None:
            program.kill()
            program.wait()
        for word in range(4):
            wire.card.registers.write(f"tcp.secret[{word}]", 0)
    assert program.returncode == 0
    assert wire.count("mark_opened") - before["mark_opened"] == 8
    assert_no_stamp_is_refused(wire, before)


def test_many_connections_at_once(wire):
    wire.echo(256, 3000)


def test_over_a_bad_wire(wire):
    before = wire.count("mark_retransmitted")
    for direction in ("in", "out"):
        wire.card.set_faults(0, direction, loss=0.02, duplicate=0.02, corrupt=0.02, reorder=0.03, reorder_cycles=3000, seed=5)
    wire.echo(12, 15_000)
    assert wire.count("mark_retransmitted") > before and wire.count("drop_checksum") > 0 and wire.count("mark_out_of_order") > 0


def test_pacing(wire):
    """Many connections at once, whose bytes are spread over the round trip, which the kernel's delayed acknowledgements make longer."""
    before = wire.count("mark_paced")
    wire.card.registers.write("tcp.pacing[0]", 7)
    try:
        wire.echo(12, 15_000)
    finally:
        wire.card.registers.write("tcp.pacing[0]", 0)
    assert wire.count("mark_paced") > before


def test_a_lost_answer_has_a_tail_loss_probe(wire):
    """Of an answer in several segments, none comes at first. The card sends a tail loss probe, and the kernel gets all bytes."""
    text = f"""
import os, socket, sys
s = socket.create_connection(("{CARD}", 7))

def exchange(size):
    data = os.urandom(size)
    s.sendall(data)
    return s.recv(size, socket.MSG_WAITALL) == data

print(all([exchange(1000) for _ in range(4)]), flush=True)
sys.stdin.readline()
print(exchange(6000), flush=True)
"""
    with tempfile.TemporaryFile("w+") as output:
        client = wire.namespace.popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT)

        def said() -> str:
            output.seek(0)
            return output.read()

        try:
            wire.session.serve(seconds=SECONDS, until=lambda: said() != "")
            before = wire.card.registers.counters("tcp")["tcp"]
            wire.card.set_faults(0, "out", loss=1.0)
            client.stdin.write("\n")
            client.stdin.flush()
            wire.session.serve(seconds=SECONDS, until=lambda: wire.count("out_messages") >= before["out_messages"] + 10)
            wire.card.set_faults(0, "out")
            wire.session.serve(seconds=SECONDS, until=lambda: client.poll() is not None)
            assert client.poll() == 0 and said() == "True\nTrue\n", said()
        finally:
            client.kill()
            client.communicate()
    assert wire.count("mark_tail_probes") > before["mark_tail_probes"]


def test_a_client_that_does_not_read(wire):
    """The card's window closes when the client's does; once the client reads, everything comes back."""
    text = f"""
import socket, threading, time
s = socket.create_connection(("{CARD}", 7))
data = bytes(range(256)) * 2000
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
writer = threading.Thread(target=lambda: (s.sendall(data), s.shutdown(socket.SHUT_WR)))
writer.start()
time.sleep(0.5)
got = b""
while piece := s.recv(1 << 16):
    got += piece
writer.join()
print(got == data)
"""
    assert wire.python(text) == "True"


def test_a_client_that_resets(wire):
    """In the middle of its bytes, again and again; other connections do not notice."""
    text = f"""
import socket, struct
other = socket.create_connection(("{CARD}", 7))
for number in range(20):
    s = socket.create_connection(("{CARD}", 7))
    s.sendall(bytes(1000 * number))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()
    other.sendall(b"still here")
    assert other.recv(10, socket.MSG_WAITALL) == b"still here"
other.close()
"""
    before = wire.count("mark_reset_received")
    assert wire.python(text) == ""
    assert wire.count("mark_reset_received") > before


def test_a_port_where_nothing_listens(wire):
    text = f"""
import socket
try:
    socket.create_connection(("{CARD}", 9), timeout=20)
except ConnectionRefusedError:
    print("refused")
"""
    assert wire.python(text) == "refused"


def test_counters_by_http(wire):
    """Each counter has its present value, on persistent connections, several at once."""
    text = f"""
import http.client, json
clients = [http.client.HTTPConnection("{CARD}", timeout=100) for _ in range(3)]
pages = []
for turn in range(2):
    for client in clients:
        client.request("GET", "/metrics")
        socket = client.sock
    for client in clients:
        pages.append(client.getresponse().read().decode())
    assert socket is clients[-1].sock
for client in clients:
    client.close()
print(json.dumps(pages))
"""
    before = wire.card.registers.counters()
    pages = [metrics(page) for page in json.loads(wire.python(text))]
    after = wire.card.registers.counters()
    assert len(pages) == 6
    for page in pages:
        assert page.keys() == {(tile, name) for tile in before for name in before[tile]}
        for (tile, name), value in page.items():
            assert before[tile][name] <= value <= after[tile][name], (tile, name)
    assert pages[-1]["http", "mark_answers"] >= 3
    (output,) = wire.run(["curl", "-s", "--fail", "--noproxy", "*", "-m", "100", f"http://{CARD}/metrics"])
    assert metrics(output)["tcp", "mark_opened"] == wire.count("mark_opened")


def test_a_path_with_a_smaller_mtu(built):
    """An ICMP error about a segment of the card is taken through the tile icmp: the bytes come again in smaller segments, long before the time-out. A forged one has no effect."""
    with VirtualCard(built("tcp_echo")) as card:
        peer = Peer(card, 7)
        peer.connect()
        text = os.urandom(1400)
        peer.send(text)
        whole = peer.take()
        while not whole.data:
            whole = peer.take()
        assert whole.data == text
        for seq in (whole.seq + len(text), whole.seq):
            quoted = IP(src=CARD, dst=OWN_IP, flags="DF") / TCP(sport=7, dport=peer.own_port, seq=seq % 2**32)
            error = IP(src="10.77.0.3", dst=CARD) / ICMP(type=3, code=4, nexthopmtu=600) / bytes(quoted)[:28]
            card.inject(0, bytes(Ether(src="02:00:00:00:00:09", dst=card.manifest.addresses["mac"]) / error))
        peer.ack = whole.seq
        got = b""
        while len(got) < len(text):
            segment = peer.take()
            assert segment.seq == (whole.seq + len(got)) % 2**32 and 0 < len(segment.data) <= 560
            got += segment.data
            peer.send(flags=ACK)
        assert got == text
        counters = card.registers.counters()
        assert counters["icmp"]["mark_too_big"] == 2 and counters["tcp"]["used_errors"] == counters["tcp"]["drop_error"] == 1
        peer.send(flags=RST | ACK)
        card.run(2000)
        card.check_conservation()


@pytest.mark.parametrize(("register", "agrees"), [("ecn", True), ("dctcp", True), (None, False)])
def test_ecn_with_linux(wire, tmp_path, register, agrees):
    """A kernel that asks for ECN gets it from an application that is in `ecn` or `dctcp`, and what both send then can be marked: new data, and nothing else. The bytes are right."""
    program = shutil.which("tshark")
    assert program, "tshark is not installed: as root, apt-get install tshark"
    text = f"""
import os, socket, threading
s = socket.create_connection(("{CARD}", 7))
data = os.urandom(30000)
writer = threading.Thread(target=lambda: (s.sendall(data), s.shutdown(socket.SHUT_WR)))
writer.start()
got = b""
while len(got) < len(data) and (piece := s.recv(1 << 16)):
    got += piece
options = s.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 8)[5]
writer.join()
print(got == data, bool(options & 8), bool(options & 16))  # TCPI_OPT_ECN, TCPI_OPT_ECN_SEEN
"""
    with ExitStack() as undo:
        for value in ("2", "1"):
            command = wire.namespace.command(["sysctl", "-w", f"net.ipv4.tcp_ecn={value}"])
            if value == "1":
                subprocess.run(command, capture_output=True, check=True)
            else:
                undo.callback(subprocess.run, command, capture_output=True, check=True)
        if register:
            wire.card.registers.write(f"tcp.{register}[3]", 7)
            undo.callback(wire.card.registers.write, f"tcp.{register}[3]", 0)
        capture = tmp_path / "both.pcapng"
        wire.card.start_capture(capture, ["port0.tx", "port0.rx"])
        assert wire.python(text) == f"True {agrees} {agrees}"
        wire.card.stop_capture()
    names = ("ip.src", "ip.dsfield.ecn", "tcp.len", "tcp.flags.syn", "tcp.flags.ece", "ip.checksum.status", "tcp.checksum.status")
    fields = [word for name in names for word in ("-e", name)]
    output = subprocess.run([program, "-r", str(capture), *CHECKSUMS, "-T", "fields", *fields, "-Y", "tcp"], capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in output.splitlines()]
    own = [row for row in rows if row[0] == CARD]
    assert {tuple(row[5:]) for row in own} == {("1", "1")}, "checksums"
    assert {(row[1], row[2] != "0") for row in own} == ({("2", True), ("0", False)} if agrees else {("0", True), ("0", False)})
    assert {row[4] in ("1", "True") for row in own if row[3] in ("1", "True")} == {agrees}
    assert any(row[1] == "2" for row in rows if row[0] != CARD) == agrees, "what Linux sends"


def test_a_mark_on_its_way_through_the_card(built):
    """A router's mark in the header of a packet reaches TCP, which tells the sender of it until it hears CWR."""
    ece, cwr = 0x40, 0x80
    with VirtualCard(built("tcp_echo")) as card:
        card.registers.write("tcp.ecn[0]", 7)
        peer = Peer(card, 7)
        peer.send(flags=SYN | ece | cwr)
        assert peer.take().flags == SYN | ACK | ece
        peer.send(flags=ACK)
        for flags, ecn, told in ((ACK, 2, 0), (ACK, 3, ece), (ACK, 2, ece), (ACK | cwr, 2, 0)):
            packet = Ether(peer.frame(b"text", flags))
            packet[IP].tos, packet[IP].chksum = ecn, None
            card.inject(0, bytes(packet))
            peer.seq += 4
            got = b""
            while not got:
                segment = peer.take()
                assert segment.ack != peer.seq or segment.flags & ece == told, (flags, ecn)
                got = segment.data
            assert got == b"text" and segment.flags & ece == told
            peer.send(flags=ACK)
        assert card.registers.counters("tcp")["tcp"]["mark_ecn_received"] == 1
        peer.send(flags=RST | ACK)
        card.run(2000)
        card.check_conservation()


@pytest.mark.parametrize("mtu", [576, 1300])
def test_a_router_with_a_smaller_mtu(wire, mtu):
    """Linux forwards the segments to a host behind a link too small for them, of which that host knows nothing. Its errors make them smaller, once for each connection, and all bytes come back."""
    router, clients = wire.namespace, 6
    with Namespace("far") as far, ExitStack() as undo:

        def run(namespace: Namespace, *words: str) -> str:
            return subprocess.run(namespace.command([*words]), capture_output=True, text=True, check=True).stdout

        def reported() -> int:
            """Errors that the router has sent."""
            return int(re.findall(r"\d+", run(router, "nstat", "-asz", "IcmpOutDestUnreachs"))[0])

        run(router, "ip", "link", "add", "far0", "type", "veth", "peer", "name", "far1", "netns", far.name)
        router.bring_up("far0", "10.78.0.1/24", mtu=1500)
        far.bring_up("far1", "10.78.0.2/24", mtu=1500)
        run(router, "sysctl", "-w", "net.ipv4.ip_forward=1")
        run(router, "ip", "route", "add", "10.78.0.2", "dev", "far0", "mtu", str(mtu))
        run(far, "ip", "route", "add", "default", "via", "10.78.0.1")
        wire.card.registers.write("arp.gateway", int(IPv4Address("10.77.0.1")))
        undo.callback(wire.card.registers.write, "arp.gateway", 0)
        before, sent = wire.card.registers.counters(), reported()
        Wire(wire.session, far).echo(clients, 30_000)
        after = wire.card.registers.counters()

        def counted(tile: str, name: str) -> int:
            return after[tile][name] - before[tile][name]

        assert counted("tcp", "used_errors") == clients
        arrived = counted("icmp", "mark_too_big")
        assert arrived == counted("tcp", "used_errors") + counted("tcp", "drop_error")
        # A burst that the kernel sends faster than the wire takes it overflows the card's input.
        assert reported() - sent - counted("eth_rx", "drop_overflow") <= arrived <= reported() - sent
        assert counted("tcp", "drop_no_connection") == counted("tcp", "mark_gave_up") == 0


def metrics(text: str) -> dict[tuple[str, str], int]:
    """The value of each counter of each tile."""
    values = re.findall(r'^girih_(\w+)_total\{tile="(\w+)"\} (\d+)$', text, re.MULTILINE)
    return {(tile, name): int(value) for name, tile, value in values}
