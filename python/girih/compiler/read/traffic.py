# SPDX-License-Identifier: Apache-2.0
"""Second pass, for the section `traffic`: the expected loads and shares, numbers of 0 or more."""

from __future__ import annotations

import math

from girih.compiler import values
from girih.compiler.model import Shares, TrafficText
from girih.compiler.read import keys as read
from girih.compiler.read.parse import Map, Report, Scalar, Tree

TRAFFIC_KEYS = ("ports", "tiles", "chains")
EXAMPLES = {"ports": "{0: 100}", "tiles": "{eth_rx: {ip_rx: 9, arp: 1}}", "chains": "{decrypt: 2, any: 1}"}


def read_traffic(tree: Tree | None, report: Report) -> TrafficText:
    """The section of a design; missing parts are empty."""
    if tree is None:
        return TrafficText()
    if not isinstance(tree, Map):
        report.error(
            tree.line, f"traffic is {values.what_it_is(tree)}", f"Write traffic: and below it lines such as ports: {EXAMPLES['ports']}"
        )
        return TrafficText()
    given = read.mapping(tree, TRAFFIC_KEYS, "traffic", report)
    keys = {key: value for key, value in given.items() if _is_mapping(key, value, report) and isinstance(value, Map)}
    return TrafficText(
        ports=_shares(keys["ports"], "ports of traffic", report) if "ports" in keys else (),
        tiles=tuple(
            (name, _shares(value, f"{name.text} in traffic", report))
            for name, value in (keys["tiles"].entries if "tiles" in keys else ())
            if _is_mapping(name.text, value, report, "{ip_rx: 9, arp: 1}") and isinstance(value, Map)
        ),
        chains=_shares(keys["chains"], "chains of traffic", report) if "chains" in keys else (),
    )


def _is_mapping(key: str, tree: Tree, report: Report, example: str | None = None) -> bool:
    if isinstance(tree, Map) and tree.entries:
        return True
    report.error(tree.line, f"{key} of traffic is {_found(tree)}", f"Write {key}: {example or EXAMPLES[key]}")
    return False


def _found(tree: Tree) -> str:
    return "empty" if isinstance(tree, Map) else values.what_it_is(tree)


def _shares(tree: Map, owner: str, report: Report) -> Shares:
    found = []
    for key, value in tree.entries:
        share = value.value if isinstance(value, Scalar) else None
        if isinstance(share, int | float) and not isinstance(share, bool) and 0 <= share < math.inf:
            found.append((key, float(share)))
        else:
            what = f"{key.text} in {owner} is {values.what_it_is(value)}; it must be a number, 0 or more"
            report.error(key.line, what, f"Write {key.text}: 1")
    if len(found) == len(tree.entries) and not any(share for _, share in found):
        report.error(tree.line, f"every number in {owner} is 0", f"Give one of them a number above 0, such as {tree.entries[0][0].text}: 1")
    return tuple(found)
