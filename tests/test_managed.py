# SPDX-License-Identifier: Apache-2.0
"""The card of `designs/managed.yaml`, managed over the network with the real commands, over a wire that loses segments, while other hosts use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.management.key import unlock
from girih.paths import ROOT
from girih.testing import SEED

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
]

TAP, CARD = "girih0", "10.77.0.2"
KEY = bytes(range(32))
SECONDS = 200
PYTHON = {**os.environ, "PYTHONPATH": str(ROOT / "python")}


class Managed:
    """The card, and programs on another machine."""

    def __init__(self, session: Session, namespace: Namespace, folder: Path, key: Path):
        self.session, self.card, self.namespace, self.folder, self.key = session, session.card, namespace, folder, key

    def run(self, *commands: list[str]) -> list[tuple[int, str]]:
        """Runs programs at the same time while the card runs. Returns the exit code and the output of each."""
        running = [self.namespace.popen(command, env=PYTHON, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for command in commands]
        try:
            self.session.serve(seconds=SECONDS, until=lambda: all(process.poll() is not None for process in running))
            assert all(process.poll() is not None for process in running), f"{commands} did not end"
            return [(process.returncode, process.communicate()[0]) for process in running]
        finally:
            for process in running:
                if process.poll() is None:
                    process.kill()
                    process.wait()

    def options(self, key: Path | None = None) -> list[str]:
        return ["--card", CARD, "--key", str(key or self.key), "--design", str(self.folder)]

    def girih(self, *words: str, key: Path | None = None) -> tuple[int, str]:
        """Runs one of the commands; the options of ctl come before its own command."""
        first, *rest = words
        options = self.options(key)
        ((code, text),) = self.run([sys.executable, "-m", "girih.cli", first, *([*options, *rest] if first == "ctl" else [*rest, *options])])
        assert "Traceback" not in text, text
        return code, text

    def head(self) -> str:
        """The first lines of a program that operates the card."""
        return f"""
from pathlib import Path
from girih.management import network
from girih.management.client import NetworkCard
from girih.management.network import NetworkBus
network.TIMEOUT_SECONDS = 300.0  # of the host: lost segments are sent again after a time of the card, and a simulated one is slow
KEY, CARD, FOLDER = bytes.fromhex("{KEY.hex()}"), "{CARD}", Path("{self.folder}")
"""

    def python(self, text: str) -> str:
        ((code, output),) = self.run([sys.executable, "-c", self.head() + text])
        assert code == 0, output
        return output.strip()

    def events(self) -> dict[str, int]:
        return self.card.registers.counters("controller")["controller"]


@pytest.fixture(scope="module")
def running(built, tmp_path_factory):
    key = tmp_path_factory.mktemp("key") / "key"
    key.write_text(KEY.hex() + "\n")
    folder = built("managed")
    with Namespace("managed") as namespace, VirtualCard(folder) as card, Session(card, control=False) as session:
        session.watch(0, card.open_tap(0, TAP, namespace.path))
        namespace.bring_up(TAP, "10.77.0.1/24")
        yield Managed(session, namespace, folder, key)


@pytest.fixture
def managed(running):
    """The card with the key loaded. After each test the account of messages is even."""
    unlock(running.card.registers, KEY, SEED)
    for direction in ("in", "out"):
        running.card.set_faults(0, direction)
    yield running
    running.session.serve(seconds=5, until=lambda: running.card.quiet_cycles > 2000)
    running.card.check_conservation()


def test_the_commands(managed):
    managed.card.registers.write_many({"balancer.by_flow": 0, "balancer.replicas": 2})
    assert managed.girih("ctl", "get", "balancer.by_flow", "balancer.replicas") == (0, "balancer.by_flow = 0x0\nbalancer.replicas = 0x2\n")
    changes = managed.card.registers.counters("controller")["controller"]["mark_changes"]
    assert managed.girih("ctl", "set", "balancer.by_flow=1", "balancer.replicas=1")[0] == 0
    assert (managed.card.registers.read("balancer.by_flow"), managed.card.registers.read("balancer.replicas")) == (1, 1)
    code, text = managed.girih("stats", "--json")
    found = json.loads(text)
    assert code == 0 and found["tiles"]["controller"]["mark_changes"] == changes + 1 and found["histograms"]["eth_tx"]
    code, text = managed.girih("top", "--json")
    assert code == 0 and [tile["name"] for tile in json.loads(text)["tiles"]] == list(found["tiles"])
    code, text = managed.girih("stats", "--prometheus")
    assert code == 0 and f'girih_events_total{{card="managed",tile="controller",kind="controller",event="changes"}} {changes + 1}\n' in text


def test_drops_are_read_over_the_network(managed):
    managed.python(f'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("{CARD}", 4321))')
    code, text = managed.girih("ctl", "drops", "--json")
    assert code == 0 and [json.loads(text)["drops"][-1][what] for what in ("tile", "reasons", "key")] == ["udp_rx", ["no_next_hop"], "destination port 4321"]


def test_what_is_refused_is_said(managed, tmp_path):
    before = managed.card.registers.read("ip_tx.ttl")
    code, text = managed.girih("ctl", "set", "balancer.by_flow=0", "ip_tx.ttl=1")
    assert code == 2 and "the design does not let the network write ip_tx.ttl" in text and "under `write` of the controller's `control`" in text
    assert managed.card.registers.read("ip_tx.ttl") == before
    wrong = tmp_path / "key"
    wrong.write_text("00" * 32)
    code, text = managed.girih("ctl", "set", "balancer.by_flow=0", key=wrong)
    assert code == 2 and "the answer is not from a card with this key" in text
    code, text = managed.girih("ctl", "tenant", "list")
    assert code == 2 and "the card has no services" in text
    for word in range(8):
        managed.card.registers.write_window("controller", 4 * word, 0)
    code, text = managed.girih("ctl", "get", "balancer.by_flow")
    assert code == 2 and "the card has ended the connection" in text


def test_over_a_bad_wire(managed):
    """Two operators at once, while segments are lost, duplicated, corrupted and delayed: every change is done once and in order."""
    for direction in ("in", "out"):
        managed.card.set_faults(0, direction, loss=0.03, duplicate=0.03, corrupt=0.02, reorder=0.03, reorder_cycles=3000, seed=SEED)
    before = managed.events()
    text = """
