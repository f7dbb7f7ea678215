# SPDX-License-Identifier: Apache-2.0
"""Throughput of a chain of three units, by packet size and credits."""

from girih.experiments import Exhibit, Progress, Row

CREDITS = (1, 2, 4, 8, 16)
LINK = 100  # Gbps, of each unit
# Cycles per packet of the artifact's RTL.
PEER_CYCLES = {
    1: {64: 24.0, 128: 25.0, 256: 27.0, 512: 31.0, 1024: 40.0, 1500: 50.0},
    2: {64: 12.5, 128: 12.9, 256: 13.5, 512: 16.0, 1024: 21.0, 1500: 31.0},
    4: {64: 6.25, 128: 6.5, 256: 7.0, 512: 10.0, 1024: 21.0, 1500: 31.0},
    8: {64: 3.28, 128: 4.0, 256: 6.09, 512: 10.0, 1024: 21.0, 1500: 31.0},
}
PAPER_GBPS = {1500: 100.0}  # "full line-rate"; the other points are only drawn, not given as numbers
COUNT, WARMUP = 1000, 200
WANTED = "wanted: 0.60 with default credits, aim: 1.0"


def run(progress: Progress) -> list[Row]:
    from girih.experiments.panic import SIZES, Unit, closed_loop, configure, flow, gbps, measure, open_card

    rows = []
    with open_card(progress) as card:
        for speed, choices in ((LINK, CREDITS), (None, CREDITS[-1:])):
            for credits in choices:
                configure(card, [Unit(n, speed) for n in range(3)], credits=credits)
                for size in SIZES:
                    progress(f"{credits} credits, {size} bytes")
                    done = measure(card, [flow(3, size, window=closed_loop(size))], count=COUNT, warmup=WARMUP)
                    engines = f"{speed} Gbps" if speed else "as fast as flits come"
                    params = {"size": size, "credits": credits, "engines": engines}
                    cycles = PEER_CYCLES.get(credits, {}).get(size) if speed else None
                    peer = 1 / cycles if cycles else None
                    rate = done.packets_per_cycle
                    note = WANTED if size == 64 and credits == CREDITS[-1] else ""
                    paper = PAPER_GBPS.get(size) if speed and credits == CREDITS[-1] else None
                    rows += [
                        Row("packets_per_cycle", params, "packets", None, rate, peer, note),
                        Row("gbps", params, "Gbit/s", paper, gbps(rate, size), gbps(peer, size) if peer else None),
                        *done.account(params),
                    ]
    return rows


def plot(rows: list[Row], figure) -> None:
    axes = figure.subplots()
    found = [row for row in rows if row.metric == "gbps" and row.params["engines"] == f"{LINK} Gbps"]
    for credits in CREDITS:
        points = [(row.params["size"], row.measured) for row in found if row.params["credits"] == credits]
        (line,) = axes.plot(*zip(*points), marker="o", markersize=4, label=f"Girih, {credits} credits")
        theirs = [(row.params["size"], row.peer) for row in found if row.params["credits"] == credits and row.peer]
        if theirs:
            axes.plot(*zip(*theirs), "x--", color=line.get_color(), label=f"PANIC's RTL, {credits} credits")
    axes.axhline(LINK, color="lightgrey", zorder=0)
    axes.set(xlabel="packet, bytes", ylabel="throughput, Gbit/s", xscale="log", title="Three units in a chain")
    axes.set_xticks((64, 128, 256, 512, 1024, 1500), ("64", "128", "256", "512", "1024", "1500"), minor=False)
    axes.legend(fontsize="small", ncols=2)


EXHIBIT = Exhibit(
    id="panic-f8a",
    title="throughput of three units in a chain",
    source="PANIC, figure 8a",
    differs=(
        "the source is held back as in the artifact's testbench, but by a number of packets under way (at most 256), so that nothing is "
        "dropped. Engines serve one packet at a time, and none in fewer cycles than it has flits: 64 bytes at 100 "
        "Gbps take 1.28 cycles."
    ),
    run=run,
    plot=plot,
)
