# SPDX-License-Identifier: Apache-2.0
"""Modules that were made elsewhere: files in a folder named `vendor`, used as they are.

Every warning is an error in the project's own modules. In those of others it would demand edits, so a vendored file is built from a
copy in which Verilator's warnings about style and widths are off, and whose errors name the original.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from girih.build.generate import digest, write_if_changed
from girih.paths import BUILD, relative

# What other projects' rules allow. Warnings of true errors, such as of a signal with two drivers, stay.
WAIVED = (
    "ALWCOMBORDER", "ASCRANGE", "BLKSEQ", "CASEINCOMPLETE", "CASEOVERLAP", "CASEX", "CMPCONST", "DEFPARAM", "EOFNEWLINE", "GENUNNAMED", "IMPERFECTSCH", "IMPLICIT",
    "IMPORTSTAR", "INITIALDLY", "MISINDENT", "PINCONNECTEMPTY", "PINMISSING", "PROCASSINIT", "REDEFMACRO", "SIDEEFFECT", "SYMRSVDWORD", "SYNCASYNCNET", "UNDRIVEN", "UNOPTFLAT",
    "UNSIGNED", "UNUSEDGENVAR", "UNUSEDLOOP", "UNUSEDSIGNAL", "VARHIDDEN", "WIDTH",
)  # fmt: skip


def without_warnings(text: str, rules: Iterable[str]) -> str:
    """The text of a source with these of Verilator's warnings off in it, and in it alone."""
    off, on = ("".join(f"// verilator lint_{state} {rule}\n" for rule in rules) for state in ("off", "on"))
    return off + text + on


def waived(path: Path) -> Path:
    """The copy of a vendored file that is built, made if it is not there."""
    text = path.read_text(errors="replace")
    text = f'`line 1 "{relative(path)}" 0\n{text}\n'
    if path.suffix == ".v":  # in Verilog, the words that SystemVerilog has added are names like any other
        text = f'`begin_keywords "1364-2005"\n{text}`end_keywords\n'
    text = without_warnings(text, WAIVED)
    copy = BUILD / "generated" / f"vendor-{digest(text)}" / f"{path.stem}.sv"
    write_if_changed(copy, text)
    return copy
