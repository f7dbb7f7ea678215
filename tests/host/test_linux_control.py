# SPDX-License-Identifier: Apache-2.0
"""Linux's own virtio-net driver in User-Mode Linux and the card's control queue: the card does what `ip` and `ethtool` ask for in the guest."""

import subprocess
import sys
from contextlib import ExitStack
from functools import partial

import pytest

from girih.card import VirtualCard
from girih.card.cable import attach, host_addresses
from girih.card.guest import guest_root, start_guest, status
from girih.card.guest_ways import UserModeLinux
from girih.card.host import RECEIVE, SEND, WINDOW, Coalescing
from girih.card.session import Session
from girih.card.vhost_user import VhostUser
from girih.paths import ROOT
from girih.spec.windows import offset
from tests.commands import needs_tap
from tests.host.test_linux_guest import PAIRS_CARD, SECONDS, ended, server

pytestmark = [needs_tap, pytest.mark.skipif(UserModeLinux().why_not() is not None, reason="User-Mode Linux cannot run here")]

MAC, SECOND, GROUP = "02:67:69:72:69:68", "02:00:00:00:00:77", "33:33:00:00:12:34"
VLAN = 5
FILTERS = f"""
ip address add 10.77.0.2/24 dev eth0
come() {{ cat /sys/class/net/$1/statistics/rx_packets; }}
more() {{ until [ $(come $1) -ge $2 ]; do sleep 0.1; done; }}
before=$(come eth0)
sleep 0.5
echo plain $(($(come eth0) - before))
ip link set eth0 promisc on
more eth0 $((before + 40))
echo promiscuous
ip link set eth0 promisc off
ifconfig eth0 allmulti
ifconfig eth0 -allmulti
ip link add link eth0 name tagged type vlan id {VLAN}
ip link set tagged up
more tagged 5
echo tagged
ip link set tagged down
ip link delete tagged
ip link set eth0 address {SECOND}
ping -c 1 10.77.0.1
"""
# Frames to other addresses, and tagged ones, again and again.
SENDS = f"""
import socket, time
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("girih0", 0))
others = [bytes.fromhex(mac.replace(":", "")) + bytes.fromhex("020000000001") + tag + bytes.fromhex("88b5") + bytes(50)
          for mac, tag in (("{SECOND}", b""), ("{GROUP}", b""), ("{MAC}", bytes.fromhex("8100{VLAN:04x}")))]
print("ready")
while True:
    for frame in others:
        link.send(frame)
    time.sleep(0.02)
"""
CHANNELS = """
ip address add 10.77.0.2/24 dev eth0
for pairs in 1 4 3 5 1; do
  ethtool channels $pairs
  for file in 1 2 3 4 5 6; do wget -q -O /tmp/got http://10.77.0.1:8000/file; done
  echo fetched $(wc -c </tmp/got)
done
"""


COALESCING = """
ip address add 10.77.0.2/24 dev eth0
for waits in "200 64" "0 1" "70000 1" "65535 65535" "10 8"; do ethtool coalesce $waits; done
for file in 1 2 3; do wget -q -O /tmp/got http://10.77.0.1:8000/file; done
echo fetched $(wc -c </tmp/got)
ping -c 2 -i 0.2 10.77.0.1
"""

RSS = """
ip address add 10.77.0.2/24 dev eth0
ethtool channels 4
for pair in 2 3; do
  ethtool rss $pair $((pair + 100))
  wget -q -O /tmp/got http://10.77.0.1:8000/file && echo fetched $(wc -c </tmp/got)
done
ethtool channels 1
wget -q -O /tmp/got http://10.77.0.1:8000/file && echo fetched $(wc -c </tmp/got)
"""


class Tagging(UserModeLinux):
    """User-Mode Linux with VLANs."""

    modules = (*UserModeLinux.modules, "8021q")


