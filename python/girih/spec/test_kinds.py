# SPDX-License-Identifier: Apache-2.0
"""A kind may name only the buffering and waits that the deadlock proof knows."""

import re

import pytest

from girih.spec import kinds
from girih.spec.kinds import load_kind, load_kinds, read_kind

FEW = ("arp", "echo", "unit_null")  # kinds that stand for all where each is read several times
TEXT = "kind: echo\nsummary: none\nengine: echo_engine\nuses: []\nbuffering: cut_through\nnext:\n  key: port\n"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("cut_through", "none", "buffering is none; it must be one of cut_through, store_and_forward, drops, sink"),
        ("next:", "waits: [long]\nnext:", "waits names long; it may name reply, control, data, request"),
        ("next:", "reads: [wings]\nnext:", "reads names wings; it may name route, chain, meta, network, transport, payload, payload_sum, timing, memory, stream"),
        ("next:", "lossless: always\nnext:", "lossless is always, which its configuration does not have"),
    ],
)
def test_what_the_proof_does_not_know_is_refused(old, new, complaint, tmp_path):
    (tmp_path / "echo.rdl").write_text(load_kinds()["echo"].rdl.read_text())
    kind = tmp_path / "echo.yaml"
    kind.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(ValueError, match=re.escape(f"{kind}: {complaint}") + "$"):
        read_kind(kind)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("writes: [route]\n", "", "a kind that sends replies sends them by a source route; write writes: [route]"),
        ("replies: sends", "replies: both", "a kind that takes replies sends requests; write fabric: out or both"),
        ("buffering:", "waits: [reply]\nbuffering:", "a kind that takes no replies does not wait for them; remove reply from waits"),
    ],
)
def test_a_kind_that_answers_can_do_so(old, new, complaint, tmp_path):
    responder = load_kinds()["responder"]
    (tmp_path / "responder.rdl").write_text(responder.rdl.read_text())
    kind = tmp_path / "responder.yaml"
    assert old in responder.yaml.read_text()
    kind.write_text(responder.yaml.read_text().replace(old, new, 1))
    with pytest.raises(ValueError, match=re.escape(f"{kind}: {complaint}") + "$"):
        read_kind(kind)


def test_a_word_leads_to_kinds_that_exist_and_take_messages():
    """Else no design could satisfy the rule."""
    kinds = load_kinds()
    wanted = {(kind.name, name) for kind in kinds.values() if kind.next for names in kind.next.leads_to.values() for name in names}
    assert wanted and {(kind, name) for kind, name in wanted if name not in kinds or not kinds[name].has_input} == set()


def test_a_key_of_a_tile_has_one_meaning(tmp_path):
    unit = load_kinds()["unit_core"]
    for name in ("unit_core", "unit_registers"):
        (tmp_path / f"{name}.rdl").write_text(unit.rdl.with_stem(name).read_text())
    kind = tmp_path / "unit_core.yaml"
    kind.write_text(unit.yaml.read_text().replace("core_slots:", "slots:"))
    with pytest.raises(ValueError, match=re.escape(f"{kind}: slots is both a parameter and a register of the configuration")):
        read_kind(kind)


def test_a_compute_unit_has_no_replies(tmp_path):
    """Its requests would be missing from the graph of the deadlock proof."""
    unit = load_kinds()["unit_null"]
    for name in ("unit_null", "unit_registers"):
        (tmp_path / f"{name}.rdl").write_text(unit.rdl.with_stem(name).read_text())
    kind = tmp_path / "unit_null.yaml"
    kind.write_text(unit.yaml.read_text() + "replies: takes\n")
    with pytest.raises(ValueError, match=re.escape(f"{kind}: a compute unit neither asks nor answers by replies; remove replies")):
        read_kind(kind)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [("uses: [window, now]", "uses: [window, now, credits_in, axis_in]", "axis_in, credits_in"), ("programs:", "interrupts: {late: nothing}\nprograms:", "interrupts of its own")],
)
def test_a_kind_that_runs_programs_uses_what_crosses_to_another_clock(old, new, what, tmp_path):
    core = load_kinds()["core"]
    (tmp_path / "core.rdl").write_text(core.rdl.read_text())
    kind = tmp_path / "core.yaml"
    kind.write_text(core.yaml.read_text().replace(old, new, 1))
    with pytest.raises(ValueError, match=re.escape(f"{kind}: a kind with programs may have a clock of its own, which {what} cannot cross; remove it, or programs")):
        read_kind(kind)


