# SPDX-License-Identifier: Apache-2.0
"""Cards whose edges have clocks of their own: memory, host and Ethernet ports at any ratio to the card's clock, ports that bring more than the card
takes, resets, the rest of a card, recordings, waves, and cards of different clocks that are joined."""

import json
import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from pywellen import Waveform

from girih.build.lint import lint
from girih.card import Rack, VirtualCard
from girih.card.account import account
from girih.card.copies import CopyEngine, at_host
from girih.card.copy import snapshot
from girih.card.host import RECEIVE, SEND
from girih.compiler.compile import compile_design
from girih.errors import GirihError
from girih.experiments.host_driver import BASE, HEADER, WRITE, HostMemory, SplitQueue
from girih.testing import SEED
from tests.commands import girih

CARD_MHZ = 250
# Every edge: port 0 echoes, port 1 is the host's.
EDGES = """\
width: 128
ports: 2
max_frame: 1518
clocks: {ports: PORTS, memory: MEMORY, host: HOST}
fabric: {mesh: [4, 3]}
mac: 02:67:69:72:69:68
ip: 10.77.0.2/24
tiles:
  eth_rx: {kind: eth_rx, promiscuous: true, next: {any: relay}}
  relay: {kind: relay, next: eth_tx}
  eth_tx: {kind: eth_tx}
  eth_rx_1: {kind: eth_rx, port: 1, promiscuous: true, next: {any: host}}
  host: {kind: virtio_net, segmentation: 0, next: {any: eth_tx_1}}
  eth_tx_1: {kind: eth_tx, port: 1}
  copy: {kind: copy, next: {memory: memory, host: dma}}
  memory: {kind: memory, grant_node: [copy], grant_last: [255], grant_rights: [3]}
  dma: {kind: dma, grant_node: [copy], grant_first: [0x700000], grant_last: [0x7000ff], grant_rights: [3]}
"""
# Ports alone, that are no faster than the card.
PORTS = """\
width: 128
max_frame: 1518
clocks: {ports: PORTS}
fabric: {mesh: [3, 1]}
mac: 02:67:69:72:69:68
tiles:
  eth_rx: {kind: eth_rx, promiscuous: true, next: {any: relay}}
  relay: {kind: relay, next: eth_tx}
  eth_tx: {kind: eth_tx}
"""
FASTER, SLOWER = 322.265625, 92.5
RATIOS = {"a third": SLOWER, "equal": 250, "close": 251.000001, "faster": 675}  # MHz
LEAST, MOST = 15.625, 4000 / 4  # MHz
PAGE, FLIT = 4096, 16
INPUT = 1  # the kind of a record (card/runtime/recorder.hpp)
PEER = bytes.fromhex("020000000001")
MAC = bytes.fromhex("026769726968")

Opener = Callable[..., VirtualCard]


@pytest.fixture
def opened(tmp_path):
    """`opened(memory=300)`: the card with these clocks in MHz. Its hardware depends on the clocks only in whether ports are faster than the card."""
    cards: list[VirtualCard] = []

    def open_card(text: str = EDGES, options: Mapping[str, Any] | None = None, **clocks: float) -> VirtualCard:
        cards.append(VirtualCard(compiled(tmp_path, text, **clocks), collect=True, **(options or {})))
        return cards[-1]

    yield open_card
    for card in cards:
        card.close()


def compiled(folder, text: str = EDGES, **clocks: float):
    for edge, mhz in {"ports": FASTER, "memory": 300, "host": SLOWER, **clocks}.items():
        text = text.replace(edge.upper(), str(mhz))
    path = folder / "clocks.yaml"
    path.write_text(text)
    return compile_design(path)


def frames(rng: random.Random, count: int, most: int = 1518) -> list[bytes]:
    return [MAC + PEER + b"\x88\xb5" + number.to_bytes(4, "big") + rng.randbytes(rng.randint(42, most - 18)) for number in range(count)]


def finish(card: VirtualCard, *engines: CopyEngine) -> None:
    """Runs until the copies have ended and the card rests, and checks that every message is accounted for."""
    start = card.cycle
    while any(engine.running for engine in engines):
        card.run(50)
        assert card.cycle - start < 1_000_000
    card.run_until_quiet()
    account(card.manifest, card.registers.counters()).judge()


def data_of(frame: bytes) -> bytes:
    """What a relay leaves as it was: the source address becomes the card's."""
    return frame[:6] + frame[12:]


