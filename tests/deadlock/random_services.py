# SPDX-License-Identifier: Apache-2.0
"""Random designs for the card with services: chains, exits and the tiles behind them, pushes, credits and lossless ports."""

from __future__ import annotations

import random

from tests.deadlock.services_card import (
    FIRST_PORT,
    MIDDLE,
    PORTS,
    SCHEDULER,
    SERVICES,
    UNITS,
    heading,
    port_line,
    tile_line,
)

MOST_CHAINS = 3


def random_services(rng: random.Random) -> str:
    """The text of a design, which may have mistakes, such as a tile that nothing reaches."""
    middle = rng.sample(list(MIDDLE), rng.randint(1, 6))
    ends = list(PORTS)
    lossless = [rng.random() < 0.5 for _ in ends] if rng.random() < 0.4 else [False] * len(ends)
    lines = heading()
    for name, held in zip(ends, lossless, strict=True):
        exit = rng.choice([*middle, *middle, *(end for end in ends if end != name)])
        lines.append(port_line(name, exit, *(["lossless: true"] if held else [])))
    lines.append(f"  {SCHEDULER}}}")
    for name, kind in UNITS.items():
        time = [f"message_time: {rng.choice((0, 50, 400)) << 16}"] if kind == "unit_delay" else []
        lines.append(tile_line(name, kind, f"slots: {rng.choice((1, 2, 64))}", *time))
    lines += [tile_line(name, MIDDLE[name], f"next: {_next(name, middle, ends, rng)}") for name in middle]
    lines.append("services:")
    for name, units in SERVICES.items():
        lines.append(f"  {name}: {{units: [{', '.join(units)}], push: {rng.choice(('never', 'credit', 'always'))}, credits: {rng.choice((1, 2, 16))}}}")
    chains = [_chain(number, [*middle, *middle, *ends], rng) for number in range(rng.randint(1, MOST_CHAINS))]
    return "\n".join([*lines, "chains:", *chains, ""])


def _next(name: str, middle: list[str], ends: list[str], rng: random.Random) -> str:
    """The next hops of a tile: later tiles, and seldom an earlier one."""

    def after() -> str:
        others = middle if rng.random() < 0.05 else middle[middle.index(name) + 1 :]
        others = [other for other in others if other != name]
        return rng.choice(others) if others and rng.random() < 0.7 else rng.choice(ends)

    if MIDDLE[name] == "balancer":
        return f"[{', '.join(dict.fromkeys((after(), *rng.sample(ends, 2))))}]"
    return f"{{{', '.join(f'{port}: {after()}' for port in PORTS.values())}}}"


def _chain(number: int, exits: list[str], rng: random.Random) -> str:
    visited = ", ".join(rng.choices(list(SERVICES), k=rng.randint(1, 3)))
    exit = f"exit: {rng.choice(exits)}, " if rng.random() < 0.7 else ""
    return f"  c{number}: {{services: [{visited}], {exit}match: {{udp.dst: {FIRST_PORT + number}}}}}"
