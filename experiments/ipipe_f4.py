# SPDX-License-Identifier: Apache-2.0
"""Cycles that a cluster can spend on each packet while the link stays full."""

from girih.experiments import Exhibit, Progress, Row

# Packet size, link: the paper's headroom in us with all cores (12 of LiquidIOII at 10 Gbit/s, 8 of Stingray at 25), and its card.
PAPER = {(256, 10): (2.5, "LiquidIOII", 12), (1024, 10): (9.8, "LiquidIOII", 12), (256, 25): (0.7, "Stingray", 8), (1024, 25): (2.6, "Stingray", 8)}
PARTS = 64  # of the time that the cores have for a packet: the steps of the search
COUNT, WARMUP = 400, 200
TOLERANCE = 0.995  # of the link's rate


def run(progress: Progress) -> list[Row]:
    from girih.experiments.cluster import GAP, clock_mhz, echo, install, open_cluster, packets_per_cycle, wire_gbps

    clock, rows = clock_mhz(), []
    with open_cluster(progress) as card:
        for (size, link), (paper, name, cores) in PAPER.items():
            interval = 8 * (size + GAP) * clock / 1000 / link  # cycles between packets of a full link
            low, high = 0, PARTS  # the link is full with low parts; it cannot be with high ones
            while high - low > 1:
                middle = (low + high) // 2
                progress(f"{size} bytes, {link} Gbit/s, {middle} of {PARTS}")
                install(card, cores, work=round(interval * cores * middle / PARTS))
                rate = packets_per_cycle(echo(card, size, count=COUNT, warmup=WARMUP, window=3 * cores))
                if rate >= TOLERANCE / interval:
                    low = middle
                else:
                    high = middle
            work = round(interval * cores * low / PARTS)
            params = {"size": size, "link": link, "cores": cores}
            rows += [
                Row("headroom_us", params | {"clock_mhz": round(clock)}, "us", paper, work / clock, None, name),
                Row("headroom_cycles", params, "cycles", None, work),
                Row("headroom_share", params, "of the cores' time", None, low / PARTS),
            ]
            for share in (0, 0.25, 0.5, 1, 2):
                progress(f"{size} bytes, {link} Gbit/s, {share} of the headroom")
                install(card, cores, work=round(share * work))
                rate = packets_per_cycle(echo(card, size, count=COUNT, warmup=WARMUP, window=3 * cores))
                wire = min(float(link), wire_gbps(rate, size, clock))
                rows.append(Row("gbps_at_clock", params | {"work_us": round(share * work / clock, 2)}, "Gbit/s", None, wire))
    return rows


EXHIBIT = Exhibit(
    id="ipipe-f4",
    title="headroom of computation per packet",
    source="iPipe, figure 4 and section 2.2.2",
    differs=(
        "as many cores as the paper's cards have, of a cluster of 16. The work is a loop that counts cycles. The clock is the one that is estimated for a core (docs/cores.md). "
        "Headroom is found by halving, in steps of a 64th of what the cores have for a packet."
    ),
    run=run,
)
