# SPDX-License-Identifier: Apache-2.0
"""Access of tiles to the host's memory: copies and other accesses, addresses that are not granted, memory that is unmapped, clients that misbehave,
and frames that pass at the same time."""

import random
from functools import reduce
from operator import xor

import pytest

from experiments.host import rates
from girih.card.account import account
from girih.card.copies import CopyEngine, at_host
from girih.card.host import RECEIVE, SEND, Region
from girih.card.probe import Accesses, MemoryProbe
from girih.card.virtual import VirtualCard
from girih.errors import GirihError
from girih.experiments.host_driver import BASE, HEADER, WRITE, HostMemory, PackedQueue
from girih.paths import ROOT

DESIGN = ROOT / "designs" / "dma.yaml"
PAGE, FLIT = 4096, 64
PROBE, PROBE_1 = BASE + 256 * PAGE, BASE + 384 * PAGE  # the first bytes that are granted to each
SIZE = 1024 * PAGE


@pytest.fixture(scope="module")
def opened():
    with VirtualCard.open(DESIGN, collect=True) as card:
        yield card


@pytest.fixture
def card(opened):
    opened.reset()
    opened.host.set_latency(100)
    opened.memory.set(**opened.manifest.memory)
    return opened


@pytest.fixture
def memory(card):
    return HostMemory(card, SIZE)


def finish(card, *busy) -> None:
    """Runs until copies and probes have ended and the card is quiet, and checks that every message is accounted for."""
    start = card.cycle
    while any(one.running for one in busy):
        card.run(50)
        assert card.cycle - start < 1_000_000
    card.run_until_quiet()
    account(card.manifest, card.registers.counters()).judge()


def marks(card) -> dict[str, int]:
    return {name: count for name, count in card.registers.counters("dma")["dma"].items() if name.startswith("mark_") and "stalls" not in name and "flits" not in name}


@pytest.mark.parametrize("latency", [1, 100, 700])
def test_copies_between_the_card_and_the_host(card, memory, latency):
    card.host.set_latency(latency)
    rng = random.Random(latency)
    engine = CopyEngine(card.registers, "copy")
    for _ in range(4):
        size, here, there = FLIT * rng.randint(1, 700), FLIT * rng.randrange(4000), BASE + FLIT * rng.randrange(4000)
        data = rng.randbytes(size)
        card.memory.write(here, data)
        memory.write(there - FLIT if there > BASE else there, b"\xaa" * (size + 2 * FLIT))
        engine.start(here, at_host(there), size)
        finish(card, engine)
        assert engine.failure is None and memory.read(there, size) == data
        assert memory.read(there + size, FLIT) == b"\xaa" * FLIT
        back = rng.randbytes(size)
        memory.write(there, back)
        engine.start(at_host(there), here, size)
        finish(card, engine)
        assert engine.failure is None and card.memory.read(here, size) == back
        other = BASE + 128 * PAGE + FLIT * rng.randrange(1000)
        engine.start(at_host(there), at_host(other), size)
        finish(card, engine)
        assert engine.failure is None and memory.read(other, size) == back
    assert card.host.stats.outside == 0


@pytest.mark.parametrize("what", ["gather", "scatter", "nonsense"])
def test_a_probe_makes_accesses_of_one_range(card, what):
    with pytest.raises(GirihError, match=f"no access '{what}'"):
        MemoryProbe(card.registers, "probe").start(Accesses(what, PROBE, 8))


