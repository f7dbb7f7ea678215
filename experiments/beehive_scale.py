# SPDX-License-Identifier: Apache-2.0
"""UDP echo with one stack and with two behind a balancer."""

from girih.experiments import Exhibit, Progress, Row

PAYLOADS = (18, 64, 128, 256, 512, 1024, 1472, 4096, 8192)
STACKS = {1: "udp_echo.yaml", 2: "udp_echo_scale.yaml"}
COUNT, WARMUP = 1500, 150  # on each port
PAPER_GBPS = {(2, 64): 32.0, (1, 64): 9.0}
PAPER_BALANCER = 0.25  # 4 cycles for a packet of 64 bytes: 3 of the message and 1 of recovery


def run(progress: Progress) -> list[Row]:
    from girih.experiments.echo import BEEHIVE_CYCLES, echo, gbps, open_card
    from girih.paths import DESIGNS

    rows, rates = [], {}
    for stacks, design in STACKS.items():
        with open_card(DESIGNS / design, progress) as card:
            for payload in PAYLOADS:
                progress(f"{stacks} stacks, {payload} bytes")
                # The balancers are round robin by packet, so a packet may overtake the previous one.
                result = echo(card, payload, count=COUNT, warmup=WARMUP, ports=stacks, ordered=stacks == 1)
                params = {"stacks": stacks, "payload": payload}
                cycles = BEEHIVE_CYCLES.get(payload) if stacks == 1 else None
                peer = 1 / cycles if cycles else None
                peer_goodput = gbps(8 * payload / cycles) if cycles else None
                paper = PAPER_GBPS.get((stacks, payload))
                goodput = gbps(result.payload_bits_per_cycle)
                rows += [
                    Row("packets_per_cycle", params, "packets", None, result.packets_per_cycle, peer),
                    Row("goodput_gbps", params, "Gbit/s", paper, goodput, peer_goodput),
                ]
                rates[stacks, payload] = result.packets_per_cycle
                if stacks == 2:
                    speedup = rates[2, payload] / rates[1, payload]
                    rows.append(Row("speedup", params, "", None, round(speedup, 3), note="wanted: 1.9"))
                    one = echo(card, payload, count=COUNT, warmup=WARMUP, ports=1, ordered=False)
                    rate, paper = one.packets_per_cycle, PAPER_BALANCER if payload == 64 else None
                    rows.append(Row("balancer_packets_per_cycle", params, "packets", paper, rate))
    return rows


def plot(rows: list[Row], figure) -> None:
    axes = figure.subplots()
    goodput = [row for row in rows if row.metric == "goodput_gbps"]
    for stacks in STACKS:
        points = [(row.params["payload"], row.measured) for row in goodput if row.params["stacks"] == stacks]
        axes.plot(*zip(*points), marker="o", markersize=4, label=f"Girih, {stacks} stack{'s' * (stacks > 1)}")
    points = [(row.params["payload"], row.paper) for row in goodput if row.paper is not None]
    axes.plot(*zip(*points), "D", color="grey", label="Beehive, paper: 9 Gbit/s with one stack, 32 with two")
    axes.axhline(128, color="lightgrey", zorder=0, label="512 bits at 250 MHz, each port")
    axes.set(xlabel="UDP payload, bytes", ylabel="goodput, Gbit/s", xscale="log", title="UDP echo")
    axes.set_xticks(PAYLOADS, [str(payload) for payload in PAYLOADS], rotation=45)
    axes.legend()


EXHIBIT = Exhibit(
    id="beehive-scale",
    title="UDP echo with duplicated stacks",
    source="Beehive, section VII-I",
    differs=(
        "the paper puts one balancer before two stacks, on one link. One of our stacks takes a packet in every cycle "
        "that a port can bring one, so one port would leave the second stack without work: our card has two ports, "
        "each with a balancer that spreads its packets over both stacks. balancer_packets_per_cycle is with traffic "
        "on one port only, through one balancer; a port brings a payload of 18 bytes in 1 cycle, of 64 bytes in 2."
    ),
    run=run,
    plot=plot,
)
