# SPDX-License-Identifier: Apache-2.0
"""`girih capture`: messages on the links of a running card, into a pcapng file."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import Annotated

import typer

from girih import interrupts
from girih.card.client import ControlClient
from girih.cli.live import Socket, console


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih capture eth_rx.out port0.tx -o links.pcapng --seconds 10")
    def capture(
        links: Annotated[list[str] | None, typer.Argument(help="Links, such as eth_rx.out or port0.rx; none: list them.")] = None,
        output: Annotated[Path, typer.Option("--output", "-o", help="The pcapng file.")] = Path("capture.pcapng"),
        seconds: Annotated[float | None, typer.Option(min=0, help="Stop after this many seconds instead of at Ctrl-C.")] = None,
        socket: Socket = None,
    ) -> None:
        """Captures the messages on named links of a running card: one interface for each link, times in card
        cycles of 4 ns, the descriptor in each packet's comment. Opens in Wireshark.
        """
        with ControlClient.find(socket) as card:
            if not links:
                console.print("Links of this card: " + ", ".join(card.call("list")["links"]))
                return
            card.call("capture_start", path=str(output.resolve()), links=links)
            ended = threading.Event()
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, lambda *_: ended.set())
            if interrupts.came:
                ended.set()
            if seconds is None:
                console.print("Capturing; Ctrl-C ends it.")
            ended.wait(seconds)
            console.print(f"{card.call('capture_stop')} messages in {output}")
