# SPDX-License-Identifier: Apache-2.0
"""Generated SystemVerilog that every build needs, in one folder per content."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from girih.paths import BUILD
from girih.spec.message import CardParams, package


def digest(*parts: str | bytes) -> str:
    """A short content hash, for the names of build folders."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little") + data)
    return state.hexdigest()[:16]


def write_if_changed(path: Path, text: str) -> None:
    """Writes `text` atomically, and leaves an equal file (and its time) alone."""
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text)
    temporary.replace(path)


def generated_rtl(params: CardParams) -> Path:
    """The folder with `girih_pkg.sv` for these parameters; made when it is not there."""
    text = package(params)
    folder = BUILD / "generated" / digest(text)
    write_if_changed(folder / "girih_pkg.sv", text)
    return folder
