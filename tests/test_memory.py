# SPDX-License-Identifier: Apache-2.0
"""External memory on a whole card: copies through the Python client, with memories of all speeds, bus errors, grants, resets, and frames that pass at
the same time."""

import random

import pytest

from girih.card.account import account
from girih.card.copies import CopyEngine, at_host
from girih.card.copy import snapshot
from girih.card.virtual import VirtualCard
from girih.errors import GirihError
from girih.experiments.host_driver import BASE, HostMemory
from girih.paths import ROOT
from girih.testing import SEED

DESIGN = ROOT / "designs" / "memory.yaml"
PAGE = 4096
MEMORIES = {
    "as the design says": {},
    "near": {"latency": 1},
    "random": {"latency": 20, "jitter": 200, "ready": 0.5, "seed": 3},
    "slow": {"latency": 400, "bytes_per_cycle": 5.5, "jitter": 7},
    "refreshed": {"latency": 60, "refresh_every": 500, "refresh_for": 400, "jitter": 50},
}


@pytest.fixture(scope="module")
def opened():
    with VirtualCard.open(DESIGN) as card:
        yield card


@pytest.fixture
def card(opened):
    """The card at rest, with the design's memory, empty where the tests use it."""
    opened.reset()
    opened.memory.set(**opened.manifest.memory | {"ready": 1.0})
    opened.memory.fail(0, 0)
    opened.memory.write(0, bytes(512 * PAGE))
    return opened


def finish(card: VirtualCard, *engines: CopyEngine) -> int:
    """Runs until the copies have ended and the card is quiet, and checks that every message is accounted for. Returns the cycles of the copies."""
    start = card.cycle
    while any(engine.running for engine in engines):
        card.run(20)
        assert card.cycle - start < 1_000_000
    cycles = card.cycle - start
    card.run_until_quiet()
    account(card.manifest, card.registers.counters()).judge()
    return cycles


@pytest.mark.parametrize("memory", MEMORIES)
def test_copies_are_right_with_any_memory(card, memory):
    card.memory.set(**MEMORIES[memory])
    rng = random.Random(memory)
    engines = [CopyEngine(card.registers, name) for name in ("copy", "copy_1")]
    for _ in range(3):
        wanted = []
        for index, engine in enumerate(engines):
            size = 64 * rng.randint(1, 300)
            base = index * 256 * PAGE
            source, destination = base + 64 * rng.randrange(1000), base + 100 * PAGE + 64 * rng.randrange(1000)
            data = rng.randbytes(size)
            card.memory.write(source, data)
            card.memory.write(destination - 64, b"\xaa" * (size + 128))
            engine.start(source, destination, size)
            wanted.append((destination, data))
        finish(card, *engines)
        for engine, (destination, data) in zip(engines, wanted, strict=True):
            assert engine.failure is None and engine.left == 0
            assert card.memory.read(destination - 64, len(data) + 128) == b"\xaa" * 64 + data + b"\xaa" * 64


def test_a_copy_is_as_fast_as_its_link(card):
    """A read and a write of a flit each take a cycle of the engine's link, with 128 reads in flight."""
    card.memory.set(latency=100, bytes_per_cycle=128, refresh_every=0)
    engine = CopyEngine(card.registers, "copy")
    engine.start(0, 100 * PAGE, 4000 * 64)
    cycles = finish(card, engine)
    assert 8000 <= cycles < 8500
    assert card.memory.stats.most_reads >= 100


def test_statistics_of_the_port_are_in_those_of_the_card(card):
    """As `./girih stats --json` prints them."""
    before = snapshot(card)["memory"]
    engine = CopyEngine(card.registers, "copy")
    engine.start(0, 100 * PAGE, 64 * 64)
    finish(card, engine)
    after = snapshot(card)["memory"]
    assert after["reads"] - before["reads"] == after["writes"] - before["writes"] == 64


@pytest.mark.parametrize("source, destination", [(256, 0), (0, 256), (255, 0), (0, 511), (1 << 27, 0)], ids=str)
def test_a_copy_beyond_its_grants_is_refused(card, source, destination):
    """Pages of the other engine, and pages that nobody was granted: nothing is read or written there, and the engine goes on."""
    card.memory.write(0, b"\x11" * 256 * PAGE + b"\x22" * 256 * PAGE)
    engine = CopyEngine(card.registers, "copy")
    engine.start(source * PAGE, destination * PAGE, 4 * PAGE)
    finish(card, engine)
    assert engine.failure == "refused" and engine.left
    assert b"\x22" not in card.memory.read(0, 256 * PAGE) and b"\x11" not in card.memory.read(256 * PAGE, 256 * PAGE)
    assert card.registers.counters("memory")["memory"]["mark_refused"] > 0
    engine.start(0, 64 * 10, 64)
    finish(card, engine)
    assert engine.failure is None


