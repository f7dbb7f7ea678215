# SPDX-License-Identifier: Apache-2.0
"""Latency with one queue for 6 and for 12 cores, at the greatest throughput."""

from girih.experiments import Exhibit, Progress, Row

# Packet size, and cycles of work for each packet: where the link, not the cores, would be full without it, 400.
LOADS = ((64, 0), (128, 0), (256, 400), (512, 400), (1024, 400), (1500, 400))
CORES = (6, 12)
PAPER_MORE = {"mean": 4.1, "p99": 3.4}  # per cent with 12 cores, on average over four sizes
LOAD = 0.9  # of the greatest throughput with so many cores
COUNT, WARMUP = 2000, 300


def run(progress: Progress) -> list[Row]:
    from girih.experiments.cluster import clock_mhz, echo, install, open_cluster, packets_per_cycle, random_arrivals

    clock, rows = clock_mhz(), []
    more: dict[str, list[float]] = {name: [] for name in PAPER_MORE}
    with open_cluster(progress) as card:
        for size, work in LOADS:
            seen: dict[int, dict[str, float]] = {}
            for cores in CORES:
                progress(f"{size} bytes, {cores} cores")
                install(card, cores, work=work)
                most = packets_per_cycle(echo(card, size, count=60 * cores, warmup=80, window=3 * cores))
                cycles = random_arrivals(card, size, LOAD * most, count=COUNT, warmup=WARMUP)
                seen[cores] = {"mean": sum(cycles) / COUNT, "p99": cycles[COUNT * 99 // 100]}
                params = {"size": size, "work": work, "cores": cores}
                rows.append(Row("packets_per_cycle", params, "packets", None, most))
                for name, value in seen[cores].items():
                    rows.append(Row(f"latency_cycles_{name}", params, "cycles", None, value))
                    rows.append(Row(f"latency_us_{name}", params | {"clock_mhz": round(clock)}, "us", None, value / clock))
            for name, values in more.items():
                values.append(100 * (seen[CORES[1]][name] / seen[CORES[0]][name] - 1))
    for name, values in more.items():
        rows.append(Row(f"more_with_12_{name}", {"loads": len(LOADS)}, "%", PAPER_MORE[name], sum(values) / len(values), None, "wanted: no more than the paper's"))
    return rows


EXHIBIT = Exhibit(
    id="ipipe-f5",
    title="latency with one queue for 6 and 12 cores",
    source="iPipe, figure 5 and section 2.2.2",
    differs=(
        "packets come at random times (a Poisson process) at 90 % of the greatest throughput that was measured with so many cores. From 256 bytes on each takes 400 cycles of work: "
        "without it the link would be full, not the cores. From the time at which a packet comes to its last beat out."
    ),
    run=run,
)
