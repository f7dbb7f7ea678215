# SPDX-License-Identifier: Apache-2.0
"""Files of the user that are replaced as a whole: whatever happens meanwhile, a file is the old one or the new one."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
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


def write_whole(path: Path, text: str) -> None:
    """Writes a file; one that is there keeps its rights. What is neither a file nor a folder, such as /dev/stdout, is written to. Raises GirihError,
    and then leaves the file as it was."""
    special = path.exists() and not path.is_file() and not path.is_dir()
    path = path if special else replaceable(path)
    draft = path if special else path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8")
        if not special:
            if path.exists():
                draft.chmod(stat.S_IMODE(path.stat().st_mode))
            draft.replace(path)
    except OSError as error:
        raise unwritten("file", path, error) from error
    finally:
        if not special:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


def unwritten(what: str, path: Path, error: OSError) -> GirihError:
    """The error of a file that the system does not let us write."""
    remedy = "Free space on this disk and try again." if error.errno == errno.ENOSPC else "Choose a folder in which you may write."
    return GirihError(f"the {what} cannot be written ({error.strerror})", str(path), remedy)
