# SPDX-License-Identifier: Apache-2.0
"""The one file-list resolver: which files a top module needs, packages and leaves first.

One module or package per file, the file named after it, so the names in a file say what it needs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from girih.paths import HARDWARE, ROOT
from girih.spec.message import CHAIN, MEMORY, STREAM

# Folders whose modules need a group of the descriptor's fields that not every card has.
GROUP_OF_FOLDER = {"scheduler": CHAIN, "compute": CHAIN, "rmt": CHAIN, "memory": MEMORY, "dma_core": MEMORY, "tcp": STREAM, "controller": STREAM, "http": STREAM}
# Modules that come from an installed package, all in one file.
PACKAGED = ("ibex_core", "ibex_register_file_fpga")
VENDOR = "vendor"  # the name of folders with modules that were made elsewhere
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")


@cache
def _index() -> dict[str, Path]:
    found = [path for folder in HARDWARE for pattern in ("*.sv", f"{VENDOR}/**/*.v") for path in sorted(folder.rglob(pattern))]
    return {path.stem: path for path in found}


@cache
def _words(path: Path, _stamp: int) -> frozenset[str]:
    return frozenset(_WORD.findall(_COMMENT.sub(" ", path.read_text())))


def modules() -> dict[str, Path]:
    """The file of each module of the hardware, without packages, the harnesses of proofs, and what was made elsewhere."""
    return {name: path for name, path in _index().items() if not name.endswith("_pkg") and path.parent.name != "formal" and not _is_vendored(path)}


def resolve(tops: list[str], generated: Sequence[Path] = (), extra: Sequence[Path] = ()) -> list[Path]:
    """Files that the modules `tops` need, in compile order.

    generated: folders of generated files, which win over files of the same name in the hardware.
    extra: single files that belong to no searched folder. Raises FileNotFoundError for an unknown top.
    """
    index = dict(_index())
    for folder in generated:
        index |= {path.stem: path for path in sorted(Path(folder).glob("*.sv"))}
    index |= {Path(path).stem: Path(path) for path in extra}
    order: list[Path] = []
    visited: set[str] = set()

    def visit(name: str) -> None:
        if name in visited:
            return
        visited.add(name)
        if name in PACKAGED:
            if (path := _packaged()) not in order:
                order.append(path)
            return
        path = index[name]
        for word in sorted(_words(path, path.stat().st_mtime_ns)):
            if (word in index or word in PACKAGED) and word != name:
                visit(word)
        order.append(_waived(path) if _is_vendored(path) else path)

    for top in tops:
        if top not in index:
            raise FileNotFoundError(f"no module {top} in rtl/ or the generated files")
        visit(top)
    # Packages come before all their users, even if files name one another in a circle.
    return sorted(order, key=lambda path: not path.stem.endswith("_pkg"))


def _packaged() -> Path:
    from girih.build.ibex import source  # imported when a design has such a module: it may install the package

    return source()


def _is_vendored(path: Path) -> bool:
    return path.is_relative_to(ROOT) and VENDOR in path.relative_to(ROOT).parts[:-1]


def _waived(path: Path) -> Path:
    # Imported here, since it writes files as the generators do, which need this module.
    from girih.build.vendored import waived

    return waived(path)


def groups_of(sources: list[Path]) -> frozenset[str]:
    """The groups of fields, beside the basic ones, that a module built of these files needs: those of the files' folders."""
    folders = {folder for path in sources if path.is_relative_to(ROOT) for folder in path.relative_to(ROOT).parts[:-1]}
    return frozenset(group for folder, group in GROUP_OF_FOLDER.items() if folder in folders)
