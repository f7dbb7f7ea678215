# SPDX-License-Identifier: Apache-2.0
"""Throughput of two flows in front of a unit that is slower than the link, against a pipeline NIC."""

from girih.experiments import Exhibit, Progress, Row

LINK = 100  # Gbps
PAPER = {("pipeline", 1): 18.7, ("pipeline", 2): 41.9, ("girih", 1): 30.7, ("girih", 2): 29.1}
COUNT = 4000


def run(progress: Progress) -> list[Row]:
    from girih.experiments.competing import NICS, SIZE, SLOW, compete, open_nic, whole

    rows = []
    for nic in NICS:
        with open_nic(nic, progress) as card:
            progress(nic)
            shares = compete(card, LINK / SLOW, count=COUNT)
            params = {"nic": nic, "size": SIZE}
            for name, share in shares.items():
                own = params | {"flow": name}
                rows += [Row("gbps", own, "Gbit/s", PAPER[nic, name], share.gbps), *share.account(own)]
            rows += whole(shares, params)
    return rows


EXHIBIT = Exhibit(
    id="panic-t3",
    title="throughput of two flows, against a pipeline NIC",
    source="PANIC, table 3",
    differs=(
        "as panic-f8f. 100 Gbit/s are offered. Packets of 1,500 bytes; the paper does not name their size here. Bits are those of the "
        "frames without their check sequence."
    ),
    run=run,
)
