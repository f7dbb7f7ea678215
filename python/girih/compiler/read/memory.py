# SPDX-License-Identifier: Apache-2.0
"""Second pass, for the section `memory`: what stands behind the AXI4 port of the virtual card."""

from __future__ import annotations

from dataclasses import asdict

from girih.compiler import values
from girih.compiler.model import ExternalMemory
from girih.compiler.read import keys as read
from girih.compiler.read.parse import Map, Report, Tree

LIMITS = {
    "megabytes": (1, 1 << 20),  # addresses have 40 bits
    "latency": (1, 100_000),
    "jitter": (0, 100_000),
    "bytes_per_cycle": (1, 128),
    "refresh_every": (0, 1_000_000),
    "refresh_for": (0, 1_000_000),
}


def read_memory(tree: Tree | None, report: Report) -> ExternalMemory:
    """The section of a design; missing parts have their defaults."""
    default = ExternalMemory()
    if tree is None:
        return default
    if not isinstance(tree, Map):
        report.error(tree.line, f"memory is {values.what_it_is(tree)}", "Write memory: {megabytes: 4096, latency: 100}")
        return default
    keys = read.mapping(tree, tuple(LIMITS), "memory", report)
    found = ExternalMemory(**{key: read.number(keys, key, *LIMITS[key], value, report, "memory") for key, value in asdict(default).items()})
    if found.refresh_for and found.refresh_for >= found.refresh_every:
        line = keys["refresh_for"].line
        what = f"a refresh takes {found.refresh_for} cycles, and the next one starts after {found.refresh_every}"
        report.error(line, what, "Write refresh_every: 1950 and refresh_for: 88, or leave both out.")
    return found
