# SPDX-License-Identifier: Apache-2.0
"""First pass: makes a tree from the text of a design file, or of another file in the same YAML, in which every part has its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent, CollectionEndEvent, NodeEvent, ScalarEvent, SequenceStartEvent
from ruamel.yaml.nodes import ScalarNode

from girih.errors import GirihError, GirihErrors

DEEPEST = 8  # levels of nesting; no design needs half of them
MOST_VALUES = 10_000  # keys, values and lists in a file, aliases written out; the largest card needs half of them
MOST_CHARACTERS = 200  # in a value
MOST_BYTES = 256 << 10  # in a file
MOST_ERRORS = 50  # shown in one run
YAML_REMEDY = "Look for a missing bracket, quote or colon, or a colon without a space after it, here or just above."
NO_SPACE = re.compile(r"([a-z_][a-z0-9_]*):(\S.*)", re.DOTALL)  # kind:echo, which YAML takes for one word


@dataclass(frozen=True)
class FileSort:
    """What a file describes, for messages. example: such a file. find, needs, start: remedies for one that does not exist, is empty, or is no mapping."""

    thing: str
    example: str
    find: str
    needs: str
    start: str

    @property
    def name(self) -> str:
        return f"{self.thing} file"


DESIGN_FILE = FileSort(
    thing="design",
    example="designs/demo.yaml",
    find="./girih list lists the designs of this repository.",
    needs="A design needs at least a fabric and tiles; designs/udp_echo.yaml is an example.",
    start="Start it with name: my_card",
)


@dataclass(frozen=True)
class Scalar:
    """A plain value. text: as it was written. value: None, bool, int, float or str."""

    line: int
    text: str
    value: object


@dataclass(frozen=True)
class Seq:
    line: int
    items: tuple[Tree, ...]


@dataclass(frozen=True)
class Map:
    line: int
    entries: tuple[tuple[Scalar, Tree], ...]


Tree = Scalar | Seq | Map


@dataclass
class Report:
    """Collects the errors in one file, so that all independent ones are shown."""

    file: str
    errors: list[tuple[int, GirihError]] = field(default_factory=list)

    def error(self, line: int, what: str, remedy: str) -> None:
        self.errors.append((line, GirihError(what, f"{self.file}:{line}", remedy)))
        if len(self.errors) >= MOST_ERRORS:
            self.raise_if_any()

    def fail(self, line: int, what: str, remedy: str) -> NoReturn:
        """Reports an error after which nothing can be read."""
        self.error(line, what, remedy)
        self.raise_if_any()
        raise AssertionError("there is an error")

    def raise_if_any(self) -> None:
        """Raises the errors collected, in the order of their lines."""
        found = [error for _, error in sorted(self.errors, key=lambda entry: entry[0])]
        if len(found) == 1:
            raise found[0]
        if found:
            raise GirihErrors(found)


def read_text(path: Path, sort: FileSort = DESIGN_FILE) -> str:
    """The text of a file. Raises GirihError if it cannot be read."""
    if not path.exists():
        raise GirihError("there is no such file", str(path), sort.find)
    if not path.is_file():
        raise GirihError("this is not a file", str(path), f"Name a {sort.name}, such as {sort.example}.")
    try:
        if path.stat().st_size > MOST_BYTES:
            raise GirihError(f"the file has more than {MOST_BYTES:,} bytes", str(path), f"Is it a {sort.name}? No {sort.thing} needs that many.")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise GirihError("this is not UTF-8 text", f"{path}:{line}", f"A {sort.name} is YAML, in UTF-8.") from error
    except OSError as error:
        raise GirihError(f"the file cannot be read: {error.strerror}", str(path), "Check its permissions.") from error


def parse(text: str, report: Report, sort: FileSort = DESIGN_FILE) -> Map:
    """The tree of a file. Raises GirihError(s) if it is not YAML or not a mapping."""
    try:
        tree = _Reader(text, report, sort).document()
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        context = f"{error.context}, " if error.context else ""
        tab = "'\\t'" in str(error.problem)
        report.fail(
            min(mark.line + 1, text.count("\n") + 1) if mark else 1,
            f"this is not YAML: {context}{error.problem}",
            "Indent with spaces; YAML takes no tabs." if tab else YAML_REMEDY,
        )
    except YAMLError as error:
        line = text[: getattr(error, "position", 0)].count("\n") + 1
        report.fail(line, "this is not YAML: a control character", f"Remove it; a {sort.name} is plain text.")
    if tree is None:
        report.fail(1, "the file is empty", sort.needs)
    if not isinstance(tree, Map):
        report.fail(tree.line, f"a {sort.name} is a mapping of keys to values", sort.start)
    report.raise_if_any()
    assert isinstance(tree, Map)
    return tree


class _Reader:
    """Builds the tree from the YAML library's events, and stops at the first feature that no file needs.

    It thus refuses deep or large files before they cost time or memory.
    """

    def __init__(self, text: str, report: Report, sort: FileSort):
        self.yaml, self.report, self.sort = YAML(typ="safe", pure=True), report, sort
        self.events = self.yaml.parse(text)
        self.anchors: dict[str, tuple[Tree, int]] = {}  # each with its number of values
        self.values = 0

    def document(self) -> Tree | None:
        """The only document of the file; None if there is none."""
        tree = None
        for event in self.events:
            if isinstance(event, NodeEvent):
                line = event.start_mark.line + 1
                if tree is not None:
                    self.report.fail(line, "this is a second document", f"Remove the --- above it; a {self.sort.name} has one document.")
                tree = self.tree(event, 0)
        return tree

    def tree(self, event: NodeEvent, depth: int) -> Tree:
        line = event.start_mark.line + 1
        if depth > DEEPEST:
            self.report.fail(line, "the file is nested too deeply", f"A {self.sort.thing} needs no more than {DEEPEST} levels.")
        if isinstance(event, AliasEvent):
            return self.alias(event.anchor, line)
        before = self.values
        self.count(1, line)
        tag = getattr(event, "tag", None)  # every event but an alias has one
        if tag is not None:
            tag = str(tag).replace("tag:yaml.org,2002:", "!!")
            self.report.fail(line, f"{tag} is a tag, which {self.sort.name}s do not support", "Remove it.")
        if isinstance(event, ScalarEvent):
            tree: Tree = self.scalar(event, line)
        elif isinstance(event, SequenceStartEvent):
            tree = Seq(line, tuple(self.tree(item, depth + 1) for item in self.items()))
        else:
            tree = self.map(line, depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = tree, self.values - before
        return tree

    def items(self) -> Iterator[NodeEvent]:
        """The content of a list or a mapping, up to its end."""
        for event in self.events:
            if isinstance(event, CollectionEndEvent):
                return
            yield event

    def alias(self, name: str, line: int) -> Tree:
        if name not in self.anchors:
            self.report.fail(line, f"the alias *{name} has no anchor", f"Mark its value with &{name} above it, or quote the word.")
        tree, values = self.anchors[name]
        self.count(values, line)
        return tree

    def count(self, values: int, line: int) -> None:
        self.values += values
        if self.values > MOST_VALUES:
            self.report.fail(line, f"the file has more than {MOST_VALUES:,} values, aliases written out", "No card needs as many; remove some.")

    def map(self, line: int, depth: int) -> Map:
        entries: dict[object, tuple[Scalar, Tree]] = {}
        items = self.items()
        for event in items:
            key, value = self.tree(event, depth + 1), self.tree(next(items), depth + 1)
            if not isinstance(key, Scalar):
                self.report.error(key.line, "a key must be a plain word or number", "Write key: value")
                continue
            if isinstance(value, Scalar) and not value.text and (parts := NO_SPACE.fullmatch(key.text)):
                self.report.error(key.line, f"{key.text} has no space after the colon", f"Write {parts[1]}: {parts[2]}")
            if key.text == "<<":
                self.report.error(key.line, f"<< merges mappings, which {self.sort.name}s do not support", "Write out the merged keys.")
            identity = key.value if isinstance(key.value, int) and not isinstance(key.value, bool) else key.text  # 0x7 is 7
            if identity in entries:
                first = entries[identity][0]
                also = f" as {first.text}" if first.text != key.text else ""
                self.report.error(key.line, f"{key.text} is given twice, first{also} in line {first.line}", "Keep one of the two.")
                continue
            if not isinstance(value, Scalar) or value.text == "":  # its line is that of its key
                value = replace(value, line=key.line)
            entries[identity] = key, value
        return Map(line, tuple(entries.values()))

    def scalar(self, event: ScalarEvent, line: int) -> Scalar:
        """Numbers, flags and null become Python values; everything else is text."""
        text: str = event.value
        if len(text) > MOST_CHARACTERS:
            self.report.fail(line, f"{text[:20]!r}… has {len(text):,} characters", f"A value has {MOST_CHARACTERS} at most.")
        if not text.isprintable():
            self.report.fail(line, f"the value {text!r:.60} has a line break or another control character", "Write it in one line of plain text.")
        tag = self.yaml.resolver.resolve(ScalarNode, text, event.implicit)
        value = text
        if str(tag).rpartition(":")[2] in ("null", "bool", "int", "float"):
            value = self.yaml.constructor.construct_object(ScalarNode(tag, text, event.start_mark, event.end_mark))
        return Scalar(line, text, value)
