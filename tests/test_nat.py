# SPDX-License-Identifier: Apache-2.0
"""The card of `designs/nat.yaml` between two networks of Linux: programs inside reach servers outside, hosts with an outside address of their own are
reached, and ICMP errors reach the host that caused them. tshark and the kernels' counters judge what the card sent at both ports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.paths import ROOT
from tests.test_linux import KERNEL_ERRORS, dissect, judge, kernel_counters

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
]

ROUTER, SHARED = "10.0.0.1", "203.0.113.1"
HOST, OWN, OTHER = "10.0.0.2", "10.0.0.3", "10.0.0.4"
OWN_OUTSIDE = "203.0.113.3"
STRANGER = "203.0.113.254"
SECONDS = 120
SO_NO_CHECK = 11  # Linux's number: datagrams without a checksum
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "python")}

# Servers on port 7 of UDP and TCP, which echo, and on UDP port 8, which tells a client the address it is seen with.
SERVERS = """
import socket, sys, threading
ADDRESS = sys.argv[1]
def udp(port, answer):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind((ADDRESS, port))
    while True:
        data, peer = s.recvfrom(65536)
        s.sendto(answer(data, peer), peer)
def tcp():
    s = socket.create_server((ADDRESS, 7), backlog=100)
    while True:
        threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
def serve(c):
    while data := c.recv(65536):
        c.sendall(data)
    c.close()
threading.Thread(target=udp, args=(7, lambda data, peer: data), daemon=True).start()
threading.Thread(target=udp, args=(8, lambda data, peer: f"{peer[0]} {peer[1]}".encode()), daemon=True).start()
threading.Thread(target=tcp, daemon=True).start()
print("ready", flush=True)
threading.Event().wait()
"""


class Networks:
    def __init__(self, session: Session, inside: Namespace, outside: Namespace):
        self.session, self.card, self.inside, self.outside = session, session.card, inside, outside

    def run(self, *commands: tuple[Namespace, list[str]]) -> list[str]:
        """Runs programs at the same time while the card runs; returns the output of each."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        running = [namespace.popen(command, env=ENVIRONMENT, **options) for namespace, command in commands]
        try:
            self.session.serve(seconds=SECONDS, until=lambda: all(process.poll() is not None for process in running))
            assert all(process.poll() is not None for process in running), f"{commands} did not end"
            return [process.communicate()[0] for process in running]
        finally:
            for process in running:
                if process.poll() is None:
                    process.kill()
                    process.wait()

    def python(self, namespace: Namespace, text: str) -> str:
        (output,) = self.run((namespace, [sys.executable, "-c", text]))
        return output.strip()

    def ping(self, namespace: Namespace, address: str, *options: str) -> str:
        (text,) = self.run((namespace, ["ping", "-n", "-c", "5", "-i", "0.2", *options, address]))
        return text

    def seen_as(self, source: str, server: str = STRANGER) -> list[str]:
        """The address and port with which a server sees a client bound to `source`."""
        return self.python(self.inside, f"{client(source, server, 8)}; print(s.recv(99).decode())").split()

    def count(self, counter: str) -> int:
        tile, _dot, name = counter.partition(".")
        return self.card.registers.counters(tile)[tile][name]


def client(source: str, server: str, port: int) -> str:
    return (
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(20); "
        f"s.bind(('{source}', 0)); s.connect(('{server}', {port})); s.send(b'?')"
    )


@pytest.fixture(scope="module")
def networks(built) -> Iterator[Networks]:
    with Namespace("in") as inside, Namespace("out") as outside, VirtualCard(built("nat")) as card, Session(card, control=False) as session:
        for port, (namespace, address) in enumerate(((inside, f"{HOST}/24"), (outside, f"{STRANGER}/24"))):
            session.watch(port, card.open_tap(port, f"girih{port}", namespace.path))
            namespace.bring_up(f"girih{port}", address)
        for command in (["address", "add", f"{OWN}/24", "dev", "girih0"], ["address", "add", f"{OTHER}/24", "dev", "girih0"],
                        ["route", "add", "default", "via", ROUTER]):  # fmt: skip
            subprocess.run(["ip", "-n", inside.name, *command], check=True)
        subprocess.run(["ip", "-n", outside.name, "route", "add", f"{OWN_OUTSIDE}/32", "via", SHARED], check=True)
        places = ((inside, OWN), (outside, STRANGER))
        servers = [namespace.popen([sys.executable, "-c", SERVERS, address], stdout=subprocess.PIPE) for namespace, address in places]
        try:
            assert all(server.stdout.readline().strip() == "ready" for server in servers)
            yield Networks(session, inside, outside)
        finally:
            for server in servers:
                server.kill()
                server.wait()


