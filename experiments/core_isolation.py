# SPDX-License-Identifier: Apache-2.0
"""What programs that misbehave on a core take from another tenant."""

from girih.experiments import Exhibit, Progress, Row


def run(progress: Progress) -> list[Row]:
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


EXHIBIT = Exhibit(
    id="core-isolation",
    title="programs that loop, scribble, flood and forge, beside another tenant",
    source="PANIC, section 3, isolation of tenants",
    differs="the paper shows isolation for units of fixed function; here the units are cores, and their programs misbehave (experiments/rogues).",
    run=run,
)
