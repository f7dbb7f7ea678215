# SPDX-License-Identifier: Apache-2.0
"""The one kind of error that users see: the fault, its place, and a remedy."""

from __future__ import annotations

import errno
from pathlib import Path

MAY_NOT = (errno.EACCES, errno.EPERM, errno.EROFS)


class GirihError(Exception):
    """A mistake or a missing thing that the user can put right; the command line prints it without a trace.

    what: the fault, without a full stop. where: `file:line` or another place. remedy: a sentence.
    """

    def __init__(self, what: str, where: str | None = None, remedy: str | None = None):
        super().__init__(what, where, remedy)
        self.what, self.where, self.remedy = what, where, remedy

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f" {self.remedy}" if self.remedy else ""
        return f"{place}{self.what}.{remedy}"


class GirihErrors(GirihError):
    """Several independent errors found in one run, in the order of their places."""

    def __init__(self, errors: list[GirihError]):
        super().__init__(f"{len(errors)} errors")
        self.errors = list(errors)

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)


def program_failed(what: str, output: str, log: Path) -> GirihError:
    """A program of the build that failed: its first error or warning, and the file that holds its whole output."""
    lines = [line for line in output.splitlines() if "error" in line.lower() or line.startswith("%Warning")] or ["no message"]
    return GirihError(f"{what} failed ({lines[0].strip()})", str(log), "That file has the whole output.")


def refused(error: OSError) -> GirihError:
    """An error of the operating system, as one that users see."""
    what = f"the system refused it ({error.strerror or error})"
    where = None if error.filename is None else str(error.filename)
    if error.errno in MAY_NOT:
        return GirihError(what, where, "./girih writes to build/ in its checkout: use your own checkout, which you can read and write.")
    if error.errno == errno.ENOSPC:
        return GirihError(what, where, "Free space on this disk and try again.")
    return GirihError(what, where, "See what is wrong with it and try again.")
