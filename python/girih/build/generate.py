# SPDX-License-Identifier: Apache-2.0
"""Generated SystemVerilog that every build needs, in one folder per content."""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from girih.build.sources import groups_of, resolve
from girih.paths import BUILD
from girih.rmt import action, program
from girih.spec import windows
from girih.spec.formats import Format
from girih.spec.kinds import load_kinds
from girih.spec.message import CardParams, group_names, package
from girih.spec.tiles import generate, inputs


def digest(*parts: str | bytes) -> str:
    """A short content hash, for the names of build folders."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little") + data)
    return state.hexdigest()[:16]


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Makes the folder, and waits for another program that builds in it."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def write_if_changed(path: Path, text: str) -> None:
    """Writes `text` atomically, and leaves an equal file (and its time) alone."""
    if path.exists() and path.read_text() == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text)
    temporary.replace(path)


@cache
def generated_rtl(params: CardParams) -> Path:
    """The folder with `girih_pkg.sv` for these parameters and the files of every kind of tile.

    Made if it is not there; it gets its final name only when it is complete. A process reads the sources only once.
    """
    packages = {"girih": package(params), "action": action.FORMAT.package(), "parser": program.FORMAT.package()}
    packages |= {name: Format(name).package() for name in ("memory_access", "core_map", "host_access", "log_records", "management", "http_script", "tile_map")}
    packages |= {window: windows.package(window) for window in windows.windows()}
    made_from: list[str | bytes] = [part for path in inputs() for part in (path.name, path.read_bytes())]
    folder = BUILD / "generated" / digest(*packages.values(), *made_from)
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".") as temporary:
        unfinished = Path(temporary) / "rtl"
        unfinished.mkdir()
        for name, text in packages.items():
            (unfinished / f"{name}_pkg.sv").write_text(text)
        generate(unfinished, {name: kind for name, kind in load_kinds().items() if kind.groups <= set(params.groups)}, params)
        try:
            unfinished.rename(folder)
        except OSError:  # another process was faster; its files are the same
            if not folder.exists():
                raise
    return folder


def params_for(module: str, data_width: int = 512) -> CardParams:
    """The parameters of a plain card that the module `module` can be part of: with the groups of fields that it needs."""
    everything = generated_rtl(CardParams.with_groups(data_width, groups=group_names()))
    return CardParams.with_groups(data_width, groups=groups_of(resolve([module], [everything])))
