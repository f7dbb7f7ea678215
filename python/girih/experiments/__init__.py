# SPDX-License-Identifier: Apache-2.0
"""Published exhibits (figures, tables) that this project reproduces, each with its figure beside ours.

An exhibit is one file, experiments/<id with _>.py, that defines `EXHIBIT`:

    def run(progress):
        progress("64-byte frames")
        return [Row("latency_cycles_first", {"payload": 1}, "cycles", paper=92, measured=31)]

    EXHIBIT = Exhibit("beehive-lat", "UDP echo latency", "Beehive, section VII-C", "…", run)

`./girih bench ID` runs it. Imports that cost time belong inside `run`: listing imports every file.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from girih.errors import GirihError
from girih.paths import ROOT

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = ROOT / "experiments"

CLOCK_MHZ = 250
"""The clock at which rates of the papers and of experiments are given; docs/timing.md has the estimated clocks."""

Number = float | int | None
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Row:
    """One figure.

    paper: the published figure, or None if the paper has none. peer: the result of the paper's own RTL
    with our tools, or None. note: a few words for the table, such as a target.
    """

    metric: str
    params: Mapping[str, Any]
    unit: str
    paper: Number
    measured: Number
    peer: Number = None
    note: str = ""

    def record(self) -> dict:
        """The row as `--json` writes it."""
        return {
            "metric": self.metric,
            "params": self.params,
            "unit": self.unit,
            "paper": self.paper,
            "measured": self.measured,
        }


@dataclass(frozen=True)
class Exhibit:
    """A published figure or table, and its measurement here.

    source: the paper and the place in it. differs: how our set-up differs from the paper's. plot:
    draws the rows, if the paper has a figure.
    """

    id: str
    title: str
    source: str
    differs: str
    run: Callable[[Progress], list[Row]] = field(repr=False)
    plot: Callable[[list[Row], Figure], None] | None = field(default=None, repr=False)


def identifiers() -> list[str]:
    """The IDs of all exhibits, sorted."""
    return [path.stem.replace("_", "-") for path in sorted(FOLDER.glob("*.py")) if not path.stem.startswith("test_")]


def load(identifier: str) -> Exhibit:
    """The exhibit with that ID; if there is none, GirihError lists all IDs."""
    if identifier not in identifiers():
        raise GirihError(f"no experiment {identifier!r}", remedy=f"There are: {', '.join(identifiers())}.")
    name = identifier.replace("-", "_")
    path = FOLDER / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"girih_experiment_{name}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.EXHIBIT


def load_all() -> list[Exhibit]:
    """All exhibits, sorted by ID."""
    return [load(identifier) for identifier in identifiers()]