class Guest:
    """A guest behind a card. `look` is called at each step of the session, and `seen` has its results, without repetitions."""

    def __init__(self, stack: ExitStack, card, folder, script: str, look):
        self.card, self.folder = card, folder
        (cable,) = attach(stack, card, dict(enumerate(host_addresses(card.manifest, []))))
        self.complaints: list[str] = []
        self.session = stack.enter_context(Session(card, say=self.complaints.append))
        self.session.watch(cable.port, cable.descriptor)
        self.session.guest = VhostUser(card, folder / "nic.sock", self.complaints.append)
        stack.callback(self.session.disconnect)
        self.cable, self.stack, self.look, self.seen = cable, stack, look, []
        self.root = guest_root(folder / "root", script, way=Tagging())

    def give_ethtool(self) -> None:
        """Gives the guest the program of ethtool.c, which busybox lacks."""
        subprocess.run(["gcc", "-static", "-O1", "-Wall", "-Werror", "-o", str(self.root / "bin" / "ethtool"), str(ROOT / "tests" / "host" / "ethtool.c")], check=True)

    def can_fetch(self, size: int) -> None:
        """At the other end of the wire, a server has a file of so many bytes."""
        (self.folder / "www").mkdir()
        (self.folder / "www" / "file").write_bytes(bytes(size))
        server(self.stack, self.cable, [sys.executable, "-u", "-m", "http.server", "8000", "--directory", str(self.folder / "www")], "Serving HTTP")

    def run(self) -> str:
        """Runs the guest to its end and returns its output."""
        with open(self.folder / "log", "w") as log:
            guest = start_guest(self.root, self.folder / "nic.sock", Tagging(), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
            self.stack.callback(guest.wait)
            self.stack.callback(guest.kill)
            self.session.serve(seconds=SECONDS, until=partial(self._looks, guest))
        text = (self.folder / "log").read_text(errors="replace")
        assert status(self.root, guest) == 0 and not self.complaints, text
        return text

    def _looks(self, guest) -> bool:
        now = self.look(self.card)
        if not self.seen or self.seen[-1] != now:
            self.seen.append(now)
        return ended(guest)


def test_linux_says_which_frames_it_wants(built, tmp_path):
    with ExitStack() as stack:
        card = stack.enter_context(VirtualCard(built("nic")))
        guest = Guest(stack, card, tmp_path, FILTERS, lambda card: card.host.filter)
        server(stack, guest.cable, [sys.executable, "-u", "-c", SENDS], "ready")
        text = guest.run()
        print(text, *guest.seen, sep="\n")
        lines = text.splitlines()
        assert "plain 0" in lines and "promiscuous" in lines and "tagged" in lines and "1 packets received" in text
        filters = [one for one in guest.seen if one.active]
        assert all(one.vlans for one in filters) and any(one.addresses for one in filters)
        assert next(one.mac for one in filters) == MAC and filters[-1].mac == SECOND
        order = [one.promiscuous for one in filters]
        assert True in order[order.index(False) :] and not order[-1] and any(one.all_multicast for one in filters) and not filters[-1].all_multicast
        assert not card.host.filter.active, "the next driver begins anew"
        counters = card.registers.counters("host")["host"]
        assert counters["mark_commands"] > 10 and counters["mark_commands_refused"] == 0
        assert counters["drop_other_address"] > 10 and counters["drop_other_vlan"] > 10


def test_linux_sets_the_number_of_pairs(tmp_path):
    """Flows go to that many pairs; a number that the card does not have is refused."""

    def table(card) -> list[int]:
        return [card.registers.read_window("host", offset(WINDOW, "steer", entry=entry)) for entry in range(4)]

    def pairs(card) -> tuple[int, ...]:
        # The card goes on between two reads: a command may have changed some of the entries. Then the next reading differs.
        entries = table(card)
        while (again := table(card)) != entries:
            entries = again
        return len(set(entries)), *(card.host.queue_stats(number).frames > 0 for number in range(RECEIVE, 2 * card.host.pairs, 2))

    with ExitStack() as stack:
        card = stack.enter_context(VirtualCard.open(PAIRS_CARD))
        guest = Guest(stack, card, tmp_path, CHANNELS, pairs)
        guest.give_ethtool()
        guest.can_fetch(5000)
        text = guest.run()
        print(text, *guest.seen, sep="\n")
        assert [line for line in text.splitlines() if line.startswith("channels")] == [
            "channels 1 of 4: set", "channels 4 of 4: set", "channels 3 of 4: set", "channels 5 of 4: refused", "channels 1 of 4: set",
        ]  # fmt: skip
        assert text.count("fetched 5000") == 5
        spread = [count for count, *_ in guest.seen]
        assert [one for at, one in enumerate(spread) if at == 0 or spread[at - 1] != one] == [1, 4, 3, 1]
        assert guest.seen[0][1:] == (0, 0, 0, 0) and (1, True, False, False, False) in guest.seen and sum(guest.seen[-1][1:]) > 2
        assert card.registers.counters("host")["host"]["mark_commands_refused"] == 0


def test_linux_says_how_long_interrupts_wait(built, tmp_path):
    """In both directions, what the card cannot hold is refused, frames pass all the same, and the next driver begins without."""

    def coalescing(card) -> tuple[Coalescing, Coalescing]:
        return card.host.coalescing(RECEIVE), card.host.coalescing(SEND)

    with ExitStack() as stack:
        card = stack.enter_context(VirtualCard(built("nic")))
        guest = Guest(stack, card, tmp_path, COALESCING, coalescing)
        guest.give_ethtool()
        guest.can_fetch(50_000)
        text = guest.run()
        print(text, *guest.seen, sep="\n")
        assert [line for line in text.splitlines() if line.startswith("coalesce")] == [
            "coalesce 200 64: set", "coalesce 0 1: set", "coalesce 70000 1: refused", "coalesce 65535 65535: set", "coalesce 10 8: set",
        ]  # fmt: skip
        assert "fetched 50000" in text and "2 packets received" in text
        assert (Coalescing(10, 8), Coalescing(10, 8)) in guest.seen and guest.seen[-1] == guest.seen[0] == (Coalescing(), Coalescing())
        assert card.registers.counters("host")["host"]["mark_commands_refused"] > 0


def test_linux_spreads_flows_by_its_own_table(tmp_path):
    """All flows go to the pair that its table names, until it sets a number of pairs."""

    def spread(card) -> tuple[bool, tuple[int, ...]]:
        return card.host.scales, tuple(card.host.queue_stats(number).frames for number in range(RECEIVE, 2 * card.host.pairs, 2))

    with ExitStack() as stack:
        card = stack.enter_context(VirtualCard.open(PAIRS_CARD))
        guest = Guest(stack, card, tmp_path, RSS, spread)
        guest.give_ethtool()
        guest.can_fetch(5000)
        text = guest.run()
        print(text, *guest.seen, sep="\n")
        assert [line for line in text.splitlines() if line.startswith("rss")] == [f"rss to {pair} of 32 entries, by 40 bytes: set" for pair in (2, 3)]
        assert text.count("fetched 5000") == 3
        scaled = [frames for on, frames in guest.seen if on]
        gains = [last - first for first, last in zip(scaled[0], scaled[-1], strict=True)]
        assert gains[2] > 5 and gains[3] > 5 and guest.seen[-1][0] is False
        # What comes to the others in the meantime is not IP, and goes to the first.
        assert gains[1] == 0 and gains[0] < 5
