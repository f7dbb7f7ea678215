# SPDX-License-Identifier: Apache-2.0
"""What programs that misbehave on a core, a cluster or a control core take from another tenant."""

from statistics import mean

from girih.experiments import Exhibit, Progress, Row


def run(progress: Progress) -> list[Row]:
    return _behind_one_scheduler(progress) + _on_one_crossbar(progress)


def _behind_one_scheduler(progress: Progress) -> list[Row]:
    from girih.experiments.rogue_core import GBPS, PROGRAMS, SIZE, beside, open_card

    rows = []
    with open_card(progress) as card:
        for program in (None, *PROGRAMS):
            progress(program or "nobody")
            found = beside(card, program)
            params = {"beside": program or "nobody", "size": SIZE, "gbps": GBPS}
            rows += [
                Row("lost", params, "packets", None, found.neighbour.lost),
                Row("packets_per_cycle", params, "packets", None, found.neighbour.packets_per_cycle),
                Row("latency_cycles_mean", params, "cycles", None, found.neighbour.last_beat.mean),
                Row("latency_cycles_max", params, "cycles", None, found.neighbour.last_beat.max),
                Row("offered", params, "packets of the other", None, found.offered),
                Row("answered", params, "packets of the other", None, found.answered),
                Row("restarts", params, "restarts of the other", None, found.restarts),
            ]
    return rows


def _on_one_crossbar(progress: Progress) -> list[Row]:
    from girih.experiments.rogue_tiles import CARD, CLUSTER, ROGUE_PROGRAMS, SIZE, beside

    progress(f"building {CARD.stem}")
    alone, rows = beside(), []
    for tile, program in [(CLUSTER, None)] + [(tile, program) for tile, programs in ROGUE_PROGRAMS.items() for program in programs]:
        progress(f"{tile}: {program or 'nobody'}")
        found = beside(tile, program) if program else alone
        params = {"tile": tile, "beside": program or "nobody", "size": SIZE}
        others = sum(one != other for one, other in zip(found.echoes, alone.echoes, strict=True))
        rows += [
            Row("packets_that_differ", params, "packets", None, others, None, "in their cycle or in a byte; wanted: 0"),
            Row("latency_cycles_mean", params, "cycles", None, mean(found.latencies)),
            Row("latency_cycles_max", params, "cycles", None, max(found.latencies)),
            Row("host_access_cycles_mean", params, "cycles", None, mean(found.reads)),
            Row("host_access_cycles_max", params, "cycles", None, max(found.reads)),
            Row("answered", params, "packets of the other", None, found.counters["out_messages"] if program else 0),
            Row("restarts", params, "restarts of the other", None, found.restarts),
        ]
    return rows


EXHIBIT = Exhibit(
    id="core-isolation",
    title="programs that loop, scribble, flood, forge, make messages and ask without end, beside another tenant",
    source="PANIC, section 3, isolation of tenants",
    differs=(
        "the paper shows isolation for units of fixed function; here the units are cores, and their programs misbehave (experiments/rogues). Clusters and control cores are no units: "
        "they have a card without a scheduler, where both tenants share a crossbar and the control network."
    ),
    run=run,
)
