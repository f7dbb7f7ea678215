# SPDX-License-Identifier: Apache-2.0
"""A kind may name only the buffering and waits that the deadlock proof knows."""

import re

import pytest

from girih.spec.kinds import load_kinds, read_kind

TEXT = "kind: echo\nsummary: none\nengine: echo_engine\nuses: []\nbuffering: cut_through\nnext:\n  key: port\n"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("cut_through", "none", "buffering is none; it must be one of cut_through, store_and_forward, drops, sink"),
        ("next:", "waits: [long]\nnext:", "waits names long; it may name reply, control, data"),
        ("next:", "lossless: always\nnext:", "lossless is always, which its configuration does not have"),
    ],
)
def test_what_the_proof_does_not_know_is_refused(old, new, complaint, tmp_path):
    (tmp_path / "echo.rdl").write_text(load_kinds()["echo"].rdl.read_text())
    kind = tmp_path / "echo.yaml"
    kind.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(ValueError, match=re.escape(f"{kind}: {complaint}") + "$"):
        read_kind(kind)


def test_a_kind_that_drops_says_how_much():
    """What ends a wait is counted, so that nothing is lost silently."""
    for kind in load_kinds().values():
        if kind.buffering == "drops":
            assert any(counter.name.startswith("drop_") and counter not in kind.shell_counters for counter in kind.counters), kind.name
