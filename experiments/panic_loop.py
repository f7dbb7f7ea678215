# SPDX-License-Identifier: Apache-2.0
"""The credit loop: from a credit consumed to the same credit consumed again."""

from girih.experiments import Exhibit, Progress, Row

PAPER = 14  # the scheduling round trip of section 7.2
PEER = 24
COUNT, WARMUP = 1000, 100
SIZE = 64


def run(progress: Progress) -> list[Row]:
    from girih.experiments.panic import Unit, closed_loop, configure, flow, measure, open_card

    rows = []
    with open_card(progress) as card:
        for credits in (1, 2):
            progress(f"{credits} credits")
            configure(card, [Unit(0)], credits=credits)
            done = measure(card, [flow(1, SIZE, window=closed_loop(SIZE))], count=COUNT, warmup=WARMUP)
            params = {"credits": credits, "size": SIZE}
            loop = credits / done.packets_per_cycle
            own = credits == 1
            rows += [
                Row("credit_loop_cycles", params, "cycles", PAPER if own else None, loop, PEER if own else None, "wanted: 10, aim: 8"),
                *done.account(params),
            ]
    return rows


EXHIBIT = Exhibit(
    id="panic-loop",
    title="credit loop of a unit",
    source="PANIC, section 7.2",
    differs=(
        "the loop is measured as cycles per packet times credits, with 64-byte packets waiting at the scheduler all the time and "
        "an engine that takes one cycle: from the cycle in which a credit is spent to the one in which it is spent again, "
        "crossbar and engine included."
    ),
    run=run,
)
