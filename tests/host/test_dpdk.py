# SPDX-License-Identifier: Apache-2.0
"""DPDK's driver (virtio_user, in testpmd) behind the card's host tile: its own statistics, the counters of the kernel at the other end of the wire
and those of the card agree, in each form of ring and path of the driver; what it leaves to the card's offloads is right; and whatever becomes of it, the card goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from girih.card.client import ControlClient
from girih.card.host import RECEIVE, SEND, WINDOW
from girih.card.vhost_user import (
    IN_ORDER,
    NET_CSUM,
    NET_HOST_TSO4,
    NET_MRG_RXBUF,
    RING_PACKED,
)
from girih.spec.windows import offset
from girih.testing import SEED
from tests.commands import ADDRESS, needs_tap, running, wait_for
from tests.host.testpmd import Testpmd, started
from tests.test_ending import ended

pytestmark = [pytest.mark.thorough, needs_tap]

PAIRS = "experiments/cards/nic_pairs.yaml"
MAC = "02:67:69:72:69:68"
STRANGER = "10.77.0.99"  # at which there is nobody
LARGE = ("--max-pkt-len=9018", "--rx-offloads=0x2000")  # frames of up to 9,018 bytes, in several buffers
SEGMENTED = ("--tx-offloads=0x8000",)  # frames to send may be in several buffers
OFFLOADED = ("--tx-offloads=0x802c",)  # also TCP_TSO, TCP_CKSUM and UDP_CKSUM
SMALL_SEGMENT = 500
RING = 256  # buffers that a queue of testpmd offers
FEW = 16  # frames at once: for twice as many, the tile always knows the buffers
OF_FORMS = (RING_PACKED, NET_MRG_RXBUF, IN_ORDER)
FLAGS = Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0].split()
AVX512 = {"avx512f", "avx512bw", "avx512vl"} <= set(FLAGS)

# Form of ring and path of the driver: options of virtio_user, the features that follow, and the names of the paths that it says it uses.
FORMS = {
    "split": ("in_order=0", {NET_MRG_RXBUF}, "standard Tx", "mergeable buffer Rx"),
    "split, one buffer a frame": ("in_order=0,mrg_rxbuf=0", set(), "standard Tx", "standard Rx"),
    "split, in order": ("", {NET_MRG_RXBUF, IN_ORDER}, "inorder Tx", "inorder Rx"),
    "split, in order, one buffer a frame": ("mrg_rxbuf=0", {IN_ORDER}, "inorder Tx", "inorder Rx"),
    "split, vectors": ("in_order=0,mrg_rxbuf=0,vectorized=1", set(), "standard Tx", "vectorized Rx"),
    "packed": ("packed_vq=1,in_order=0", {RING_PACKED, NET_MRG_RXBUF}, "packed ring standard Tx", "packed ring mergeable buffer Rx"),
    "packed, in order, one buffer a frame": ("packed_vq=1,mrg_rxbuf=0", {RING_PACKED, IN_ORDER}, "packed ring standard Tx", "packed ring standard Rx"),
}
VECTORS = {"packed, vectors": ("packed_vq=1,mrg_rxbuf=0,vectorized=1", {RING_PACKED, IN_ORDER}, "packed ring vectorized Tx", "packed ring vectorized Rx")}
FORMS |= VECTORS if AVX512 else {}

# Frames to the card, of a private EtherType or as UDP in many flows: `MOST_BYTES BACK FLOWS`. For each line of its input, it sends so many. With BACK, they must come
# back with the same bytes and with the card's address as their source, in order if they are of one flow.
FRAMES = f"""
import random, socket, struct, sys
most, back, flows = map(int, sys.argv[1:])
rng = random.Random({SEED})
kind = b"\\x08\\x00" if flows else b"\\x88\\xb5"
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(int.from_bytes(kind, "big")))
link.bind(("girih0", 0))
link.settimeout(60)
own, card = link.getsockname()[4], bytes.fromhex("{MAC.replace(":", "")}")
number = 0
for line in sys.stdin:
    sent = []
    for _ in range(int(line)):
        data = rng.randbytes(rng.randint(60, most) - 14)
        if flows:
            head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, len(data), 0, 0, 64, 17, 0, bytes([10, 77, 0, 9]), bytes([10, 77, 0, 8]))
            data = head + struct.pack(">HHHH", 1000 + number % flows, 7, len(data) - 20, 0) + data[28:]
        link.send(card + own + kind + data)
        sent.append(own + card + kind + data)
        number += 1
    if back:
        got = [link.recv(10000) for _ in sent]
        assert sorted(got) == sorted(sent) if flows else got == sent, number
    print("whole", flush=True)
