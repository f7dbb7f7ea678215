# SPDX-License-Identifier: Apache-2.0
"""The lint of the virtual card of a design."""

from __future__ import annotations

import json

from girih.build.generate import write_if_changed
from girih.build.lint import Lint, lint
from girih.compiler.compile import compile_design
from girih.paths import BUILD


def lint_design(name: str, text: str) -> Lint:
    """name: of the file that gets the text. The card's own text names that file, so its place is the same in every run, and
    the result of an earlier run is found."""
    path = BUILD / "tests" / "lint" / f"{name}.yaml"
    write_if_changed(path, text)
    return lint("card_sim", json.loads((compile_design(path) / "card.json").read_text())["sources"])
