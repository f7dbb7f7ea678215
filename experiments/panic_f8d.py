# SPDX-License-Identifier: Apache-2.0
"""Latency of three parallel units by load, with packets of the largest size."""

from girih.experiments import CLOCK_MHZ, Exhibit, Progress, Row

SPEED = 34  # Gbps, of each unit
VARIANCE = 0.4
LOADS = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
SIZE = 1500
COUNT, WARMUP = 2000, 100
PAPER_MOST = {load: 200 if load > 0.7 else 100 for load in LOADS}  # cycles: 0.8 and 0.4 microseconds


def run(progress: Progress) -> list[Row]:
    from girih.experiments.panic import Unit, configure, flow, measure, open_card, packet_rate, percentile

    rows = []
    service = SIZE * 8 / SPEED / 1000 * CLOCK_MHZ
    with open_card(progress) as card:
        configure(card, [Unit(0, SPEED, VARIANCE)] * 3, credits=2)
        for load in LOADS:
            progress(f"load {load}")
            rate = packet_rate(load * 3 * SPEED, SIZE)
            done = measure(card, [flow(1, SIZE, rate=rate)], count=COUNT, warmup=WARMUP)
            params = {"load": load, "size": SIZE, "variance": VARIANCE}
            found = done.flows[0]
            note = "the paper, at most, for the 99th percentile"
            rows += [
                Row("latency_cycles_mean", params, "cycles", None, found.last_beat.mean),
                Row("latency_cycles_p5", params, "cycles", None, percentile(found.last_latencies, 5)),
                Row("latency_cycles_p99", params, "cycles", None, found.last_beat.p99),
                Row("scheduling_cycles_mean", params, "cycles", None, found.last_beat.mean - service),
                Row("scheduling_cycles_p99", params, "cycles", PAPER_MOST[load], found.last_beat.p99 - service, None, note),
                *done.account(params),
            ]
    return rows


def plot(rows: list[Row], figure) -> None:
    axes = figure.subplots()
    values = {name: [row.measured for row in rows if row.metric == f"latency_cycles_{name}"] for name in ("mean", "p5", "p99")}
    below = [mean - low for mean, low in zip(values["mean"], values["p5"])]
    above = [high - mean for mean, high in zip(values["mean"], values["p99"])]
    axes.errorbar(LOADS, values["mean"], yerr=[below, above], marker="o", capsize=3, label="Girih: 5 %, mean, 99 %")
    axes.axhline(SIZE * 8 / SPEED / 4, color="lightgrey", zorder=0, label="mean service time")
    axes.set(xlabel="load", ylabel="latency, cycles", ylim=(0, None), title="Three parallel units, 1,500 bytes, ±40 %")
    axes.legend()


EXHIBIT = Exhibit(
    id="panic-f8d",
    title="latency of three parallel units by load",
    source="PANIC, figure 8d",
    differs=(
        "latency is counted from first beat in to last beat out, service included. The paper subtracts each packet's service time; "
        "scheduling_cycles_* subtract the mean (88 cycles), so their tails hold the variation of the "
        "service, too. Load is of the three units together; packets come at even distances, two credits a unit."
    ),
    run=run,
    plot=plot,
)
