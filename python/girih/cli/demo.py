# SPDX-License-Identifier: Apache-2.0
"""`girih demo`: real Linux programs talk to the RTL of designs/demo.yaml."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.table import Table

from girih.card.cable import attach, host_addresses
from girih.card.namespace import Namespace, need_root
from girih.card.session import Session
from girih.card.virtual import VirtualCard
from girih.cli.live import Column, console, histogram_table, port_table, progress_bar, traffic_table
from girih.errors import GirihError
from girih.paths import BUILD, DESIGNS, ROOT

DESIGN = DESIGNS / "demo.yaml"
CAPTURE = BUILD / "demo.pcapng"
JUMBO_PAYLOAD = 8900
CLIENTS = 4


@dataclass(frozen=True)
class Outcome:
    """The result of one program."""

    what: str
    sent: int
    received: int
    round_trip: str


class Programs:
    """Runs programs in the namespace while the card runs."""

    def __init__(self, session: Session, namespace: Namespace):
        self._session, self._namespace = session, namespace

    def run(self, commands: list[list[str]], seconds: float = 120) -> list[str]:
        """Runs the commands at the same time; returns the output of each. Raises GirihError if they take too long, or if
        the TAP device has been deleted."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "env": environment}
        running = [self._namespace.popen(command, **options) for command in commands]
        try:
            ended = lambda: all(process.poll() is not None for process in running)  # noqa: E731
            self._session.serve(seconds=seconds, until=ended)
            if self._session.stopped:
                raise KeyboardInterrupt
            self._session.check_cables()
            if not ended():
                raise GirihError(f"{' '.join(commands[0])} did not end in {seconds:.0f} s", "demo", "Try again when the machine is less loaded.")
            return [process.communicate()[0] for process in running]
        finally:
            for process in running:
                if process.poll() is None:
                    process.kill()
                    process.wait()

    def ping(self, what: str, address: str, count: int, *options: str) -> Outcome:
        """The real ping."""
        (text,) = self.run([["ping", "-n", "-q", "-c", str(count), *options, address]])
        found = re.search(r"(\d+) packets transmitted, (\d+) received", text)
        if not found:
            raise GirihError(f"ping said {text.strip()!r}", "demo", "Run ./girih run demo --tap and try by hand.")
        times = re.search(r"= ([\d.]+)/([\d.]+)/([\d.]+)", text)
        return Outcome(what, int(found[1]), int(found[2]), f"{times[2]} ms" if times else "-")

    def udp(self, what: str, address: str, port: int, count: int, sizes: list[int], clients: int) -> Outcome:
        """UDP echo clients in parallel, over the kernel's own stack."""
        words = [sys.executable, "-m", "girih.card.udp_client", address, str(port), str(count), *map(str, sizes)]
        try:
            reports = [json.loads(text) for text in self.run([words] * clients)]
        except ValueError as error:
            raise GirihError("a UDP client failed", "demo", f"Try by hand: ip netns exec {self._namespace.name} {' '.join(words)}") from error
        times = [t for report in reports for t in report["times"]]
        mean = f"{1000 * sum(times) / len(times):.2f} ms" if times else "-"
        return Outcome(what, sum(r["sent"] for r in reports), sum(r["received"] for r in reports), mean)


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih demo --stay")
    def demo(stay: Annotated[bool, typer.Option("--stay", help="Leave the card up until Ctrl-C, to talk to it.")] = False) -> None:
        """Brings up a card on a TAP device and lets real programs talk to its RTL: ping and UDP clients.

        Needs root for the TAP device; everything happens in a network namespace that is removed at the end.
        """
        need_root()
        if shutil.which("ping") is None:
            raise GirihError("the program ping is not installed", "PATH", "Run as root: apt-get install iputils-ping")
        try:
            with ExitStack() as stack:
                _demo(stack, stay)
        except KeyboardInterrupt:
            console.print("Stopped; the namespace and the TAP device are gone.")
            raise typer.Exit(130) from None