def test_a_kind_has_a_core_or_a_stream(tmp_path):
    unit = load_kinds()["unit_null"]
    for name in ("unit_null", "unit_registers"):
        (tmp_path / f"{name}.rdl").write_text(unit.rdl.with_stem(name).read_text())
    kind = tmp_path / "unit_null.yaml"
    kind.write_text(unit.yaml.read_text() + "stream: {module: stun_server}\n")
    with pytest.raises(ValueError, match=re.escape(f"{kind}: a kind has a core or a stream; remove one of them")):
        read_kind(kind)


@pytest.mark.parametrize(("stream", "fault"), [("{tid: true}", "has no module"), ("{module: stun_server, tuer: true}", "has tuer")])
def test_a_stream_has_a_module_and_no_unknown_key(tmp_path, stream, fault):
    kind = tmp_path / "mine.yaml"
    kind.write_text(f"kind: mine\nsummary: nothing\nstream: {stream}\n")
    with pytest.raises(ValueError, match=f"kind mine: stream {fault}; it has a module, and may have width, tid, tuser"):
        read_kind(kind)


def test_a_kind_that_drops_says_how_much():
    """A drop that ends a wait is counted, so that nothing is lost silently."""
    for kind in load_kinds().values():
        if kind.buffering == "drops":
            assert any(counter.name.startswith("drop_") and counter not in kind.shell_counters for counter in kind.counters), kind.name


@pytest.fixture
def reads(tmp_path, monkeypatch):
    """Lists the descriptions that are read; kinds are `FEW`, kept in a folder of the test's own. `forget()` acts like a new process."""
    read: list[str] = []

    def counted(path):
        read.append(path.stem)
        return read_kind(path)

    def forget():
        for function in (kinds._file, kinds._kept, kinds._all, kinds.load_kind):
            function.cache_clear()
        read.clear()

    some = {name: path for name, path in kinds._descriptions().items() if name in FEW}
    monkeypatch.setattr(kinds, "BUILD", tmp_path / "build")
    monkeypatch.setattr(kinds, "_descriptions", lambda: some)
    monkeypatch.setattr(kinds, "read_kind", counted)
    forget()
    yield read, forget
    monkeypatch.undo()
    forget()


def test_kinds_are_read_once_for_each_content_of_their_files(reads, tmp_path, monkeypatch):
    read, forget = reads
    assert load_kind("echo") == read_kind(kinds._descriptions()["echo"]) and read == ["echo"]
    first = load_kinds()
    assert set(first) == {*read}
    card = kinds.card_registers()
    forget()
    assert (load_kinds(), kinds.card_registers(), load_kind("echo")) == (first, card, first["echo"]) and not read
    (one,) = (tmp_path / "build" / "kinds").iterdir()
    for damaged in (one.read_bytes()[:100], b"", b"garbage\n"):
        one.write_bytes(damaged)
        forget()
        assert load_kinds() == first and len(read) == len(first)
    changed = tmp_path / "changed.yaml"
    for text in ("a", "b"):
        changed.write_text(text)
        monkeypatch.setattr(kinds, "_made_from", lambda: [changed])
        forget()
        assert load_kinds() == first and len(read) == len(first)


def test_kinds_are_read_where_nothing_can_be_written(reads, tmp_path):
    (tmp_path / "build").write_text("a file")
    assert load_kinds() and len(reads[0]) == len(load_kinds())
