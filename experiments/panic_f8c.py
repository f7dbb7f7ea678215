# SPDX-License-Identifier: Apache-2.0
"""Throughput of three parallel units whose service times vary."""

from girih.experiments import Exhibit, Progress, Row

SPEED = 34  # Gbps, of each unit
VARIANCES = (0.2, 0.3, 0.4)
OFFERED = 100  # Gbps
PAPER = 100  # Gbps: "full throughput"
PEER_CYCLES = {64: 2.0, 128: 3.0, 256: 5.17, 512: 10.2, 1024: 20.5, 1500: 30.5}
COUNT, WARMUP = 2000, 200


def run(progress: Progress) -> list[Row]:
    from girih.experiments.panic import SIZES, Unit, configure, flow, gbps, measure, open_card, packet_rate

    rows = []
    with open_card(progress) as card:
        for variance in VARIANCES:
            configure(card, [Unit(0, SPEED, variance)] * 3)
            for size in SIZES:
                progress(f"±{variance:.0%}, {size} bytes")
                done = measure(card, [flow(1, size, rate=packet_rate(OFFERED, size))], count=COUNT, warmup=WARMUP)
                params = {"size": size, "variance": variance}
                rate, peer = done.packets_per_cycle, 1 / PEER_CYCLES[size]
                rows += [
                    Row("packets_per_cycle", params, "packets", None, rate, peer),
                    Row("gbps", params, "Gbit/s", PAPER, gbps(rate, size), gbps(peer, size)),
                    *done.account(params),
                ]
    return rows


def plot(rows: list[Row], figure) -> None:
    axes = figure.subplots()
    found = [row for row in rows if row.metric == "gbps"]
    for variance, marker in zip(VARIANCES, "os^"):
        points = [(row.params["size"], row.measured) for row in found if row.params["variance"] == variance]
        axes.plot(*zip(*points), marker=marker, markersize=4, label=f"Girih, ±{variance:.0%}")
    points = [(row.params["size"], row.peer) for row in found if row.params["variance"] == VARIANCES[0]]
    axes.plot(*zip(*points), "x--", color="grey", label="PANIC's RTL")
    axes.set(xlabel="packet, bytes", ylabel="throughput, Gbit/s", ylim=(0, 110), title="Three parallel units")
    axes.legend()


EXHIBIT = Exhibit(
    id="panic-f8c",
    title="throughput of three parallel units",
    source="PANIC, figure 8c",
    differs=(
        "the source offers 100 Gbit/s at any size; the artifact's is held back by its card, and with 6 credits a unit. Of 3,000 packets the artifact's "
        "RTL lost 0 to 59 without counting them."
    ),
    run=run,
    plot=plot,
)
