# SPDX-License-Identifier: Apache-2.0
"""`girih run`: runs a card with its ports on TAP devices or capture files."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from girih.card.account import Account
from girih.card.cable import Cable, attach, host_addresses, own_addresses
from girih.card.manifest import Manifest
from girih.card.namespace import need_root
from girih.card.ports import DIRECTIONS, FAULTS, checked_faults
from girih.card.session import Session
from girih.card.vhost_user import VhostUser
from girih.card.virtual import QUIET_CYCLES, WATCHDOG_CYCLES, VirtualCard
from girih.cli.check import DesignFile, design_path
from girih.cli.debugging import Servers, check, parse
from girih.cli.live import Seconds, console, port_table, progress_bar, traffic_table
from girih.cli.outputs import CLOSED_CODE, spare_closed_terminals
from girih.compiler.check.addresses import refuse_for_built
from girih.compiler.compile import compile_design
from girih.errors import GirihError
from girih.management.key import read_key, unlock
from girih.power_up import MOST as MOST_SEED
from girih.whole_file import check_place

MOST_CYCLES = (1 << 63) - 1


def parse_faults(text: str) -> tuple[int, str, dict[str, float]]:
    """Port, direction and parameters of `0:in:loss=0.01,seed=3`. Raises GirihError."""
    remedy = "Write PORT:in|out:NAME=VALUE,..., such as 0:in:loss=0.01,seed=3."
    try:
        port, direction, rest = text.split(":")
        items = [item.split("=") for item in rest.split(",")]
        params = {name: _number(value) for name, value in items}
        if direction not in DIRECTIONS or len(params) < len(items):
            raise ValueError(text)
        return int(port), direction, checked_faults(params)
    except ValueError as error:
        raise GirihError(f"the faults {text!r} cannot be read", "--fault", f"{remedy} Names: {', '.join(FAULTS)}.") from error


def _number(text: str) -> float:
    """A number as it is written: a seed may have more digits than a float holds."""
    return int(text) if text.lstrip("-").isdecimal() else float(text)


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih run designs/demo.yaml --tap --record run.girih")
    def run(
        design: DesignFile,
        tap: Annotated[bool, typer.Option("--tap", help="Put each port on a TAP device in a network namespace of its own (as root).")] = False,
        host: Annotated[list[str] | None, typer.Option(help="With --tap: ADDRESS/PREFIX of the host at port 0; repeat it for the next ports. The default is the first free address of the card's network.")] = None,
        ip: Annotated[str | None, typer.Option(metavar="ADDRESS[/PREFIX]", help="The card's address, overrides the design's.")] = None,
        mac: Annotated[str | None, typer.Option(help="The MAC address of the card's port 0, overrides the design's.")] = None,
        pcap_in: Annotated[Path | None, typer.Option(help="Play this pcap or pcapng file into port 0.")] = None,
        keep_times: Annotated[bool, typer.Option(help="Play it with its recorded times, not back to back.")] = False,
        pcap_out: Annotated[Path | None, typer.Option(help="Write the frames that leave port 0 to this pcapng file.")] = None,
        record: Annotated[Path | None, typer.Option(help="Record everything at the ports, for ./girih replay.")] = None,
        fault: Annotated[list[str] | None, typer.Option(help="Faults of a port: PORT:in|out:loss=0.01,delay=0.5,seed=3.")] = None,
        vhost_user: Annotated[Path | None, typer.Option(metavar="PATH", help="Offer the card's host tile at this socket as a vhost-user network device.")] = None,
        key: Annotated[Path | None, typer.Option(help="Give the key in this file to the card's controller, so that its operators can reach it over the network.")] = None,
        gdb: Annotated[list[str] | None, typer.Option(metavar="TILE[:PORT]", help="Let the core of this tile wait before its first instruction for gdb at this TCP port of this machine, or at a free one; TILE.CORE of a cluster. Repeat it for other cores.")] = None,
        watchdog: Annotated[int, typer.Option(min=0, max=MOST_CYCLES, help="Report a stall when nothing moves for this many cycles while messages wait; 0 disables it.")] = WATCHDOG_CYCLES,
        seed: Annotated[int | None, typer.Option(min=0, max=MOST_SEED, help="Seed of the random values that registers and memories hold before reset; 0: zeros. The default is the environment's GIRIH_SEED, or 0.")] = None,
        cycles: Annotated[int | None, typer.Option(min=1, max=MOST_CYCLES, help="Stop after this many cycles.")] = None,
        seconds: Seconds = None,
    ) -> None:
        """Runs the card of a design until Ctrl-C, or until a capture file has passed through it.

        While it runs, ./girih stats and ./girih capture talk to it. The first Ctrl-C shuts the ports, lets the card come to
        rest and checks every tile's counters: a message that was lost without being counted is an error. A second
        Ctrl-C ends the run at once. With --gdb it runs until then. If the card stalls, the command reports which messages wait for what.
        """
        if host and not tap:
            raise GirihError("--host is given without --tap", "run", "Give both, or leave it out: only a TAP device has a host.")
        if vhost_user and record:
            raise GirihError("--record is given with --vhost-user", "run", "Leave one out: a recording does not hold the guest's memory.")
        if tap:
            need_root()
        faults = [parse_faults(text) for text in fault or []]
        places = [(port, direction) for port, direction, _ in faults]
        if twice := [place for place in places if places.count(place) > 1]:
            port, direction = twice[0]
            raise GirihError(f"faults of port {port}, {direction}, are given twice", "--fault", f"Give them at once: {port}:{direction}:NAME=VALUE,NAME=VALUE.")
        for file, what in ((record, "recording"), (pcap_out, "capture"), (vhost_user if vhost_user and not vhost_user.is_socket() else None, "socket")):
            if file:
                check_place(file, what)
        secret = read_key(key) if key else None
        debugged = parse(gdb or [])
        with ExitStack() as stack:
            servers = stack.enter_context(Servers(debugged, say=lambda text: console.print(text, highlight=False, soft_wrap=True)))
            with progress_bar() as progress:
                path = design_path(design)
                if path.is_dir():
                    refuse_for_built(path, ip, mac)
                    folder = path
                else:
                    folder = compile_design(path, ip=ip, mac=mac)
                check(debugged, Manifest.load(folder))
                cores = [(one.tile, one.core) for one in debugged]
                card = stack.enter_context(VirtualCard(folder, record=record, watchdog=watchdog, seed=seed, debugged=cores, progress=progress))
            if secret:
                unlock(card.registers, secret)
            hosts = host_addresses(card.manifest, host or []) if tap else []
            for port, direction, params in faults:
                card.set_faults(port, direction, **params)
            if pcap_in:
                card.pcap_in(0, pcap_in, keep_times=keep_times)
            if pcap_out:
                card.pcap_out(0, pcap_out)
            cables = attach(stack, card, dict(enumerate(hosts)))
            session = stack.enter_context(Session(card, say=console.print))
            for cable in cables:
                session.watch(cable.port, cable.descriptor)
            if vhost_user:
                session.guest = VhostUser(card, vhost_user, say=console.print)
                stack.callback(session.disconnect)
                console.print(f"The host's network device is at {vhost_user}: see docs/host.md for guests.")
            _say_cables(card, cables)
            servers.start(session)
            only_files = pcap_in is not None and not tap and not gdb and cycles is None and seconds is None
            if not only_files and cycles is None:
                others = ", ./girih top, ./girih ctl" if card.services else ""
                console.print(f"The card runs; Ctrl-C ends it. Elsewhere: ./girih stats, ./girih capture{others}")
            session.serve(seconds=seconds, cycles=cycles, until=(lambda: card.quiet_cycles >= QUIET_CYCLES) if only_files else None)
            closed = spare_closed_terminals()  # whose errors would keep the card from its last check
            servers.end()
            card.stop_capture()
            found = session.finish()
            closed = spare_closed_terminals() or closed
            _report(card, session, found)
            if closed:
                raise typer.Exit(CLOSED_CODE)


def _say_cables(card: VirtualCard, cables: list[Cable]) -> None:
    """Prints the other ends of the cables, and a command to try."""
    for cable in cables:
        console.print(f"Port {cable.port}: TAP {cable.device} is {cable.host} in namespace {cable.namespace.name}.")
    if cables:
        own = own_addresses(card.manifest)[cables[0].port]
        other = own.ip if own else cables[1].host.ip if len(cables) > 1 else "ADDRESS"
        console.print(f"Talk to the card with:\n  ip netns exec {cables[0].namespace.name} ping {other}")


def _report(card: VirtualCard, session: Session, account: Account) -> None:
    """Prints the traffic, and whether the account is even. Raises GirihError if it is not, or if a cable is gone."""
    console.print(port_table(*card.pins()))
    console.print(traffic_table(card.registers.counters()))
    if card.memory:
        console.print(card.memory.stats.text)
    if card.host:
        console.print(card.host.stats.text)
    console.print(f"{card.cycle} cycles, {session.cycles_per_second:,.0f} a second while busy, seed {card.seed}")
    account.judge()
    console.print(account.text)
    session.check_cables()
