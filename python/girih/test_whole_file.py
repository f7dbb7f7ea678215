# SPDX-License-Identifier: Apache-2.0
"""Files that are replaced as a whole, and places where one can be written."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from girih.errors import GirihError
from girih.whole_file import check_place, draft_of, write_whole


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


@contextmanager
def without_rights() -> Iterator[None]:
    """Has the system ask whether nobody may, where the tests run as root, who may all."""
    user = os.getuid()
    os.setreuid(65534 if user == 0 else user, -1)
    try:
        yield
    finally:
        os.setreuid(user, -1)


def test_a_place_where_nothing_can_be_written_is_refused(tmp_path):
    """A link is judged by where it leads. Nothing is made, nor changed."""
    (tmp_path / "old").write_text("old")
    (tmp_path / "link").symlink_to("none/new")
    for place in ("new", "old"):
        check_place(tmp_path / place)
    for place in ("", "none/new", "old/new", "link"):
        with pytest.raises(GirihError, match="the rows cannot be written there: "):
            check_place(tmp_path / place, "rows")
    check_place(tmp_path / "none" / "none" / "new", folders=True)
    with pytest.raises(GirihError, match="the file cannot be written there: "):
        check_place(tmp_path / "old" / "none" / "new", folders=True)
    check_place(Path("/dev/null"))
    (tmp_path / "old").chmod(0o400)
    tmp_path.chmod(0o500)
    with without_rights():
        for place in ("new", "old"):
            with pytest.raises(GirihError, match="the file cannot be written there: you may not write to"):
                check_place(tmp_path / place)
    tmp_path.chmod(0o700)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "old"] and (tmp_path / "old").read_text() == "old"