def test_grants_change_while_the_card_runs(card):
    engine = CopyEngine(card.registers, "copy")
    rights = card.registers.read("memory.grant_rights[0]")
    assert rights == 3
    card.registers.write("memory.grant_rights[0]", 1)
    engine.start(0, PAGE, PAGE)
    finish(card, engine)
    assert engine.failure == "refused"
    with pytest.raises(GirihError):
        card.registers.as_tenant(1).write("memory.grant_rights[0]", 3)
    card.registers.write("memory.grant_rights[0]", 3)
    engine.start(0, PAGE, PAGE)
    finish(card, engine)
    assert engine.failure is None


@pytest.mark.parametrize("broken", ["source", "destination"])
def test_errors_of_the_bus_end_the_copy(card, broken):
    engine = CopyEngine(card.registers, "copy")
    card.memory.fail((10 if broken == "source" else 50) * PAGE + 640, 64)
    engine.start(10 * PAGE, 50 * PAGE, 8 * PAGE)
    finish(card, engine)
    assert engine.failure == "slave" and engine.left
    assert card.registers.counters("memory")["memory"]["mark_slave_errors"] >= 1
    card.memory.set(size=20 * PAGE)
    card.memory.fail(0, 0)
    engine.start(0, 30 * PAGE, PAGE)
    finish(card, engine)
    assert engine.failure == "decode"


def test_a_read_has_the_answer_of_the_time_when_it_was_asked(card):
    """Both the data and the error: never zeros without an error."""
    card.memory.set(latency=3000)
    data = b"\x55" * PAGE
    card.memory.write(0, data)
    card.memory.fail(0, 64)
    engine = CopyEngine(card.registers, "copy")
    engine.start(0, PAGE, PAGE)
    card.run(1000)
    card.memory.fail(32, 0)
    finish(card, engine)
    assert engine.failure == "slave" and card.memory.read(PAGE, 64) == bytes(64)
    engine.start(0, PAGE, PAGE)
    finish(card, engine)
    assert engine.failure is None and card.memory.read(PAGE, PAGE) == data


def test_a_reset_in_the_middle_of_a_copy(card):
    card.memory.set(**MEMORIES["random"])
    data = random.Random(1).randbytes(64 * 500)
    card.memory.write(0, data)
    engine = CopyEngine(card.registers, "copy")
    for cycles in (1, 150, 477):
        engine.start(0, 100 * PAGE, len(data))
        card.run(cycles)
        card.reset()
        assert not engine.running
        assert card.memory.read(0, len(data)) == data
    engine.start(0, 100 * PAGE, len(data))
    finish(card, engine)
    assert card.memory.read(100 * PAGE, len(data)) == data


@pytest.mark.parametrize("source, destination, size", [(1, 0, 64), (0, 32, 64), (0, 64, 63), (0, 64, 0), (1 << 40, 0, 64)])
def test_a_command_that_makes_no_sense_is_refused(card, source, destination, size):
    engine = CopyEngine(card.registers, "copy")
    with pytest.raises(GirihError, match="is refused"):
        engine.start(source, destination, size)
    assert not engine.running


def test_frames_pass_beside_copies(card):
    """None is lost or late: replies of the memory use other links."""
    engine = CopyEngine(card.registers, "copy")
    engine.start(0, 100 * PAGE, 2000 * 64)
    card.add_flow(payload=300, expect="forward", count=100, dst_mac="02:00:00:00:00:01")
    result = card.run_flows(count=100)
    assert result.flows[0].received == 100
    finish(card, engine)


def test_a_run_that_is_ended_waits_for_its_copies(card):
    """A card with copies under way is not at rest: every request is answered first."""
    card.memory.set(latency=3000, bytes_per_cycle=2)
    data = bytes(range(256)) * 100
    card.memory.write(0, data)
    engine = CopyEngine(card.registers, "copy")
    engine.start(0, 100 * PAGE, len(data))
    card.run(10)
    assert card.rests_within(1_000_000)
    assert not engine.running
    account(card.manifest, card.registers.counters()).judge()
    assert card.memory.read(100 * PAGE, len(data)) == data


def test_a_slow_memory_is_no_stall():
    """Requests wait on the links for longer than the watchdog's limit."""
    with VirtualCard.open(DESIGN, watchdog=1000) as card:
        card.memory.set(latency=3000)
        engines = [CopyEngine(card.registers, name) for name in ("copy", "copy_1")]
        for index, engine in enumerate(engines):
            engine.start(index * 256 * PAGE, (index * 256 + 100) * PAGE, 150 * 64)
        card.run_until_quiet()
        assert not any(engine.running or engine.failure for engine in engines)


