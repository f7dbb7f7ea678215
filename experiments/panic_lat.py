# SPDX-License-Identifier: Apache-2.0
"""Latency without load through no, one and three compute units."""

from girih.experiments import Exhibit, Progress, Row

PEER = {0: 13, 1: 71, 3: 105}  # 64 bytes, no service time
WANTED = {0: "12, aim 10", 1: "36, aim 28", 3: "52, aim 40"}
COUNT = 50


def run(progress: Progress) -> list[Row]:
    from girih.experiments.panic import SIZES, Unit, configure, flow, measure, open_card

    rows = []
    with open_card(progress) as card:
        configure(card, [Unit(0), Unit(1), Unit(2)])
        for units in (0, 1, 3):
            for size in SIZES:
                progress(f"{units} units, {size} bytes")
                done = measure(card, [flow(units, size, window=1)], count=COUNT)
                params = {"units": units, "size": size}
                small = size == 64
                note = f"wanted: {WANTED[units]}" if small else ""
                first, last = done.flows[0].first_beat.max, done.flows[0].last_beat.max
                rows += [
                    Row("latency_cycles_first", params, "cycles", None, first, PEER[units] if small else None, note),
                    Row("latency_cycles_last", params, "cycles", None, last),
                    *done.account(params),
                ]
    return rows


EXHIBIT = Exhibit(
    id="panic-lat",
    title="latency without load",
    source="PANIC, section 7.2; its RTL for the figures",
    differs=(
        "the paper has no such figure: those beside ours are its artifact's RTL in the same simulator, counted likewise, from "
        "the first beat at the card's input pins to the first beat at its output pins. One packet is under way at "
        "a time; the largest of 50 is given. Units take as many cycles as a packet has flits."
    ),
    run=run,
)
