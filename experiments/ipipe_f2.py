# SPDX-License-Identifier: Apache-2.0
"""Echo by cores and packet size, beside LiquidIOII's cores at 10 Gbit/s."""

from girih.experiments import Exhibit, Progress, Row

# Packet size: the cores that fill the link; None: not even all twelve do.
PAPER_CORES = {64: None, 128: None, 256: 10, 512: 6, 1024: 4, 1500: 3}
LINK_GBPS = 10


def run(progress: Progress) -> list[Row]:
    from girih.experiments.cluster import cores_for_link

    return cores_for_link(progress, PAPER_CORES, LINK_GBPS)


def plot(rows: list[Row], figure) -> None:
    from girih.experiments.cluster import plot_cores

    plot_cores(rows, figure)


EXHIBIT = Exhibit(
    id="ipipe-f2",
    title="echo by cores and packet size, LiquidIOII",
    source="iPipe, figure 2 and section 2.2.2",
    differs=(
        "the paper's cores are cnMIPS at 1.2 GHz, two instructions per cycle, with a firmware between them and packets; ours are RV32IMC, one instruction per cycle, and the program "
        "reads packets where hardware has put them. Checksums are not touched in either. Sizes have the check sequence; the link's rate has preamble and gap, too. "
        "The first cores of a cluster of 16 run, the others are held. Gbit/s are at 250 MHz, and at the clock that is estimated for a core (docs/cores.md)."
    ),
    run=run,
    plot=plot,
)