import sys
with NetworkCard.connect(CARD, KEY, FOLDER) as card:
    for number in range(20):
        card.registers.write_many({"balancer.next_hop[%s]" % sys.argv[1]: number, "balancer.next_hop[%s]" % sys.argv[2]: number})
        assert card.registers.read("balancer.next_hop[%s]" % sys.argv[2]) == number
"""
    results = managed.run(*([sys.executable, "-c", managed.head() + text, *entries] for entries in (("4", "5"), ("6", "7"))))
    assert [code for code, _ in results] == [0, 0], results
    now = managed.events()
    assert now["mark_changes"] - before["mark_changes"] == 40 and now["mark_wrong_mac"] == before["mark_wrong_mac"]


def test_attacks(managed):
    """What a stranger sends changes nothing and does not stop operators: random bytes, a replay in the same and in another connection, half a
    request."""
    before = managed.events()
    by_flow = managed.card.registers.read("balancer.by_flow")
    text = """
import os, socket
from girih.management.protocol import REQUEST_BYTES, Entry, Request, sealed

def outcome(*texts, nonce=None, end=False):
    "Sends this in a new connection; what comes back."
    with socket.create_connection((CARD, 9077), 60) as s:
        hello = s.recv(REQUEST_BYTES, socket.MSG_WAITALL)
        for text in texts:
            s.sendall(text(hello[16:32]) if callable(text) else text)
        if end:
            s.shutdown(socket.SHUT_WR)
        got = b""
        while part := s.recv(4096):
            got += part
        return got

bus = NetworkBus.connect(CARD, KEY)
balancer = 0x030000
bus.change([(balancer + 0x404, 1)])
spied = []
def spy(nonce):
    spied.append(sealed(KEY, nonce, Request(1, "change", (Entry(3, 0x404, 1),))))
    return spied[0]
for _ in range(3):
    assert outcome(os.urandom(REQUEST_BYTES))[6] == 1
assert outcome(spy, lambda nonce: spied[0])[REQUEST_BYTES + 6] == 2
assert outcome(spied[0])[6] == 1
assert outcome(spied[0][:50], end=True)[6] == 3
assert outcome(os.urandom(5000))[6] in (1, 4)
bus.change([(balancer + 0x404, 0)])
"""
    managed.python(text)
    now = managed.events()
    grown = {name: now[name] - before[name] for name in now if now[name] != before[name] and name.startswith("mark_")}
    assert grown["mark_replayed"] == 1 and grown["mark_truncated"] == 1 and grown["mark_changes"] == 3
    assert grown["mark_wrong_mac"] + grown.get("mark_excess", 0) == 5
    assert managed.card.registers.read("balancer.by_flow") == 0 and by_flow in (0, 1)


def test_a_change_under_traffic_loses_no_packet(managed):
    """Operators switch the balancer between round robin and by flow again and again, and every datagram comes back."""
    client = [sys.executable, "-m", "girih.card.udp_client", CARD, "7", "150", "4", "200", "1400"]
    text = """
with NetworkCard.connect(CARD, KEY, FOLDER) as card:
    for number in range(100):
        card.registers.write_many({"balancer.by_flow": number % 2, "balancer.replicas": 2})
"""
    traffic, change = managed.run(client, [sys.executable, "-c", managed.head() + text])
    assert change[0] == 0, change
    found = json.loads(traffic[1])
    assert (found["sent"], found["received"], found["wrong"]) == (450, 450, 0)
