# SPDX-License-Identifier: Apache-2.0
"""The demo's card against Linux's own stack: ping, UDP sockets, VLANs and ARP over a TAP device in a namespace that is removed afterwards. After each
test, tshark and the kernel's counters judge everything that the card sent during it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.paths import ROOT

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
    pytest.mark.skipif(shutil.which("ping") is None, reason="the program ping is not installed"),
]

TAP = "girih0"
CARD = "10.77.0.2"
HOST = "10.77.0.1/24"
SECONDS = 90  # far longer than any step takes
CHECKED = [f"{protocol}.check_checksum:TRUE" for protocol in ("ip", "udp")]  # tshark always checks that of ICMP
FIELDS = ("_ws.malformed", "ip.checksum.status", "udp.checksum.status", "icmp.checksum.status", "icmp.type", "vlan.id", "vlan.priority")
KERNEL_ERRORS = ("Ip.InHdrErrors", "Ip.InAddrErrors", "Icmp.InErrors", "Icmp.InCsumErrors", "Udp.InCsumErrors")
GOOD, BAD = "1", "0"  # a checksum that was checked and found right, or wrong


class Wire:
    """A card on a TAP device, and programs at its other end."""

    def __init__(self, session: Session, namespace: Namespace, capture: Path):
        self.session, self.card, self.namespace = session, session.card, namespace
        self._capture = capture
        self._sent: list[dict[str, str]] | None = None
        self.card.start_capture(capture, ["port0.tx"])

    def sent(self) -> list[dict[str, str]]:
        """Ends the capture and returns the frames that the card has sent since it began: the fields of each, as tshark dissects them."""
        if self._sent is None:
            count = self.card.stop_capture()
            self._sent = dissect(self._capture)
            assert len(self._sent) == count
        return self._sent

    def run(self, *commands: list[str]) -> list[str]:
        """Runs programs at the same time while the card runs; returns the output of each."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        running = [self.namespace.popen(command, env=environment, **options) for command in commands]
        try:
            self.session.serve(seconds=SECONDS, until=lambda: all(process.poll() is not None for process in running))
            assert all(process.poll() is not None for process in running), f"{commands} did not end"
            return [process.communicate()[0] for process in running]
        finally:
            for process in running:
                if process.poll() is None:
                    process.kill()
                    process.wait()

    def ping(self, count: int, *options: str) -> None:
        """Fails unless every echo request is answered with the same bytes."""
        (text,) = self.run(["ping", "-n", "-q", "-c", str(count), *options, CARD])
        found = re.search(r"(\d+) packets transmitted, (\d+) received(.*) 0% packet loss", text)
        assert found and found[1] == found[2] == str(count) and "errors" not in text, text

    def udp(self, *size_lists: list[int], count: int = 10) -> None:
        """Runs a client for each list of sizes, at the same time; fails unless every datagram comes back."""
        client = [sys.executable, "-m", "girih.card.udp_client", CARD, "7", str(count)]
        for text in self.run(*[[*client, *map(str, sizes)] for sizes in size_lists]):
            result = json.loads(text)
            assert result["sent"] == result["received"] > 0 and not result["wrong"], result

    def ip(self, *arguments: str) -> None:
        subprocess.run(["ip", "-n", self.namespace.name, *arguments], check=True)

    def count(self, counter: str) -> int:
        tile, _dot, name = counter.partition(".")
        return self.card.registers.counters(tile)[tile][name]


@pytest.fixture(scope="module")
def session(built):
    """A card on a TAP device; its namespace is `session.namespace`."""
    with Namespace("test") as namespace, VirtualCard(built("demo")) as card, Session(card, control=False) as session:
        session.watch(0, card.open_tap(0, TAP, namespace.path))
        namespace.bring_up(TAP, HOST)
        session.namespace = namespace
        yield session


@pytest.fixture
def wire(session, tmp_path):
    """The wire during one test, after which all sent frames are judged and the card's account must be even."""
    before = kernel_counters(session.namespace)
    wire = Wire(session, session.namespace, tmp_path / "sent.pcapng")
    yield wire
    judge(wire.sent())
    after = kernel_counters(session.namespace)
    assert {name: after[name] - before[name] for name in KERNEL_ERRORS} == dict.fromkeys(KERNEL_ERRORS, 0)
    session.card.check_conservation()


