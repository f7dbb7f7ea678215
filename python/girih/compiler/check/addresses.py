# SPDX-License-Identifier: Apache-2.0
"""Addresses from the command line, which override those in the design file."""

from __future__ import annotations

from dataclasses import replace

from girih.compiler import values
from girih.compiler.model import Addresses, Design
from girih.errors import GirihError


def readdressed(design: Design, ip: str | None, mac: str | None) -> Design:
    """The design with another address; without a prefix, `ip` keeps that of the design. Raises GirihError."""
    addresses = design.addresses
    if mac is not None:
        addresses = replace(addresses, mac=_mac(mac))
    if ip is not None:
        addresses = _with_ip(addresses, ip)
    return replace(design, addresses=addresses)


def _mac(text: str) -> int:
    number = values.mac(text)
    fault = "is not a MAC address" if number is None else values.mac_fault(number)
    if number is None or fault:
        raise GirihError(f"{text} {fault}", "--mac", "Write --mac 02:67:69:72:69:68; the first byte of a card's own address is even.")
    return number


def _with_ip(addresses: Addresses, text: str) -> Addresses:
    remedy = "Give the address of a host, such as --ip 10.77.0.2/24."
    host, slash, length = text.partition("/")
    number = values.ipv4(host)
    good = not slash or (length.isascii() and length.isdecimal() and 1 <= int(length) <= 32)
    if number is None or not good:
        raise GirihError(f"{text!r} is not an IPv4 address", "--ip", remedy)
    prefix = int(length) if slash else addresses.prefix
    if fault := values.ipv4_fault(number, prefix):
        raise GirihError(f"{text} {fault}", "--ip", remedy)
    gateway = addresses.gateway
    if gateway is not None and ((gateway ^ number) >> (32 - prefix) or gateway == number):
        raise GirihError(f"the design's gateway {values.ipv4_text(gateway)} is not a neighbour of {text}", "--ip", "Give an address in the gateway's network.")
    return replace(addresses, ip=number, prefix=prefix)
