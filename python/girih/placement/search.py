# SPDX-License-Identifier: Apache-2.0
"""The search: simulated annealing (Kirkpatrick, Gelatt, Vecchi; Science 1983), several times, from one seed.

A step moves one port to another place and swaps it with the port there, if any. The search may pass through positions that
can deadlock, at a cost; the result cannot deadlock.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from girih.placement.problem import Problem
from girih.placement.state import State, Worth
from girih.topology import Place

RUNS = 3  # the first from the initial places, the others from random ones
STEPS_PER_PORT = 20_000  # of all runs
HEAT, COOLING = 0.15, 5e-2  # the first temperature, relative to typical differences in cost; the last one, relative to the first
SAMPLES = 200  # steps that sample the differences in cost
REPORTS = 25  # reports of progress in a run

Progress = Callable[[int, int, Worth], None]  # steps done; all steps; the best so far


@dataclass(frozen=True)
class Found:
    """places: of each port. before, after: the worth of the initial places and of these. steps: the number tried."""

    places: tuple[Place, ...]
    before: Worth
    after: Worth
    steps: int


def search(problem: Problem, seed: int = 0, steps: int | None = None, progress: Progress | None = None) -> Found:
    """The best places for a seed and a number of steps; never worse than the initial ones."""
    chooser = random.Random(seed)
    movable = [port for port in range(problem.ports) if port not in problem.kept]
    steps = STEPS_PER_PORT * problem.ports if steps is None else steps
    state = State(problem)
    before = best = state.worth()
    places, key = state.places(), state.key
    done = 0
    if not movable or len(problem.places) - len(problem.kept) < 2:
        return Found(places, before, best, done)
    for run in range(RUNS):
        if run:
            state.shuffle(chooser, movable)
        heat = _heat(state, chooser, movable) * HEAT
        count = steps * (run + 1) // RUNS - steps * run // RUNS
        for step in range(count):
            if step % max(1, count // REPORTS) == 0 and progress:
                progress(done + step, steps, best)
            temperature = heat * COOLING ** (step / count)
            most = -temperature * math.log(1.0 - chooser.random())
            if not _try(state, chooser, movable, most):
                continue
            if state.key < key:
                worth = state.worth()
                if worth < best and (not before.good or worth.hops <= before.hops):
                    best, places, key = worth, state.places(), state.key
        done += count
    if progress:
        progress(steps, steps, best)
    return Found(places, before, best, done)


def _step(state: State, chooser: random.Random, movable: list[int]) -> tuple[int, int]:
    """A port and a slot for it; half of the time beside a port with which it exchanges messages."""
    port = movable[chooser.randrange(len(movable))]
    partners = state.partners[port]
    if partners and chooser.random() < 0.5:
        near = state.near[state.slot[partners[chooser.randrange(len(partners))]]]
        return port, near[chooser.randrange(len(near))]
    return port, chooser.randrange(len(state.at))


def _try(state: State, chooser: random.Random, movable: list[int], most: float) -> bool:
    """Makes a step if it costs no more than `most`."""
    port, slot = _step(state, chooser, movable)
    if slot == state.slot[port] or state.is_kept(slot):
        return False
    cost = state.cost + most
    undo = state.move(port, slot)
    if state.cost_without_tangle <= cost:  # else there is no need to compute it
        state.untangle()
        if state.cost <= cost:
            return True
    state.undo(undo)
    return False


def _heat(state: State, chooser: random.Random, movable: list[int]) -> float:
    """A typical difference in cost between neighbours."""
    differences = []
    for _ in range(SAMPLES):
        port, slot = _step(state, chooser, movable)
        if slot == state.slot[port] or state.is_kept(slot):
            continue
        before = state.cost_without_tangle
        undo = state.move(port, slot)
        differences.append(abs(state.cost_without_tangle - before))
        state.undo(undo)
    return sum(differences) / max(1, len(differences)) or 1.0