def kernel_counters(namespace: Namespace) -> dict[str, int]:
    """The counters of the namespace's network stack, such as `Icmp.InCsumErrors`."""
    process = namespace.popen(["cat", "/proc/net/snmp"], stdout=subprocess.PIPE)
    lines = [line.split() for line in process.communicate()[0].splitlines()]
    return {
        f"{names[0].rstrip(':')}.{name}": int(value)
        for names, values in zip(lines[::2], lines[1::2], strict=True)
        for name, value in zip(names[1:], values[1:], strict=True)
    }


def dissect(capture: Path) -> list[dict[str, str]]:
    """The fields of each frame of a capture that an independent dissector finds there; empty: the frame has no such field."""
    program = shutil.which("tshark")
    assert program, "tshark is not installed: as root, apt-get install tshark"
    command = [program, "-r", str(capture), *[word for option in CHECKED for word in ("-o", option)], "-T", "fields"]
    command += [word for field in FIELDS for word in ("-e", field)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [dict(zip(FIELDS, line.split("\t"), strict=True)) for line in lines]


def judge(frames: list[dict[str, str]]) -> None:
    """Checks that every frame is correct, and that each of its checksums was verified."""
    assert frames
    for frame in frames:
        assert not frame["_ws.malformed"], frame
        for protocol in ("ip", "udp", "icmp"):
            first, *quoted = frame[f"{protocol}.checksum.status"].split(",")
            assert first in ("", GOOD) and BAD not in quoted, frame  # the checksum of a packet quoted in an ICMP error cannot always be checked


@pytest.mark.parametrize("broken", ["ip", "udp", "icmp", "truncated"])
def test_the_judge_sees_what_is_wrong(tmp_path, broken):
    """Of four good frames and one that is broken in one way, the judge refuses the broken one."""
    from scapy.layers.inet import ICMP, IP, UDP
    from scapy.layers.l2 import Ether
    from scapy.utils import wrpcap

    ip = IP(src="10.0.0.1", dst="10.0.0.2")
    frames = [bytes(Ether(dst="02:00:00:00:00:02") / packet) for packet in (ip / UDP(sport=7, dport=7) / b"text", ip / ICMP() / b"text")]
    wrpcap(str(tmp_path / "good.pcap"), [*frames, *frames])
    judge(dissect(tmp_path / "good.pcap"))
    wrong = bytearray(frames[broken == "icmp"])
    wrong[{"ip": 24, "udp": 40, "icmp": 36, "truncated": 39}[broken]] ^= 1
    wrpcap(str(tmp_path / "wrong.pcap"), [*frames, bytes(wrong)])
    with pytest.raises(AssertionError):
        judge(dissect(tmp_path / "wrong.pcap"))


@pytest.mark.parametrize("size", [0, 1, 8, 17, 18, 19, 56, 63, 64, 65, 511, 1472, 1473, 4095, 8191, 8900])
def test_ping(wire, size):
    # ping waits at most one interval for the answer to a ping too short for a time stamp.
    wire.ping(5, "-s", str(size), "-i", "0.2")


def test_ping_flood(wire):
    wire.ping(3000, "-f", "-s", "100")


def test_udp_clients_in_parallel(wire):
    wire.udp([0, 1, 2, 3, 4], [18, 64, 65, 1472], [100, 8000, 101], [8972, 5, 777])


def test_neighbours_flushed_in_the_middle_of_traffic(wire):
    before = wire.count("arp.made_reply")
    known = "nud reachable nud stale nud delay nud probe"  # Linux drops packets that wait for an entry it does not know yet
    flush = f"for i in 1 2 3 4 5 6 7 8 9 10; do ip neigh flush dev {TAP} {known}; sleep 0.05; done"
    pings = ["ping", "-n", "-q", "-c", "200", "-i", "0.003", CARD]
    client = [sys.executable, "-m", "girih.card.udp_client", CARD, "7", "50", "18", "1472"]
    text, answer, _ = wire.run(pings, client, ["sh", "-c", flush])
    assert " 0% packet loss" in text, text
    result = json.loads(answer)
    assert result["sent"] == result["received"] == 100
    assert wire.count("arp.made_reply") > before


def test_the_card_asks_for_a_host_that_it_does_not_know(wire):
    """The host has a permanent entry for the card and so never asks for its address: the card must ask."""
    before = wire.count("arp.made_request")
    mac = f"{wire.card.registers.read('arp.mac'):012x}"
    wire.ip("address", "add", "10.77.0.77/32", "dev", TAP)
    wire.ip("neigh", "replace", CARD, "lladdr", ":".join(re.findall("..", mac)), "nud", "permanent", "dev", TAP)
    try:
        wire.ping(5, "-I", "10.77.0.77", "-i", "0.2")
    finally:
        wire.ip("neigh", "del", CARD, "dev", TAP)
        wire.ip("address", "del", "10.77.0.77/32", "dev", TAP)
    assert wire.count("arp.made_request") > before


ZERO_PING = """
import socket, struct, sys
from scapy.layers.inet import ICMP
from scapy.packet import Raw
link = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
link.settimeout(5)
for size in (0, 1, 2, 56, 57, 1472, 8900):
    request = bytes(ICMP(id=0, seq=0) / Raw(bytes(size)))
    link.sendto(request, (sys.argv[1], 0))
    while (got := link.recv(65536)[20:])[0] != 0:
        pass
    assert got[4:] == request[4:]
"""


def test_pings_of_zeros(wire):
    """The checksum of a reply of zeros is 0xffff. The fixture checks that the kernel finds no wrong one."""
    before = kernel_counters(wire.namespace)["Icmp.InEchoReps"]
    (text,) = wire.run([sys.executable, "-c", ZERO_PING, CARD])
    assert not text.strip(), text
    assert kernel_counters(wire.namespace)["Icmp.InEchoReps"] == before + 7


TAGGED_PING = """
import socket, sys
from scapy.layers.inet import ICMP, IP
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
link.bind((sys.argv[1], 0))
link.settimeout(5)
own = link.getsockname()[4]
frame = Ether(src=own, dst="ff:ff:ff:ff:ff:ff") / Dot1Q(vlan=5, prio=3)
link.send(bytes(frame / ARP(hwsrc=own, psrc="10.77.0.1", pdst=sys.argv[3])))  # a VLAN has neighbours of its own
while not (ARP in (got := Ether(link.recv(65536))) and got[ARP].op == 2 and got[ARP].hwsrc == sys.argv[2]):
    pass
for size in (0, 1, 18, 1472, 8900):
    frame = Ether(src=own, dst=sys.argv[2]) / Dot1Q(vlan=5, prio=3)
    link.send(bytes(frame / IP(src="10.77.0.1", dst=sys.argv[3]) / ICMP(id=5, seq=size) / Raw(b"g" * size)))
    while not (ICMP in (got := Ether(link.recv(65536))) and got[ICMP].type == 0 and got[ICMP].seq == size):
        pass
"""


def test_tagged_frames(wire):
    """Each is answered, with its tag."""
    before = wire.count("eth_rx.mark_vlan")
    mac = f"{wire.card.registers.read('arp.mac'):012x}"
    (text,) = wire.run([sys.executable, "-c", TAGGED_PING, TAP, ":".join(re.findall("..", mac)), CARD])
    assert not text.strip(), text
    assert wire.count("eth_rx.mark_vlan") == before + 6
    answers = [frame for frame in wire.sent() if frame["vlan.id"]]
    assert len(answers) == 6 and not answers[0]["icmp.type"]
    assert [(frame["icmp.type"], frame["vlan.id"], frame["vlan.priority"]) for frame in answers[1:]] == [("0", "5", "3")] * 5


@pytest.fixture
def vlans(session):
    """Skips the test if the kernel has no VLAN interfaces."""
    name = session.namespace.name
    command = ["ip", "-n", name, "link", "add", "link", TAP, "name", "probe", "type", "vlan", "id", "9"]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("this kernel has no VLAN interfaces (module 8021q)")
    subprocess.run(["ip", "-n", name, "link", "delete", "probe"], check=True)


@pytest.mark.usefixtures("vlans")
def test_over_a_vlan(wire):
    """The same card, reached through an 802.1Q interface from an address of its own."""
    before = wire.count("eth_rx.mark_vlan")
    vlan = wire.namespace.add_vlan(TAP, 5, "10.77.0.55/32")
    wire.ip("route", "add", f"{CARD}/32", "dev", vlan, "src", "10.77.0.55")
    try:
        wire.ping(20, "-i", "0.002")
        wire.ping(5, "-s", "8900", "-i", "0.2")
        wire.udp([0, 1, 18, 1472, 8968])
    finally:
        wire.ip("link", "delete", vlan)
    assert wire.count("eth_rx.mark_vlan") > before
