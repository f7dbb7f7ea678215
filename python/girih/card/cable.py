# SPDX-License-Identifier: Apache-2.0
"""The cables of a card's ports: a TAP device for each, in its own network namespace, so that traffic between hosts
passes only through the card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from girih.card.manifest import Manifest
from girih.card.namespace import Namespace
from girih.card.virtual import VirtualCard
from girih.errors import GirihError

WRITE = "Write ADDRESS/PREFIX, such as 10.77.0.1/24."


@dataclass(frozen=True)
class Cable:
    """A port's TAP device with its descriptor, and the address of the host at its end."""

    port: int
    device: str
    descriptor: int
    host: IPv4Interface
    namespace: Namespace

    def cut(self) -> None:
        """Deletes the device, and its namespace: nothing enters any more, even from a program in the namespace, which would keep both. A second call
        does nothing."""
        self.namespace.remove(self.device)


def own_addresses(manifest: Manifest) -> list[IPv4Interface | None]:
    """The card's address at each port: the one that it has for all of them, else that for which the port answers ARP requests."""
    if ip := manifest.addresses.get("ip"):
        return [IPv4Interface(f"{ip}/{manifest.addresses.get('prefix')}")] * manifest.ports
    return [IPv4Interface(text) if text else None for text in manifest.addresses["port_ips"]]


def host_addresses(manifest: Manifest, given: Sequence[str]) -> list[IPv4Interface]:
    """The address of the host at each port: first the given ones, in order, then the first free ones in the networks of the card, or of the first given one.

    Raises GirihError if an address cannot be a host's.
    """
    own = own_addresses(manifest)
    if len(given) > manifest.ports:
        raise GirihError(f"{len(given)} hosts are given", "--host", f"The card has {manifest.ports} ports.")
    hosts = [_given(text, address, manifest) for text, address in zip(given, own)]
    taken = {address.ip for address in own if address} | {host.ip for host in hosts}
    if len({host.ip for host in hosts}) < len(hosts):
        raise GirihError("two ports have the same host", "--host", "Give each port a host with an address of its own.")
    for port, address in enumerate(own[len(hosts) :], len(hosts)):
        if address is None and not hosts:
            raise GirihError("the design gives the card no address", manifest.name, "Give the hosts theirs with --host ADDRESS/PREFIX, once or for each port.")
        network = address.network if address else hosts[0].network
        host = next((host for host in network.hosts() if host not in taken), None)
        if host is None:
            raise GirihError(f"the network {network} has no address left for the host at port {port}", manifest.name, WRITE)
        taken.add(host)
        hosts.append(IPv4Interface(f"{host}/{network.prefixlen}"))
    return hosts


def _given(text: str, own: IPv4Interface | None, manifest: Manifest) -> IPv4Interface:
    try:
        host = IPv4Interface(text if "/" in text or own is None else f"{text}/{own.network.prefixlen}")
    except ValueError as error:
        raise GirihError(f"{text!r} is not the address of a host", "--host", WRITE) from error
    if own is not None and host.ip == own.ip:
        remedy = "Give the host another one; with this one the kernel would answer instead of the card."
        raise GirihError(f"{host.ip} is the card's own address", "--host", remedy)
    if fault := _no_host(host.ip, host.network):
        raise GirihError(f"{text} {fault}", "--host", WRITE)
    if own is not None and host.ip not in own.network and not manifest.addresses.get("gateway"):
        remedy = f"Give one in {own.network}, or give the design a gateway."
        raise GirihError(f"{host.ip} is outside the card's network, and the card has no gateway", "--host", remedy)
    return host


def _no_host(address: IPv4Address, network: IPv4Network) -> str | None:
    if address == IPv4Address(0) or address.is_multicast or address.is_loopback or address.is_reserved:
        return "cannot be a host's address"
    if network.prefixlen == 32:
        return "has no network to reach the card in"
    if network.prefixlen < 31 and address in (network.network_address, network.broadcast_address):
        return f"is not a host's address in {network}"
    return None


def attach(stack: ExitStack, card: VirtualCard, hosts: Mapping[int, IPv4Interface], card_name: str = "") -> list[Cable]:
    """Gives each of these ports its cable, with this host at its end; `stack` ends them. Port 0's namespace is named after this process
    alone, unless a name tells the cards of a process apart."""
    cables = []
    for port, host in hosts.items():
        namespace = stack.enter_context(Namespace(f"{card_name}port{port}" if port or card_name else ""))
        device = f"girih{port}"
        descriptor = card.open_tap(port, device, namespace.path)
        namespace.bring_up(device, str(host))
        cables.append(Cable(port, device, descriptor, host, namespace))
    return cables