@pytest.mark.parametrize("ratio", ["a third", *(pytest.param(ratio, marks=pytest.mark.thorough) for ratio in ("faster", "equal", "close"))])
def test_copies_in_memory_and_to_and_from_the_host(opened, ratio):
    rng = random.Random(SEED)
    card = opened(memory=RATIOS[ratio], host=RATIOS[ratio])
    host = HostMemory(card, 256 * PAGE)
    engine = CopyEngine(card.registers, "copy")
    for memory in ({}, {"latency": 20, "jitter": 200, "ready": 0.5, "seed": 3}):
        card.memory.set(**memory)
        for _ in range(2):
            data = rng.randbytes(FLIT * rng.randint(1, 300))
            card.memory.write(0, data)
            card.memory.write(100 * PAGE, b"\xaa" * (len(data) + 32))
            for source, destination in ((0, 100 * PAGE + 16), (100 * PAGE + 16, at_host(BASE + PAGE)), (at_host(BASE + PAGE), 200 * PAGE)):
                engine.start(source, destination, len(data))
                finish(card, engine)
                assert engine.failure is None and engine.left == 0
            assert card.memory.read(100 * PAGE, len(data) + 32) == bytes([0xAA] * 16) + data + bytes([0xAA] * 16)
            assert host.read(BASE + PAGE, len(data)) == data == card.memory.read(200 * PAGE, len(data))


def test_a_memory_as_fast_as_the_card_carries_as_much_as_without_a_crossing(opened):
    """A copy moves a flit in two cycles of the engine's link."""
    card = opened(memory=CARD_MHZ)
    card.memory.set(latency=20, bytes_per_cycle=128)
    engine = CopyEngine(card.registers, "copy")
    start = card.cycle
    engine.start(0, 100 * PAGE, 2000 * FLIT)
    while engine.running:
        card.run(20)
    assert 4000 <= card.cycle - start < 4500


def test_errors_of_the_memory_cross(opened):
    card = opened()
    card.memory.fail(1024, FLIT)
    engine = CopyEngine(card.registers, "copy")
    engine.start(0, PAGE, 2048)
    finish(card, engine)
    assert engine.failure == "slave"


def virtqueues(card: VirtualCard, memory: HostMemory, buffers: int) -> tuple[SplitQueue, SplitQueue]:
    """The started queues of the first pair, with buffers to receive, of a page each from the second half on."""
    receive, send = SplitQueue(memory, 0, 64), SplitQueue(memory, 0x4000, 64)
    for number in range(buffers):
        receive.add([(memory.base + 0x80000 + PAGE * number, PAGE)], WRITE)
    receive.publish()
    card.host.start(RECEIVE, receive.place)
    card.host.start(SEND, send.place)
    return receive, send


@pytest.mark.parametrize("ratio", ["a third", pytest.param("faster", marks=pytest.mark.thorough)])
def test_a_host_sends_and_receives_frames(opened, ratio):
    """Through the ports and the host's edge, each with a clock of its own; an interrupt tells the host of each batch."""
    rng = random.Random(SEED)
    card = opened(host=RATIOS[ratio])
    memory = HostMemory(card, 1 << 20)
    receive, send = virtqueues(card, memory, 32)
    sent = frames(rng, 20)
    for number, frame in enumerate(sent):
        address = memory.base + 0x20000 + PAGE * number
        memory.write(address, bytes(HEADER) + frame)
        send.add([(address, HEADER + len(frame))])
    send.publish()
    card.host.kick(SEND)
    received = frames(rng, 20)
    for number, frame in enumerate(received):
        card.inject(1, frame, cycle=card.cycle + 2000 * number)
    card.run_until_quiet()
    assert [data_of(frame.data) for frame in card.collect(1)] == [data_of(frame) for frame in sent]
    assert len(send.used()) == 20
    found = receive.used()
    assert [size for _, size in found] == [HEADER + len(frame) for frame in received]
    assert 2 <= card.host.stats.calls <= 40
    card.check_conservation()


