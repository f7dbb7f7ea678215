# SPDX-License-Identifier: Apache-2.0
"""`girih capture`: messages on the links of a running card, into a pcapng file."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from girih import interrupts
from girih.card.client import ControlClient
from girih.card.pcapng import packets
from girih.cli.live import MOST_SECONDS, Seconds, Socket, console
from girih.errors import GirihError

LOOK_SECONDS = 0.5  # between two looks at whether the card has ended


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih capture eth_rx.out port0.tx -o links.pcapng --seconds 10")
    def capture(
        links: Annotated[list[str] | None, typer.Argument(help="Links, such as eth_rx.out or port0.rx; none: list them.")] = None,
        output: Annotated[Path, typer.Option("--output", "-o", help="The pcapng file.")] = Path("capture.pcapng"),
        seconds: Seconds = None,
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
            try:
                _wait(card, seconds)
            finally:
                _end(card, output)


def _wait(card: ControlClient, seconds: float | None) -> None:
    """Until Ctrl-C, or for some seconds; or until the card has ended."""
    ended = threading.Event()
    for number in interrupts.taken():
        signal.signal(number, lambda *_: ended.set())
    if interrupts.came:
        ended.set()
    if seconds is None:
        console.print("Capturing; Ctrl-C ends it.")
    end = time.monotonic() + (MOST_SECONDS if seconds is None else seconds)
    while not card.ended() and (left := end - time.monotonic()) > 0 and not ended.wait(min(left, LOOK_SECONDS)):
        pass


def _end(card: ControlClient, output: Path) -> None:
    """Ends the capture and says what it has. Raises GirihError if the card has ended before it: then the file tells."""
    try:
        count, failed = card.call("capture_stop"), None
    except GirihError as error:
        count, failed = _messages(output), error
    console.print(f"{count} messages in {output}")
    if failed:
        raise failed


def _messages(path: Path) -> int:
    """The messages in a capture file, which may end within one."""
    count = 0
    with suppress(GirihError, OSError):
        for _ in packets(path):
            count += 1
    return count
