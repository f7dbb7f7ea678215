# SPDX-License-Identifier: Apache-2.0
"""Cards joined by links. A loop card sends every frame back, so one frame between two of them goes to and fro for ever, with
a period that follows from its beats and the link's delay."""

import pytest

from girih.card import Rack, VirtualCard
from girih.cli.rack import REST_CYCLES, _report
from girih.errors import GirihError

BEAT = 64


@pytest.fixture
def pair(loop_folder):
    with VirtualCard(loop_folder) as a, VirtualCard(loop_folder) as b:
        yield {"a": a, "b": b}


def frame(size: int) -> bytes:
    return bytes(range(12)) + bytes([0x88, 0xB5]) + bytes(number % 251 for number in range(size - 14))


def crossings(cycles: int, delay: int, size: int) -> int:
    """How often a frame has left a loop card, which takes from its first beat in to its last beat out as many cycles as the frame has beats."""
    beats = -(-size // BEAT)
    return len(range(beats, cycles, delay + beats))


@pytest.mark.parametrize("size", [60, 65, 1514])
@pytest.mark.parametrize("delay", [1, 7, 250, 4000])
def test_a_frame_takes_its_beats_and_the_delay_each_way(pair, delay, size):
    rack = Rack(pair)
    rack.join(("a", 1), ("b", 0), delay=delay)
    pair["a"].inject(1, frame(size))
    cycles = 40 * delay + 200 if delay > 1 else 400
    rack.run(cycles)
    assert sum(link.frames for link in rack.links) == crossings(cycles, delay, size)
    assert rack.cycle == cycles and abs(rack.links[0].frames - rack.links[1].frames) <= 1
    assert pair["a"].port_stats(0).rx_frames == pair["b"].port_stats(1).rx_frames == 0


def test_neither_the_length_of_calls_nor_what_a_card_did_before_changes_anything(pair):
    pair["b"].run(777)
    rack = Rack(pair)
    rack.join(("a", 0), ("b", 0), delay=100)
    pair["a"].inject(0, frame(200))
    for cycles in (1, 99, 100, 101, 3, 4696):
        rack.run(cycles)
    assert sum(link.frames for link in rack.links) == crossings(5000, 100, 200)


def test_a_run_that_is_interrupted_goes_on_where_it_was(pair, monkeypatch):
    rack = Rack(pair)
    rack.join(("a", 0), ("b", 0), delay=100)
    pair["a"].inject(0, frame(200))
    start, run, runs = pair["a"].cycle, pair["a"].run, []

    def interrupted(cycles: int) -> None:
        run(cycles)
        runs.append(cycles)
        if len(runs) in (3, 4, 17):
            raise KeyboardInterrupt

    monkeypatch.setattr(pair["a"], "run", interrupted)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            rack.run(5000)
    assert rack.cycle == pair["a"].cycle - start == 1700
    rack.run(5000 - rack.cycle)
    assert sum(link.frames for link in rack.links) == crossings(5000, 100, 200)


def test_links_of_several_delays(loop_folder):
    with VirtualCard(loop_folder) as a, VirtualCard(loop_folder) as b, VirtualCard(loop_folder) as c:
        rack = Rack({"a": a, "b": b, "c": c})
        rack.join(("a", 0), ("b", 0), delay=13)
        rack.join(("b", 1), ("c", 1), delay=500)
        a.inject(0, frame(60))
        c.inject(1, frame(600))
        rack.run(6000)
    short, long = (sum(link.frames for link in rack.links[at : at + 2]) for at in (0, 2))
    assert (short, long) == (crossings(6000, 13, 60), crossings(6000, 500, 600))


def test_faults_of_a_link_are_counted_where_frames_enter_and_are_the_same_again(loop_folder):
    def lost(seed: int) -> list[int]:
        with VirtualCard(loop_folder) as a, VirtualCard(loop_folder) as b:
            rack = Rack({"a": a, "b": b})
            rack.join(("a", 0), ("b", 0), delay=5, loss=0.05, seed=seed)
            for _ in range(40):
                a.inject(0, frame(60))
            rack.run_until_quiet()
            assert [a.fault_counts(0, "in")["lost"] + b.fault_counts(0, "in")["lost"], a.fault_counts(1, "in")["lost"]] == [40, 0]
            return [link.frames for link in rack.links]

    assert lost(3) == lost(3) != lost(4)


def test_a_bad_frame_stays_bad(pair, monkeypatch):
    rack = Rack(pair)
    rack.join(("a", 0), ("b", 0), delay=20)
    entered = []
    monkeypatch.setattr(pair["b"], "inject", lambda port, data, cycle, bad: entered.append((port, len(data), bad)))
    pair["a"].inject(0, frame(60), bad=True)
    pair["a"].inject(0, frame(90))
    rack.run(100)
    assert entered == [(0, 60, True), (0, 90, False)]


def test_a_rack_that_never_rests(pair):
    rack = Rack(pair)
    rack.join(("a", 0), ("b", 0))
    rack.run_until_quiet()
    pair["a"].inject(0, frame(60))
    with pytest.raises(GirihError, match="not come to rest in 20000 cycles"):
        rack.run_until_quiet(limit=20_000)


@pytest.mark.parametrize(("lost", "frames", "text"), [(1, 1, "Every message is accounted for"), (0, 2, "did not come to rest in time")])
def test_the_command_waits_for_a_frame_on_a_long_link_but_not_for_ever(pair, capsys, lost, frames, text):
    """Longer than a rack without such a link has for coming to rest. A frame that is not lost goes to and fro."""
    rack = Rack(pair)
    rack.join(("a", 0), ("b", 0), delay=REST_CYCLES + 1000)
    pair["b"].set_faults(0, "in", loss=lost)
    pair["a"].inject(0, frame(60))
    rack.run(100)
    _report(rack, [])
    shown = capsys.readouterr().out
    assert shown.count(text) == len(pair) and f"a.0 to b.0: {frames} frames, {REST_CYCLES + 1000} cycles" in shown


def test_an_error_names_its_card(pair):
    rack = Rack(pair)
    rack.join(("a", 0), ("b", 0))
    with pytest.raises(GirihError, match="told to fail"):
        pair["b"].registers.write("loop.break", 2)
    with pytest.raises(GirihError, match=r"^card b: "):
        rack.run(100)


@pytest.mark.parametrize(
    ("one", "other", "delay", "what"),
    [
        (("a", 0), ("c", 0), 1, "no card is called 'c'. There are: a, b."),
        (("a", 0), ("b", 2), 1, "b, port 2: the card has no port 2. It has 2: 0 to 1."),
        (("a", -1), ("b", 0), 1, "a, port -1: the card has no port -1"),
        (("a", 0), ("a", 0), 1, "a, port 0: a link joins a port to itself"),
        (("a", 0), ("b", 0), 0, "a, port 0: a link has a delay of 0 cycles"),
        (("b", 1), ("a", 0), 1, "b, port 1: the port has a link already"),
    ],
)
def test_what_cannot_be_joined(pair, one, other, delay, what):
    rack = Rack(pair)
    rack.join(("a", 1), ("b", 1))
    with pytest.raises(GirihError) as error:
        rack.join(one, other, delay=delay)
    assert what in str(error.value)
    assert len(rack.links) == 2


def test_a_card_that_is_in_the_rack_twice(pair):
    with pytest.raises(GirihError, match="a card is in the rack twice"):
        Rack({"a": pair["a"], "b": pair["b"], "c": pair["a"]})


def test_a_rack_without_cards():
    with pytest.raises(GirihError, match="a rack needs a card"):
        Rack({})
