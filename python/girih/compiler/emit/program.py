# SPDX-License-Identifier: Apache-2.0
"""`card.h` for the program of a tile that is a master of the control network: the addresses of the registers that it may reach."""

from __future__ import annotations

from girih.compiler.emit.registers import COUNTERS, base
from girih.compiler.model import Card, Tile
from girih.spec.kinds import WINDOW

CONSTANT = "static const struct"


def emit_card_header(card: Card, tile: Tile) -> str:
    """`girih_card.TILE.REGISTER`: node and offset of a register, a counter or the first element of an array, and `.window`; `girih_line.TILE`: the number of a tile's interrupt
    line. A tenant reaches only windows. Empty for a tile that reaches none."""
    if tile.control is None:
        return ""
    operator = tile.control.tenant == 0
    rights = {right.tile: card.tile(right.tile) for right in tile.control.rights}
    reached = {name: places for name, other in rights.items() if (places := (_registers(other) if operator else {}) | _window(other))}
    interrupting = [name for name, right in zip(rights, tile.control.rights, strict=True) if rights[name].kind.interrupts and right.read and operator]
    lines = {name: list(rights).index(name) for name in interrupting}
    text = [f"// Generated for the program of tile {tile.name}; do not edit.", "#pragma once", "#include <stdint.h>"]
    if reached:
        text.append(f"{CONSTANT} {{")
        text += [f"    struct {{ uint32_t {', '.join(places)}; }} {name};" for name, places in reached.items()]
        text.append("} girih_card = {")
        text += [f"    .{name} = {{{', '.join(f'.{register} = {at:#x}' for register, at in places.items())}}}," for name, places in reached.items()]
        text.append("};")
    if lines:
        text.append(f"{CONSTANT} {{ uint32_t {', '.join(lines)}; }} girih_line = {{{', '.join(f'.{name} = {number}' for name, number in lines.items())}}};")
    return "\n".join([*text, ""])


def _registers(tile: Tile) -> dict[str, int]:
    """Addresses by the names that a person gives the registers of a tile."""
    found = {}
    for register in tile.kind.registers:
        name = register.name.removeprefix("cfg.").removeprefix(COUNTERS).removeprefix("shell.").replace(".", "_").replace("[", "_").replace("]", "")
        found[name] = base(tile.node) + register.offset
    return found


def _window(tile: Tile) -> dict[str, int]:
    return {"window": base(tile.node) + WINDOW} if "window" in tile.kind.uses else {}
