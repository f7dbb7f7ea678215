# SPDX-License-Identifier: Apache-2.0
"""First pass: the text of a design file becomes a tree in which every part knows its line."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from girih.errors import GirihError, GirihErrors

DEEPEST = 8  # levels of nesting; no design needs half of them


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
    """Collects the errors of a run about one file, so that independent ones are all shown."""

    file: str
    errors: list[tuple[int, GirihError]] = field(default_factory=list)

    def error(self, line: int, what: str, remedy: str) -> None:
        self.errors.append((line, GirihError(what, f"{self.file}:{line}", remedy)))

    def raise_if_any(self) -> None:
        """Raises the errors collected, in the order of their lines."""
        found = [error for _, error in sorted(self.errors, key=lambda entry: entry[0])]
        if len(found) == 1:
            raise found[0]
        if found:
            raise GirihErrors(found)


def read_text(path: Path) -> str:
    """The text of a design file. Raises GirihError when it cannot be read."""
    if not path.exists():
        raise GirihError("there is no such file", str(path), "./girih list shows the designs that there are.")
    if not path.is_file():
        raise GirihError("this is not a file", str(path), "Name a design file, such as designs/demo.yaml.")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise GirihError("this is not UTF-8 text", f"{path}:{line}", "A design file is YAML, in UTF-8.") from error
    except OSError as error:
        raise GirihError(f"the file cannot be read: {error.strerror}", str(path), "Check its permissions.") from error


def parse(text: str, report: Report) -> Map:
    """The tree of a design file. Raises GirihError(s) for what is not YAML or not a mapping."""
    root = _compose(text, report)
    if root is None:
        report.error(1, "the file is empty", "A design needs at least a fabric and tiles; designs/udp_echo.yaml is an example.")
        report.raise_if_any()
    if not isinstance(root, MappingNode):
        report.error(root.start_mark.line + 1, "a design file is a mapping of keys to values", "Start it with name: my_card")
        report.raise_if_any()
    tree = _convert(root, report, 0)
    report.raise_if_any()
    assert isinstance(tree, Map)
    return tree


def _compose(text: str, report: Report) -> Node | None:
    try:
        return YAML().compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        context = f"{error.context}, " if error.context else ""
        report.error(
            min(mark.line + 1, text.count("\n") + 1) if mark else 1,
            f"this is not YAML: {context}{error.problem}",
            "Look for a missing bracket, quote or colon, here or just above.",
        )
    except YAMLError as error:
        line = text[: getattr(error, "position", 0)].count("\n") + 1
        report.error(line, "this is not YAML: a control character", "Remove it; a design file is plain text.")
    except RecursionError:
        report.error(1, "the file is nested too deeply", f"A design needs no more than {DEEPEST} levels.")
    report.raise_if_any()
    return None


def _convert(node: Node, report: Report, depth: int) -> Tree:
    line = node.start_mark.line + 1
    if depth > DEEPEST:
        report.error(line, "the file is nested too deeply", f"A design needs no more than {DEEPEST} levels.")
        return Scalar(line, "", None)
    if isinstance(node, ScalarNode):
        return Scalar(line, node.value, _value(node))
    if not isinstance(node, MappingNode):
        return Seq(line, tuple(_convert(item, report, depth + 1) for item in node.value))
    entries: dict[str, tuple[Scalar, Tree]] = {}
    for key_node, value_node in node.value:
        key = _convert(key_node, report, depth + 1)
        if not isinstance(key, Scalar):
            report.error(key.line, "a key must be a plain word or number", "Write key: value")
        elif key.text in entries:
            first = entries[key.text][0].line
            report.error(key.line, f"{key.text} is given twice, first in line {first}", "Keep one of the two.")
        else:
            value = _convert(value_node, report, depth + 1)
            if not isinstance(value, Scalar) or value.text == "":  # it is where its key is
                value = replace(value, line=key.line)
            entries[key.text] = (key, value)
    return Map(line, tuple(entries.values()))


def _value(node: ScalarNode) -> object:
    kind = str(node.tag).rpartition(":")[2]
    text = node.value
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() == "true"
    if kind == "int":
        digits = text.replace("_", "")
        return int(digits, 0 if digits.lstrip("+-")[:2].lower() in ("0x", "0o", "0b") else 10)
    if kind != "float":
        return text
    plain = text.lower().replace("_", "")
    return float(plain.replace(".", "") if plain.endswith((".inf", ".nan")) else plain)
