# SPDX-License-Identifier: Apache-2.0
"""Every mistake in a design file is answered with file, line, fault and remedy, word for word."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from girih.compiler.check.card import check_file
from girih.compiler.values import listing
from girih.errors import GirihError, GirihErrors
from girih.firmware.compile import compile_program
from girih.spec.kinds import load_kinds

GOOD = """\
name: card_1
fabric: {mesh: [4, 2]}
mac: 02:67:69:72:69:68
ip: 10.77.0.2/24
tiles:
  eth_rx: {kind: eth_rx, at: [0, 0], next: {ipv4: ip_rx}}
  ip_rx: {kind: ipv4_rx, at: [1, 0], next: {udp: udp_rx}}
  udp_rx: {kind: udp_rx, at: [2, 0], next: {7: echo}}
  echo: {kind: echo, at: [3, 0], next: udp_tx}
  udp_tx: {kind: udp_tx, at: [3, 1], next: ip_tx}
  ip_tx: {kind: ipv4_tx, at: [2, 1], next: eth_tx}
  eth_tx: {kind: eth_tx, at: [1, 1], reflect: true}
"""
MISTAKES = YAML(typ="safe").load(Path(__file__).with_name("mistakes.yaml"))


def answer(folder, content, kinds=None):
    """The message about a design file; its path is cut down to the file's name."""
    path = folder / "card.yaml"
    path.write_bytes(content)
    with pytest.raises(GirihError) as caught:
        check_file(path, kinds)
    return str(caught.value).replace(f"{folder}/", "")


def test_the_good_card_is_good(tmp_path):
    path = tmp_path / "card.yaml"
    path.write_text(GOOD)
    assert [tile.name for tile in check_file(path).tiles][:2] == ["eth_rx", "ip_rx"]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake["name"])
def test_mistake(mistake, tmp_path):
    text = GOOD
    for old, new in mistake["change"]:
        assert old in text
        text = text.replace(old, new, 1)
    expected = "\n".join(mistake["answer"]).replace("KINDS", listing(load_kinds(), "and"))
    assert answer(tmp_path, text.encode()) == expected


def test_mistakes_have_different_names():
    names = [mistake["name"] for mistake in MISTAKES]
    assert len(set(names)) == len(names)


def test_independent_mistakes_are_all_answered_in_order(tmp_path):
    text = GOOD.replace("kind: echo", "kind: ecko").replace("ip: 10.77.0.2/24", "ip: 10.77.0.2/40").replace("[1, 1]", "[1, 0]")
    lines = answer(tmp_path, text.encode()).splitlines()
    assert [line.split(": ")[0] for line in lines] == ["card.yaml:4", "card.yaml:9", "card.yaml:12"]


def test_width_that_a_tile_cannot_take(tmp_path):
    kinds = dict(load_kinds())
    kinds["echo"] = replace(kinds["echo"], widths=(128, 256))
    assert answer(tmp_path, GOOD.encode(), kinds) == (
        "card.yaml:9: tile echo of kind echo cannot be 512 bits wide. It takes a card of width 128 or 256."
    )


@pytest.mark.parametrize("content", [b"", b"# only a comment\n"])
def test_empty_file(content, tmp_path):
    assert answer(tmp_path, content) == (
        "card.yaml:1: the file is empty. A design needs at least a fabric and tiles; designs/udp_echo.yaml is an example."
    )


@pytest.mark.parametrize("content", [b"- a\n", b"card\n"])
def test_not_a_mapping(content, tmp_path):
    assert answer(tmp_path, content) == (
        "card.yaml:1: a design file is a mapping of keys to values. Start it with name: my_card"
    )


def test_not_text(tmp_path):
    assert answer(tmp_path, b"name: a\nip: \xff\n") == (
        "card.yaml:2: this is not UTF-8 text. A design file is YAML, in UTF-8."
    )


def test_no_such_file(tmp_path):
    with pytest.raises(GirihError) as caught:
        check_file(tmp_path / "none.yaml")
    assert str(caught.value) == f"{tmp_path}/none.yaml: there is no such file. ./girih list lists the designs of this repository."


def test_not_a_file(tmp_path):
    with pytest.raises(GirihError) as caught:
        check_file(tmp_path)
    assert str(caught.value) == f"{tmp_path}: this is not a file. Name a design file, such as designs/demo.yaml."


def test_more_tiles_than_node_numbers(tmp_path):
    spare = "".join(f"  echo_{i}: {{kind: echo, next: udp_tx}}\n" for i in range(300))
    text = "\n".join(line for line in GOOD.splitlines()).replace("{mesh: [4, 2]}", "crossbar")
    for x, y in ((0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (2, 1), (1, 1)):
        text = text.replace(f", at: [{x}, {y}]", "")
    assert answer(tmp_path, (text + "\n" + spare).encode()) == (
        "card.yaml:5: the card has 307 tiles. It may have 255: a node number has eight bits."
    )


def test_several_errors_are_one_exception():
    errors = GirihErrors([GirihError("a", "f:1", "B."), GirihError("c", "f:2", "D.")])
    assert str(errors) == "f:1: a. B.\nf:2: c. D."


def test_a_program_that_is_no_regular_file(tmp_path):
    """A pipe is a file, so its error must not say that it does not exist. The compiler is not called."""
    os.mkfifo(tmp_path / "pipe.c")
    (tmp_path / "folder.c").mkdir()
    for name in ("pipe.c", "folder.c"):
        text = GOOD.replace("kind: echo", f"kind: core, program: {name}")
        assert answer(tmp_path, text.encode()) == (
            f"card.yaml:9: the program of tile echo, {name}, is not a regular file. Name a file of C, relative to the design file, or one of firmware/programs."
        )
        with pytest.raises(GirihError, match=rf"{name}: the program is not a regular file\. Name a file of C\.$"):
            compile_program(tmp_path / name, memory_bytes=32768)
    with pytest.raises(GirihError, match=r"none\.c: the program does not exist\. Name a file of C\.$"):
        compile_program(tmp_path / "none.c", memory_bytes=32768)
