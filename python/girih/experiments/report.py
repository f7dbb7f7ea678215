# SPDX-License-Identifier: Apache-2.0
"""Output of an exhibit's rows: a table, a JSON file, a plot."""

from __future__ import annotations

import json
from pathlib import Path

from rich import box
from rich.markup import escape
from rich.table import Table

from girih.experiments import Exhibit, Number, Row
from girih.paths import BUILD

PLOTS = BUILD / "bench"


def _text(number: Number) -> str:
    if number is None:
        return "–"
    if isinstance(number, int) or float(number).is_integer():
        return f"{int(number):,}"
    return f"{number:,.3f}" if abs(number) < 10 else f"{number:,.1f}"


def table(exhibit: Exhibit, rows: list[Row]) -> Table:
    """The rows with the paper's figure beside ours, within 80 columns.

    A name that is too long continues in the next line; common parameters and notes are below the table.
    """
    names = list(dict.fromkeys(name for row in rows for name in row.params))
    units = {row.unit for row in rows}
    notes = list(dict.fromkeys(row.note for row in rows if row.note))
    below = [f"Unit: {unit}" for unit in units if unit and len(units) == 1]
    below += [f"[{number}] {note}" for number, note in enumerate(notes, 1)]
    view = Table(
        title=f"{exhibit.id}: {exhibit.title} ({exhibit.source})",
        caption=escape("\n".join(below)) or None,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    view.add_column("metric")
    for name in names:
        view.add_column(name, justify="right", overflow="fold")
    if len(units) > 1:
        view.add_column("unit", overflow="fold")
    for column in ("paper", "its RTL here", "Girih"):
        view.add_column(column, justify="right", style="bold" if column == "Girih" else None, overflow="fold")
    if notes:
        view.add_column("")
    for row in rows:
        params = [str(row.params.get(name, "")) for name in names]
        unit = [row.unit] if len(units) > 1 else []
        figures = [_text(row.paper), _text(row.peer), _text(row.measured)]
        mark = [escape(f"[{notes.index(row.note) + 1}]") if row.note else ""] if notes else []
        view.add_row(row.metric.replace("_", " "), *params, *unit, *figures, *mark)
    return view


def write_json(exhibit: Exhibit, rows: list[Row], path: Path) -> None:
    """Writes the rows for other programs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    record = {"exhibit": exhibit.id, "rows": [row.record() for row in rows]}
    path.write_text(json.dumps(record, indent=2) + "\n")


def write_plot(exhibit: Exhibit, rows: list[Row]) -> Path | None:
    """Draws the exhibit's figure, if it has one; returns the file."""
    if exhibit.plot is None:
        return None
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    exhibit.plot(rows, figure)
    path = PLOTS / f"{exhibit.id}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    return path
