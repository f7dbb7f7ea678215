# SPDX-License-Identifier: Apache-2.0
"""The commands on the pages: the command line accepts each, the designs that it names exist, and `run --tap` knows the hosts of its cables. What a
command does is tested elsewhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import pytest
import typer

from girih.card.cable import host_addresses
from girih.card.manifest import Manifest
from girih.cli.main import application
from girih.compiler.compile import compile_design
from girih.paths import DESIGNS, ROOT

PAGES = sorted(path for folder in ("docs", "rtl", "card", "firmware", "experiments", "python") for path in (ROOT / folder).rglob("*.md"))
OWN = {"my_card.yaml", "DESIGN", "FILE"}  # names of the reader's own files
ABBREVIATED = ("MissingParameter", "BadOptionUsage", "NoArgsIsHelpError")  # what the command line reports for a command without its arguments


def commands() -> Iterator[tuple[str, list[str]]]:
    """The page and the words of each command, whether on a line of its own (without its comment) or within a sentence."""
    for page in [ROOT / "README.md", *PAGES]:
        for found in re.finditer(r"^ {4}\./girih (.*)|`\./girih ([^`]+)`", page.read_text(), re.MULTILINE):
            yield str(page.relative_to(ROOT)), shlex.split(found[1] or found[2].replace("\n", " "), comments=True)


COMMANDS = list(commands())


def parsed(words: list[str]) -> dict:
    """The parameters of the innermost command, by name; none if arguments are left out, as within sentences. Raises the command line's own error for
    words that it does not accept."""
    command = typer.main.get_command(application())
    context = command.make_context("./girih", list(words))
    while hasattr(command, "resolve_command") and (rest := [*context._protected_args, *context.args]):
        name, command, rest = command.resolve_command(context, rest)
        try:
            context = command.make_context(name, rest, parent=context)
        except Exception as error:
            if type(error).__name__ in ABBREVIATED:
                return {}
            raise
    return context.params


@pytest.mark.parametrize(("page", "words"), COMMANDS, ids=[f"{page}: {' '.join(words)}" for page, words in COMMANDS])
def test_a_command_on_a_page_is_one(page, words):
    found = parsed(words)
    design = found.get("design")
    if design is None or str(design) in OWN:
        return
    path = next((path for path in (ROOT / design, DESIGNS / f"{design}.yaml") if path.exists()), None)
    assert path, f"{page} names the design {design}, which there is not"
    if found.get("tap"):
        host_addresses(Manifest.load(compile_design(path)), found["host"] or [])


@pytest.mark.parametrize("words", [["run", "demo", "--tapp"], ["ctl", "chain", "ad"], ["ctl", "chain", "add", "late", "--patern", "x"], ["tops"]])
def test_what_is_no_command_is_found(words):
    with pytest.raises(Exception, match="No such"):
        parsed(words)


def test_the_pages_have_commands():
    assert len(COMMANDS) > 80 and {page for page, _ in COMMANDS} >= {"README.md", "docs/operating.md", "docs/nat.md"}
