# SPDX-License-Identifier: Apache-2.0
"""Files that are replaced as a whole."""

import stat
from pathlib import Path

import pytest

from girih.errors import GirihError
from girih.whole_file import draft_of, write_whole


def test_a_file_that_is_replaced_keeps_its_rights(tmp_path):
    path = tmp_path / "card.yaml"
    path.write_text("old")
    path.chmod(0o640)
    write_whole(path, "new")
    assert path.read_text() == "new" and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_draft_with_mistakes_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "card.yaml"
    path.write_text("old")
    with pytest.raises(GirihError, match="a mistake"), draft_of(path, suffix=".yaml") as draft:
        draft.write_text("new")
        assert draft.parent == tmp_path and draft.suffix == ".yaml"
        raise GirihError("a mistake")
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_a_folder_is_not_replaced(tmp_path):
    with pytest.raises(GirihError, match="this is not a file that can be replaced"):
        write_whole(tmp_path, "new")
    with pytest.raises(GirihError, match=r"the design cannot be written \(No such file or directory\)"), draft_of(tmp_path / "none" / "a", "design") as draft:
        draft.write_text("new")


def test_what_is_no_file_is_written_to():
    write_whole(Path("/dev/null"), "text")
    with pytest.raises(GirihError, match=r"the file cannot be written \(No space left on device\)"):
        write_whole(Path("/dev/full"), "text")
