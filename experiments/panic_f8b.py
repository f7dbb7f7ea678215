# SPDX-License-Identifier: Apache-2.0
"""Latency of a chain of three units, by packet size."""

from girih.experiments import Exhibit, Progress, Row

PAPER_MOST = 125  # cycles: 0.5 microseconds
COUNT = 300
LINK = 100  # Gbps, of each unit
LOADS = (0.1, 0.5, 0.9)


def run(progress: Progress) -> list[Row]:
    from girih.experiments.panic import SIZES, Unit, configure, flow, measure, open_card, packet_rate, percentile

    rows = []
    with open_card(progress) as card:
        configure(card, [Unit(n, LINK) for n in range(3)])
        for size in SIZES:
            for load in LOADS:
                progress(f"{size} bytes, load {load}")
                rate = packet_rate(load * LINK, size)
                done = measure(card, [flow(3, size, rate=rate)], count=COUNT, warmup=20)
                params = {"size": size, "load": load}
                found = done.flows[0]
                note = "the paper: less than that, at any size"
                rows += [
                    Row("latency_cycles_mean", params, "cycles", PAPER_MOST, found.last_beat.mean, None, note),
                    Row("latency_cycles_p5", params, "cycles", None, percentile(found.last_latencies, 5)),
                    Row("latency_cycles_p99", params, "cycles", None, found.last_beat.p99),
                    *done.account(params),
                ]
    return rows


def plot(rows: list[Row], figure) -> None:
    axes = figure.subplots()
    for load in LOADS:
        found = [row for row in rows if row.metric == "latency_cycles_mean" and row.params["load"] == load]
        axes.plot([r.params["size"] for r in found], [r.measured for r in found], marker="o", markersize=4, label=f"Girih, load {load}")
    axes.axhline(PAPER_MOST, color="grey", linestyle="--", label="PANIC, paper: less than that")
    axes.set(xlabel="packet, bytes", ylabel="latency, cycles", ylim=(0, None), title="Three units in a chain")
    axes.legend()


EXHIBIT = Exhibit(
    id="panic-f8b",
    title="latency of three units in a chain",
    source="PANIC, figure 8b",
    differs=(
        "the paper does not say at what load; three are given, of the 100 Gbit/s of each unit. Counted from the first beat in to the last "
        "beat out, ports included."
    ),
    run=run,
    plot=plot,
)
