# SPDX-License-Identifier: Apache-2.0
"""Simulated cycles per second of processor time of whole cards, against a bare mesh of the same routers in the same run."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean, median

from girih.experiments import Exhibit, Progress, Row

CYCLES = 150_000
REPEATS = 5
# Cycles per second of other projects' RTL: Beehive's echo design 82-92 k idle, 51-66 k loaded.
PEERS = {("udp_echo", "idle"): 87_000, ("udp_echo", "full"): 58_000, ("panic-f8c", "full"): 120_000}
# Their ratio to the bare mesh, and what is wanted of this project's cards.
RATIOS = {
    ("udp_echo", "full"): (0.24, "wanted: 1.91, aim: 2.5"),
    ("panic-f8c", "full"): (0.5, "wanted: 1.01, aim: 1.5"),
    ("cluster_eight", "full"): (None, "wanted: 0.5, aim: 1"),
}
CORES = 8
FULL_PAYLOAD = 18
NIC_PACKET, NIC_GBPS, NIC_SPREAD = 64, 34, 0.4  # panic-f8c's smallest packets and widest spread


def run(progress: Progress) -> list[Row]:
    from girih.card import VirtualCard
    from girih.experiments import cluster, panic
    from girih.experiments.cards import open_special
    from girih.experiments.echo import DESIGN, open_card
    from girih.paths import ROOT

    found: dict[tuple[str, str], _Speed] = {}
    with open_special("bare_mesh", progress) as mesh:

        def yardstick() -> float:
            return _idle(mesh)

        for design in DESIGN.values():
            with open_card(design, progress) as card:
                progress(f"{design.stem}, idle")
                found[design.stem, "idle"] = _measure(yardstick, lambda: _idle(card))
                progress(f"{design.stem}, full load")
                found[design.stem, "full"] = _measure(yardstick, lambda: _loaded(card))
        with panic.open_card(progress) as card:
            panic.configure(card, [panic.Unit(0, NIC_GBPS, NIC_SPREAD)] * 3)
            progress("panic-f8c, idle")
            found["panic-f8c", "idle"] = _measure(yardstick, lambda: _idle(card))
            progress("panic-f8c, full load")
            found["panic-f8c", "full"] = _measure(yardstick, lambda: _nic(card))
        progress("building cluster_eight")
        with VirtualCard.open(ROOT / "experiments" / "cards" / "cluster_eight.yaml") as card:
            cluster.install(card, CORES)
            progress(f"a cluster of {CORES} cores, idle")
            found["cluster_eight", "idle"] = _measure(yardstick, lambda: _idle(card))
            progress(f"a cluster of {CORES} cores, full load")
            found["cluster_eight", "full"] = _measure(yardstick, lambda: _cluster(card))
    bare = max(speed.yardstick for speed in found.values())
    rows = [Row("cycles_per_second", {"design": "bare_mesh", "load": "full"}, "cycles/s", None, round(bare), None, "the yardstick")]
    for (name, load), speed in found.items():
        params = {"design": name, "load": load}
        peer = PEERS.get((name, load))
        rows.append(Row("cycles_per_second", params, "cycles/s", None, round(speed.best), peer, f"{speed.ratio:.2f} x the bare mesh"))
        if (name, load) in RATIOS:
            peer_ratio, wanted = RATIOS[name, load]
            rows.append(Row("ratio_to_bare_mesh", params, "", None, round(speed.ratio, 3), peer_ratio, wanted))
    return rows


@dataclass(frozen=True)
class _Speed:
    """best, yardstick: cycles per second in the fastest repetition, of the card and of the bare mesh. ratio: of the two."""

    best: float
    yardstick: float
    ratio: float


def _measure(yardstick: Callable[[], float], card: Callable[[], float]) -> _Speed:
    """Takes turns with the yardstick, because a machine's speed changes from minute to minute: the ratio is the median of those
    of each repetition to the mean of the yardstick before and after it."""
    marks, speeds = [yardstick()], []
    for _ in range(REPEATS):
        speeds.append(card())
        marks.append(yardstick())
    ratios = [speed / mean(pair) for speed, pair in zip(speeds, pairwise(marks))]
    return _Speed(max(speeds), max(marks), median(ratios))


def _idle(card) -> float:
    from time import process_time

    start = process_time()
    card.run(CYCLES)
    return CYCLES / (process_time() - start)


def _loaded(card) -> float:
    """With the shortest frames back to back, a message in every cycle on every link of the chain."""
    from time import process_time

    from girih.experiments.echo import echo

    before, start = card.cycle, process_time()
    echo(card, FULL_PAYLOAD, count=CYCLES)
    return (card.cycle - before) / (process_time() - start)


def _nic(card) -> float:
    """Three parallel units, offered 100 Gbit/s of the shortest packets."""
    from time import process_time

    from girih.experiments import panic

    rate = panic.packet_rate(100, NIC_PACKET)
    flows = [panic.flow(1, NIC_PACKET, rate=rate)]
    before, start = card.cycle, process_time()
    panic.measure(card, flows, count=int(CYCLES * rate))
    return (card.cycle - before) / (process_time() - start)


def _cluster(card) -> float:
    """Every core echoes the shortest packets without a pause."""
    from time import process_time

    from girih.experiments import cluster

    before, start = card.cycle, process_time()
    cluster.echo(card, 64, count=CYCLES // 4, window=3 * CORES)
    return (card.cycle - before) / (process_time() - start)


EXHIBIT = Exhibit(
    id="sim-speed",
    title="simulated cycles per second",
    source="no published exhibit; Beehive's RTL in the same simulator",
    differs=(
        "seconds are of processor time, so that what else the machine does counts for less. The yardstick is a 4 x 4 mesh of the same routers, in the same run, where every node sends 4-flit messages "
        "to random nodes without a pause; cards and yardstick take turns. The figures for Beehive's RTL are the middle of 82-92 k (idle) and 51-66 k "
        "(loaded) on another two shared cores, where a bare mesh of 16 routers ran at 240 k and PANIC's RTL under the traffic of "
        "figure 8c at 120 k."
    ),
    run=run,
)
