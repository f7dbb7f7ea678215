# SPDX-License-Identifier: Apache-2.0
"""`girih run`: a card with its ports on a TAP device or on capture files."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.card.virtual import QUIET_CYCLES, WATCHDOG_CYCLES, VirtualCard
from girih.cli.check import DesignFile, design_path
from girih.cli.live import console, progress_bar, traffic_table
from girih.errors import GirihError

FAULTS = ("loss", "duplicate", "corrupt", "reorder", "delay", "reorder_cycles", "delay_cycles", "seed")


def parse_faults(text: str) -> tuple[int, str, dict[str, float]]:
    """Port, direction and parameters of `0:in:loss=0.01,seed=3`. Raises GirihError."""
    remedy = "Write PORT:in|out:NAME=VALUE,..., such as 0:in:loss=0.01,seed=3."
    try:
        port, direction, rest = text.split(":")
        params = {name: float(value) for name, value in (item.split("=") for item in rest.split(","))}
        if direction not in ("in", "out") or not set(params) <= set(FAULTS):
            raise ValueError(text)
        whole = ("reorder_cycles", "delay_cycles", "seed")
        return int(port), direction, {n: int(v) if n in whole else v for n, v in params.items()}
    except ValueError as error:
        raise GirihError(f"the faults {text!r} cannot be read", "--fault", f"{remedy} Names: {', '.join(FAULTS)}.") from error


def host_address(card: VirtualCard) -> str:
    """An address in the card's network for the other end of its cable: the first that is not the card's."""
    from ipaddress import IPv4Interface

    addresses = card.manifest.addresses
    if not addresses.get("ip"):
        raise GirihError("the design gives the card no address", card.manifest.name, "Give one with --host ADDRESS/PREFIX.")
    own = IPv4Interface(f"{addresses['ip']}/{addresses['prefix']}")
    return f"{next(host for host in own.network.hosts() if host != own.ip)}/{own.network.prefixlen}"


def attach_tap(session: Session, namespace: Namespace, host: str | None) -> str:
    """Puts port 0 on TAP device girih0; the host's address there."""
    address = host or host_address(session.card)
    session.watch(session.card.open_tap(0, "girih0", namespace.path))
    namespace.bring_up("girih0", address)
    return address


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih run designs/demo.yaml --tap --record run.girih")
    def run(
        design: DesignFile,
        tap: Annotated[bool, typer.Option("--tap", help="Put port 0 on a TAP device in a network namespace (as root).")] = False,
        host: Annotated[str | None, typer.Option(help="Address of the TAP device; by default the first of the card's network.")] = None,
        pcap_in: Annotated[Path | None, typer.Option(help="Play this pcap or pcapng file into port 0.")] = None,
        keep_times: Annotated[bool, typer.Option(help="Play it at its own times, not back to back.")] = False,
        pcap_out: Annotated[Path | None, typer.Option(help="Write what leaves port 0 to this pcapng file.")] = None,
        record: Annotated[Path | None, typer.Option(help="Record everything at the ports, for ./girih replay.")] = None,
        fault: Annotated[list[str] | None, typer.Option(help="Faults of a port: PORT:in|out:loss=0.01,delay=0.5,seed=3.")] = None,
        watchdog: Annotated[int, typer.Option(min=0, help="The card has stalled when nothing moves for so many cycles while messages wait; 0: never.")] = WATCHDOG_CYCLES,
        cycles: Annotated[int | None, typer.Option(min=1, help="End after so many cycles.")] = None,
        seconds: Annotated[float | None, typer.Option(min=0, help="End after so many seconds.")] = None,
    ) -> None:
        """Runs the card of a design until Ctrl-C, or until a capture file has passed through it.

        While it runs, ./girih stats and ./girih capture talk to it. At the end the card comes to rest and
        every tile's counters are checked: a message that was lost uncounted is an error. A card that stalls is
        reported with what waits for what.
        """
        faults = [parse_faults(text) for text in fault or []]
        with ExitStack() as stack:
            namespace = stack.enter_context(Namespace()) if tap else None
            with progress_bar() as progress:
                card = stack.enter_context(VirtualCard.open(design_path(design), record=record, watchdog=watchdog, progress=progress))
            session = stack.enter_context(Session(card, say=lambda text: console.print(text, markup=False)))
            for port, direction, params in faults:
                card.set_faults(port, direction, **params)
            if pcap_in:
                card.pcap_in(0, pcap_in, keep_times=keep_times)
            if pcap_out:
                card.pcap_out(0, pcap_out)
            if namespace:
                address = attach_tap(session, namespace, host)
                console.print(f"TAP girih0 is {address} in namespace {namespace.name}; talk to the card with:")
                console.print(f"  ip netns exec {namespace.name} ping {card.manifest.addresses.get('ip', 'ADDRESS')}")
            only_files = pcap_in is not None and not tap and cycles is None and seconds is None
            if not only_files and cycles is None:
                others = ", ./girih top, ./girih ctl" if card.services else ""
                console.print(f"The card runs; Ctrl-C ends it. Elsewhere: ./girih stats, ./girih capture{others}")
            session.serve(seconds=seconds, cycles=cycles, until=(lambda: card.quiet_cycles >= QUIET_CYCLES) if only_files else None)
            card.stop_capture()
            card.run_until_quiet()
            console.print(traffic_table(card.registers.counters()))
            console.print(f"{card.cycle} cycles, {session.cycles_per_second:,.0f} a second while busy")
            card.check_conservation()
