# SPDX-License-Identifier: Apache-2.0
"""The timing estimate on netlists whose paths are known, and on one small module."""

from __future__ import annotations

import random
from math import log2

import pytest

from girih.errors import GirihError
from girih.spec.message import CardParams
from girih.synth import netlist
from girih.synth.timing import timing_of
from girih.testing.netlists import ARRIVE, CLOCK, LEAVE, WIRE, Module

OTHER_CLOCK, IN = 3, 4


def ns(value: float):
    return pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("luts", [0, 1, 3, 20])
def test_a_chain_of_luts(luts):
    module = Module()
    module.flip_flop(module.chain(module.flip_flop("0", "first_q"), luts), "last_q")
    timing = timing_of(module.read())
    assert timing.worst_ns == ns(LEAVE + luts * (WIRE + 0.09) + WIRE + ARRIVE)
    assert timing.levels == timing.registers.paths[0].levels == luts
    assert timing.clock_mhz == ns(1000 / timing.worst_ns)
    assert (timing.registers.endpoints, timing.registers.over) == (1, luts == 20)
    assert (timing.registers.paths[0].start, timing.registers.paths[0].end) == ("first_q", "last_q")


def test_the_slower_of_two_ways_and_the_deeper_one():
    """The slow way has one LUT, behind a wire of 4,096 loads; the deep one two."""
    module = Module()
    wide, narrow = module.flip_flop("0", "wide_q"), module.flip_flop("0", "narrow_q")
    for _ in range(4095):
        module.flip_flop(wide)
    module.flip_flop(module.lut(wide, module.chain(narrow, 1)), "end_q")
    timing = timing_of(module.read())
    worst = timing.registers.paths[0]
    assert (worst.start, worst.end, worst.levels) == ("wide_q", "end_q", 1)
    assert worst.ns == ns(LEAVE + (0.15 + 0.04 * 12) + 0.09 + WIRE + ARRIVE)
    deepest = timing.registers.deepest
    assert (deepest.start, deepest.end, deepest.levels, timing.levels) == ("narrow_q", "end_q", 2, 2)
    assert deepest.ns == ns(LEAVE + 3 * WIRE + 2 * 0.09 + ARRIVE)


@pytest.mark.parametrize("muxes", range(5))
def test_the_deepest_way_among_others_of_more_cells(muxes):
    module = Module()
    beside = module.flip_flop("0")
    for _ in range(muxes):  # which are no levels
        made = module.net()
        module.cell("MUXF7", {"O": [made]}, {"I0": [beside], "I1": ["0"], "S": ["0"]})
        beside = made
    module.flip_flop(module.lut(module.chain(module.flip_flop("0"), 2), beside))
    assert timing_of(module.read()).levels == 3


def test_paths_within_each_of_two_clocks_and_none_between_them():
    """A clock is the same before and after its buffer."""
    module = Module()
    buffered = module.net()
    module.cell("BUFG", {"O": [buffered]}, {"I": [CLOCK]})
    module.pin("other_clk_i", "input", OTHER_CLOCK)
    source, other = module.flip_flop("0"), module.flip_flop("0", clock=OTHER_CLOCK)
    module.flip_flop(module.chain(source, 2), clock=buffered)
    module.flip_flop(module.chain(other, 3), clock=OTHER_CLOCK)
    timing = timing_of(module.read())
    assert (timing.registers.endpoints, timing.levels) == (2, 3)
    module.flip_flop(module.chain(source, 9), clock=OTHER_CLOCK)
    timing = timing_of(module.read())
    assert (timing.registers.endpoints, timing.levels) == (2, 3)
    assert timing.from_pins.endpoints == 0


def test_paths_of_pins_are_apart():
    module = Module()
    module.pin("in_i", "input", IN)
    held = module.flip_flop(module.chain(IN, 2), "held_q")
    module.pin("held_o", "output", module.chain(held, 1))
    module.pin("straight_o", "output", module.lut(module.chain(IN, 3)))
    timing = timing_of(module.read())
    assert (timing.registers.endpoints, timing.worst_ns, timing.clock_mhz) == (0, 0, 0)
    (entering,), (leaving,), (across,) = timing.from_pins.paths, timing.to_pins.paths, timing.across.paths
    assert (entering.start, entering.end, entering.levels) == ("in_i", "held_q", 2)
    assert entering.ns == ns((0.19 + 0.09) + (WIRE + 0.09) + WIRE + ARRIVE)
    assert (leaving.start, leaving.end, leaving.levels) == ("held_q", "held_o", 1)
    assert leaving.ns == ns(LEAVE + WIRE + 0.09 + 0.07)  # the wire beyond the pin belongs to its reader
    assert (across.start, across.end, across.levels) == ("in_i", "straight_o", 4)