@pytest.fixture
def net(networks, tmp_path) -> Iterator[Networks]:
    """The networks during one test. Afterwards all sent frames are judged, and the card's account must be even."""
    capture = tmp_path / "sent.pcapng"
    before = [kernel_counters(namespace) for namespace in (networks.inside, networks.outside)]
    networks.card.start_capture(capture, ["port0.tx", "port1.tx"])
    yield networks
    networks.card.stop_capture()
    judge(dissect(capture))
    for namespace, counted in zip((networks.inside, networks.outside), before, strict=True):
        after = kernel_counters(namespace)
        assert {name: after[name] - counted[name] for name in KERNEL_ERRORS} == dict.fromkeys(KERNEL_ERRORS, 0)
    networks.card.check_conservation()


def test_pings_go_out_and_their_answers_come_back(net):
    for size in ("0", "56", "1400"):
        assert " 0% packet loss" in net.ping(net.inside, STRANGER, "-s", size)
    for namespace, address in ((net.inside, ROUTER), (net.inside, SHARED), (net.outside, SHARED)):
        assert " 0% packet loss" in net.ping(namespace, address)


def test_the_router_answers_nothing_but_pings(net):
    """Not even a datagram whose eight bytes are those of an echo request with a right checksum gets an answer."""
    before, dropped = net.count("icmp.in_messages"), net.count("local.drop_no_next_hop")
    text = f"s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(socket.SOL_SOCKET, {SO_NO_CHECK}, 1); s.bind(('{HOST}', 0x0800))"
    net.python(net.inside, f"import socket; {text}; s.sendto(b'', ('{ROUTER}', 0xffff - 0x0800 - 8))")
    net.session.serve(seconds=0.2)
    assert net.count("icmp.in_messages") == before and net.count("local.drop_no_next_hop") == dropped + 1
    assert " 0% packet loss" in net.ping(net.inside, ROUTER)


def test_udp_clients_share_an_address(net):
    command = [sys.executable, "-m", "girih.card.udp_client", STRANGER, "7", "20"]
    for text in net.run(*[(net.inside, [*command, *sizes]) for sizes in (("0", "1", "18"), ("64", "1472"), ("5", "1000"))]):
        result = json.loads(text)
        assert result["sent"] == result["received"] > 0 and not result["wrong"], result
    seen = [net.seen_as(source) for source in (HOST, OTHER, HOST)]
    assert {address for address, _port in seen} == {SHARED}
    assert len({port for _address, port in seen}) == 3 and all(0x8000 <= int(port) < 0x8400 for _address, port in seen)


def test_tcp_connections_go_through(net):
    (text,) = net.run((net.inside, [sys.executable, "-m", "girih.card.tcp_client", STRANGER, "7", "8", "100000"]))
    result = json.loads(text)
    assert result["right"] == 8 and result["bytes"] == 800_000 and not result["problems"], result


def test_a_host_with_an_address_of_its_own(net):
    assert net.seen_as(OWN)[0] == OWN_OUTSIDE
    assert " 0% packet loss" in net.ping(net.outside, OWN_OUTSIDE)
    (text,) = net.run((net.outside, [sys.executable, "-m", "girih.card.udp_client", OWN_OUTSIDE, "7", "10", "0", "300"]))
    result = json.loads(text)
    assert result["sent"] == result["received"] > 0 and not result["wrong"], result


def test_inside_hosts_meet_at_their_outside_addresses(net):
    before = net.count("nat.mark_hairpin")
    address, port = net.seen_as(OTHER, OWN_OUTSIDE)
    assert address == SHARED and int(port) >= 0x8000
    assert net.count("nat.mark_hairpin") == before + 2


def test_errors_find_who_caused_them(net):
    """A closed port outside, one inside, and a router that is too far away."""
    refused = "\ntry: s.recv(9)\nexcept ConnectionRefusedError: print('refused')"
    assert net.python(net.inside, client(HOST, STRANGER, 99) + refused) == "refused"
    assert net.python(net.inside, client(OWN, STRANGER, 99) + refused) == "refused"
    assert net.python(net.outside, client(STRANGER, OWN_OUTSIDE, 99) + refused) == "refused"
    text = net.ping(net.inside, STRANGER, "-t", "1", "-W", "1")
    assert text.count(f"From {ROUTER} icmp_seq") == 5 and text.count("Time to live exceeded") == 5, text


def test_nobody_comes_in_unasked(net):
    before = net.count("nat.drop_no_mapping")
    net.python(net.outside, f"{client(STRANGER, SHARED, 0x83ff)}; s.send(b'!')")
    net.session.serve(seconds=0.5)
    assert net.count("nat.drop_no_mapping") == before + 2
    assert " 0% packet loss" in net.ping(net.inside, STRANGER)
