# SPDX-License-Identifier: Apache-2.0
"""A folder for what outlives a command and belongs to a user, such as the control sockets of running cards."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from girih.errors import GirihError


def private_folder() -> Path:
    """This user's folder in the folder for temporary files, made if it is not there.

    Anybody may have made it before: raises GirihError unless it is ours and nobody else may enter.
    """
    folder = Path(tempfile.gettempdir()) / f"girih-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        remedy = "Remove it, or set TMPDIR to a folder of your own, here and where the card runs."
        raise GirihError("this is not a folder that only you can enter, so it is not trusted", str(folder), remedy)
    return folder
