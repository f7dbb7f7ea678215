# SPDX-License-Identifier: Apache-2.0
"""Saturating random traffic for a generic card whose wires stall at random, and its outcome."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass

from girih.card.stall import CIRCLE, CardStalled, Stall
from tests.deadlock.generic import GenericCard
from tests.deadlock.services_card import ServicesCard

PHASES = 6
PHASE_CYCLES = 1500
QUIET_CYCLES = 3000
READY = (0, 0.05, 0.3, 0.7, 1, 1)  # probability that a wire takes a beat, in a phase
LARGEST = 9018
SIZES = ([64], [300], [64, 300, 1514], [64, 1514, LARGEST], [LARGEST])  # of frames, one of these for each port
LONG = ([1514, 4000], [1514, LARGEST], [LARGEST])
ETHERTYPES = (0x0800, 0x0800, 0x0806, 0x88B5)


@dataclass(frozen=True)
class Run:
    """sent = received + dropped, if the card did not stall."""

    sent: int
    received: int
    dropped: int
    stall: Stall | None


Maker = Callable[[int, int, int, random.Random], bytes]  # of a frame for a port, with a number and a size


def frame(_port: int, number: int, size: int, rng: random.Random) -> bytes:
    """A frame whose bytes from the 14th on say which it is. IPv4 as far as a balancer looks."""
    head = bytes.fromhex("020000000001020000000099") + struct.pack("!H", rng.choice(ETHERTYPES))
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, max(size - 14, 20), number & 0xFFFF, 0, 64, 253, 0, rng.randbytes(4), rng.randbytes(4))
    body = head + ip + struct.pack("!I", number)
    return body + rng.randbytes(max(size - len(body), 0))


def saturate(generic: GenericCard | ServicesCard, rng: random.Random, sizes: tuple[list[int], ...] = SIZES, make: Maker = frame) -> Run:
    """Sends frames back to back into all ports of the design while its wires stall in part or wholly. Then the wires take everything,
    until the card rests or has stalled."""
    card = generic.card
    wires = [tile.port for tile in generic.built.tiles if "axis_out" in tile.kind.uses]
    sent: dict[bytes, int] = {}
    for port in generic.ports.values():
        room, choice = PHASES * PHASE_CYCLES * generic.built.params.flit_bytes, rng.choice(sizes)
        while room > 0:
            data = make(port, len(sent), rng.choice(choice), rng)
            card.inject(port, data)
            sent[data[14:]] = 0
            room -= len(data)
    for _ in range(PHASES):
        for port in wires:
            card.set_ready(port, rng.choice(READY), rng.getrandbits(32))
        card.run(PHASE_CYCLES)
    for port in wires:
        card.set_ready(port, 1)
    stall = None
    try:
        card.run_until_quiet(QUIET_CYCLES, 1_000_000)
    except CardStalled as stalled:
        stall = stalled.stall
        assert stall.kind == CIRCLE, stall.text
    for port in wires:
        for out in card.collect(port):
            sent[out.data[14:]] += 1  # no byte behind the addresses, which eth_tx writes, has changed
    assert max(sent.values()) <= 1, "a frame came out twice"
    received, dropped = sum(sent.values()), _dropped(generic)
    assert stall or received + dropped == len(sent), f"{len(sent)} frames sent, {received} received, {dropped} dropped"
    return Run(len(sent), received, dropped, stall)


def _dropped(generic: GenericCard | ServicesCard) -> int:
    """Frames that the tiles of the design have dropped because they had no room."""
    names = {tile.at: tile.name for tile in generic.built.tiles}
    drops = 0
    for tile in generic.design.tiles:
        for name, value in generic.card.registers.counters(names[tile.at])[names[tile.at]].items():
            assert not value or name not in ("drop_bad_node", "drop_aborted", "drop_no_next_hop", "drop_runt")
            drops += value if name.startswith("drop_") else 0
    return drops
