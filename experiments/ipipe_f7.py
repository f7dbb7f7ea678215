# SPDX-License-Identifier: Apache-2.0
"""DMA to the host: the time that a read or write of a size takes its requester, with and without waiting for the completion."""

from girih.experiments import Exhibit, Progress, Row
from girih.experiments.dma import DIFFERS, points

FLAT = "paper: the same for all sizes"


def run(progress: Progress) -> list[Row]:
    rows = []
    for point in points(progress):
        params = {"access": point.way, "bytes": point.size}
        rows.append(Row("latency_cycles", params | {"blocking": "yes"}, "cycles", None, round(point.blocking, 2)))
        rows.append(Row("latency_cycles", params | {"blocking": "no"}, "cycles", None, round(point.posting, 2), None, FLAT))
    return rows


EXHIBIT = Exhibit(id="ipipe-f7", title="DMA to the host: latency by size", source="iPipe, figure 7", differs=DIFFERS, run=run)
