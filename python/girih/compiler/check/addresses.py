# SPDX-License-Identifier: Apache-2.0
"""Addresses from the command line, which override those in the design file; and tiles at different ports with the same address."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from girih.compiler import values
from girih.compiler.model import Addresses, Card, Design, Tile
from girih.compiler.paths import reachable_ports
from girih.compiler.read.parse import Report
from girih.errors import GirihError


class AddressError(GirihError):
    """An address that cannot replace that of the design. key: `ip` or `mac`. remedy: with {} where the option or the key is written."""

    def __init__(self, key: str, what: str, remedy: str):
        super().__init__(what, f"--{key}", remedy.format(f"--{key} "))
        self.key, self._remedy = key, remedy

    def in_file(self, where: str, owner: str) -> GirihError:
        """The same for an address that a file gives, of its owner in the file."""
        return GirihError(f"{self.key} of {owner}: {self.what}", where, self._remedy.format(f"{self.key}: "))


def readdressed(design: Design, ip: str | None, mac: str | None) -> Design:
    """The design with another address; without a prefix, `ip` keeps that of the design. Raises AddressError."""
    addresses = design.addresses
    if mac is not None:
        addresses = replace(addresses, mac=_mac(mac))
    if ip is not None:
        addresses = _with_ip(addresses, ip)
    return replace(design, addresses=addresses)


def refuse_for_built(folder: Path, ip: str | None, mac: str | None) -> None:
    """Raises AddressError if a card that is built already is to have another address."""
    for key, text in (("ip", ip), ("mac", mac)):
        if text is not None:
            raise AddressError(key, f"{folder} is a built card, which keeps the addresses of its design", "Name the design file, or leave {}out.")


def _mac(text: str) -> int:
    number = values.mac(text)
    fault = "is not a MAC address" if number is None else values.mac_fault(number)
    if number is None or fault:
        raise AddressError("mac", f"{text} {fault}", "Write {}02:67:69:72:69:68; the first byte of a card's own address is even.")
    return number


def _with_ip(addresses: Addresses, text: str) -> Addresses:
    remedy = "Give the address of a host, such as {}10.77.0.2/24."
    host, slash, length = text.partition("/")
    number = values.ipv4(host)
    good = not slash or (length.isascii() and length.isdecimal() and 1 <= int(length) <= 32)
    if number is None or not good:
        raise AddressError("ip", f"{text!r} is not an IPv4 address", remedy)
    prefix = int(length) if slash else addresses.prefix
    if fault := values.ipv4_fault(number, prefix):
        raise AddressError("ip", f"{text} {fault}", remedy)
    gateway = addresses.gateway
    if gateway is not None and ((gateway ^ number) >> (32 - prefix) or gateway == number):
        raise AddressError("ip", f"the design's gateway {values.ipv4_text(gateway)} is not a neighbour of {text}", "Give an address in the gateway's network.")
    return replace(addresses, ip=number, prefix=prefix)


def check_addresses(card: Card, report: Report) -> None:
    """Tiles that serve different ports must not claim one address."""
    macs = [tile for tile in card.tiles if "axis_in" in tile.kind.uses]
    _check_unique("mac", "MAC", macs, values.mac_text, lambda tile: values.other_macs(_number(tile, "mac", 0)), card, report)
    _check_unique("ip", "IP", card.tiles, values.ipv4_text, lambda tile: _other_ips(tile, card), card, report)


def _check_unique(
    key: str, name: str, tiles: Iterable[Tile], text: Callable[[int], str], others: Callable[[Tile], Iterator[int]], card: Card, report: Report
) -> None:
    """Reports addresses of tiles at different ports that are the same. others: those that a tile could have instead, the nearest first.

    Every port gets one proposal, which no tile of the card has: the tiles at a port must agree on their address.
    """
    reached = reachable_ports(card)
    addresses = {tile.name: value for tile in tiles if tile.kind.has_output and (value := _number(tile, key, 0))}  # 0: it gets one while the card runs
    taken, proposals, owners = set(addresses.values()), dict[int, int](), list[str]()
    for tile in (tile for tile in tiles if tile.name in addresses):
        address, ports = addresses[tile.name], reached[tile.name]
        other = next((other for other in owners if addresses[other] == address and not ports & reached[other]), None)
        if other is not None:
            made = (proposals[port] for port in sorted(ports) if port in proposals)
            free = next(made, None) or next((value for value in others(tile) if value not in taken), None)
            if free is not None:
                taken.add(free)
                proposals |= dict.fromkeys(ports, free)
            what = f"{name} address {text(address)} is used twice: by {other} and by {tile.name}, at different ports"
            remedy = f"Give {tile.name} another: {key}: {text(free)}" if free is not None else f"Give {tile.name} one of another network; this one has none free."
            report.error(tile.line, what, remedy)
        owners.append(tile.name)


def _other_ips(tile: Tile, card: Card) -> Iterator[int]:
    """The other addresses of hosts in the network of a tile, upwards from its own."""
    address, gateway, netmask = (_number(tile, name, default) for name, default in (("ip", 0), ("gateway", 0), ("netmask", card.addresses.netmask)))
    prefix = netmask.bit_count()
    size = 1 << 32 - prefix
    first = address & -size
    for step in range(1, size):
        value = first + (address + step) % size
        if not values.ipv4_fault(value, prefix) and value != gateway:
            yield value


def _number(tile: Tile, name: str, default: int) -> int:
    value = dict(tile.config).get(name)
    return value if isinstance(value, int) else default
