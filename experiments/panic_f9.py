# SPDX-License-Identifier: Apache-2.0
"""Throughput of a chain when every hop goes back to the scheduler."""

from girih.experiments import Exhibit, Progress, Row

SPEEDS = (50, 60, 70, 80, 90, 100)  # Gbps, of each unit
LENGTHS = (2, 3)
SCHEDULER = 256  # Gbps: two fabric ports of 512 bits
SIZE = 1500
# The scheduler's fabric port for flows of even and of odd number: a chain of three fills both alike.
PORTS = {"wire": (0, 0), "unit_0": (1, 1), "unit_1": (0, 1)}
COUNT, WARMUP = 125, 20  # of each flow


def run(progress: Progress) -> list[Row]:
    from girih.experiments.panic import Push, Unit, configure, gbps, lead, measure, mixed, open_card, packet_rate

    rows = []
    with open_card(progress) as card:
        for tile, ports in PORTS.items():
            lead(card, tile, *ports)
        for units in LENGTHS:
            for speed in SPEEDS:
                progress(f"{units} units of {speed} Gbps")
                configure(card, [Unit(n, speed) for n in range(units)], push=Push.NEVER)
                done = measure(card, mixed(units, SIZE, rate=packet_rate(speed, SIZE)), count=COUNT, warmup=WARMUP)
                params = {"units": units, "speed": speed, "size": SIZE}
                rate = gbps(done.packets_per_cycle, SIZE)
                # Where the paper gives no figure, the capacity of its scheduler's ports.
                paper = speed if units * speed <= SCHEDULER else None
                note = "" if paper else f"the scheduler's ports take {SCHEDULER} Gbit/s in all, {SCHEDULER / units:.1f} for each hop"
                rows += [
                    Row("packets_per_cycle", params, "packets", None, done.packets_per_cycle),
                    Row("gbps", params, "Gbit/s", paper, rate, None, note),
                    Row("visits_per_packet", params, "visits", units, done.visits / done.sent),
                    *done.account(params),
                ]
    return rows


def plot(rows: list[Row], figure) -> None:
    axes = figure.subplots()
    for units, marker in zip(LENGTHS, "os"):
        points = [(r.params["speed"], r.measured) for r in rows if r.metric == "gbps" and r.params["units"] == units]
        axes.plot(*zip(*points), marker=marker, label=f"Girih, {units} units")
    axes.plot(SPEEDS, SPEEDS, "--", color="grey", label="speed of a unit")
    axes.set(xlabel="speed of each unit, Gbit/s", ylabel="throughput, Gbit/s", title="A chain without push")
    axes.legend()


EXHIBIT = Exhibit(
    id="panic-f9",
    title="throughput of a chain without push",
    source="PANIC, figure 9",
    differs=(
        "1,500-byte packets of eight flows, offered at the speed of a unit. The source and the units are led to the scheduler's two ports so "
        "that a chain of three fills both alike."
    ),
    run=run,
    plot=plot,
)
