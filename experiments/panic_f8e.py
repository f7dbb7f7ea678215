# SPDX-License-Identifier: Apache-2.0
"""Two units of one service, then two slower ones of another: throughput and detours."""

from girih.experiments import Exhibit, Progress, Row

FIRST, SECOND = 52, 50  # Gbps, of each unit
VARIANCE = 0.4
OFFERED = 100
PAPER = 100  # Gbps: none lost by detours
SLOTS = CREDITS = 8
COUNT, WARMUP = 250, 25  # of each flow


def run(progress: Progress) -> list[Row]:
    from girih.experiments.panic import SIZES, Unit, configure, gbps, measure, mixed, open_card, packet_rate

    rows = []
    with open_card(progress) as card:
        units = [Unit(service, speed, VARIANCE, SLOTS) for service, speed in ((0, FIRST), (1, SECOND)) for _ in range(2)]
        configure(card, units, credits=CREDITS)
        for size in SIZES:
            progress(f"{size} bytes")
            done = measure(card, mixed(2, size, rate=packet_rate(OFFERED, size)), count=COUNT, warmup=WARMUP)
            params = {"size": size}
            rate = done.packets_per_cycle
            rows += [
                Row("packets_per_cycle", params, "packets", None, rate),
                Row("gbps", params, "Gbit/s", PAPER, gbps(rate, size)),
                Row("detour_rate", params, "", None, done.detoured / done.sent),
                Row("latency_cycles_mean", params, "cycles", None, done.latency_mean),
                *done.account(params),
            ]
    return rows


def plot(rows: list[Row], figure) -> None:
    axes = figure.subplots()
    right = axes.twinx()
    throughput = [(row.params["size"], row.measured) for row in rows if row.metric == "gbps"]
    detours = [(row.params["size"], row.measured) for row in rows if row.metric == "detour_rate"]
    axes.plot(*zip(*throughput), "o-", label="throughput")
    right.plot(*zip(*detours), "s--", color="C1", label="detours per packet")
    axes.set(xlabel="packet, bytes", ylabel="throughput, Gbit/s", ylim=(0, 110), title="Two units, then two slower ones")
    right.set(ylabel="detours per packet", ylim=(0, None))
    figure.legend(loc="outside lower center", ncols=2)


EXHIBIT = Exhibit(
    id="panic-f8e",
    title="throughput and detours of a hybrid chain",
    source="PANIC, figure 8e",
    differs=(
        "the paper gives neither variance nor credits: here ±40 %, eight credits and eight places in each unit. "
        "Offered: 100 Gbit/s, all that the second service can do."
    ),
    run=run,
    plot=plot,
)
