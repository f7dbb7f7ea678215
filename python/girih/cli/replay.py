# SPDX-License-Identifier: Apache-2.0
"""`girih replay`: repeats a recorded run, or the messages in a card's logs, cycle for cycle."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from girih import interrupts
from girih.card.recording import Replay, read_recording_label
from girih.card.virtual import VirtualCard
from girih.cli.check import design_path
from girih.cli.live import console, progress_bar
from girih.errors import GirihError
from girih.management import log_file
from girih.management.log_file import is_log
from girih.paths import ROOT
from girih.whole_file import check_place


def parse_window(text: str) -> tuple[int, int]:
    """First and last cycle of `FROM:TO`. Raises GirihError."""
    try:
        start, end = (int(word) for word in text.split(":"))
        if not 0 <= start < end:
            raise ValueError(text)
        return start, end
    except ValueError as error:
        raise GirihError(f"the window {text!r} cannot be read", "--waves", "Write FROM:TO in cycles, such as 1000:2000.") from error


def _design(label: dict, given: Path | None) -> Path:
    if given is not None:
        return given
    path = ROOT / (label.get("design") or "")
    if not path.is_file():
        raise GirihError(f"the design {label['name']} of this recording does not exist", str(path), "Name it with --design FILE.")
    return path


def _replay_log(path: Path, waves: str | None, design: Path | None) -> None:
    from girih.compiler.compile import compile_design
    from girih.management.log_replay import replay_log

    if waves:
        raise GirihError("there are no waves of a log", "--waves", "Record a run for them: ./girih run --record.")
    content = log_file.read(path)
    file = design_path(design) if design else ROOT / content.design
    if not file.is_file():
        raise GirihError("the design of this log does not exist", str(file), "Name it with --design FILE.")
    with progress_bar() as progress:
        result = replay_log(content, compile_design(file, ip=content.address), partial(progress, str(path)))
    if result.difference:
        raise GirihError(f"the replay differs: {result.difference}", str(path), "The design has changed since, its registers were written while it ran, or the log is of another card.")
    console.print(f"Identical: {result.cycles} cycles, {result.inputs} messages in, {result.messages} at the logs")


def _replay_with_waves(card: VirtualCard, recording: Path, window: tuple[int, int], output: Path) -> Replay:
    """A replay that leaves a whole file of waves, whatever ends it, or none if it ends before the window. Closes the card."""
    card.waves(output, *window)
    try:
        return card.replay(recording)
    finally:
        with interrupts.held_back():
            empty = card.cycle <= window[0]
            try:
                card.close()
            finally:
                if empty and output.is_file():
                    output.unlink()


def register(app: typer.Typer) -> None:
    @app.command(epilog="Example: ./girih replay run.girih --waves 1000:2000 -o window.fst")
    def replay(
        recording: Annotated[Path, typer.Argument(help="A file that ./girih run --record or ./girih log wrote.")],
        waves: Annotated[str | None, typer.Option(help="Write waves of cycles FROM:TO.")] = None,
        output: Annotated[Path, typer.Option("--output", "-o", help="The FST file of the waves.")] = Path("waves.fst"),
        design: Annotated[Path | None, typer.Option(help="The design file, if it is not the recorded one.")] = None,
    ) -> None:
        """Runs a recording again on the same design and checks that every frame leaves in the same cycle with the
        same bytes; with --waves it also writes the waves of a window. The messages of a log enter through their ports again, and reach the card's logs
        in the same cycles.
        """
        if is_log(recording):
            _replay_log(recording, waves, design)
            return
        label = read_recording_label(recording)
        path = _design(label, design)
        window = parse_window(waves) if waves else None
        if window:
            check_place(output, "waves")
        with progress_bar() as progress:
            card = VirtualCard.open(path, waves=window is not None, bare=True, seed=label["seed"], progress=progress)
        with card:
            if window:
                try:
                    result = _replay_with_waves(card, recording, window, output)
                except KeyboardInterrupt:
                    kept = f"what there is of the waves of cycles {waves} is in {output}" if output.exists() else f"it had not come to the waves of cycles {waves}"
                    console.print(f"The replay is interrupted: {kept}")
                    raise
            else:
                result = card.replay(recording)
        if window and result.cycles <= window[0]:
            raise GirihError(f"the recording ends in cycle {result.cycles}, before the window {waves}", str(recording), "Name earlier cycles with --waves.")
        if window:
            console.print(f"Waves of cycles {waves} are in {output}")
        if result.difference:
            raise GirihError(
                f"the replay differs in cycle {result.difference_cycle}: {result.difference}",
                str(recording),
                "The design has changed since, or the recording was made on another one.",
            )
        console.print(
            f"Identical: {result.cycles} cycles, {result.inputs} frames in, {result.outputs} out, "
            f"{result.accesses} register accesses"
        )
