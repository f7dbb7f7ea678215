# SPDX-License-Identifier: Apache-2.0
"""The positions found are valid, free of deadlock, the same for a seed, and never worse than the initial ones."""

import itertools
import random
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from girih.compiler.check.card import check_file
from girih.compiler.dependencies import dependencies
from girih.compiler.model import Card
from girih.compiler.traffic import overloads
from girih.errors import GirihError
from girih.paths import DESIGNS
from girih.placement.place import CROSSBAR, place_design
from girih.placement.problem import Problem, placed, problem_of
from girih.placement.search import search
from girih.placement.state import State
from girih.placement.write import place_text, with_places
from girih.testing import SEED
from girih.topology import Butterfly, Crossbar, Mesh

ALL = sorted(DESIGNS.glob("*.yaml"))
STEPS = 8000
LARGE_STEPS = 20000  # enough for 28 tiles to be free of deadlock, and far better than in the order of the file


def stacks(count: int, fabric: str) -> str:
    """A design of this many stacks of seven tiles, in which all stacks send to each other, without positions."""
    lines = [f"fabric: {fabric}", f"ports: {count}", "mac: 02:67:69:72:69:68", "tiles:"]
    for index in range(count):
        after = (index + 1) % count
        ip = f"10.77.0.{index + 2}"
        ports = ", ".join(f"{port}: eth_tx_{port}" for port in range(count))
        lines += [
            f"  eth_rx_{index}: {{kind: eth_rx, port: {index}, next: {{ipv4: ip_rx_{index}}}}}",
            f"  ip_rx_{index}: {{kind: ipv4_rx, ip: {ip}, next: {{udp: udp_rx_{index}, 6: udp_rx_{after}}}}}",
            f"  udp_rx_{index}: {{kind: udp_rx, next: {{7: echo_{index}, 9: echo_{after}}}}}",
            f"  echo_{index}: {{kind: echo, next: udp_tx_{index}}}",
            f"  udp_tx_{index}: {{kind: udp_tx, next: ip_tx_{index}}}",
            f"  ip_tx_{index}: {{kind: ipv4_tx, ip: {ip}, next: {{{ports}}}}}",
            f"  eth_tx_{index}: {{kind: eth_tx, port: {index}, reflect: true}}",
        ]
    return "\n".join([*lines, ""])


def written(folder, text: str):
    path = folder / "my_card.yaml"
    path.write_text(text)
    return path


def hops(card: Card) -> float:
    """Links per packet, by the topology's own ways."""
    problem = problem_of(card)
    return sum(part * len(list(problem.shape.hops(problem.start[a], problem.start[b]))) for a, b, part in problem.ways)


@pytest.mark.parametrize("design", ALL, ids=lambda path: path.stem)
def test_never_worse_than_by_hand_and_free_of_deadlock(design, tmp_path):
    by_hand = check_file(design)
    text, answer = place_design(design, SEED, STEPS)
    found = check_file(written(tmp_path, text))
    assert hops(found) <= hops(by_hand) + 1e-9
    assert sorted(tile.name for tile in found.tiles) == sorted(tile.name for tile in by_hand.tiles)
    if by_hand.fabric.topology == "crossbar":
        assert (text, answer) == (design.read_text(), CROSSBAR)
    else:
        assert f"{hops(found):.2f} links between routers per packet" in answer


def test_it_says_by_how_much_it_is_better(tmp_path):
    text = (DESIGNS / "panic_mesh.yaml").read_text()
    before = hops(check_file(DESIGNS / "panic_mesh.yaml"))
    text, answer = place_design(DESIGNS / "panic_mesh.yaml", 0, STEPS)
    after = hops(check_file(written(tmp_path, text)))
    assert answer == f"{after:.2f} links between routers per packet, {1 - after / before:.1%} fewer than the {before:.2f} before"
    assert after < 0.8 * before


@pytest.mark.parametrize("fabric", ["{mesh: [7, 4]}", "{butterfly: [4, 2, 4]}"])
def test_28_tiles(fabric, tmp_path):
    path = written(tmp_path, stacks(4, fabric))
    before = check_file(path, allow_deadlock=True)
    text, _ = place_design(path, 0, LARGE_STEPS)
    card = check_file(written(tmp_path, text))
    assert hops(card) < hops(before)
    assert len({place for tile in card.tiles for place in tile.places}) == 28


def test_the_same_seed_finds_the_same():
    design = DESIGNS / "udp_echo_scale.yaml"
    assert place_design(design, 5, 2000) == place_design(design, 5, 2000)
    assert len({place_design(design, seed, 2000)[0] for seed in range(4)}) > 1


