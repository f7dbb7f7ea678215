# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog from templates: what is emitted for a card, and for each kind of tile, is written in `.sv.j2` files beside the
program that fills them, and reads like what it makes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

SHARED = Path(__file__).parent / "templates"  # macros that all templates may import


def render(template: Path, **values: object) -> str:
    """The text that a template makes of `values`; it may include those of its own folder. A name that it was not given is an error."""
    return _environment(template.parent).get_template(template.name).render(**values)


@cache
def _environment(folder: Path) -> jinja2.Environment:
    loader = jinja2.FileSystemLoader([folder, SHARED])
    return jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
