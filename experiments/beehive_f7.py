# SPDX-License-Identifier: Apache-2.0
"""UDP echo goodput by payload: on a mesh, on a crossbar, and with the engines joined directly."""

from girih.experiments import Exhibit, Progress, Row

PAYLOADS = (18, 64, 128, 256, 512, 1024, 1472, 2048, 4096, 8192)
# The text gives two points of figure 7: 18,392 thousand requests of 64 bytes a second, and line rate
# (100 Gbit/s) at 1,024 bytes.
PAPER_GBPS = {64: 9.0, 1024: 100.0}
PAPER_PACKETS_PER_CYCLE = {64: 0.0736}
COUNT, WARMUP = 1500, 150


def run(progress: Progress) -> list[Row]:
    from girih.experiments.cards import open_special
    from girih.experiments.echo import BEEHIVE_CYCLES, DESIGN, echo, gbps, open_card

    rows = []
    for fabric in (*DESIGN, "pipeline"):
        opened = open_special("pipeline", progress) if fabric == "pipeline" else open_card(DESIGN[fabric], progress)
        with opened as card:
            for payload in PAYLOADS:
                progress(f"{fabric}, {payload} bytes")
                result = echo(card, payload, count=COUNT, warmup=WARMUP)
                params = {"payload": payload, "fabric": fabric}
                on_mesh = fabric == "mesh"  # as the paper's
                paper_rate = PAPER_PACKETS_PER_CYCLE.get(payload) if on_mesh else None
                paper_goodput = PAPER_GBPS.get(payload) if on_mesh else None
                cycles = BEEHIVE_CYCLES.get(payload) if on_mesh else None
                peer_rate = 1 / cycles if cycles else None
                peer_goodput = gbps(8 * payload / cycles) if cycles else None
                goodput = gbps(result.payload_bits_per_cycle)
                rows += [
                    Row("packets_per_cycle", params, "packets", paper_rate, result.packets_per_cycle, peer_rate),
                    Row("goodput_gbps", params, "Gbit/s", paper_goodput, goodput, peer_goodput),
                ]
    return rows


def plot(rows: list[Row], figure) -> None:
    axes = figure.subplots()
    goodput = [row for row in rows if row.metric == "goodput_gbps"]
    for fabric, marker in (("mesh", "o"), ("crossbar", "s"), ("pipeline", "^")):
        points = [(row.params["payload"], row.measured) for row in goodput if row.params["fabric"] == fabric]
        axes.plot(*zip(*points), marker=marker, markersize=4, label=f"Girih, {fabric}")
    for name, field, style in (("Beehive's RTL, same simulator", "peer", "x--"), ("Beehive, paper", "paper", "D")):
        points = [(row.params["payload"], getattr(row, field)) for row in goodput if getattr(row, field) is not None]
        axes.plot(*zip(*points), style, color="grey", markersize=5, label=name)
    axes.axhline(128, color="lightgrey", zorder=0, label="512 bits at 250 MHz")
    axes.set(xlabel="UDP payload, bytes", ylabel="goodput, Gbit/s", xscale="log", title="UDP echo")
    axes.set_xticks(PAYLOADS, [str(payload) for payload in PAYLOADS], minor=False, rotation=45)
    axes.legend()


EXHIBIT = Exhibit(
    id="beehive-f7",
    title="UDP echo goodput by payload",
    source="Beehive, figure 7",
    differs=(
        "the paper's FPGA stops at the 100 Gbit/s of its link; here a port takes 512 bits in every cycle (128 Gbit/s "
        "at 250 MHz), as in the paper's simulations. The paper's pipeline is a stack of its own; here it is the same "
        "engines joined directly."
    ),
    run=run,
    plot=plot,
)
