# SPDX-License-Identifier: Apache-2.0
"""Files of the user that are replaced as a whole: whatever happens meanwhile, a file is the old one or the new one. And whether a file can be written."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from girih.errors import GirihError

WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def replaceable(path: Path) -> Path:
    """The file to write: that behind a link, not the link. Raises GirihError if there is something that must stay."""
    try:
        path = path.resolve()
    except (OSError, RuntimeError) as error:
        raise GirihError("the link leads to itself", str(path), "Choose another name.") from error
    if path.exists() and not path.is_file():
        raise GirihError("this is not a file that can be replaced", str(path), "Name a file.")
    if path.exists() and not path.stat().st_mode & WRITABLE:
        raise GirihError("the file is read-only", str(path), "Choose another name.")
    return path


def check_place(path: Path, what: str = "file", *, folders: bool = False) -> None:
    """Raises GirihError if the system would not let us write a file there: for commands that work for long before they write it. folders: missing ones are made."""
    real = Path(os.path.realpath(path))
    if os.path.isdir(real):
        raise GirihError(f"the {what} cannot be written there: this is a folder", str(path), "Name a file in it.")
    target = real if os.path.exists(real) else real.parent
    while folders and not os.path.exists(target):
        target = target.parent
    if target != real and not os.path.isdir(target):
        raise GirihError(f"the {what} cannot be written there: the folder {path.parent} does not exist", str(path), "Make it first, or write to another place.")
    if not os.access(target, os.W_OK):
        raise GirihError(f"the {what} cannot be written there: you may not write to {target}", str(path), "Choose a folder in which you may write.")


@contextmanager
def draft_of(path: Path, what: str = "file", suffix: str = "") -> Iterator[Path]:
    """A file beside `path` that takes its place at the end, with the rights of what was there. Raises GirihError if it cannot be written; then, and after
    any other exception, the file is as it was. suffix: of the draft's name."""
    draft = path.with_name(f".{path.name}.{os.getpid()}{suffix}")
    try:
        yield draft
        if path.exists():
            draft.chmod(stat.S_IMODE(path.stat().st_mode))
        draft.replace(path)
    except OSError as error:
        raise unwritten(what, path, error) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Writes a file, as `draft_of` does. What is neither a file nor a folder, such as /dev/stdout, is written to."""
    if not path.exists() or path.is_file() or path.is_dir():
        with draft_of(replaceable(path)) as draft:
            draft.write_text(text, encoding="utf-8")
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise unwritten("file", path, error) from error


def unwritten(what: str, path: Path, error: OSError) -> GirihError:
    """The error of a file that the system does not let us write."""
    remedy = "Free space on this disk and try again." if error.errno == errno.ENOSPC else "Choose a folder in which you may write."
    return GirihError(f"the {what} cannot be written ({error.strerror})", str(path), remedy)