def test_what_can_deadlock_as_it_is_gets_positions(tmp_path):
    path = written(tmp_path, stacks(2, "{mesh: [5, 3]}"))
    assert dependencies(check_file(path, allow_deadlock=True)).order() is None
    text, answer = place_design(path, 0, STEPS)
    assert answer.endswith("links between routers per packet, and no deadlock; the positions before can deadlock")
    assert dependencies(check_file(written(tmp_path, text))).order() is not None


def test_a_circle_of_tiles_cannot_be_placed(tmp_path):
    text = (DESIGNS / "udp_echo.yaml").read_text().replace("next: udp_tx}", "next: {any: udp_rx}}").replace("{7: echo}", "{7: echo, 9: udp_tx}")
    for fabric in ("{mesh: [4, 2]}", "crossbar"):
        path = written(tmp_path, re.sub(r", at: \[.*?\]", "", text).replace("{mesh: [4, 2]}", fabric))
        with pytest.raises(GirihError) as caught:
            place_design(path, 0, 400)
        assert str(caught.value) == (
            f"{path}: this card can hang wherever its tiles are. ./girih check {path} shows why; break the circle with a buffer or a second tile."
        )


def test_tiles_can_be_kept(tmp_path):
    design = DESIGNS / "panic_mesh.yaml"
    text, _ = place_design(design, 0, STEPS, ["wire", "scheduler"])
    before, after = check_file(design), check_file(written(tmp_path, text))
    assert [after.tile(name).places for name in ("wire", "scheduler")] == [before.tile(name).places for name in ("wire", "scheduler")]
    assert after.tile("host").places != before.tile("host").places


def test_a_tile_that_is_kept_must_be_there():
    with pytest.raises(GirihError) as caught:
        place_design(DESIGNS / "udp_echo.yaml", keep=["ecko"])
    assert str(caught.value) == (
        f"{DESIGNS / 'udp_echo.yaml'}: ecko is to be kept, but is not a tile. Did you mean echo? "
        "The tiles are eth_rx, ip_rx, udp_rx, echo, udp_tx, ip_tx and eth_tx."
    )


def test_where_nothing_may_move_there_may_be_no_answer(tmp_path):
    path = written(tmp_path, stacks(2, "{mesh: [5, 3]}"))
    names = [tile.name for tile in check_file(path, allow_deadlock=True).tiles]
    with pytest.raises(GirihError) as caught:
        place_design(path, 0, 400, names)
    assert str(caught.value) == (
        f"{path}: no positions without deadlock were found in 0 steps. Try another --seed, more --steps, a larger fabric, or keep fewer tiles."
    )


def test_expected_traffic_decides(tmp_path):
    """With many frames for the ARP tile, it is near; with few, far."""
    text = (DESIGNS / "demo.yaml").read_text()
    problem = [
        problem_of(check_file(written(tmp_path, f"{text}traffic: {{tiles: {{eth_rx: {{arp: {arp}, ip_rx: {100 - arp}}}}}}}\n"))) for arp in (1, 99)
    ]
    few, many = (search(one, 0, STEPS).after.hops for one in problem)
    assert few > 4 * many / 2
    assert many < 2.2


def test_links_carry_what_they_can(tmp_path):
    """Fewest links alone would lead both flows over one; with both at full rate they do not fit."""
    text, _ = place_design(DESIGNS / "udp_echo_scale.yaml", 0, 30000)
    path = written(tmp_path, text + "traffic: {ports: {0: 128, 1: 128}}\n")
    assert overloads(check_file(path)) == {}


@pytest.mark.parametrize(("start", "overload"), [((0, 0), 0.8), ((0, 1), 0.0)])
def test_no_more_links_than_before_also_where_one_carries_too_much(start, overload):
    """Port 0 has two places: the near one shares the last link with port 1, the far one has a way of its own."""
    problem = Problem(
        shape=Mesh(3, 2),
        places=Mesh(3, 2).places,
        start=(start, (1, 0), (2, 0), (1, 1), (2, 1)),
        kept=frozenset((1, 2, 3, 4)),
        ways=((0, 2, 0.9), (1, 2, 0.9)),
        capacity=1.0,
        waits=(),
    )
    found = search(problem, SEED, 3000)
    assert found.places[0] == start
    assert found.after.overload == overload


@pytest.mark.parametrize("seed", range(5))
def test_of_few_tiles_the_best_places_are_found(seed):
    """Tries every arrangement of five ports, for a random start and random traffic."""
    chooser, shape = random.Random(seed), Mesh(3, 2)
    ways = tuple((a, b, chooser.choice((0.1, 0.5, 1.0))) for a, b in itertools.permutations(range(5), 2) if chooser.random() < 0.4)
    waits = tuple((5 + port, port) for port in (1, 2))
    problem = Problem(shape, shape.places, tuple(chooser.sample(shape.places, 5)), frozenset(), ways, 2.0, waits)
    best = min(State(replace(problem, start=places)).worth() for places in itertools.permutations(shape.places, 5))
    found = search(replace(problem, start=worst_start(problem)), seed, 6000).after
    assert (found.tangled, found.overload, found.hops) == (best.tangled, best.overload, best.hops)


