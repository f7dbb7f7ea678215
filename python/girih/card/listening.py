# SPDX-License-Identifier: Apache-2.0
"""Unix sockets that programs find by their path."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path

MOST_BYTES = 107  # of a path, with which a program can connect (unix(7))


def listening(path: Path, most: int = socket.SOMAXCONN) -> socket.socket:
    """A stream socket that listens before its path exists, so that whoever sees the path can connect.

    bind() makes a path at which connections are refused until listen(). most: how many connections wait to be accepted.
    Raises OSError as bind() does, also if the path exists.
    """
    if len(os.fsencode(path)) > MOST_BYTES:
        raise OSError("AF_UNIX path too long")
    made, hidden = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), path.with_name(f".{os.getpid()}")
    try:
        made.bind(str(hidden))
        try:
            made.listen(most)
            os.link(hidden, path)  # unlike a rename, replaces nothing
        finally:
            hidden.unlink()
    except FileExistsError as error:
        made.close()
        raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE)) from error
    except OSError:
        made.close()
        raise
    return made