def test_run_reports_the_traffic_of_the_memory():
    from tests.commands import girih

    said = girih("run", str(DESIGN), "--cycles", "2000")
    assert said.returncode == 0 and "External memory: 0 reads" in said.stdout
    assert "Every message is accounted for" in said.stdout


def test_settings_of_the_memory_that_cannot_be(card):
    wrongs = ({"bytes_per_cycle": 0}, {"refresh_every": 10, "refresh_for": 10}, {"size": 0}, {"ready": 0}, {"latency": -1}, {"jitter": "much"})
    for wrong in (*wrongs, {"size": 0, "colour": 1}):
        with pytest.raises(GirihError):
            card.memory.set(**wrong)
        card.memory.set(latency=7)


def test_a_replay_has_the_content_and_the_settings_of_the_memory(tmp_path):
    """Content written from outside, also while a copy runs, settings that change, and addresses that fail."""
    rng = random.Random(SEED)
    with VirtualCard.open(DESIGN, record=tmp_path / "run") as card:
        engine = CopyEngine(card.registers, "copy")
        card.memory.write(0, rng.randbytes(100 * PAGE))
        card.memory.write(512 * PAGE, rng.randbytes(3 << 20))  # more than one record holds
        card.memory.set(**MEMORIES["random"])
        engine.start(0, 100 * PAGE, 50 * PAGE)
        card.run(500)
        card.memory.write(20 * PAGE + 7, rng.randbytes(11 * PAGE))
        finish(card, engine)
        card.memory.fail(30 * PAGE + 64, 64)
        engine.start(25 * PAGE, 160 * PAGE, 20 * PAGE)
        finish(card, engine)
        assert engine.failure == "slave"
        card.memory.fail(0, 0)
        card.memory.set(**MEMORIES["refreshed"])
        engine.start(0, 200 * PAGE, 20 * PAGE)
        finish(card, engine)
        held, beyond = card.memory.read(0, 256 * PAGE), card.memory.read(512 * PAGE, 3 << 20)
    with VirtualCard.open(DESIGN, bare=True) as card:
        replay = card.replay(tmp_path / "run")
        assert replay.difference is None and replay.accesses > 100
        assert card.memory.read(0, 256 * PAGE) == held and card.memory.read(512 * PAGE, 3 << 20) == beyond


# Block RAM that two tiles share, each with half of it, filled and read through the memory of the host.
BLOCK = """\
width: 128
max_frame: 1518
fabric: {mesh: [4, 2]}
mac: 02:67:69:72:69:68
ip: 10.77.0.2/24
tiles:
  eth_rx: {kind: eth_rx, promiscuous: true, next: {any: host}}
  host: {kind: virtio_net, segmentation: 0, next: {any: eth_tx}}
  eth_tx: {kind: eth_tx}
  one: {kind: copy, next: {memory: ram, host: dma}}
  two: {kind: copy, next: {memory: ram, host: dma}}
  ram: {kind: block_memory, pages: 8, grant_node: [one, two], grant_first: [0, 4], grant_last: [3, 7], grant_rights: [3, 3]}
  dma: {kind: dma, grant_first: [0x700000], grant_last: [0x7000ff], grant_rights: [15]}
"""


@pytest.mark.thorough  # a card of its own
def test_tiles_share_block_memory_and_each_reaches_its_part(tmp_path):
    """Four pages of each go in and come back, at the same time; neither reaches the other's part."""
    (tmp_path / "block.yaml").write_text(BLOCK)
    with VirtualCard.open(tmp_path / "block.yaml", collect=True) as card:
        host = HostMemory(card, 256 * PAGE)
        engines = {name: CopyEngine(card.registers, name) for name in ("one", "two")}
        data = {name: random.Random(name).randbytes(4 * PAGE) for name in engines}
        places = {name: BASE + 16 * index * PAGE for index, name in enumerate(engines)}
        ends = {name: 4 * index * PAGE for index, name in enumerate(engines)}
        for name, engine in engines.items():
            host.write(places[name], data[name])
            engine.start(at_host(places[name]), ends[name], 4 * PAGE)
        finish(card, *engines.values())
        for name, engine in engines.items():
            engine.start(ends[name], at_host(places[name] + 8 * PAGE), 4 * PAGE)
        finish(card, *engines.values())
        for name, engine in engines.items():
            assert engine.failure is None
            assert host.read(places[name] + 8 * PAGE, 4 * PAGE) == data[name]
        engines["one"].start(4 * PAGE, at_host(BASE + 64 * PAGE), PAGE)
        engines["two"].start(at_host(BASE), 3 * PAGE, PAGE)
        finish(card, *engines.values())
        assert [engine.failure for engine in engines.values()] == ["refused", "refused"]
        assert host.read(BASE + 64 * PAGE, PAGE) == bytes(PAGE)
        assert card.registers.counters("ram")["ram"]["mark_refused"] >= 2
