# SPDX-License-Identifier: Apache-2.0
"""`girih rack`: runs several cards that are joined by links."""

from __future__ import annotations

import select
import signal
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from girih import interrupts
from girih.card.account import account
from girih.card.cable import Cable, attach, host_addresses
from girih.card.manifest import Manifest
from girih.card.namespace import need_root
from girih.card.rack import Rack
from girih.card.rack_addresses import OwnAddresses, check_macs
from girih.card.rack_file import RackCard, RackFile, read_rack
from girih.card.session import BUSY_CYCLES, IDLE_CYCLES, SLICE_SECONDS
from girih.card.virtual import VirtualCard
from girih.cli.live import Seconds, console, port_table, progress_bar, traffic_table
from girih.cli.outputs import CLOSED_CODE, spare_closed_terminals
from girih.compiler.check.addresses import AddressError, refuse_for_built
from girih.compiler.check.card import check_file
from girih.compiler.emit.manifest import addresses
from girih.compiler.read.parse import Report
from girih.errors import GirihError

BUSY_STEP = 20_000  # cycles between two looks at the time, while there is work
REST_CYCLES = 500_000  # in which the rack can come to rest at the end, beside the delays of its links
Cables = list[tuple[str, Cable]]  # with the names of their cards


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih rack racks/server_behind_nic.yaml --tap")
    def rack(
        file: Annotated[Path, typer.Argument(metavar="FILE", help="A rack file: cards by name, and the links that join their ports.")],
        tap: Annotated[bool, typer.Option("--tap", help="Put each port without a link on a TAP device in a network namespace of its own (as root).")] = False,
        cycles: Annotated[int | None, typer.Option(min=1, help="Stop after this many cycles.")] = None,
        seconds: Seconds = None,
    ) -> None:
        """Runs several cards in one process until Ctrl-C, joined port to port by links with delay and loss.

        At the end the cards come to rest, and the command shows the frames of each, those that crossed each link, and checks every
        tile's counters.
        """
        if tap:
            need_root()
        wanted = read_rack(file)
        _check(wanted, file)
        with ExitStack() as stack:
            numbers = interrupts.taken()
            for number in numbers:
                stack.callback(signal.signal, number, signal.getsignal(number))
            cards = {}
            for card in wanted.cards:
                with progress_bar() as progress:
                    cards[card.name] = stack.enter_context(VirtualCard.open(card.design, ip=card.ip, mac=card.mac, progress=progress))
            joined = Rack(cards)
            for link in wanted.links:
                joined.join(link.one, link.other, delay=link.delay, **({"loss": link.loss, "seed": link.seed} if link.loss else {}))
            cables: Cables = _cables(stack, wanted, joined, file) if tap else []
            interrupts.check()
            for number in numbers:
                signal.signal(number, signal.default_int_handler)
            if cycles is None:
                console.print("The rack runs; Ctrl-C ends it.")
            gone = _serve(joined, cables, cycles, seconds)
            interrupts.ignore_hangups()
            closed = spare_closed_terminals()
            _report(joined, cables)
            if gone:
                raise GirihError(f"the TAP device of {gone} has been deleted", str(file), "Start the rack again.")
            if closed:
                raise typer.Exit(CLOSED_CODE)


def _check(wanted: RackFile, file: Path) -> None:
    """Checks all designs, that the cards have the ports that are joined, and their addresses, before minutes of building. Raises GirihError."""
    found = {card.name: _looked_at(card, file) for card in wanted.cards}
    for link in wanted.links:
        for name, port in (link.one, link.other):
            ports, _ = found[name]
            if port >= ports:
                remedy = f"It has {ports}: 0 to {ports - 1}."
                raise GirihError(f"the end {name}.{port} of a link is not a port of card {name}", f"{file}:{link.line}", remedy)
    report = Report(str(file))
    check_macs(wanted, {name: own for name, (_, own) in found.items()}, report)
    report.raise_if_any()


def _looked_at(card: RackCard, file: Path) -> tuple[int, OwnAddresses]:
    """The number of a card's ports, and their addresses."""
    try:
        if card.design.is_dir():  # of a built design
            refuse_for_built(card.design, card.ip, card.mac)
            manifest = Manifest.load(card.design)
            return manifest.ports, OwnAddresses.of(manifest.addresses, built=True)
        checked = check_file(card.design, ip=card.ip, mac=card.mac)
        return checked.ports, OwnAddresses.of(addresses(checked), built=False)
    except AddressError as error:
        raise error.in_file(f"{file}:{card.lines[error.key]}", f"card {card.name}") from error


def _cables(stack: ExitStack, wanted: RackFile, rack: Rack, file: Path) -> Cables:
    """A cable for each port without a link, and a line about it."""
    taken = {end for link in wanted.links for end in (link.one, link.other)}
    cables: Cables = []
    for card in wanted.cards:
        try:
            hosts = host_addresses(rack.cards[card.name].manifest, card.hosts)
        except GirihError as error:
            raise GirihError(error.what, f"{file}, hosts of card {card.name}", error.remedy) from error
        free = {port: host for port, host in enumerate(hosts) if (card.name, port) not in taken}
        for cable in attach(stack, rack.cards[card.name], free, f"{card.name}_"):
            console.print(f"Port {cable.port} of {card.name}: TAP {cable.device} is {cable.host} in namespace {cable.namespace.name}.")
            cables.append((card.name, cable))
    return cables


def _serve(rack: Rack, cables: Cables, cycles: int | None, seconds: float | None) -> str | None:
    """Runs until it is interrupted, for so long, or until a TAP device is deleted: the port that it was at. A rack at rest sleeps until
    a TAP device has a frame."""
    start, deadline = rack.cycle, None if seconds is None else time.monotonic() + seconds
    try:
        while deadline is None or time.monotonic() < deadline:
            left = BUSY_STEP if cycles is None else start + cycles - rack.cycle
            if left <= 0:
                break
            if gone := [f"{name}.{cable.port}" for name, cable in cables if rack.cards[name].cable_gone(cable.port)]:
                return gone[0]
            busy = cycles is not None or any(card.quiet_cycles < BUSY_CYCLES for card in rack.cards.values())
            if not busy:
                select.select([cable.descriptor for _, cable in cables], [], [], SLICE_SECONDS)
            rack.run(min(left, BUSY_STEP if busy else IDLE_CYCLES))
    except KeyboardInterrupt:
        pass
    return None


def _report(rack: Rack, cables: Cables) -> None:
    """Cuts the cables, lets the rack come to rest, and prints what has passed. Raises GirihError if a message is missing."""
    for _, cable in cables:
        cable.cut()
    rested = rack.rests_within(REST_CYCLES + sum(link.delay for link in rack.links))  # a frame may pass each link, and so may its answer
    for link in rack.links:
        console.print(f"{link.source[0]}.{link.source[1]} to {link.target[0]}.{link.target[1]}: {link.frames} frames, {link.delay} cycles")
    faults = []
    for name, card in rack.cards.items():
        counters = card.registers.counters()
        console.print(f"\nCard {name}")
        console.print(port_table(*card.pins()))
        console.print(traffic_table(counters))
        found = account(card.manifest, counters, rested)
        console.print(found.text)
        faults += [f"{name}: {fault}" for fault in found.faults if rested]
    console.print(f"{rack.cycle} cycles")
    if faults:
        raise GirihError("; ".join(faults), "rack", "This is a fault of the card.")