"""

# Frames to the card, as many as it takes, until it is killed.
FLOOD = f"""
import socket
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("girih0", 0))
while True:
    link.send(bytes.fromhex("{MAC.replace(":", "")}") + link.getsockname()[4] + b"\\x88\\xb5" + bytes(500))
"""

# UDP datagrams and TCP packets for the kernel itself, with wrong checksums: `COUNT BYTES ARRIVING`. What is behind the card sends them back. Prints how many frames carry
# the bytes of the TCP packets, which must be whole. The first ARRIVING datagrams come to their socket, and no other.
WRONG = f"""
import os, select, socket, sys, time
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether
count, size, arriving = map(int, sys.argv[1:])
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
link.bind(("girih0", 0))
taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
taken.bind(("10.77.0.1", 5000))
own = ":".join(f"{{byte:02x}}" for byte in link.getsockname()[4])
head = Ether(src=own, dst="{MAC}") / IP(src="{STRANGER}", dst="10.77.0.1")
data = [os.urandom(size) for _ in range(count)]
datagrams, segments = [], 0
for number, one in enumerate(data):
    link.send(bytes(head / UDP(sport=9, dport=5000, chksum=0x1111) / one[:1000]))
    link.send(bytes(head / TCP(sport=9, dport=5000, seq=1, flags="PA", chksum=0x1111) / one))
    stream, deadline = b"", time.monotonic() + 60
    while time.monotonic() < deadline and (len(datagrams) <= number < arriving or len(stream) < size):
        for source in select.select([link, taken], [], [], 1)[0]:
            got = source.recv(10000)
            if source is taken:
                datagrams.append(got)
                continue
            packet = IP(got[14:])
            if TCP in packet and packet[TCP].sport == 9:
                segments += 1
                assert packet[TCP].seq == 1 + len(stream)
                stream += bytes(packet[TCP].payload)[: packet.len - 40]
    assert stream == one
