# SPDX-License-Identifier: Apache-2.0
"""Common parts of the PANIC experiments: a card whose units are given services, speeds and credits while it
runs, its traffic, and the account of every packet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from girih.card import Flow, FlowResult, RunResult, VirtualCard
from girih.card.node_table import NODE_MASK, NODE_SHIFT
from girih.errors import GirihError
from girih.experiments import CLOCK_MHZ, Progress, Row
from girih.paths import DESIGNS

DESIGN = DESIGNS / "panic_delay.yaml"
UNITS = ("unit_0", "unit_1", "unit_2", "unit_3")
CHAINS = 1000  # UDP port whose packets visit no unit; packets to port CHAINS + n visit the first n services
SIZES = (64, 128, 256, 512, 1024, 1500)  # bytes of a frame without its check sequence
HEADERS = 42  # Ethernet, IPv4 and UDP
CREDITS = 16
MIXED = 8  # flows of mixed traffic
FIRST_PORT = 40000
QUIET = 2048  # a run ends after this many cycles without traffic; longer than the slowest engine needs for a packet
CLOSED_LOOP_BYTES = 65536  # in flight at a time when the card sets the pace; far less than its packet memory


class Push(IntEnum):
    """Whether a unit sends packets straight to the next one."""

    NEVER = 0
    CREDIT = 1
    ALWAYS = 2


@dataclass(frozen=True)
class Unit:
    """The configuration of a unit. gbps: None means that it keeps up with its link. spread: of its service time,
    uniform around the mean, as a fraction of it. slots: packets that may wait there."""

    service: int
    gbps: float | None = None
    spread: float = 0.0
    slots: int = 64


@contextmanager
def open_card(progress: Progress, design: Path = DESIGN) -> Iterator[VirtualCard]:
    """Compiles and builds the card (minutes, if it is new) and opens it."""
    progress(f"building {design.stem}")
    with VirtualCard.open(design) as card:
        yield card


def configure(card: VirtualCard, units: Sequence[Unit], *, credits: int = CREDITS, push: Push = Push.ALWAYS) -> None:
    """Configures the first units of the card and disables the others. The card must be idle."""
    write = card.registers.write
    for index, tile in enumerate(UNITS):
        used = index < len(units)
        write(f"scheduler.unit_credits[{index}]", credits if used else 0)
        if not used:
            continue
        unit = units[index]
        write(f"scheduler.unit_service[{index}]", unit.service)
        write(f"{tile}.byte_time", byte_time(unit.gbps) if unit.gbps else 0)
        write(f"{tile}.distribution", 1 if unit.spread else 0)
        write(f"{tile}.spread", round(unit.spread * 65536))
        write(f"{tile}.slots", unit.slots)
    for service in range(len(UNITS)):
        write(f"scheduler.push[{service}]", push)


def byte_time(speed: float) -> int:
    """The register value, in 1/65536 cycles, of a unit of the given Gbps."""
    return round(8 * CLOCK_MHZ / speed / 1000 * 65536)


def gbps(packets_per_cycle: float, size: int) -> float:
    """Bits of packets at the clock of the 100G card."""
    return packets_per_cycle * size * 8 * CLOCK_MHZ / 1000


def packet_rate(wanted_gbps: float, size: int) -> float:
    """The packets per cycle that carry the given bits per second."""
    return wanted_gbps / gbps(1, size)


def flow(services: int, size: int, **fields) -> Flow:
    """Packets of `size` bytes through the first `services` services, from the wire to the host."""
    return Flow(port=0, payload=size - HEADERS, dst_port=CHAINS + services, expect="forward", **fields)


def mixed(services: int, size: int, *, rate: float | None = None, window: int | None = None) -> list[Flow]:
    """Packets like those of `flow`, of several flows: packets from units are spread over the scheduler's ports by flow."""
    parts = {"rate": rate and rate / MIXED, "window": window and max(1, window // MIXED)}
    return [flow(services, size, src_port=FIRST_PORT + n, seed=1 + n, **parts) for n in range(MIXED)]


def closed_loop(size: int) -> int:
    """The window of a source that is limited by the card: enough for a long chain, and never more than the card can hold."""
    return max(32, min(256, CLOSED_LOOP_BYTES // size))


@dataclass(frozen=True)
class Measured:
    """A run. sent, received, dropped: all packets, including those of the warm-up. detoured: how often a unit
    sent one back. visits: messages that reached units."""

    result: RunResult
    sent: int
    received: int
    dropped: int
    detoured: int
    visits: int

    @property
    def flows(self) -> list[FlowResult]:
        return self.result.flows

    @property
    def packets_per_cycle(self) -> float:
        return self.result.packets_per_cycle

    @property
    def latency_mean(self) -> float:
        """Cycles from first beat in to last beat out, of all flows."""
        return sum(sum(f.last_latencies) for f in self.flows) / sum(f.received for f in self.flows)

    def account(self, params: Mapping[str, object]) -> list[Row]:
        """The rows that account for all packets."""
        return [Row(name, dict(params), "packets", None, getattr(self, name)) for name in ("sent", "received", "dropped")]


def measure(card: VirtualCard, flows: Sequence[Flow], *, count: int, warmup: int = 0) -> Measured:
    """Runs flows to their end. Raises GirihError unless each packet came out once and whole, or was counted
    as dropped once."""
    before, ports = _totals(card), _crossed(card)
    for each in flows:
        card.add_flow(each)
    result = card.run_flows(count=count, warmup=warmup, quiet=QUIET)
    card.check_conservation(QUIET)
    after = _totals(card)
    sent, received = (now - then for now, then in zip(_crossed(card), ports))
    dropped, detoured, visits = (now - then for now, then in zip(after, before))
    wrong = sum(f.corrupted + f.duplicated for f in result.flows) + result.unexpected
    offered = sum((f.count or count) + warmup for f in flows)
    if wrong or sent != offered or sent != received + dropped:
        raise GirihError(
            f"of {offered} packets {sent} were sent, {received} received, {dropped} dropped, {wrong} wrong",
            card.manifest.name,
            "This is a fault of the card: its figures mean nothing.",
        )
    return Measured(result, sent, received, dropped, detoured, visits)


def _crossed(card: VirtualCard) -> tuple[int, int]:
    """Frames into the card and out of it so far."""
    stats = [card.port_stats(port) for port in range(card.manifest.ports)]
    return sum(s.rx_frames for s in stats), sum(s.tx_frames for s in stats)


def _totals(card: VirtualCard) -> tuple[int, int, int]:
    """Packets dropped, sent back by units, and delivered to units so far."""
    counters = card.registers.counters()
    dropped = sum(value for tile in counters.values() for name, value in tile.items() if name.startswith("drop_"))
    units = [tile for tile in counters.values() if "mark_detoured" in tile]
    return dropped, sum(u["mark_detoured"] for u in units), sum(u["in_messages"] for u in units)


def percentile(values: Sequence[int], percent: float) -> int:
    """The smallest value that the given percentage of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(len(ordered) * percent) // 100) - 1)]


def lead(card: VirtualCard, tile: str, *ports: int) -> None:
    """Sends a tile's messages to the scheduler to the given fabric ports, one for each of its two keys."""
    node = card.manifest.tile("scheduler").node
    for index, port in enumerate(ports):
        entry = f"{tile}.next_hop[{index}]"
        card.registers.write(entry, card.registers.read(entry) & ~NODE_MASK | (node + port) << NODE_SHIFT)
