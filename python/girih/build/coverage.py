# SPDX-License-Identifier: Apache-2.0
"""Coverage of RTL, measured by Verilator in unit tests and cards alike: lines, toggles and cover points.

    GIRIH_COVERAGE=folder     in the environment: models are built with coverage, and each simulation writes its counts to a file there
    report = Report.of(folder)  merges them, by source line: over instances, parameters, widths and cards

A cover point is a labelled immediate `cover` in a clocked block; its label is its name. Toggles are counted
for signals of at most MAX_WIDTH bits: the toggles of a bus would only show that its data are random.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath
from uuid import uuid4

from girih.build.sources import PACKAGED, modules
from girih.errors import GirihError
from girih.paths import BUILD, HARDWARE, ROOT, TEST_KINDS

VARIABLE = "GIRIH_COVERAGE"
FOLDER = BUILD / "coverage"
EXCEPTIONS = ROOT / "tests" / "coverage.yaml"
MAX_WIDTH = 32
# Verilator does not split signals whose toggles it counts, so a tree within one looks like a combinational loop. Lint without coverage finds real loops.
FLAGS = ["--coverage-line", "--coverage-toggle", "--coverage-user", "--coverage-max-width", str(MAX_WIDTH), "-Wno-UNOPTFLAT"]
SLOWER = 5  # a simulation that counts takes up to so many times the processor time of one that does not
WANTED = 0.95  # of all lines
GENERATED = "generated"  # the folder of files that the generators make
COUNTED = tuple(f"{folder}/" for folder in (*(path.relative_to(ROOT) for path in HARDWARE if path != TEST_KINDS), GENERATED))

_FUNCTION = re.compile(r"\s*function\b.*?(\w+)\s*[(;]")
_FUNCTION_END = re.compile(r"\s*endfunction\b")
_COUNT = re.compile(r"C '(.*)' (\d+)$")
_INSTANCE = re.compile("\1h\2[^\1']*")  # in a line of Verilator's: the name of the instance


def folder() -> Path | None:
    """Where simulations write their counts; None: they do not count."""
    name = os.environ.get(VARIABLE)
    return Path(name) if name else None


def flags() -> list[str]:
    """Further flags for Verilator."""
    return FLAGS if folder() else []


def arguments(name: str) -> list[str]:
    """The argument by which a simulation writes its counts to a file of its own."""
    return [f"+verilator+coverage+file+{there / f'{name}-{uuid4().hex}.dat'}"] if (there := folder()) else []


@dataclass(frozen=True, order=True)
class Place:
    """A line of a source file. file: relative to the checkout, or `generated/<name>`.

    Generated files of one name differ from design to design, so their lines are known by their names instead of their numbers,
    which are 0. names: see `_names_in`; the first is the text.
    """

    file: str
    line: int
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def folder(self) -> str:
        return str(PurePosixPath(self.file).parent)


@dataclass(frozen=True, order=True)
class Point:
    """A cover point, or one direction of a toggle, by name and place."""

    place: Place
    name: str

    def __str__(self) -> str:
        return f"{self.place} {self.name}"


def _file(name: str) -> str:
    path = Path(name) if Path(name).is_absolute() else ROOT / name
    path = Path(os.path.normpath(path))
    for top in (BUILD.resolve(), BUILD):
        if path.is_relative_to(top):
            return f"{GENERATED}/{path.name}"
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name


@cache
def _source(path: str) -> list[str]:
    """The lines of a file; none if it is not there."""
    return Path(path).read_text().splitlines() if Path(path).exists() else []


@cache
def _names_in(path: str, line: int) -> tuple[str, ...]:
    """The names by which an exception may refer to a line: its text, and `function f` if it is a line of a function."""
    lines = _source(path)
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    for earlier in reversed(lines[:line]):
        if _FUNCTION_END.match(earlier) and earlier.strip() != text:
            break
        if found := _FUNCTION.match(earlier):
            return (text, f"function {found[1]}")
    return (text,)


def _is_generated(file: str) -> bool:
    return file.startswith(f"{GENERATED}/")


def _line(path: str, file: str, line: int) -> Place:
    return Place(file, 0, _names_in(path, line)) if _is_generated(file) else Place(file, line)


@cache
def _handwritten() -> frozenset[str]:
    """The modules that no generator makes."""
    return frozenset(modules())


@cache
def _of_test_kinds() -> tuple[str, ...]:
    """How the names of the modules begin that are generated for kinds of tiles of tests."""
    return tuple(f"{path.stem}_" for path in TEST_KINDS.rglob("*.rdl"))


def _of_the_card(file: str) -> bool:
    """Whether a file is RTL of this project's card, rather than of a test bench, of a kind of tile of tests, of what a virtual card has around it, or of a
    package. A file in the build folder with the name of a module written by hand is a copy in which a test has broken something."""
    stem = PurePosixPath(file).stem
    if _is_generated(file) and f"{stem}_".startswith(_of_test_kinds()):
        return False
    return file.startswith(COUNTED) and not file.endswith(("_bench.sv", "/card_sim.sv")) and stem not in PACKAGED and not (_is_generated(file) and stem in _handwritten())


def _lines(text: str) -> Iterator[int]:
    """The numbers in `3,5-7`."""
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


@dataclass
class Report:
    """Merged counts: for each line, cover point and toggle the largest count of any simulation."""

    lines: dict[Place, int] = field(default_factory=dict)
    points: dict[Point, int] = field(default_factory=dict)
    toggles: dict[Point, int] = field(default_factory=dict)

    @staticmethod
    def of(folder: Path) -> Report:
        """The merged counts of the files in a folder. Raises GirihError if there are none."""
        report = Report()
        files = sorted(folder.glob("*.dat"))
        if not files:
            raise GirihError("no simulation has counted coverage", str(folder), "Run tests that simulate.")
        counts: dict[str, int] = {}  # by what a line says without the instance, so that little is left to be read
        for file in files:
            with file.open(errors="replace") as lines:
                for line in lines:
                    what, _, count = _INSTANCE.sub("", line).rpartition(" ")
                    if count.strip().isdigit():
                        _most(counts, what, int(count))
        report.add(f"{what} {count}" for what, count in counts.items())
        return report

    def add(self, text: Iterable[str]) -> None:
        """Merges the lines of one file of Verilator's."""
        for line in text:
            if (found := _COUNT.match(line)) is None:
                continue
            keys = dict(part.split("\2", 1) for part in found[1].split("\1") if "\2" in part)
            file, number, count = _file(keys["f"]), int(keys["l"]), int(found[2])
            if not _of_the_card(file):
                continue
            kind = keys.get("page", "").partition("/")[0]
            if kind in ("v_line", "v_branch"):
                for covered in _lines(keys.get("S", "")):
                    _most(self.lines, _line(keys["f"], file, covered), count)
                continue
            place = Place(file, 0 if _is_generated(file) else number)
            if kind == "v_user":
                _most(self.points, Point(place, keys["o"]), count)
            elif kind == "v_toggle":
                _most(self.toggles, Point(place, keys["o"]), count)

    def missed_lines(self) -> list[Place]:
        return sorted(place for place, count in self.lines.items() if not count)

    def missed_points(self) -> list[Point]:
        return sorted(point for point, count in self.points.items() if not count)

    def table(self) -> list[tuple[str, str, str, str]]:
        """Lines, cover points and toggles by folder, and last in total, each as `hit of all`."""
        folders: defaultdict[str, list[list[int]]] = defaultdict(lambda: [[0, 0], [0, 0], [0, 0]])
        kinds: list[Mapping[Place, int] | Mapping[Point, int]] = [self.lines, self.points, self.toggles]
        for kind, counts in enumerate(kinds):
            for key, count in counts.items():
                where = key if isinstance(key, Place) else key.place
                for name in (where.folder, "all"):
                    folders[name][kind][0] += bool(count)
                    folders[name][kind][1] += 1
        order = [*sorted(name for name in folders if name != "all"), "all"]
        return [(name, *(_share(*hit) for hit in folders[name])) for name in order if name in folders]  # type: ignore[misc]  # always three