@pytest.mark.parametrize("size", [1, 3, 64, 65, 777, 4000])
def test_accesses_of_any_size_at_any_place(card, memory, size):
    """Each write stores its own number as 32-bit words and touches no other byte. Reads return what the memory holds."""
    rng = random.Random(size)
    probe = MemoryProbe(card.registers, "probe")
    at = PROBE + rng.randrange(96)
    memory.write(PROBE - PAGE, b"\x5a" * (100 * PAGE))
    wanted = bytearray(memory.read(PROBE - PAGE, 100 * PAGE))
    for number in range(20):
        first = at + PAGE * number
        wanted[first - PROBE + PAGE : first - PROBE + PAGE + size] = bytes(number >> 8 * (byte % 4) & 255 for byte in range(first, first + size))
    probe.start(Accesses("write", at, size, count=20, window=7, stride=PAGE))
    finish(card, probe)
    assert probe.measured.failed == 0 and memory.read(PROBE - PAGE, 100 * PAGE) == bytes(wanted)
    memory.write(PROBE, content := rng.randbytes(PAGE))
    flits = -(-size // FLIT)
    probe.start(Accesses("read", PROBE, size, count=3, window=2))
    finish(card, probe)
    words = [int.from_bytes(content[byte : byte + 4], "little") for byte in range(0, flits * FLIT, 4)]
    assert probe.measured.failed == 0 and probe.measured.sum == reduce(xor, words)  # the XOR of three equal reads is that of one


def test_what_is_not_granted_is_refused_and_counted(card, memory):
    """Another tile's pages, pages that nobody was granted, and writes with the right to read only: nothing is read or written, and the probe goes
    on."""
    before = memory.read(BASE, SIZE)
    probe = MemoryProbe(card.registers, "probe")
    accesses = card.host.stats
    for count, (what, address) in enumerate([("read", PROBE_1), ("write", PROBE_1), ("write", BASE), ("read", PROBE - 1), ("add", 0), ("write", BASE + 600 * PAGE)], 1):
        probe.start(Accesses(what, address, 8 if what == "add" else 1, count=5, window=3))
        finish(card, probe)
        assert probe.measured.failed == 5 and marks(card)["mark_refused"] == 5 * count
    assert card.host.stats == accesses and memory.read(BASE, SIZE) == before
    card.registers.write("dma.grant_rights[1]", 1)
    for what, failures in (("write", 2), ("read", 0)):
        probe.start(Accesses(what, PROBE, 100, count=2))
        finish(card, probe)
        assert probe.measured.failed == failures
    with pytest.raises(GirihError):
        card.registers.as_tenant(1).write("dma.grant_rights[1]", 3)
    assert memory.read(BASE, SIZE) == before


def test_an_atomic_access_counts_for_all(card, memory):
    """Two probes add to one word, and no addition is lost."""
    card.registers.write("dma.grant_last[1]", PROBE_1 // PAGE)
    memory.write(PROBE_1, bytes(PAGE))
    probes = [MemoryProbe(card.registers, name) for name in ("probe", "probe_1")]
    for probe in probes:
        probe.start(Accesses("add", PROBE_1, 8, count=50, window=4))
    finish(card, *probes)
    total = 2 * sum(number << 32 | number for number in range(50)) % (1 << 64)
    assert int.from_bytes(memory.read(PROBE_1, 8), "little") == total and not any(probe.measured.failed for probe in probes)


@pytest.mark.usefixtures("memory")
def test_memory_that_goes_away(card):
    """Accesses to unmapped memory end with a bus error. The card goes on, and uses memory that is mapped at the same addresses later."""
    probe, probe_1 = (MemoryProbe(card.registers, name) for name in ("probe", "probe_1"))
    for one, address in ((probe, PROBE), (probe_1, PROBE_1)):
        one.start(Accesses("write", address, 64, count=400, window=16, stride=64, rounds=64))
    card.run(100)
    card.host.unmap_all()
    finish(card, probe, probe_1)
    failed = probe.measured.failed + probe_1.measured.failed
    assert 0 < failed == marks(card)["mark_decode_errors"]
    again = HostMemory(card, SIZE)
    probe.start(Accesses("write", PROBE + 4, 4, count=1))
    finish(card, probe)
    assert probe.measured.failed == 0 and again.read(PROBE, 12) == bytes(12)


def test_addresses_of_64_bits(card):
    """The upper 24 bits of an address come from the configuration."""
    upper = 0xFEDCBA
    memory = HostMemory(card, SIZE, upper << 40 | BASE)
    probe = MemoryProbe(card.registers, "probe")
    for value, failures in ((0, 3), (upper, 0)):
        card.registers.write("dma.upper", value)
        probe.start(Accesses("write", PROBE, 4, count=3, stride=4))
        finish(card, probe)
        assert probe.measured.failed == failures
    assert memory.read(upper << 40 | PROBE, 12) == bytes([0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0])


HARM = {
    "asks for what is not granted": Accesses("write", BASE, 64, 8000, 64),
    "asks for pages that nobody has": Accesses("read", 0, 4096, 8000, 64),
    "asks for accesses that do not exist": Accesses("masked", PROBE_1, 4096, 2000, 64),
    "asks across pages": Accesses("read", PROBE_1 + 4095, 2, 8000, 64),
    "writes as much as it can": Accesses("write", PROBE_1, 4096, 2000, 64),
    "reads as much as it can": Accesses("read", PROBE_1, 4096, 2000, 64),
}


@pytest.mark.parametrize("harm", HARM)
def test_a_client_that_misbehaves_takes_nothing_from_another(card, memory, harm):
    """Each access of the other client is right. Requests take turns, so the other is hardly slower than alone or gets nearly half of the turns; how
    long a turn lasts depends on the size of the request, which is at most a page."""
    probe, offender = (MemoryProbe(card.registers, name) for name in ("probe", "probe_1"))
    for what in ("read", "write"):
        asked = Accesses(what, PROBE, 1024, count=500, window=32, stride=1024, rounds=256)
        probe.start(asked)
        finish(card, probe)
        alone = probe.measured
        memory.write(PROBE, bytes(300 * PAGE))
        offender.start(HARM[harm])
        card.run(400)
        turns = card.registers.counters("probe_1")["probe_1"]["used_replies"]
        probe.start(asked)
        while probe.running:
            card.run(50)
        turns = card.registers.counters("probe_1")["probe_1"]["used_replies"] - turns
        assert offender.running, "the offender ended before it could do harm"
        beside = probe.measured
        assert beside.failed == 0
        if what == "write":
            assert all(memory.read(PROBE + 1024 * (number % 256), 4) == number.to_bytes(4, "little") for number in range(256, 500))
        finish(card, offender)
        share = beside.per_cycle / alone.per_cycle
        of_turns = asked.count / (asked.count + turns)
        print(f"{harm}: {what} {share:.2f} of {alone.per_cycle:.4f} per cycle, {of_turns:.2f} of the turns")
        assert max(share, of_turns) > 0.45


def test_frames_pass_beside_dma(card, memory):
    """Frames pass in both directions, whole and in order, while copies and probes load the port to the host as much as they can."""
    outside = card.host.stats.outside
    queues = {way: PackedQueue(memory, 600 * PAGE + 4096 * 20 * way, 256) for way in (SEND, RECEIVE)}
    rng = random.Random(5)
    frames = [bytes.fromhex("02000000000102000000000288b5") + rng.randbytes(rng.randint(50, 1400)) for _ in range(100)]
    buffers = {SEND: BASE + 700 * PAGE, RECEIVE: BASE + 800 * PAGE}
    taken = []
    for number, frame in enumerate(frames):
        memory.write(buffers[SEND] + 2048 * number, bytes(HEADER) + frame)
        queues[SEND].add([(buffers[SEND] + 2048 * number, HEADER + len(frame))])
        taken.append(queues[RECEIVE].add([(buffers[RECEIVE] + 2048 * number, 2048)], WRITE))
    for queue in queues.values():
        queue.publish()
    probes = [MemoryProbe(card.registers, name) for name in ("probe", "probe_1")]
    for one, address, what in zip(probes, (PROBE, PROBE_1), ("read", "write"), strict=True):
        one.start(Accesses(what, address, 4096, count=600, window=64))
    for way, queue in queues.items():
        card.host.start(way, queue.place)
    start = card.cycle + 100
    for number, frame in enumerate(frames):
        card.inject(0, frame, cycle=start + 40 * number)
    came: list[tuple[int, int]] = []
    while any(probe.running for probe in probes):
        card.run(100)
        came += queues[RECEIVE].used()
    finish(card)
    came += queues[RECEIVE].used()
    assert [frame.data[12:] for frame in card.collect()] == [frame[12:] for frame in frames]
    assert [name for name, _ in came] == taken
    for number, (frame, (_, size)) in enumerate(zip(frames, came, strict=True)):
        assert memory.read(buffers[RECEIVE] + 2048 * number + HEADER, size - HEADER) == frame
    assert not any(probe.measured.failed for probe in probes) and card.host.stats.outside == outside
    for way in queues:
        card.host.stop(way)


@pytest.mark.parametrize("way, what", [(SEND, "read"), (RECEIVE, "write")])
def test_the_network_device_and_dma_share_the_port(card, way, what):
    """Beside DMA that takes all it can get, frames of 1,500 bytes keep nearly half of their rate, and so does DMA."""
    alone = rates(card, 1500, (way,), "packed")[way]
    card.host.unmap_all()
    probe = MemoryProbe(card.registers, "probe")
    probe.start(Accesses(what, PROBE, 4096, count=1500, window=64))
    beside = rates(card, 1500, (way,), "packed")[way]
    finish(card, probe)
    print(f"frames {what} {alone:.4f} alone, {beside:.4f} beside DMA; DMA {probe.measured.per_cycle * 64:.2f} beats per cycle")
    assert beside > 0.4 * alone


def test_a_reset_in_the_middle(card, memory):
    engine = CopyEngine(card.registers, "copy")
    data = random.Random(2).randbytes(300 * FLIT)
    memory.write(BASE, data)
    for cycles in (7, 130, 333):
        engine.start(at_host(BASE), 0, len(data))
        card.run(cycles)
        card.reset()
        assert not engine.running
    card.memory.write(0, bytes(len(data)))
    engine.start(at_host(BASE), 0, len(data))
    finish(card, engine)
    assert engine.failure is None and card.memory.read(0, len(data)) == data


@pytest.mark.usefixtures("memory")
def test_a_probe_refuses_what_makes_no_sense(card):
    probe = MemoryProbe(card.registers, "probe")
    for wrong in (Accesses("read", PROBE, 0), Accesses("read", PROBE, 4, window=0)):
        with pytest.raises(GirihError, match="are refused"):
            probe.start(wrong)
        assert not probe.running
    probe.start(Accesses("read", PROBE, 4, count=1000))
    with pytest.raises(GirihError, match="are refused"):
        probe.start(Accesses("read", PROBE, 4))
    finish(card, probe)
    with pytest.raises(GirihError):
        MemoryProbe(card.registers.as_tenant(1), "probe").start(Accesses("read", PROBE, 4))
    with pytest.raises(GirihError, match="is not a memory probe"):
        MemoryProbe(card.registers, "copy")


def test_a_virtqueue_reaches_only_its_regions(card, memory):
    """What is granted to tiles through `dma` is not granted to the network device, nor the other way round."""
    card.host.grant([Region(BASE, PAGE)])
    probe = MemoryProbe(card.registers, "probe")
    probe.start(Accesses("write", PROBE, 64))
    finish(card, probe)
    assert probe.measured.failed == 0
    queue = PackedQueue(memory, 256 * PAGE, 16)
    card.host.start(SEND, queue.place)
    card.run(2000)
    assert card.host.state(SEND).reason == "refused"
    card.host.stop(SEND)