class Capture:
    """What the demo captures, while it is entered: into a file of its own, since several demos may run."""

    def __init__(self, card: VirtualCard, links: Sequence[str]):
        self._card, self._links = card, links

    def __enter__(self) -> Capture:
        self._folder = TemporaryDirectory(prefix=f"{CAPTURE.stem}-", dir=CAPTURE.parent)
        self._file = Path(self._folder.name) / CAPTURE.name
        self._card.start_capture(self._file, self._links)
        return self

    def __exit__(self, *_exception: object) -> None:
        self._folder.cleanup()

    def keep(self) -> int:
        """Ends it, and puts its file in the place of that of the demo before; the number of its messages."""
        messages = self._card.stop_capture()
        self._file.replace(CAPTURE)
        return messages


def _demo(stack: ExitStack, stay: bool) -> None:
    started = time.monotonic()
    with progress_bar() as progress:
        card = stack.enter_context(VirtualCard.open(DESIGN, progress=progress))
    (cable,) = attach(stack, card, dict(enumerate(host_addresses(card.manifest, []))))
    session, namespace = stack.enter_context(Session(card)), cable.namespace
    session.watch(cable.port, cable.descriptor)
    addresses = card.manifest.addresses
    address, port = addresses["ip"], addresses["udp"][0]["port"]
    console.print(f"The card is {address}, its cable is {cable.device} ({cable.host}) in namespace {namespace.name}.")
    programs = Programs(session, namespace)
    links = [name for name in ("eth_rx.out", "port0.rx", "port0.tx") if name in card.manifest.link_names()]
    capture = stack.enter_context(Capture(card, links))
    outcomes = [programs.ping("first ping", address, 1)]
    console.print(f"First reply after {time.monotonic() - started:.1f} s.")
    outcomes.append(programs.ping("ping", address, 10, "-i", "0.02"))
    outcomes.append(programs.ping(f"ping, {JUMBO_PAYLOAD} bytes", address, 10, "-i", "0.02", "-s", str(JUMBO_PAYLOAD)))
    outcomes.append(programs.ping("ping flood", address, 500, "-f"))
    sizes = [1, 18, 64, 512, 1472, 8000]
    outcomes.append(programs.udp(f"{CLIENTS} UDP echo clients, 1 to 8000 bytes", address, port, 20, sizes, CLIENTS))
    card.run_until_quiet()
    messages = capture.keep()
    _report(card, session, outcomes)
    console.print(f"Captured {messages} messages of {', '.join(links)}: wireshark {os.path.relpath(CAPTURE)}")
    card.check_conservation()
    console.print("Every message is accounted for in every tile.")
    lost = sum(outcome.sent - outcome.received for outcome in outcomes)
    if lost:
        raise GirihError(f"{lost} replies did not arrive", "demo", f"See {os.path.relpath(CAPTURE)} and the drops above.")
    if stay:
        stay_up(session, namespace, address, port)


def _report(card: VirtualCard, session: Session, outcomes: list[Outcome]) -> None:
    table = Table(title="What the programs saw", title_justify="left")
    columns: list[Column] = [("program", "left"), ("sent", "right"), ("replies", "right"), ("lost", "right"), ("mean round trip", "right")]
    for column, justify in columns:
        table.add_column(column, justify=justify)
    for outcome in outcomes:
        table.add_row(outcome.what, str(outcome.sent), str(outcome.received), str(outcome.sent - outcome.received), outcome.round_trip)
    console.print(table)
    for tile, bins in card.registers.histograms().items():
        console.print(histogram_table(bins, tile))
    console.print(port_table(*card.pins()))
    console.print(traffic_table(card.registers.counters()))
    console.print(f"{card.cycle:,} cycles simulated, {session.cycles_per_second:,.0f} a second while busy")


def stay_up(session: Session, namespace: Namespace, address: str, port: int) -> None:
    """Says how to talk to the card, and lets it run until it is stopped. Raises GirihError if its TAP device is deleted."""
    inside = f"ip netns exec {namespace.name}"
    console.print("The card stays up; Ctrl-C ends it. In another terminal, as root:")
    for command in (
        f"{inside} ping {address}",
        f"{inside} {sys.executable} -m girih.card.udp_client {address} {port} 3 18 1472",
        f"{inside} tcpdump -ni girih0",
        "./girih stats --watch",
        "./girih capture eth_rx.out port0.tx -o links.pcapng",
    ):
        prefix = f"PYTHONPATH={ROOT / 'python'} " if "girih.card" in command else ""
        console.print(f"  {prefix}{command}", soft_wrap=True, highlight=False)
    session.serve()
    session.check_cables()