def worst_start(problem: Problem):
    """The worst start: the arrangement free of deadlock that uses the most links."""
    worths = ((State(replace(problem, start=places)).worth(), places) for places in itertools.permutations(problem.places, problem.ports))
    return max(((worth.hops, places) for worth, places in worths if worth.good), default=(0.0, problem.start))[1]


@some.composite
def problems(draw_from):
    """Any number of ports on any fabric, with random paths between them, and tiles that wait at random."""
    shape = draw_from(some.sampled_from([Mesh(3, 2), Mesh(4, 4), Mesh(1, 6), Butterfly(2, 2, 2), Butterfly(3, 1, 4), Crossbar(7)]))
    ports = draw_from(some.integers(1, len(shape.places)))
    chooser = random.Random(draw_from(some.integers(0, 1 << 30)))
    ways = {(chooser.randrange(ports), chooser.randrange(ports)): chooser.choice([0.0, 0.25, 1.0]) for _ in range(2 * ports)}
    waits = [(ports + port, port) for port in range(ports) if chooser.random() < 0.4]
    return Problem(
        shape=shape,
        places=shape.places,
        start=tuple(chooser.sample(shape.places, ports)),
        kept=frozenset(port for port in range(ports) if chooser.random() < 0.2),
        ways=tuple((a, b, part) for (a, b), part in ways.items() if a != b),
        capacity=1.0,
        waits=tuple(waits),
    )


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problems(), some.integers(0, 1000))
def test_positions_are_valid_and_never_worse(problem, seed):
    found = search(problem, seed, 400)
    assert len(set(found.places)) == problem.ports
    assert set(found.places) <= set(problem.places)
    assert all(found.places[port] == problem.start[port] for port in problem.kept)
    assert found.after <= found.before
    if found.before.good:
        assert found.after.good
        assert found.after.hops <= found.before.hops
    assert found.after == State(replace(problem, start=found.places)).worth()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problems(), some.integers(0, 1000))
def test_what_is_kept_up_to_date_is_what_is_computed_anew(problem, seed):
    state, chooser = State(problem), random.Random(seed)
    for _ in range(50):
        state.move(chooser.randrange(problem.ports), chooser.randrange(len(problem.places)))
    state.untangle()
    fresh = State(replace(problem, start=state.places()))
    assert state.tangled == fresh.tangled
    assert state.cost == pytest.approx(fresh.cost)
    assert state.worth() == fresh.worth()


@pytest.mark.parametrize("seed", range(20))
def test_the_search_and_the_proof_agree(seed, tmp_path):
    """Nothing is tangled exactly where the card's own graph has an order."""
    card = check_file(written(tmp_path, stacks(2, "{mesh: [4, 4]}")), allow_deadlock=True)
    places = tuple(random.Random(seed).sample(card.fabric.shape.places, 14))
    moved = placed(card, places)
    assert (State(problem_of(moved)).tangled == 0) == (dependencies(moved).order() is not None)


def test_all_else_in_the_file_stays_as_it_is():
    text = (
        "# a card\ntiles:\n  a:   {kind: echo,  next: b}  # flow\n  b: {at: [0, 1], kind: echo, next: a}\n"
        "  c:\n    kind: echo # block\n    next: a\n  d:\n    at:\n    - 1\n    - 2\n    # so\n    kind: echo\n\nname: e\n"
    )
    new = with_places(text, {"a": ((1, 1),), "b": ((2, 2),), "c": ((0, 0), (3, 0)), "d": ((4, 5, 6),)})
    assert new == (
        "# a card\ntiles:\n  a:   {kind: echo, at: [1, 1],  next: b}  # flow\n  b: {at: [2, 2], kind: echo, next: a}\n"
        "  c:\n    kind: echo # block\n    at: [[0, 0], [3, 0]]\n    next: a\n  d:\n    at: [4, 5, 6]\n    # so\n    kind: echo\n\nname: e\n"
    )


def test_a_place_is_written_as_it_is_read():
    assert [place_text(((3,),)), place_text(((3,), (4,))), place_text(((1, 0),))] == ["3", "[3, 4]", "[1, 0]"]


def test_a_text_that_tiles_share_is_not_written_into(tmp_path):
    text = (DESIGNS / "udp_echo.yaml").read_text().replace("{udp: udp_rx}", "{udp: &u udp_rx}")
    place_design(written(tmp_path, text), 0, 100)  # a name alone does no harm
    path = written(tmp_path, text.replace("&u udp_rx", "&u udp_rx, 6: *u"))
    with pytest.raises(GirihError) as caught:
        place_design(path, 0, 100)
    assert str(caught.value) == f"{path}:8: positions cannot be written into a file that uses a text twice (*u). Write it out."
