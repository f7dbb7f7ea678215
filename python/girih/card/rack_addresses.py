# SPDX-License-Identifier: Apache-2.0
"""The MAC addresses of the cards in a rack: those that links join, directly or through others, may not share one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from girih.card.rack_file import RackFile
from girih.compiler import values
from girih.compiler.read.parse import Report


@dataclass(frozen=True)
class OwnAddresses:
    """The MAC addresses at the ports of a card. settable: the rack file can give it others."""

    macs: tuple[int, ...]
    settable: bool

    @staticmethod
    def of(addresses: Mapping[str, Any], built: bool) -> OwnAddresses:
        """addresses: as in the manifest of a card (`girih.compiler.emit.manifest`). built: the card keeps those of its design."""
        first, macs = (tuple(values.mac(text) for text in texts if text) for texts in ([addresses["mac"]], addresses["port_macs"]))
        return OwnAddresses(tuple(mac for mac in macs if mac), not built and macs[:1] == first)


def check_macs(rack: RackFile, own: Mapping[str, OwnAddresses], report: Report) -> None:
    """Reports addresses that two joined cards have, at the later card. own: of each card."""
    taken = {mac for addresses in own.values() for mac in addresses.macs}
    groups = _joined(rack)
    for index, card in enumerate(rack.cards):
        for other in rack.cards[:index]:
            shared = [mac for mac in own[card.name].macs if mac in own[other.name].macs]
            if not shared or other.name not in groups[card.name]:
                continue
            free = _free(own[card.name].macs, taken)
            taken |= set(range(free, free + len(own[card.name].macs)))
            what = f"cards {other.name} and {card.name}, which links join, both have the MAC address {values.mac_text(shared[0])}"
            place = "here" if own[card.name].settable else "in its design"
            report.error(card.lines.get("mac", card.lines["design"]), what, f"Give {card.name} another {place}: mac: {values.mac_text(free)}")
            break


def _joined(rack: RackFile) -> dict[str, set[str]]:
    """For each card, those that frames may reach from it, with itself."""
    groups = {card.name: {card.name} for card in rack.cards}
    for link in rack.links:
        group = groups[link.one[0]] | groups[link.other[0]]
        groups |= dict.fromkeys(group, group)
    return groups


def _free(macs: tuple[int, ...], taken: set[int]) -> int:
    """The next address from which on as many as these are free."""
    return next(base for base in values.other_macs(macs[0]) if not any(mac in taken or values.mac_fault(mac) for mac in range(base, base + len(macs))))
