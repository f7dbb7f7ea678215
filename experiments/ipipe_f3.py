# SPDX-License-Identifier: Apache-2.0
"""Echo by cores and packet size, beside Stingray's cores at 25 Gbit/s."""

from girih.experiments import Exhibit, Progress, Row

# Packet size: the cores that fill the link; None: not even all eight do.
PAPER_CORES = {64: None, 128: None, 256: 3, 512: 2, 1024: 1, 1500: 1}
LINK_GBPS = 25


def run(progress: Progress) -> list[Row]:
    from girih.experiments.cluster import cores_for_link

    return cores_for_link(progress, PAPER_CORES, LINK_GBPS)


def plot(rows: list[Row], figure) -> None:
    from girih.experiments.cluster import plot_cores

    plot_cores(rows, figure)


EXHIBIT = Exhibit(
    id="ipipe-f3",
    title="echo by cores and packet size, Stingray",
    source="iPipe, figure 3 and section 2.2.2",
    differs=(
        "the paper's cores are Cortex-A72 at 3 GHz, out of order, with a whole operating system; ours are RV32IMC, one instruction per cycle, and the program "
        "reads packets where hardware has put them. Checksums are not touched in either. Sizes have the check sequence; the link's rate has preamble and gap, too. "
        "The first cores of a cluster of 16 run, the others are held. Gbit/s are at 250 MHz, and at the clock that is estimated for a core (docs/cores.md)."
    ),
    run=run,
    plot=plot,
)