@pytest.mark.parametrize(("text", "mhz"), [(PORTS, LEAST), (PORTS, SLOWER), (PORTS, 250), (EDGES, 251.000001), (EDGES, FASTER), (EDGES, 675)])
def test_frames_pass_ports_at_any_ratio_and_leave_without_gaps(opened, text, mhz):
    """Also while the rest of the card is busy; the beats of a frame leave in consecutive cycles of the port's clock."""
    card = opened(text, ports=mhz)
    sent = frames(random.Random(SEED), 60)
    cycles = 200 * max(1, CARD_MHZ / mhz)
    for number, frame in enumerate(sent):
        card.inject(0, frame, cycle=card.cycle + int(number * cycles))
    card.run_until_quiet()
    left = card.collect(0)
    assert [data_of(frame.data) for frame in left] == [data_of(frame) for frame in sent]
    for frame in left:
        beats = -(-len(frame.data) // FLIT)
        assert abs(frame.last_cycle - frame.first_cycle - (beats - 1) * CARD_MHZ / mhz) <= 1
    counters = card.registers.counters()
    assert counters["eth_rx"]["in_frames"] == counters["eth_tx"]["out_frames"] == 60
    card.check_conservation()


def test_a_port_that_is_no_faster_than_the_card_loses_nothing(opened):
    card = opened(PORTS, ports=250)
    sent = frames(random.Random(SEED), 200, most=100)
    for frame in sent:
        card.inject(0, frame)
    card.run_until_quiet()
    assert [data_of(frame.data) for frame in card.collect(0)] == [data_of(frame) for frame in sent]


def test_frames_that_the_card_cannot_take_are_counted(opened):
    """A port that brings a beat in each cycle of a faster clock: a frame comes out whole, or is cut and marked bad, or is one byte marked bad."""
    card = opened(ports=1000)
    sent = frames(random.Random(SEED), 3000, most=80)
    for frame in sent:
        card.inject(0, frame)
    card.run_until_quiet()
    left = [frame.data for frame in card.collect(0) if not frame.bad]
    places = {data_of(frame): number for number, frame in enumerate(sent)}
    order = [places[data_of(frame)] for frame in left]
    assert order == sorted(set(order))
    counters = card.registers.counters()["eth_rx"]
    lost = counters["mark_bad_frame"]
    assert counters["in_frames"] == len(sent)
    assert counters["drop_runt"] > 500 and lost >= counters["drop_runt"]
    assert len(left) + counters["drop_overflow"] + lost == len(sent)
    card.check_conservation()


def test_a_frame_is_cut_if_the_card_cannot_take_its_rest(opened):
    """The largest frames, one after the other: each is whole or bad, and none is joined to another."""
    card = opened(ports=1000)
    sent = frames(random.Random(SEED), 60)
    for frame in sent:
        card.inject(0, frame)
    card.run_until_quiet()
    good = [data_of(frame.data) for frame in card.collect(0) if not frame.bad]
    assert set(good) <= {data_of(frame) for frame in sent} and len(set(good)) == len(good)
    counters = card.registers.counters()["eth_rx"]
    assert counters["in_frames"] == 60 and counters["mark_bad_frame"] > counters["drop_runt"]
    card.check_conservation()


@pytest.mark.parametrize(
    "clocks", [{"ports": 251, "memory": LEAST, "host": LEAST}, *(pytest.param(clocks, marks=pytest.mark.thorough) for clocks in ({}, {"memory": 1000, "host": 1000}))], ids=str
)
def test_a_reset_in_the_middle(opened, clocks):
    """Of a copy to the host, of frames in both directions: afterwards the card is as new, and no answer from before comes."""
    rng = random.Random(SEED)
    card = opened(**clocks)
    data = rng.randbytes(FLIT * 400)
    engine = CopyEngine(card.registers, "copy")
    for cycles in (1, 40, 150, 477, 1200):
        host = HostMemory(card, 256 * PAGE)
        card.memory.write(0, data)
        for frame in frames(rng, 10):
            card.inject(0, frame)
        engine.start(0, at_host(BASE), len(data))
        card.run(cycles)
        card.reset()
        card.run_until_quiet()
        card.collect(0)
        card.collect(1)
        card.reset()
        assert not engine.running
        engine.start(0, 100 * PAGE, len(data))
        finish(card, engine)
        engine.start(100 * PAGE, at_host(BASE + PAGE), len(data))
        (frame,) = frames(rng, 1)
        card.inject(0, frame)
        finish(card, engine)
        assert host.read(BASE + PAGE, len(data)) == data == card.memory.read(100 * PAGE, len(data))
        assert [data_of(one.data) for one in card.collect(0)] == [data_of(frame)]


@pytest.mark.parametrize("edge", ["memory", "host"])
def test_a_card_rests_only_when_its_crossings_are_empty(opened, edge):
    """A read takes 48 cycles and more to cross; the card does not rest meanwhile, although nothing has reached the memory."""
    card = opened(**{edge: LEAST})
    HostMemory(card, PAGE)
    engine = CopyEngine(card.registers, "copy")
    card.run(1000)
    at = {"memory": card.memory, "host": card.host}[edge]
    engine.start(*((0, PAGE) if edge == "memory" else (at_host(BASE), PAGE)), FLIT)
    before, quiet = at.stats.reads, []
    while at.stats.reads == before:
        quiet.append(card.quiet_cycles)
        card.run(1)
    assert len(quiet) > 40 and not any(quiet[-32:])
    finish(card, engine)


def test_a_card_with_a_frame_in_its_transmit_crossing_does_not_rest(opened):
    card = opened()
    card.set_ready(0, 0)
    (frame,) = frames(random.Random(SEED), 1, most=64)
    card.inject(0, frame)
    assert not card.rests_within(20_000)
    card.set_ready(0, 1)
    card.run_until_quiet()
    assert len(card.collect(0)) == 1


def test_a_stall_behind_the_crossing_is_noticed(opened):
    """A wire that takes nothing: frames fill the crossing and then the card, and the watchdog names the port."""
    card = opened(PORTS, {"watchdog": 2000}, ports=SLOWER)
    card.set_ready(0, 0)
    for frame in frames(random.Random(SEED), 40):
        card.inject(0, frame)
    with pytest.raises(GirihError, match="eth_tx waits for the wire at port 0, which takes nothing"):
        card.run_until_quiet()


def test_a_slow_memory_behind_a_crossing_is_no_stall(opened):
    card = opened(options={"watchdog": 60}, memory=LEAST)
    card.memory.set(latency=1, ready=0.1, seed=3)  # requests wait in the crossing, and the memory owes nothing
    engine = CopyEngine(card.registers, "copy")
    engine.start(0, 100 * PAGE, 100 * FLIT)
    card.run_until_quiet()
    assert not engine.running and engine.failure is None


def exercise(card: VirtualCard) -> None:
    rng = random.Random(SEED)
    card.memory.write(0, rng.randbytes(64 * FLIT))
    engine = CopyEngine(card.registers, "copy")
    for frame in frames(rng, 40, most=200):
        card.inject(0, frame, cycle=rng.randrange(3000))
    card.run(500)
    engine.start(0, PAGE, 64 * FLIT)
    card.set_ready(0, 0.5, seed=7)
    card.run(1500)
    card.reset()
    for frame in frames(rng, 40, most=200):
        card.inject(0, frame)
    engine.start(0, PAGE, 64 * FLIT)
    finish(card, engine)


@pytest.mark.parametrize("seed", [0, 5])
def test_a_run_is_the_same_each_time_and_is_replayed(opened, tmp_path, seed):
    """With a port's clock that has several edges in a cycle of the card."""
    clocks = {"ports": 675, "memory": 137.123456}
    for name in ("one", "two"):
        card = opened(options={"record": tmp_path / name, "seed": seed}, **clocks)
        exercise(card)
        card.close()
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    replay = opened(options={"bare": True, "seed": seed}, **clocks).replay(tmp_path / "one")
    assert replay.difference is None and replay.outputs > 40 and replay.accesses > 50


def test_a_replay_offers_a_frame_at_its_edge_within_a_cycle(opened, tmp_path):
    """Frames of a TAP device come at any edge. Here the edges in a recording are changed, and the replay shows it."""
    card = opened(options={"record": tmp_path / "run"}, ports=675)
    for number, frame in enumerate(frames(random.Random(SEED), 20, most=100)):
        card.inject(0, frame, cycle=2000 + 101 * number)
    card.run(5000)
    card.close()
    good = (tmp_path / "run").read_bytes()
    assert opened(options={"bare": True}, ports=675).replay(tmp_path / "run").difference is None
    at = 16 + int.from_bytes(good[12:16], "little")
    changed, inputs = bytearray(good), 0
    while at < len(good):
        size, kind = int.from_bytes(good[at + 8 : at + 12], "little"), good[at + 12]
        if kind == INPUT:
            assert good[at + 15] == 0
            changed[at + 15] = 2  # not every cycle has a third edge
            inputs += 1
        at += 16 + size
    (tmp_path / "run").write_bytes(changed)
    assert inputs == 20
    assert opened(options={"bare": True}, ports=675).replay(tmp_path / "run").difference is not None


def test_clocks_have_their_ratio_exactly(opened):
    clocks = {"ports": FASTER, "memory": 300.000001, "host": LEAST}
    card = opened(**clocks)
    card.run(1000)
    before, start = card.edge_cycles(), card.cycle
    card.run(1_000_00)
    for edge, mhz in clocks.items():
        expected = (card.cycle - start) * Fraction(str(mhz)) / CARD_MHZ
        assert abs(card.edge_cycles()[edge] - before[edge] - expected) < 1
    assert snapshot(card)["clocks"] == {edge: {"mhz": mhz, "cycles": card.edge_cycles()[edge]} for edge, mhz in clocks.items()}


@pytest.mark.thorough
def test_waves_show_the_edges_of_every_clock_in_their_order(opened, tmp_path):
    card = opened(PORTS, {"waves": True}, ports=SLOWER)
    card.waves(tmp_path / "w.fst", 200, 700)
    card.run(800)
    wave = Waveform(str(tmp_path / "w.fst"))
    card_edges, port_edges = (rising(wave, name) for name in ("clk_i", "m_axis_clk_i"))
    assert {second - first for first, second in pairwise(card_edges)} == {4000}
    periods = {second - first for first, second in pairwise(port_edges)}
    assert len(port_edges) in (184, 185, 186) and all(abs(period - 4000 * CARD_MHZ / SLOWER) <= 2 for period in periods)


def rising(wave: Waveform, name: str) -> list[int]:
    """The times in ps at which a clock rises."""
    clock = next(var for var in wave.all_vars() if var.name == name)
    return [time for time, value in clock.tv if int(value)]


def test_steps_and_pauses_are_cycles_of_the_card(opened):
    """A card that is stepped by single cycles does the same as one that runs."""
    said = []
    for step in (1, 400):
        card = opened(PORTS, ports=SLOWER)
        for frame in frames(random.Random(SEED), 5, most=300):
            card.inject(0, frame)
        for _ in range(2000 // step):
            card.run(step)
        said.append((card.edge_cycles(), card.collect(0)))
        assert len(said[-1][1]) == 5
    assert said[0] == said[1]


def test_joined_cards_with_different_clocks(opened):
    """Frames go around between two cards, each with a port clock of its own; the run depends on no thread."""
    runs = []
    for _ in range(2):
        left, right = opened(PORTS, ports=SLOWER), opened(PORTS.replace("69:68", "69:70"), ports=200)
        rack = Rack({"left": left, "right": right})
        rack.join(("left", 0), ("right", 0), delay=50)
        sent = frames(random.Random(SEED), 4, most=300)
        for frame in sent:
            left.inject(0, frame)
        rack.run(10_000)
        runs.append((left.port_stats(0), right.port_stats(0), left.registers.counters(), right.registers.counters()))
        assert right.port_stats(0).rx_frames > 40 and len({card.edge_cycles()["ports"] for card in (left, right)}) == 2
    assert runs[0] == runs[1]


def test_constraints_name_the_crossings_of_the_card(tmp_path):
    compiled(tmp_path, PORTS, ports=SLOWER)
    said = girih("synth", str(tmp_path / "clocks.yaml"), "--constraints", str(tmp_path / "card.xdc"))
    assert said.returncode == 0, said.stdout + said.stderr
    text = (tmp_path / "card.xdc").read_text()
    for instance in ("gen_edges.u_s_axis_0_crossing/u_fifo", "gen_edges.u_m_axis_0_crossing/u_fifo"):
        assert f"set_bus_skew -from [get_cells {{{instance}/write_gray_q_reg*}}]" in text
    assert "set_false_path -to [get_cells {gen_edges.u_m_axis_0_reset/u_synchroniser/caught_q_reg*}]" in text


def test_tiles_may_have_the_names_of_crossings(tmp_path):
    text = PORTS.replace("relay: {kind", "s_axis_0_crossing: {kind").replace("any: relay", "any: s_axis_0_crossing").replace("eth_tx: {", "m_axis_0_reset: {")
    folder = compiled(tmp_path, text.replace("next: eth_tx", "next: m_axis_0_reset"), ports=SLOWER)
    found = lint("card_sim", json.loads((folder / "card.json").read_text())["sources"])
    assert found.clean, found.output


def test_a_card_whose_edges_use_its_clock_has_no_crossing(tmp_path):
    text = PORTS.replace("clocks: {ports: PORTS}\n", "")
    folder = compiled(tmp_path, text)
    assert "crossing" not in (folder / "card.sv").read_text() and '"clocks":' not in (folder / "card.json").read_text()
