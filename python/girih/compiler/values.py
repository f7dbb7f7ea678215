# SPDX-License-Identifier: Apache-2.0
"""How values are written in a design file, and back: addresses, numbers, flags, names."""

from __future__ import annotations

import difflib
import ipaddress
import re
from collections.abc import Container, Iterable, Iterator

from girih.compiler.read.parse import Map, Scalar, Seq, Tree
from girih.compiler.reserved import reserved_words

_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")
_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")
_NOT_TEXT = re.compile(r"[-+]?(0x[0-9a-fA-F]+|[0-9]+(\.[0-9]*)?)|true|false|null|~|", re.IGNORECASE)  # what is a text only between quotes


def name_fault(name: str, reserved: Container[str] | None = None) -> str | None:
    """Why a name in a design file is wrong, or None. reserved: words with another meaning there, by default all `reserved_words`."""
    if not _IDENTIFIER.fullmatch(name):
        return "must consist of lower-case letters, digits and _, and start with a letter"
    if len(name) > 40:
        return "is longer than 40 characters"
    if name in (reserved_words() if reserved is None else reserved):
        return "is a reserved word"
    return None


def mac(text: str) -> int | None:
    """The 48 bits of `02:67:69:72:69:68`, or None."""
    return int(text.replace(":", ""), 16) if _MAC.fullmatch(text) else None


def mac_text(value: int) -> str:
    return ":".join(f"{value >> shift & 0xFF:02x}" for shift in range(40, -8, -8))


def mac_fault(value: int) -> str | None:
    """Why an address cannot be a card's, or None."""
    if value == 0:
        return "is all zero"
    return "is a group address" if value >> 40 & 1 or value >> 48 else None


def other_macs(value: int) -> Iterator[int]:
    """The other addresses that a card could have with the first byte of this one, upwards from that: with the next byte, all are of groups."""
    size = 1 << 40
    return (other for step in range(1, size) if not mac_fault(other := (value & -size) + (value + step) % size))


def ipv4(text: str) -> int | None:
    """The 32 bits of `10.77.0.2`, or None."""
    try:
        return int(ipaddress.IPv4Address(text))
    except ValueError:
        return None


def address(text: str, bits: int) -> int | None:
    """The IPv4, MAC or IPv6 address that has so many bits, or None."""
    if bits == 128:
        try:
            return int(ipaddress.IPv6Address(text))
        except ValueError:
            return None
    readers = {32: ipv4, 48: mac}
    return readers[bits](text) if bits in readers else None


def ipv4_text(value: int) -> str:
    return str(ipaddress.IPv4Address(value))


def ipv4_fault(value: int, prefix: int) -> str | None:
    """Why an address cannot be a card's, or None."""
    address = ipaddress.IPv4Address(value)
    network = ipaddress.IPv4Network((value, prefix), strict=False)
    if address.is_multicast or address.is_loopback or address.is_unspecified or value == 0xFFFFFFFF:
        return "is not the address of a host"
    if prefix < 31 and address in (network.network_address, network.broadcast_address):
        return f"is the network's or the broadcast address of {network}"
    return None


def prefix_of(netmask: int) -> int | None:
    """The bits of the network that a netmask leaves; None where its ones are not all above its zeros."""
    prefix = netmask.bit_count()
    return prefix if netmask == (0xFFFFFFFF << (32 - prefix)) & 0xFFFFFFFF else None


def gateway_fault(gateway: int, ip: int, prefix: int) -> str | None:
    """Why an address cannot be the gateway of a card with this address, or None."""
    if gateway == ip:
        return "is the card itself"
    if (gateway ^ ip) >> (32 - prefix):
        return f"is not in the network of {ipv4_text(ip)}/{prefix}"
    return ipv4_fault(gateway, prefix)


def what_it_is(tree: Tree) -> str:
    """A description of a value for messages."""
    if isinstance(tree, Map):
        return "a mapping"
    if isinstance(tree, Seq):
        return f"[{', '.join(what_it_is(item) for item in tree.items)}]"
    quoted = isinstance(tree.value, str) and _NOT_TEXT.fullmatch(tree.text)
    return "nothing" if tree.value is None else f'"{tree.text}"' if quoted else tree.text


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`Did you mean x? ` if a known word is close, else nothing."""
    close = closest(word, known)
    return f"Did you mean {close}? " if close else ""


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that an unknown one resembles."""
    return next(iter(difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.6)), None)


def listing(words: Iterable[object], joiner: str = "or") -> str:
    """`a, b or c`."""
    texts = [str(word) for word in words]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {joiner} {texts[-1]}" if texts else "none"


def span(low: int, high: int) -> str:
    """A remedy with the range of a number."""
    return f"It may be {low} to {high}." if high > low else f"It may be {low} only."


def number(tree: Tree) -> int | None:
    """The value of a whole number, or None."""
    if isinstance(tree, Scalar) and isinstance(tree.value, int) and not isinstance(tree.value, bool):
        return tree.value
    return None