assert datagrams == [one[:1000] for one in data[:arriving]]
print(segments)
"""


class Wire:
    """A running card, and what is at the other end of its wire."""

    def __init__(self, process: subprocess.Popen, card: ControlClient, folder: Path):
        self.process, self.card, self.folder = process, card, folder

    @contextmanager
    def driven(self, device: str = "", *options: str) -> Iterator[Testpmd]:
        with started(self.folder / "nic.sock", self.folder, device, *options) as one:
            yield one

    def command(self, *words: object) -> list[str]:
        return ["ip", "netns", "exec", f"girih-{self.process.pid}", *map(str, words)]

    def run(self, *words: object) -> str:
        done = subprocess.run(self.command(*words), capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def frames(self, count: int, most: int = 1514, back: bool = False, flows: int = 0, arrived: Callable[[int], object] | None = None) -> None:
        """Sends frames. back, arrived: a few at a time, so that each finds a buffer; the few come back, or are waited for."""
        few = 1 if most > 1514 else FEW if back or arrived else count
        program = subprocess.Popen(self.command(sys.executable, "-c", FRAMES, most, int(back), flows), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with program:
            assert program.stdin and program.stdout
            for so_far in range(few, count + 1, few):
                program.stdin.write(f"{few}\n")
                program.stdin.flush()
                assert program.stdout.readline() == "whole\n"
                if arrived:
                    arrived(so_far)

    def ping(self, count: int, size: int) -> None:
        assert f"{count} packets transmitted, {count} received, 0% packet loss" in self.run("ping", "-n", "-q", "-c", count, "-i", "0.02", "-s", size, ADDRESS)

    def wrong_checksums(self) -> Counter[str]:
        """The packets that the kernel has found to have a wrong checksum, by protocol."""
        counters = json.loads(self.run("nstat", "-asz", "-j"))["kernel"]
        return Counter({name: counters[f"{name}InCsumErrors"] for name in ("Icmp", "Tcp", "Udp")})

    def host(self) -> Counter[str]:
        """The counters of the host tile that are not 0."""
        return Counter({name: count for name, count in self.card.registers.counters("host")["host"].items() if count})

    def counts(self) -> Counter[str]:
        """What the kernel and the host tile have counted of both directions."""
        kernel = json.loads(self.run("ip", "-s", "-j", "link", "show", "girih0"))[0]["stats64"]
        tile = self.host()
        return Counter({
            "kernel to host": kernel["tx"]["packets"], "tile to host": tile["used_frames"], "lost to host": tile["drop_no_room"],
            "kernel to wire": kernel["rx"]["packets"], "tile to wire": tile["made_frames"], "bytes to wire": kernel["rx"]["bytes"],
        })  # fmt: skip

    def passed(self, queue: int) -> int:
        """The frames of a virtqueue."""
        low, high = (self.card.registers.read_window("host", offset(WINDOW, "passed", queue=queue, half=half)) for half in range(2))
        return low | high << 32


def gained(after: Counter[str], before: Counter[str]) -> dict[str, int]:
    return {name: after[name] - before[name] for name in after}


@contextmanager
def wired(design: str, folder: Path) -> Iterator[Wire]:
    """A card whose account must be even at its end."""
    with running(design, "--tap", "--vhost-user", folder / "nic.sock") as (process, card):
        wire = Wire(process, card, folder)
        for address in (ADDRESS, STRANGER):  # so that the kernel sends nothing by itself
            wire.run("ip", "neighbor", "replace", address, "lladdr", MAC, "dev", "girih0", "nud", "permanent")
        yield wire
        output, errors = ended(process, signal.SIGINT)
        assert process.returncode == 0, errors
        assert "Every message is accounted for in every tile." in output and "vhost-user:" not in output, output


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    with wired("designs/nic.yaml", tmp_path_factory.mktemp("nic")) as wire:
        yield wire


@pytest.fixture
def wire(opened):
    """The card of designs/nic.yaml; after each test, no queue has been stopped and no frame is missing."""
    yield opened
    assert not [name for name in opened.host() if name.startswith("mark_stop")]
    assert opened.card.call("check") == []


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    with wired(PAIRS, tmp_path_factory.mktemp("pairs")) as wire:
        yield wire


def sends(wire: Wire, driver: Testpmd, least: int) -> dict[str, int]:
    """Lets testpmd send at least this many frames of its own, as fast as it can; all counters agree on their number. Its statistics."""
    driver.do("clear port stats all")
    before = wire.counts()
    driver.forward("txonly")
    wait_for(wire.counts, lambda now: now["tile to wire"] - before["tile to wire"] > least)
    driver.do("stop")
    said = driver.counts()
    assert said["TX-packets"] > least
    found = gained(wait_for(wire.counts, lambda now: now["kernel to wire"] - before["kernel to wire"] >= said["TX-packets"]), before)
    assert found["tile to wire"] == found["kernel to wire"] == said["TX-packets"]
    assert found["bytes to wire"] == said["TX-bytes"]
    return said


def has_taken(driver: Testpmd, count: int) -> None:
    wait_for(driver.counts, lambda said: said["RX-packets"] >= count)


def takes(wire: Wire, driver: Testpmd, count: int, most: int, flows: int = 0) -> None:
    """Sends testpmd frames; all counters agree that it has got them all."""
    driver.do("clear port stats all")
    before = wire.counts()
    driver.forward("rxonly")
    wire.frames(count, most, flows=flows, arrived=partial(has_taken, driver))
    driver.do("stop")
    said, found = driver.counts(), gained(wire.counts(), before)
    assert found["kernel to host"] == found["tile to host"] == said["RX-packets"] == count
    assert said["RX-missed"] == said["RX-errors"] == said["RX-nombuf"] == found["lost to host"] == 0


def swaps(wire: Wire, driver: Testpmd, count: int, most: int, flows: int = 0) -> None:
    """Sends testpmd frames that it sends back; each comes back whole, and all counters agree."""
    driver.do("clear port stats all")
    before = wire.counts()
    driver.forward("macswap")
    wire.frames(count, most, back=True, flows=flows)
    driver.do("stop")
    said, found = driver.counts(), gained(wire.counts(), before)
    assert {said[name] for name in ("RX-packets", "TX-packets")} | {found[f"{who} to {where}"] for who in ("kernel", "tile") for where in ("host", "wire")} == {count}


@pytest.mark.parametrize("form", FORMS)
def test_counters_agree_in_each_form(wire, form):
    """testpmd answers ping, sends frames of its own in one piece and in four, takes frames, and sends them back."""
    device, features, sending, receiving = FORMS[form]
    with wire.driven(device, *SEGMENTED) as driver:
        assert driver.features & sum(1 << bit for bit in OF_FORMS) == sum(1 << bit for bit in features)
        assert f"using {sending} path" in driver.said and f"using {receiving} path" in driver.said, driver.said
        driver.forward("icmpecho")
        for size in (56, 1400):
            wire.ping(20, size)
        driver.do("stop")
        for lengths in ("64", "60,1,700,99"):
            driver.do(f"set txpkts {lengths}")
            sends(wire, driver, 1000)
        takes(wire, driver, 320, 1514)
        swaps(wire, driver, 640, 1514)
        driver.quit()


@pytest.mark.parametrize("form", ["split", "split, in order", "packed"])
def test_the_largest_frames(wire, form):
    """They arrive in several buffers, and leave in as many."""
    with wire.driven(FORMS[form][0], *LARGE, *SEGMENTED) as driver:
        driver.forward("icmpecho")
        wire.ping(20, 8972)
        driver.do("stop")
        swaps(wire, driver, 100, 9014)
        driver.quit()


def test_what_finds_no_buffer_is_counted(wire):
    """testpmd takes nothing while it does not forward: it then gets the frames for which it has offered buffers and those that the card has kept, and
    the card counts the others."""
    with wire.driven() as driver:
        before = wire.counts()
        wire.frames(1000)
        wait_for(lambda: gained(wire.counts(), before), lambda now: now["tile to host"] >= RING and now["lost to host"] > 0)
        driver.forward("rxonly")
        found = wait_for(lambda: gained(wire.counts(), before), lambda now: now["tile to host"] + now["lost to host"] == now["kernel to host"] > 500)
        said = wait_for(driver.counts, lambda said: said["RX-packets"] >= found["tile to host"])
        assert said["RX-packets"] == found["tile to host"] and gained(wire.counts(), before) == found
        driver.do("stop")
        takes(wire, driver, 320, 1514)
        driver.quit()


@pytest.mark.parametrize("form", ["split", "split, in order", "packed"])
def test_the_kernel_finds_no_wrong_checksum(wire, form):
    """testpmd sends packets with wrong checksums back, and leaves it to the card to write right ones, and to cut those of TCP into segments."""
    count, size = 20, 7000
    own = json.loads(wire.run("ip", "-j", "link", "show", "girih0"))[0]["address"]
    with wire.driven(FORMS[form][0], *LARGE, *OFFLOADED) as driver:
        assert driver.features >> NET_CSUM & 1 and driver.features >> NET_HOST_TSO4 & 1
        driver.forward("macswap")
        before = wire.wrong_checksums()
        assert wire.run(sys.executable, "-c", WRONG, count, size, 0) == f"{count}\n"
        assert gained(wire.wrong_checksums(), before) == {"Icmp": 0, "Tcp": count, "Udp": count}  # the kernel does judge
        driver.do("stop", "port stop 0", "csum set ip sw 0", "csum set udp hw 0", "csum set tcp hw 0", f"set eth-peer 0 {own}", f"tso set {SMALL_SEGMENT} 0", "port start 0")
        driver.forward("csum")
        before, cut = wire.wrong_checksums(), wire.host()["mark_cut"]
        assert wire.run(sys.executable, "-c", WRONG, count, size, count) == f"{count * size // SMALL_SEGMENT}\n"
        assert gained(wire.wrong_checksums(), before) == {"Icmp": 0, "Tcp": 0, "Udp": 0}
        assert wire.host()["mark_cut"] == cut + count
        driver.do("stop")
        driver.quit()


@pytest.mark.parametrize("ring", ["packed_vq=0", "packed_vq=1"])
@pytest.mark.parametrize("count", [2, 4])
def test_several_pairs(pairs, count, ring):
    """Each pair that testpmd has sends, flows to it are spread over these pairs alone, and each frame is counted in its queue."""
    with pairs.driven(f"queues={count},cq=1,{ring}", f"--rxq={count}", f"--txq={count}") as driver:
        for direction, does in ((SEND, lambda: sends(pairs, driver, 2000)["TX-packets"]), (RECEIVE, lambda: takes(pairs, driver, 320, 600, flows=100))):
            before = [pairs.passed(2 * pair + direction) for pair in range(4)]
            total = does() or 320
            found = [pairs.passed(2 * pair + direction) - before[pair] for pair in range(4)]
            assert sum(found) == total and [frames > 0 for frames in found] == [pair < count for pair in range(4)], found
        swaps(pairs, driver, 400, 600, flows=100)
        driver.quit()
    assert pairs.card.call("check") == [] and not [name for name in pairs.host() if name.startswith("mark_stop")]


def goes_on(wire: Wire) -> None:
    """Frames leave."""
    before = wire.counts()
    wait_for(wire.counts, lambda now: now["tile to wire"] - before["tile to wire"] > 100)


def floods(wire: Wire, driver: Testpmd) -> subprocess.Popen:
    """Starts traffic in both directions that nothing but the card limits."""
    driver.forward("macswap")
    process = subprocess.Popen(wire.command(sys.executable, "-c", FLOOD))
    goes_on(wire)
    return process


@pytest.mark.parametrize("ring", ["packed_vq=0", "packed_vq=1"])
@pytest.mark.parametrize("end", ["quit", "kill"])
def test_the_card_goes_on_when_testpmd_ends_under_traffic(wire, ring, end):
    """Its user ends it, or it is killed, three times in succession; the next one is served each time."""
    for _ in range(3):
        with wire.driven(ring) as driver:
            flood = floods(wire, driver)
            try:
                getattr(driver, end)()
            finally:
                flood.kill()
                flood.wait()
    with wire.driven(ring) as driver:
        swaps(wire, driver, 160, 1514)
        driver.quit()


@pytest.mark.parametrize("form", ["split, in order", "packed"])
def test_a_port_is_stopped_and_started_under_traffic(wire, form):
    with wire.driven(FORMS[form][0]) as driver:
        flood = floods(wire, driver)
        try:
            for _ in range(5):
                driver.do("stop", "port stop 0", "port start 0")
                driver.do("start")
                goes_on(wire)
        finally:
            flood.kill()
            flood.wait()
        driver.do("stop")
        wait_for(lambda: (wire.counts(), driver.do("start", "stop"), wire.counts()), lambda looks: looks[0] == looks[2])  # what was under way has come back
        swaps(wire, driver, 160, 1514)
        driver.quit()


@pytest.mark.parametrize("form", ["split", "packed"])
def test_ctrl_c_of_the_card_while_testpmd_sends(tmp_path, form):
    """It ends in its usual time with an even account."""
    with running("designs/nic.yaml", "--tap", "--vhost-user", tmp_path / "nic.sock") as (process, card):
        wire = Wire(process, card, tmp_path)
        with wire.driven(FORMS[form][0]) as driver:
            driver.forward("txonly")
            goes_on(wire)
            output, errors = ended(process, signal.SIGINT)
            assert process.returncode == 0, errors
            assert "Every message is accounted for in every tile." in output
