# SPDX-License-Identifier: Apache-2.0
"""DMA to the host: bytes per cycle that one requester reads or writes, with and without waiting for each completion."""

from girih.experiments import CLOCK_MHZ, Exhibit, Progress, Row
from girih.experiments.dma import DIFFERS, points

PAPER = {"write": (2.1, 8.7), "read": (1.4, 6.0)}  # of 2 KB, blocking: GB/s, and how many times the bytes of 64-byte accesses
SMALL, LARGE = 64, 2048


def run(progress: Progress) -> list[Row]:
    rows, small = [], {}
    for point in points(progress):
        gigabytes, times = PAPER[point.way] if point.size == LARGE else (None, None)
        if point.size == SMALL:
            small[point.way] = point.per_cycle
        for blocking, rate, paper in (("yes", point.per_cycle, gigabytes), ("no", point.free_per_cycle, None)):
            params = {"access": point.way, "bytes": point.size, "blocking": blocking}
            rows.append(Row("bytes_per_cycle", params, "bytes", None, round(rate, 3)))
            rows.append(Row("gigabytes_per_second", params | {"clock_mhz": CLOCK_MHZ}, "GB/s", paper, round(rate * CLOCK_MHZ / 1000, 3)))
        if times:
            rows.append(Row("times_64_bytes", {"access": point.way, "bytes": LARGE, "blocking": "yes"}, "times", times, round(point.per_cycle / small[point.way], 2)))
    return rows


EXHIBIT = Exhibit(id="ipipe-f8", title="DMA to the host: throughput by size", source="iPipe, figure 8", differs=DIFFERS, run=run)
