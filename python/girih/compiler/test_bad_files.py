# SPDX-License-Identifier: Apache-2.0
"""Random design files: each is accepted, or refused with errors, within a time limit; and following a remedy ends the error."""

import random
import re
import time
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from girih.compiler import test_errors, test_scheduling
from girih.compiler.check.card import check_file
from girih.compiler.emit.card import emit_card
from girih.compiler.emit.manifest import emit_tables
from girih.compiler.stub_kinds import service_kinds
from girih.errors import GirihError, GirihErrors
from girih.paths import DESIGNS
from girih.spec.kinds import load_kinds

MOST_SECONDS = 2.0  # seconds of CPU for one file; most take a hundredth
MANY = 300
SEEDS = [*range(2), *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(2, 20))]

# Substitutes for a word: values of every type, other features of YAML, and names with another meaning.
WORDS = [
    "0", "-1", "1", "3", "7", "15", "16", "17", "64", "255", "256", "300", "1000", "65535", "65536", "0x10", "1e3", ".nan", ".inf", "~", "''", "true",
    "no", "any", "all", "int", "new", "fabric", "crossbar", "[]", "{}", "[1, 2]", "[[1, 2], [3, 4]]", "{0: 1}", "{a: 1}", "{any: 1}", "echo", "eth_rx",
    "eth_tx", "scheduler", "aes", "host", "02:ff:ff:ff:ff:ff", "10.0.0.1/0", "10.0.0.1/33", "255.255.255.255", "2020-01-01", "!!int abc", "!x y", "*a",
    "&a b", "<<", "? x", "| x", "> x", "%", "@", "`", "'", '"', "{", "}", "[", "]", ",", ":", "-", "#", "\t", "\n", "\r", "\x85", "\u2028", "\ufeff", "é",
    "9" * 30, "9" * 5000, "x" * 300, "[" * 50, "- " * 50, '"\\ud800"', '"\\n"', "...", "---",
]  # fmt: skip
TOKEN = re.compile(r"[A-Za-z0-9_./]+|[^\sA-Za-z0-9_./]|\s+")


def mutated(text: str, chance: random.Random) -> str:
    """One to four changes: of words and marks, of lines, of characters."""
    for _ in range(chance.randint(1, 4)):
        tokens, lines = TOKEN.findall(text), text.splitlines(keepends=True)
        match chance.randrange(6):
            case 0 | 1:
                tokens[chance.randrange(len(tokens))] = chance.choice(WORDS)
                text = "".join(tokens)
            case 2:
                tokens[chance.randrange(len(tokens))] = chance.choice(tokens)
                text = "".join(tokens)
            case 3:
                del tokens[chance.randrange(len(tokens))]
                text = "".join(tokens)
            case 4:
                lines.insert(chance.randrange(len(lines)), chance.choice(lines))
                text = "".join(lines)
            case _:
                del lines[chance.randrange(len(lines))]
                text = "".join(lines)
        text = text or "\n"
    return text


def errors_of(path: Path, text: str, kinds=None) -> list[GirihError]:
    """The errors in a file; the card of a good file is also emitted."""
    path.write_bytes(text.encode(errors="surrogateescape"))
    start = time.process_time()
    try:
        card = check_file(path, kinds)
        emit_card(card, "0")
        emit_tables(card)
        errors: list[GirihError] = []
    except GirihErrors as found:
        errors = found.errors
    except GirihError as found:
        errors = [found]
    took = time.process_time() - start
    assert took < MOST_SECONDS, f"{took:.1f} s for\n{text}"
    for error in errors:
        assert error.where.startswith(str(path))
        assert error.remedy
        str(error).encode()
    return errors