def test_a_loop_is_refused_with_its_nets():
    module = Module()
    module.pin("in_i", "input", IN)
    valid, ready = module.net("u_sender.valid"), module.net("u_shell.ready")
    module.cell("LUT2", {"O": [valid]}, {"I0": [IN], "I1": [ready]})
    module.cell("LUT1", {"O": [ready]}, {"I0": [valid]})
    module.flip_flop(module.chain(ready, 5))
    with pytest.raises(GirihError, match="a loop without a register: ") as raised:
        timing_of(module.read())
    first, second, third = str(raised.value).partition("register: ")[2].split(". ")[0].rstrip(".").split(" > ")
    assert {first, second} == {"u_sender.valid", "u_shell.ready"} and third == first


def test_a_loop_through_a_register_is_none():
    module = Module()
    looped = module.net()
    held = module.flip_flop(looped)
    module.cell("LUT1", {"O": [looped]}, {"I0": [held]})
    assert timing_of(module.read()).levels == 1


def test_the_listed_paths_differ_by_start_or_by_instance():
    module = Module()
    word = [module.net() for _ in range(8)]
    module.names["u_a.word_q"] = {"hide_name": 0, "bits": word, "attributes": {}}
    for index, net in enumerate(word):
        module.cell("FDRE", {"Q": [net]}, {"C": [CLOCK], "CE": ["1"], "D": ["0"], "R": ["0"]})
        module.flip_flop(module.chain(net, 9 - index), f"u_b.gen_bit[{index}].end_q")
    other = module.flip_flop("0", "other_q")
    module.flip_flop(module.chain(word[7], 3), "u_b.gen_bit[7].other_q")
    module.flip_flop(module.chain(other, 1), "u_c.end_q")
    found = [(path.start, path.end) for path in timing_of(module.read()).registers.paths]
    assert found == [("u_a.word_q[0]", "u_b.gen_bit[0].end_q"), ("other_q", "u_c.end_q")]


@pytest.mark.parametrize("seed", range(30))
def test_random_netlists_against_a_walk_along_every_path(seed):
    """LUTs and wide multiplexers between registers. The walk knows nothing but the list of cells."""
    draw = random.Random(seed)
    module = Module()
    made = [module.flip_flop("0", f"start_{index}_q") for index in range(draw.randint(1, 5))]
    for _ in range(draw.randint(1, 14)):
        if draw.random() < 0.7:
            made.append(module.lut(*draw.sample(made[-8:], draw.randint(1, min(4, len(made))))))
        else:
            first, second, select = draw.choices(made[-8:], k=3)
            made.append(module.net())
            module.cell("MUXF7", {"O": [made[-1]]}, {"I0": [first], "I1": [second], "S": [select]})
    for index in range(draw.randint(1, 6)):
        module.flip_flop(draw.choice(made), f"end_{index}_q")

    readers: dict[int, list[tuple[str, dict, set[str]]]] = {net: [] for net in made}
    for name, cell in module.cells.items():
        for net in made:
            pins = {pin for pin in cell["connections"].keys() - {"O", "Q"} if cell["connections"][pin] == [net]}
            readers[net] += [(name, cell, pins)] if pins else []
    arrivals: dict[str, list[tuple[float, int]]] = {}

    def walk(net: int, passed: float, luts: int) -> None:
        wire = 0.15 + 0.04 * log2(len(readers[net])) if readers[net] else 0
        for name, cell, pins in readers[net]:
            if cell["type"] == "FDRE":
                arrivals.setdefault(name, []).append((passed + wire + ARRIVE, luts))
            elif cell["type"] == "MUXF7":
                for pin in pins:
                    walk(cell["connections"]["O"][0], passed + (wire if pin == "S" else 0.02) + 0.08, luts)
            else:
                walk(cell["connections"]["O"][0], passed + wire + 0.09, luts + 1)

    for cell in module.cells.values():
        if cell["type"] == "FDRE" and cell["connections"]["Q"][0] in readers:
            walk(cell["connections"]["Q"][0], LEAVE, 0)

    latest = {name: max(each) for name, each in arrivals.items()}
    threshold = draw.uniform(0.5, 2.5)
    timing = timing_of(module.read(), threshold_ns=threshold)
    assert timing.registers.endpoints == len(latest)
    assert timing.registers.over == sum(late > threshold for late, _luts in latest.values())
    assert timing.worst_ns == ns(max(late for late, _luts in latest.values()))
    assert timing.levels == max(luts for each in arrivals.values() for _late, luts in each)
    deepest = timing.registers.deepest
    assert (ns(deepest.ns), deepest.levels) in [(late, luts) for each in arrivals.values() for late, luts in each]


def test_a_fifo_from_end_to_end():
    timing = timing_of(netlist("fifo", CardParams(), {"Depth": 16}))
    assert 0.8 < timing.worst_ns < 1.6
    assert timing.levels == 3  # a pointer counted on, compared with the other, and what follows
    assert "ptr_q" in timing.registers.paths[0].start
    assert timing.across.endpoints == 0  # no path from one side to the other
    assert timing.registers.over == 0 < timing.registers.endpoints
    assert timing.from_pins.endpoints > 8  # the data at least
