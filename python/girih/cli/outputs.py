# SPDX-License-Identifier: Apache-2.0
"""The outputs of a command, whose other ends may go before the command does."""

from __future__ import annotations

import errno
import os
import termios

OUTPUTS = (1, 2)  # standard output and error output
SIGPIPE_CODE = 141  # the reader of a pipe has gone
CLOSED_CODE = 129  # of SIGHUP: the terminal has been closed


def spare_closed_terminals() -> bool:
    """Lets be lost what is written to a terminal that no longer exists, instead of being an error; whether there is one."""
    closed = [output for output in OUTPUTS if _is_closed(output)]
    for output in closed:
        os.dup2(os.open(os.devnull, os.O_WRONLY), output)
    return bool(closed)


def _is_closed(output: int) -> bool:
    try:
        termios.tcgetattr(output)
    except termios.error as error:
        return error.args[0] == errno.EIO
    return False
