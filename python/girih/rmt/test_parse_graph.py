# SPDX-License-Identifier: Apache-2.0
"""Parse graphs: the program of the shipped graph, and the messages for invalid graphs. The hardware that
runs the programs is tested in rtl/rmt."""

import pytest

from girih.errors import GirihError
from girih.rmt import program as fmt
from girih.rmt.parse_graph import SHIPPED, Piece, compile_graph, load_graph
from girih.spec.windows import offset

CONTROL, COMMIT = offset("parser_window", "control"), offset("parser_window", "commit")


def test_the_shipped_graph_fits():
    program = compile_graph(load_graph())
    assert len(program.fronts) <= fmt.size("Fronts") and len(program.paths) <= fmt.size("Paths")
    assert program.fields["udp.dst"] == [Piece(14, 15, 0)]
    assert program.fields["vlan.vid"] == [Piece(4, 27, 16)]
    assert [piece.word for piece in program.fields["ethernet.dst"]] == [0, 1]
    assert program.hides["ipv4.tos"] == {"vxlan"} and not program.hides["ipv4.src"]
    assert len(set(program.headers.values())) == len(program.headers)


def test_a_program_is_loaded_with_the_parser_off():
    writes = compile_graph(load_graph()).writes()
    assert writes[0] == (CONTROL, 0) and writes[-1] == (CONTROL, 1)
    assert all(0 <= at < fmt.WINDOW_BYTES and at % 4 == 0 and 0 <= value < 1 << 32 for at, value in writes)
    commits = [value for at, value in writes if at == COMMIT]
    assert len(commits) == len(set(commits)) == fmt.size("Fronts") + 2 * fmt.size("Paths")
    assert writes == compile_graph(load_graph()).writes()


def test_entries_are_stored_as_they_are_though_words_stay_staged():
    """Each word of an entry is what was last staged there, and none is left from the reset."""
    program = compile_graph(load_graph())
    wanted = {
        (0, "front_entry"): program.fronts,
        (1, "path_entry"): [entry for entry, _ in program.paths],
        (2, "path_action"): [action for _, action in program.paths],
    }
    staged: dict[int, int] = {}
    stored = {}
    for at, value in program.writes():
        if at == COMMIT:
            stored[value >> 8, value & 0xFF] = dict(staged)
        elif at != CONTROL:
            staged[(at - offset("parser_window", "staging")) // 4] = value
    for (kind, struct), entries in wanted.items():
        for index in range(fmt.size("Fronts" if kind == 0 else "Paths")):
            words = stored[kind, index]
            number = fmt.encode(struct, entries[index] if index < len(entries) else {})
            assert [words[word] for word in range(-(-fmt.bits(struct) // 32))] == [number >> 32 * word & 0xFFFFFFFF for word in range(-(-fmt.bits(struct) // 32))]


@pytest.mark.parametrize(
    "old, new, complaint",
    [
        ("17: udp, 50: esp}", "17: ump, 50: esp}", "is followed by ump"),
        ("bytes: 8", "bytes: 7", "has an odd size"),
        ("link: [ethernet, vlan]", "link: [vlan, ethernet]", "the first link header is not `start`"),
        ("[0, ethernet, 0]", "[16, ethernet, 0]", "word 16 of ethernet"),
        ("{select: dst, cases: {4789: vxlan}}", "{select: sequence, cases: {4789: vxlan}}", "lies in two halfwords"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, old, new, complaint):
    text = SHIPPED.read_text()
    assert old in text
    ports = "src: [0, 16], dst: [16, 16], length"
    text = text.replace(f"fields: {{{ports}", f"fields: {{sequence: [8, 16], {ports}")
    path = tmp_path / "graph.yaml"
    path.write_text(text.replace(old, new))
    with pytest.raises(GirihError, match=complaint):
        compile_graph(load_graph(path))
