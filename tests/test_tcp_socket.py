# SPDX-License-Identifier: Apache-2.0
"""The sockets of `designs/tcp_socket.yaml` against programs on Linux's own stack, which act as clients and as servers."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.registers import violations
from girih.card.session import Session
from girih.card.sockets import SocketTile
from girih.errors import GirihError
from tests.tcp_wire import CARD, SECONDS, TAP, TCP_INFO, Wire

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
]
HOST = "10.77.0.1"
STEP = 400  # cycles between two looks at the tile
WAIT = 10_000_000  # cycles
TIME_WAIT = 500  # ticks of 256 cycles: each test waits for it


class Sockets(Wire):
    """Programs of Linux, and the tile's sockets, which let the card run for STEP cycles between two looks at the tile."""

    def __init__(self, session: Session, namespace: Namespace):
        super().__init__(session, namespace)
        self.tile = self.new_tile()

    def new_tile(self) -> SocketTile:
        return SocketTile(self.card.registers, "sock", lambda: self.session.serve(cycles=STEP), lambda: self.card.cycle)

    @contextmanager
    def program(self, text: str) -> Iterator[subprocess.Popen]:
        """A Python program at the other end, which runs while the card does."""
        process = self.namespace.popen([sys.executable, "-uc", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()

    def output(self, process: subprocess.Popen) -> str:
        """The program's output, once it has ended."""
        self.session.serve(seconds=SECONDS, until=lambda: process.poll() is not None)
        assert process.poll() is not None, "the program did not end"
        return process.communicate()[0].strip()

    @contextmanager
    def server(self, port: int, text: str) -> Iterator[subprocess.Popen]:
        """A Python program that listens; `s` is its first accepted connection."""
        start = f"import socket, hashlib, struct, time\nl = socket.create_server(('{HOST}', {port}))\nprint('listens')\ns, peer = l.accept()\n"
        with self.program(start + text) as process:
            assert process.stdout.readline() == "listens\n"
            yield process


@pytest.fixture(scope="module")
def card(built):
    with Namespace("sockets") as namespace, VirtualCard(built("tcp_socket")) as card, Session(card, control=False) as session:
        session.watch(0, card.open_tap(0, TAP, namespace.path))
        namespace.bring_up(TAP, f"{HOST}/24")
        card.registers.write("tcp.time_wait", TIME_WAIT)
        yield Sockets(session, namespace)


@pytest.fixture
def wire(card):
    """After each test no connection is left, and the account of messages is even."""
    yield card
    card.session.serve(seconds=SECONDS, until=lambda: left(card) == 0)
    assert left(card) == 0
    card.session.serve(seconds=SECONDS, until=lambda: not violations(card.card.registers.counters()))  # ARP takes long to give up on a host that does not answer
    card.card.check_conservation()


def left(wire: Sockets) -> int:
    """Connections of the stack, including those being opened."""
    return wire.count("mark_begun") - wire.count("mark_freed")


def test_a_client_of_linux(wire):
    """The client connects, sends everything, and then reads what the card made of it. More text goes each way than any buffer holds."""
    listener = wire.tile.listen(5000)
    data = random.Random(1).randbytes(12_000)
    text = f"""
import hashlib, socket
s = socket.create_connection(("{CARD}", 5000))
peer = s.getpeername()
s.sendall(bytes.fromhex("{data.hex()}"))
s.shutdown(socket.SHUT_WR)
data = b""
while piece := s.recv(1 << 16):
    data += piece
print(hashlib.sha256(data).hexdigest(), peer)
"""
    with wire.program(text) as process:
        connection = listener.accept(WAIT)
        assert connection.peer[0] == HOST and connection.port == 5000 and connection.state == "open"
        got = b""
        while piece := connection.recv(5000, WAIT):
            got += piece
        assert got == data and connection.state == "peer closed"
        connection.sendall(data[::-1], WAIT)
        assert connection.sent == connection.received == len(data)
        connection.close()
        assert connection.state == "closed"
        assert wire.output(process) == f"{hashlib.sha256(data[::-1]).hexdigest()} ('{CARD}', 5000)"
    with pytest.raises(OSError, match="descriptor"):
        connection.recv(1)
    with pytest.raises(BrokenPipeError):
        connection.send(b"more")
    listener.close()


def test_a_server_of_linux(wire):
    """The card connects, sends everything, and then reads what the server made of it."""
    data = random.Random(2).randbytes(10_000)
    with wire.server(5001, "data = b''\nwhile piece := s.recv(1 << 16):\n    data += piece\ntime.sleep(0.2)\ns.sendall(data[::-1])\ns.close()\nprint(peer)") as process:
        connection = wire.tile.connect(HOST, 5001, local_port=50001, timeout=WAIT)
        assert connection.peer == (HOST, 5001) and connection.port == 50001
        connection.sendall(data, WAIT)
        connection.shutdown()
        assert connection.state == "shut down"
        with pytest.raises(BrokenPipeError):
            connection.send(b"more")
        got = b""
        while piece := connection.recv(1 << 16, WAIT):
            got += piece
        assert got == data[::-1] and connection.state == "both closed"
        connection.close()
        assert wire.output(process) == f"('{CARD}', 50001)"


def test_a_server_agrees_on_time_stamps(wire):
    """The card offers them, and the kernel's side of the connection says that it has them."""
    with wire.server(5001, TCP_INFO + "data = s.recv(10, socket.MSG_WAITALL)\ns.sendall(data)\nprint(tcp_info(s)[:2])\ns.close()") as process:
        connection = wire.tile.connect(HOST, 5001, timeout=WAIT)
        connection.sendall(b"ten bytes.", WAIT)
        assert connection.recv(100, WAIT) == b"ten bytes."
        assert connection.recv(100, WAIT) == b""
        connection.close()
        assert wire.output(process) == "(True, 1448)"


def test_a_server_that_is_not_there(wire):
    for _ in range(3):
        with pytest.raises(ConnectionRefusedError):
            wire.tile.connect(HOST, 5009, timeout=WAIT)


def test_a_host_that_is_not_there(wire):
    """Its address is not answered for, or its segments are dropped on the way; the connection is given up."""
    before = wire.count("mark_gave_up")
    registers, times = wire.card.registers, {"tcp.rto_initial": 40, "tcp.rto_max": 100, "tcp.retries": 3}
    usual = {name: registers.read(name) for name in times}
    registers.write_many(times)
    with pytest.raises(TimeoutError):
        wire.tile.connect("10.77.0.99", 80, timeout=WAIT)
    assert wire.count("mark_gave_up") == before + 1
    with pytest.raises(BlockingIOError):
        wire.tile.connect("10.77.0.98", 80, timeout=0)
    for host, port in (("10.77.0.1.2", 80), (HOST, 0), (HOST, 1 << 16)):
        with pytest.raises(GirihError, match=f"{host}|{port}"):
            wire.tile.connect(host, port)
    with pytest.raises(OSError, match="assign"):
        wire.tile.connect("127.0.0.1", 80, timeout=WAIT)
    wire.session.serve(seconds=SECONDS, until=lambda: wire.count("mark_gave_up") == before + 2)
    registers.write_many(usual)
    wire.new_tile()  # discards what the abandoned connection still reports


def test_several_at_once(wire):
    """Connections opened by either side; their bytes never mix."""
    listener = wire.tile.listen(5000)
    text = f"""
import socket
clients = [socket.create_connection(("{CARD}", 5000)) for _ in range(5)]
for number, client in enumerate(clients):
    client.sendall(bytes([number]) * 3000)
for number, client in enumerate(clients):
    data = client.recv(3000, socket.MSG_WAITALL)
    assert data == bytes([data[0]]) * 3000 and data[0] == number, (number, data[:10], len(data))
    client.close()
print("right")
"""
    serving = "others = [s] + [l.accept()[0] for _ in range(3)]\nfor other in others:\n    other.sendall(other.recv(10)[::-1])\nfor other in others:\n    other.recv(1)\n"
    with wire.server(5002, serving) as server, wire.program(text) as process:
        passive = [listener.accept(WAIT) for _ in range(5)]
        active = [wire.tile.connect(HOST, 5002, timeout=WAIT) for _ in range(4)]
        for number, connection in enumerate(active):
            connection.sendall(b"text %d" % number)
        for connection in passive:
            data = b""
            while len(data) < 3000:
                data += connection.recv(1000, WAIT)
            assert data == data[:1] * 3000
            connection.sendall(data, WAIT)
        assert [connection.recv(100, WAIT) for connection in active] == [b"%d txet" % number for number in range(4)]
        for connection in active + passive:
            connection.close()
        assert wire.output(process) == "right" and wire.output(server) == ""
    listener.close()


def test_resets(wire):
    """By the peer, which the next call reports, and by the card."""
    linger = "s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))\n"
    with wire.server(5003, f"s.recv(2)\n{linger}s.close()") as process:
        connection = wire.tile.connect(HOST, 5003, timeout=WAIT)
        connection.sendall(b"go")
        with pytest.raises(ConnectionResetError):
            connection.recv(1, WAIT)
        assert connection.state == "reset" and wire.output(process) == ""
        connection.close()
    with wire.server(5004, "try:\n    s.recv(1)\nexcept ConnectionResetError:\n    print('reset')") as process:
        connection = wire.tile.connect(HOST, 5004, timeout=WAIT)
        connection.abort()
        assert wire.output(process) == "reset"


def tables(wire: Sockets) -> list[int]:
    """The tables of where the stack's messages go and at which ports it listens."""
    return [wire.card.registers.read(f"tcp.{name}[{index}]") for name in ("next_hop", "listen") for index in range(8)]


def test_ports_that_the_design_does_not_name(wire):
    """A program can listen at them; once it stops, the tables are as before."""
    before = tables(wire)
    client = f"import socket\ns = socket.create_connection(('{CARD}', 6000), timeout=100)\ns.sendall(b'a')\nprint(s.recv(1))"
    listeners = [wire.tile.listen(port) for port in range(6000, 6005)]
    with pytest.raises(OSError, match="in use"):
        wire.tile.listen(6001)
    with pytest.raises(GirihError, match="no entry left"):
        wire.tile.listen(6100)
    with wire.program(client) as process:
        connection = listeners[0].accept(WAIT)
        connection.sendall(connection.recv(1, WAIT))
        connection.close()
        assert wire.output(process) == "b'a'"
    with wire.program(client) as process:  # nothing accepts this one
        wire.session.serve(seconds=SECONDS, until=wire.tile.window.waiting)
        for listener in listeners:
            listener.close()
        assert "ConnectionResetError" in wire.output(process)
    with wire.program(client) as process:
        assert "ConnectionRefusedError" in wire.output(process)
    assert tables(wire) == before


@pytest.mark.parametrize("gone", [False, True])
def test_a_hand_shake_that_is_under_way_when_its_listener_is_closed(wire, gone):
    """Or when its program is gone and another one starts: the tile is still told of the connection and resets it, and only then is the port's entry
    free."""
    before = tables(wire)
    client = f"import socket\ns = socket.create_connection(('{CARD}', 6000), timeout=100)\nprint(s.recv(1))"
    registers = wire.card.registers
    begun, opened, usual = wire.count("mark_begun"), wire.count("mark_opened"), registers.read("tcp.rto_initial")
    listener = wire.tile.listen(6000)
    registers.write_many({"tcp.rto_initial": 100, "tcp.next_hop[0]": 0})  # the first answer gets lost
    with wire.program(client) as process:
        wire.session.serve(seconds=SECONDS, until=lambda: wire.count("mark_begun") > begun)
        if gone:
            wire.tile = wire.new_tile()
        else:
            listener.close()
        registers.write("tcp.next_hop[0]", before[0])
        assert tables(wire) != before, "the place was given away before the hand-shake had ended"
        wire.session.serve(seconds=SECONDS, until=lambda: wire.tile.take() or tables(wire) == before)
        assert "ConnectionResetError" in wire.output(process)
    assert tables(wire) == before and (wire.count("mark_begun"), wire.count("mark_opened")) == (begun + 1, opened + 1)
    with wire.program(client) as process:
        assert "ConnectionRefusedError" in wire.output(process)
    registers.write("tcp.rto_initial", usual)


def test_a_listener_that_is_closed(wire):
    """Connections that it has accepted go on, and the port is free when they end. An accept that can no longer succeed fails at once."""
    before = tables(wire)
    client = f"import socket\ns = socket.create_connection(('{CARD}', 6000), timeout=100)\ns.sendall(b'ask')\nprint(s.recv(9, socket.MSG_WAITALL))"
    listener = wire.tile.listen(6000)
    with wire.program(client) as process:
        connection = listener.accept(WAIT)
        listener.close()
        for _ in range(2):
            with pytest.raises(OSError, match="descriptor"):
                listener.accept(WAIT)
            listener.close()
        assert connection.recv(0) == b""
        with pytest.raises(ValueError, match="negative"):
            connection.recv(-1)
        assert connection.recv(3, WAIT) == b"ask"
        again = wire.tile.listen(6000)
        connection.sendall(b"an answer", WAIT)
        connection.close()
        assert wire.output(process) == "b'an answer'"
    again.close()
    assert tables(wire) == before


def test_an_interrupted_recv_loses_nothing(wire, monkeypatch):
    """Ctrl-C comes after any access to the tile. The next call continues, even on another connection."""
    window, left = wire.tile.window, [0]

    def interrupted(access):
        def accesses(*arguments):
            found = access(*arguments)
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt
            return found

        return accesses

    for name in ("read_window", "write_window"):
        monkeypatch.setattr(wire.card.registers, name, interrupted(getattr(wire.card.registers, name)))
    serving = "t = l.accept()[0]\nwhile size := s.recv(1):\n    s.sendall(bytes(range(8)))\n    time.sleep(0.05)\n    t.sendall(b'other')\ns.close()"
    with wire.server(5006, serving) as process:
        connection, other = (wire.tile.connect(HOST, 5006, timeout=WAIT) for _ in range(2))
        for count in range(1, 20):
            connection.sendall(b"8", WAIT)
            wire.session.serve(cycles=20 * STEP)
            got = {connection: b"", other: b""}
            left[0] = count
            with suppress(KeyboardInterrupt, BlockingIOError):
                got[connection] = connection.recv(100, 0)
            left[0] = 0
            for _ in range(1000):
                for each in (other, connection)[:: 1 if count % 2 else -1]:
                    with suppress(BlockingIOError):
                        got[each] += each.recv(100, 0)
                if len(got[connection]) >= 8 and len(got[other]) >= 5:
                    break
                wire.session.serve(cycles=STEP)
            assert list(got.values()) == [bytes(range(8)), b"other"], count
        connection.close()
        other.close()
        assert wire.output(process) == ""
    assert window.waiting() == 0


def test_what_is_no_tile_with_sockets(wire):
    with pytest.raises(GirihError, match="is not a tile with sockets"):
        SocketTile(wire.card.registers, "tcp")


def test_a_tile_without_a_name(wire):
    """The stack would not know where to report a connection that it opens."""
    registers = wire.card.registers
    (path,) = (path for path in (f"tcp.next_hop[{index}]" for index in range(8)) if registers.read(path) & 0xFFFF == 5001)
    usual = registers.read(path)
    registers.write(path, 0)
    with pytest.raises(GirihError, match="no name by which tcp"):
        wire.tile.connect(HOST, 80)
    registers.write(path, usual)


def test_a_program_that_is_gone(wire):
    """The ports, connections and requests that it leaves are in nobody's way, and the next program inherits no connection."""
    client = f"import socket\ns = socket.create_connection(('{CARD}', 5000), timeout=100)\nprint(s.recv(1))"
    with wire.server(5005, "print(s.recv(1))") as server:
        with pytest.raises(BlockingIOError):
            wire.tile.connect(HOST, 5005, timeout=0)
        with wire.program(client) as process:
            wire.session.serve(seconds=SECONDS, until=lambda: wire.tile.window.waiting() == 2)
            assert wire.tile.window.waiting() == 2
            wire.tile = wire.new_tile()
            assert "ConnectionResetError" in wire.output(process) and "ConnectionResetError" in wire.output(server)
    listener = wire.tile.listen(5000)
    with pytest.raises(BlockingIOError):
        listener.accept(timeout=0)
    listener.close()


def test_ports_of_a_program_that_is_gone(wire):
    """The next program finds the stack as the design has it, and can listen at these ports."""
    before = tables(wire)
    for port in range(6000, 6005):
        wire.tile.listen(port)
    wire.tile.listen(5001)
    assert tables(wire) != before
    wire.tile = wire.new_tile()
    assert tables(wire) == before
    wire.tile.listen(6003).close()
    assert tables(wire) == before


def test_a_flood_of_syns(wire):
    """SYNs of hosts that do not exist use up all hand-shakes that may be in progress: clients of Linux still connect, by SYN cookies."""
    registers, name = wire.card.registers, "tcp.half_open"
    usual, begun, cookies = registers.read(name), wire.count("mark_begun"), wire.count("mark_cookies")
    times = {"tcp.rto_initial": 3000, "tcp.retries": 2}
    before = {each: registers.read(each) for each in times}
    registers.write_many({name: 4} | times)
    listener = wire.tile.listen(5000)
    mac = registers.read("eth_rx.mac").to_bytes(6, "big")
    syns = [bytes(Ether(dst=mac, src=b"\2\0\0\0\0\7") / IP(src=f"10.77.0.{host}", dst=CARD) / TCP(sport=9, dport=5000, flags="S", seq=host)) for host in range(100, 120)]
    flood = f"import socket\ns = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\ns.bind(('{TAP}', 0))\nfor frame in {syns!r}:\n    s.send(frame)"
    assert wire.python(flood) == ""
    wire.session.serve(seconds=SECONDS, until=lambda: wire.count("mark_cookies") == cookies + 16)
    assert wire.count("mark_begun") == begun + 4
    text = f"""
import socket
s = socket.create_connection(("{CARD}", 5000), timeout=100)
s.sendall(bytes(range(250)) * 20)
s.settimeout(None)
print(s.recv(5000, socket.MSG_WAITALL) == bytes(range(250)) * 20)
"""
    with wire.program(text) as process:
        connection = listener.accept(WAIT)
        assert connection.peer[0] == HOST
        got = b""
        while len(got) < 5000:
            got += connection.recv(5000, WAIT)
        assert got == bytes(range(250)) * 20
        connection.sendall(got, WAIT)
        connection.close()
        assert wire.output(process) == "True"
    assert wire.count("mark_begun") == begun + 5 and wire.count("mark_cookies") == cookies + 17
    # The hand-shakes that are still in progress would keep their ports' entries from the next test's listeners.
    registers.write_many({"tcp.rto_initial": 100, "tcp.retries": 0})
    wire.session.serve(seconds=SECONDS, until=lambda: left(wire) == 0)
    assert left(wire) == 0
    listener.close()
    registers.write_many({name: usual} | before)


def test_a_peer_that_is_gone(wire):
    """All segments of the server are lost from some time on: keep-alive notices, as Linux's does, and the connection is reset."""
    registers, times = wire.card.registers, {"tcp.keep_idle": 100, "tcp.keep_interval": 80, "tcp.keep_count": 2}
    usual = {name: registers.read(name) for name in times}
    with wire.server(5007, "time.sleep(1000)"):
        connection = wire.tile.connect(HOST, 5007, timeout=WAIT)
        registers.write_many(times)
        asked, before = wire.count("mark_keep_alives"), wire.count("mark_gave_up")
        wire.session.serve(seconds=SECONDS, until=lambda: wire.count("mark_keep_alives") >= asked + 3)
        with pytest.raises(BlockingIOError):
            connection.recv(1, 0)
        assert wire.count("mark_gave_up") == before, "Linux answers each of them"
        addresses = registers.read("ip_rx.ip")
        registers.write("ip_rx.ip", 0x0A090909)  # nothing is received any more
        with pytest.raises(TimeoutError):
            connection.recv(1, WAIT)
        registers.write("ip_rx.ip", addresses)
        assert connection.state == "reset"
        connection.close()
    registers.write_many(usual)

