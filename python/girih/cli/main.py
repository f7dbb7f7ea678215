# SPDX-License-Identifier: Apache-2.0
"""Assembles the commands, and turns every GirihError into a message and exit code 2."""

from __future__ import annotations

import errno
import inspect
import io
import os
import select
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, NoReturn

import typer

from girih.cli.outputs import CLOSED_CODE, OUTPUTS, SIGPIPE_CODE, spare_closed_terminals
from girih.errors import GirihError, refused

# In the order of --help; the module of a command has its name.
COMMANDS = ("demo", "test", "check", "place", "build", "run", "rack", "guest", "stats", "top", "ctl", "core", "capture", "log", "replay", "synth", "bench", "list")


def application(commands: tuple[str, ...] = COMMANDS) -> typer.Typer:
    """The program with the given commands; fewer commands need fewer imports."""
    app = typer.Typer(
        name="girih",
        help="Girih, an open SmartNIC: tiles on a fabric, described by a design file.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(lambda: None)  # a program with subcommands, even if only one was loaded
    for command in commands:
        import_module(f"girih.cli.{command}").register(app)
    _flow(app)
    return app


def _flow(app: typer.Typer) -> None:
    """Lets the paragraphs of help texts fill lines of any width: typer keeps the line breaks of docstrings."""
    for command in app.registered_commands:
        text = inspect.cleandoc(command.help or (command.callback.__doc__ if command.callback else None) or "")
        command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
    for group in app.registered_groups:
        if group.typer_instance:
            _flow(group.typer_instance)


@cache
def _program(commands: tuple[str, ...]) -> Callable[..., Any]:
    """What typer makes of an application; it takes longer than many a command, and a process may run several."""
    return typer.main.get_command(application(commands))


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and exits with its code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    wanted = (arguments[0],) if arguments and arguments[0] in COMMANDS else COMMANDS
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # so that a reader of a log sees each line at once
    try:
        _program(wanted)(arguments, prog_name="./girih")
    except GirihError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # click and rich end with 1 and no sentence at any broken pipe
            _broken(end.__context__)
        raise
    except BrokenPipeError as error:
        _broken(error)
    except OSError as error:
        if error.errno == errno.EIO and spare_closed_terminals():
            sys.exit(CLOSED_CODE)
        print(refused(error), file=sys.stderr)
        sys.exit(2)


def _broken(error: BrokenPipeError) -> NoReturn:
    """Ends with the code of SIGPIPE if the reader of our output, such as `head`, has gone; a broken pipe elsewhere is an error."""
    look = select.poll()
    for stream in OUTPUTS:
        look.register(stream, 0)
    gone = [stream for stream, _ in look.poll(0)]
    quiet = os.open(os.devnull, os.O_WRONLY)
    if gone or os.path.samestat(os.fstat(OUTPUTS[0]), os.fstat(quiet)):  # rich has already put that in its place
        for stream in gone:
            os.dup2(quiet, stream)  # so that nothing fails when Python writes what is left
        sys.exit(SIGPIPE_CODE)
    print(refused(error), file=sys.stderr)
    sys.exit(2)