def _most(counts: dict, key: object, count: int) -> None:
    counts[key] = max(counts.get(key, 0), count)


def _share(hit: int, of: int) -> str:
    return f"{hit} of {of} ({100 * hit / of:.1f} %)" if of else "-"


def _names(place: Place) -> tuple[str, ...]:
    return place.names or _names_in(str(ROOT / place.file), place.line)


def _text(place: Place) -> str:
    """The text of a line, by which an exception finds it after lines have moved."""
    return _names(place)[0]


def never_simulated(report: Report) -> list[str]:
    """Faults: modules for which no simulation counted anything."""
    seen = {place.file for place in report.lines} | {point.place.file for point in (*report.points, *report.toggles)}
    files = (str(path.relative_to(ROOT)) for path in modules().values())
    return [f"{file}: no test simulates this module" for file in sorted(files) if _of_the_card(file) and file not in seen]


def exceptions() -> dict[str, dict[str, str]]:
    """tests/coverage.yaml: by file, the text of a line, `function f` or the name of a point, and why no test hits it."""
    from ruamel.yaml import YAML

    return (YAML(typ="safe").load(EXCEPTIONS.read_text()) if EXCEPTIONS.exists() else None) or {}


def judge(report: Report, known: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The faults of a whole run: too few lines are hit; a line or point is neither hit nor excepted; an exception has no reason or
    is not needed."""
    faults = []
    missed = {place: _names(place) for place in report.missed_lines()}
    hit, of = len(report.lines) - len(missed), len(report.lines)
    if hit < WANTED * of:
        faults.append(f"{_share(hit, of)} of lines are hit; {100 * WANTED:.0f} % are wanted")
    remedy = f"is never hit: write a test that hits it, or a reason into {EXCEPTIONS.relative_to(ROOT)}"
    for place, names in missed.items():
        if not any(known.get(place.file, {}).get(name) for name in names):
            faults.append(f"{place} `{_text(place)}` {remedy}")
    for point in report.missed_points():
        if not known.get(point.place.file, {}).get(point.name):
            faults.append(f"{point} {remedy}")
    needed = {(place.file, name) for place, names in missed.items() for name in names}
    needed |= {(point.place.file, point.name) for point in report.missed_points()}
    for file, reasons in known.items():
        for name, reason in reasons.items():
            if not reason:
                faults.append(f"{file}: the exception {name!r} has no reason")
            if (file, name) not in needed:
                faults.append(f"{file}: the exception {name!r} is not needed; remove it")
    return faults


def show(report: Report) -> str:
    """The table by folder, then every line and point that was never hit."""
    rows = [("folder", "lines", "cover points", "toggles"), *report.table()]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    out = ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows]
    out += ["", "never hit:"]
    out += [f"  {place}  {_text(place)}" for place in report.missed_lines()]
    out += [f"  {point}" for point in report.missed_points()]
    return "\n".join(out)
