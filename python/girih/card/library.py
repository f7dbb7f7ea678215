# SPDX-License-Identifier: Apache-2.0
"""Loads the shared library of a design through the C header, the only definition of its API."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from cffi import FFI

from girih.card.registers import AccessRefused
from girih.errors import GirihError
from girih.paths import ROOT

HEADER = ROOT / "card" / "include" / "girih_card.h"


@cache
def interface() -> Any:  # has the members of the C header, which type checkers cannot read
    """cffi with the declarations between the header's markers."""
    api = re.search(r"/\* girih-api-begin \*/(.*)/\* girih-api-end \*/", HEADER.read_text(), re.DOTALL)
    assert api, f"{HEADER} has lost its markers"
    ffi = FFI()
    ffi.cdef(api.group(1))
    return ffi


class CardFault(GirihError):
    """An error that the virtual card reported; status is the C API's code."""

    def __init__(self, what: str, status: int):
        super().__init__(what)
        self.status = status


class BusFault(CardFault, AccessRefused):
    """An access to a register was answered with an error."""


class Library:
    """The C API of one design's library. `call` checks the status of its functions."""

    def __init__(self, path: Path):
        self.ffi = interface()
        # Every design defines the same symbols, so they must not be shared.
        self.api = self.ffi.dlopen(str(path), self.ffi.RTLD_NOW | self.ffi.RTLD_LOCAL)

    def call(self, name: str, *arguments: object) -> int:
        """Calls `girih_<name>`; its result, which is not negative. Raises CardFault."""
        status = getattr(self.api, f"girih_{name}")(*arguments)
        if status < 0:
            fault = BusFault if status == self.api.GIRIH_E_BUS else CardFault
            raise fault(self.ffi.string(self.api.girih_last_error()).decode(errors="replace"), status)
        return status