@pytest.mark.parametrize("seed", SEEDS)
def test_each_file_is_a_card_or_has_an_answer(seed, tmp_path):
    load_kinds()
    chance = random.Random(seed)
    texts = [path.read_text() for path in sorted(DESIGNS.glob("*.yaml"))]
    for _ in range(MANY):
        text = mutated(chance.choice(texts), chance)
        try:
            errors_of(tmp_path / "card.yaml", text)
        except Exception:
            print(f"seed {seed}:\n{text}")
            raise


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{a: " * 100_000,
        "- " * 3_000 + "a",
        "\n" * 200_000,
        "# " + "x" * 200_000,
        f"tiles: [{'a, ' * 50_000}]",
        "tiles:\n" + "".join(f"  echo_{i}: {{kind: ecko, next: echp_{i}}}\n" for i in range(5_000)),
        "tiles:\n" + "".join(f"  echo_{i}: {{kind: echo, next: echp_{i}}}\n" for i in range(250)),
        "services:\n" + "".join(f"  s{i}: [unit_{i}]\n" for i in range(2_000)),
        f"chains: {{a: [{', '.join('b' for _ in range(5_000))}]}}",
        "".join(f"key_{i}: 1\n" for i in range(4_000)),
        "a: &a [1, 2]\n" + "".join(f"b{i}: &b{i} [{', '.join([f'*b{i - 1}' if i else '*a'] * 9)}]\n" for i in range(20)),
        "a: &a [1, *a]",
        "name: " + "9" * 100_000,
        "ip: " + "1" * 190 + "/24",
        "fabric: {mesh: [" + "9" * 150 + ", 1]}",
        "fabric: {crossbar: " + "9" * 150 + "}",
    ],
    ids=lambda text: text[:20].replace("\n", " "),
)
def test_what_is_deep_or_large_has_an_answer_soon(text, tmp_path):
    assert errors_of(tmp_path / "card.yaml", text)


def test_a_file_of_many_bytes(tmp_path):
    assert "more than 262,144 bytes" in str(errors_of(tmp_path / "card.yaml", "# " * 200_000)[0])


def test_no_more_errors_than_can_be_read(tmp_path):
    text = test_errors.GOOD + "".join(f"  spare_{i}: {{kind: none}}\n" for i in range(200))
    assert len(errors_of(tmp_path / "card.yaml", text)) == 50


# The forms of remedies, each followed in the line that the error names.
RANGE = re.compile(r"It may be (-?\d+) to (-?\d+)\.$")
GUESS = re.compile(r"^Did you mean ([\w.]+)\?")
LARGER = re.compile(r"^Make it larger, such as fabric: (\{.*?\}),")
WRITE = re.compile(r"^Write ([a-z_]+): (\S+|\{[^{}]*\}|\[[^][]*\])$")
VALUE = r"(?:\[(?:[^][]|\[[^][]*\])*\]|\{[^{}]*\}|[^,{}\n]+)"


def followed(text: str, error: GirihError) -> list[list[str]]:
    """The files that result from following a remedy, with alternatives where the line does not tell which word is
    meant; none for a remedy that leaves the choice to the reader."""
    number = int(error.where.rpartition(":")[2]) - 1
    lines = text.splitlines()

    def with_word(old: str, new: str) -> list[str]:
        words = re.finditer(rf"(?<![\w.]){re.escape(old)}(?![\w.])", lines[number])
        return [with_line(lines[number][: word.start()] + new + lines[number][word.end() :]) for word in words]

    def with_line(line: str) -> str:
        return "\n".join([*lines[:number], line, *lines[number + 1 :], ""])

    if found := RANGE.search(error.remedy):
        values = [*re.findall(r" is (\S+?)[,;]", error.what), *re.findall(r"-?\b\d+\b", error.what)]
        return [[better for value in values for better in with_word(value, limit)] for limit in found.groups()]
    if found := LARGER.search(error.remedy):
        return [[with_line(f"fabric: {found[1]}")]]
    if found := GUESS.search(error.remedy):
        return [[better for word in set(re.findall(r"[\w.]+", error.what)) for better in with_word(word, found[1])]]
    if (found := WRITE.search(error.remedy)) and re.search(rf"\b{found[1]}:", lines[number]):
        return [[with_line(re.sub(rf"\b{found[1]}:[ ]*{VALUE}", f"{found[1]}: {found[2]}", lines[number], count=1))]]
    return []


def mistakes():
    for file, good, kinds in (("mistakes", test_errors.GOOD, None), ("mistakes_services", test_scheduling.GOOD, service_kinds())):
        for mistake in YAML(typ="safe").load(Path(__file__).with_name(f"{file}.yaml")):
            text = good
            for old, new in mistake["change"]:
                text = text.replace(old, new, 1)
            yield text, kinds


def test_what_a_remedy_says_helps(tmp_path):
    """Wherever an answer names a value or a word, writing that ends the error."""
    path, count = tmp_path / "card.yaml", 0
    for text, kinds in mistakes():
        for error in errors_of(path, text, kinds):
            for alternatives in followed(text, error):
                left = [errors_of(path, better, kinds) for better in alternatives]
                assert any((error.what, error.where) not in [(e.what, e.where) for e in errors] for errors in left), f"{error}\n{text}"
                if LARGER.search(error.remedy):
                    assert not any("do not fit" in e.what for errors in left for e in errors), f"{error}\n{text}"
                count += 1
    assert count > 60
