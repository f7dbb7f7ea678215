# SPDX-License-Identifier: Apache-2.0
"""Small random designs for the independent judge: with services or without, on a mesh or a crossbar."""

from __future__ import annotations

import random

from tests.deadlock.judge import Place, Plan

PUSH = ("never", "credit", "always")
MIDDLE = ("relay", "buffer", "balancer", "icmp")


def random_plan(rng: random.Random) -> Plan:
    """A plan, which may have mistakes, such as a tile that nothing reaches."""
    return _with_services(rng) if rng.random() < 0.7 else _plain(rng)


def _plain(rng: random.Random) -> Plan:
    """Ethernet ports, and tiles that lead from one to another."""
    ports = rng.randint(1, 2)
    ends = [f"tx_{port}" for port in range(ports)]
    middle = [f"t{number}" for number in range(rng.randint(1, 6))]
    tiles = {f"rx_{port}": Place("eth_rx", (), port, _choose([*middle, *ends], rng.randint(1, 2), rng)) for port in range(ports)}
    tiles |= {end: Place("eth_tx", (), port) for port, end in enumerate(ends)}
    return _placed(tiles | _middle(middle, ends, ports, 0.1, rng), rng)


def _with_services(rng: random.Random) -> Plan:
    ports = rng.choice((1, 2, 2, 2, 3))
    ends = ["wire", "host", "other"][:ports]
    units = [f"u{number}" for number in range(rng.randint(1, 3))]
    middle = [f"t{number}" for number in range(rng.choice((1, 2, 3, 3, 4, 5)))]
    count = rng.randint(1, len(units))
    shares = [[unit] for unit in units[:count]]
    for unit in units[count:]:
        rng.choice(shares).append(unit)
    services = tuple((tuple(share), rng.choice(PUSH)) for share in shares)
    exits = [*ends, *middle, *middle]
    chains = tuple(
        (tuple(rng.choices(range(count), k=rng.randint(1, 3))), rng.choice(exits) if rng.random() < 0.6 else None) for _ in range(rng.randint(0, 3))
    )
    lossless = rng.random() < 0.4
    tiles = {
        name: Place("port", (), port, _led(middle, 0.05, rng), rng.choice([end for end in exits if end != name] or ends), lossless and rng.random() < 0.6)
        for port, name in enumerate(ends)
    }
    tiles |= {unit: Place("unit", (), 0, _led(middle, 0.05, rng)) for unit in units}
    tiles["scheduler"] = Place("scheduler", ((),) * rng.choice((1, 2, 2)))
    for name, place in _middle(middle, ends, ports, 0.03, rng).items():
        tiles[name] = place
        if name in {to for tile in tiles.values() if tile.kind in ("port", "unit") for to in tile.next}:
            tiles[name] = Place(rng.choice(("relay", "buffer")), (), 0, ("scheduler",))
    return _placed(tiles, rng, services, chains)


def _led(middle: list[str], share: float, rng: random.Random) -> tuple[str, ...]:
    """Where messages with a chain go: to the scheduler, mostly directly."""
    return (rng.choice(middle),) if middle and rng.random() < share else ()


def _middle(names: list[str], ends: list[str], ports: int, back: float, rng: random.Random) -> dict[str, Place]:
    """Tiles that send to later ones, and now and then to an earlier one."""
    tiles = {}
    for index, name in enumerate(names):
        def after(index=index, name=name) -> str:
            behind = [other for other in (names if rng.random() < back else names[index + 1 :]) if other != name]
            return rng.choice(behind) if behind and rng.random() < 0.7 else rng.choice(ends)

        kind = rng.choice(("relay", "relay", "relay", "relay", "buffer", "balancer", "icmp"))
        count = {"balancer": 2, "icmp": 1}.get(kind, rng.choice((1, ports)))
        tiles[name] = Place(kind, (), 0, tuple(after() for _ in range(count)))
    return tiles


def _choose(names: list[str], count: int, rng: random.Random) -> tuple[str, ...]:
    return tuple(rng.choice(names) for _ in range(count))


def _placed(tiles: dict[str, Place], rng: random.Random, services: tuple = (), chains: tuple = ()) -> Plan:
    """Places the tiles that are reached anywhere on a mesh, or in a row on a crossbar."""
    kept = [name for name, tile in tiles.items() if tile.kind not in MIDDLE]
    leads = [exit for _, exit in chains if exit]
    for name in kept:
        tile = tiles[name]
        leads += [to for to in (*tile.next, tile.exit) if to]
        kept += [to for to in dict.fromkeys(leads) if to not in kept]
    tiles = {name: tile for name, tile in tiles.items() if name in kept}
    sizes = {name: max(1, len(tile.at)) for name, tile in tiles.items()}
    total = sum(sizes.values())
    if rng.random() < 0.25:
        mesh = None
        places: list[tuple[int, ...]] = [(port,) for port in range(total)]
    else:
        x = rng.randint(2, 5)
        mesh = (x, -(-total // x) + rng.randint(0, 1))
        places = [(column, row) for row in range(mesh[1]) for column in range(x)]
        rng.shuffle(places)
    left = iter(places)
    order = list(tiles)
    rng.shuffle(order)
    placed = {name: tuple(next(left) for _ in range(sizes[name])) for name in order}
    at = {name: Place(tile.kind, placed[name], tile.port, tile.next, tile.exit, tile.lossless) for name, tile in tiles.items()}
    return Plan(mesh, at, services, chains)
