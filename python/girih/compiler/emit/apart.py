# SPDX-License-Identifier: Apache-2.0
"""The tiles that have a clock of their own: the crossings between each of them and the card, in `card.sv`, and what they hold, for the simulation.

A net of the tile's side has the name of the card's with `_own` in it, and ends as no net of another tile can end.
"""

from __future__ import annotations

from girih.compiler.model import Card, Tile, nets

TIME = "cores_now"
CLOCKS = (".clk_i", ".rst_i", ".tile_clk_i(cores_clk_i)", ".edge_rst_i(cores_rst)")

Instance = tuple[str, str, list[str], list[str]]  # as in girih.compiler.emit.card


def own(tile: Tile, what: str) -> str:
    """A net of the tile's side: `rst`, `credit`, `interrupt`, `ctrl_in`, `ctrl_out`."""
    return f"{tile.name}_own_{what}"


def own_link(tile: Tile, side: str) -> str:
    """The prefix of the nets of a link on the tile's side."""
    return f"{nets(tile, side)}_own"


def block(tile: Tile) -> str:
    """The block of the top level with the crossings of a tile."""
    return f"gen_{tile.name}_crossing"


def crossing(card: Card, tile: Tile, index: int, node: str, interrupts: str) -> dict:
    """The nets of the tile's side, and the instances of the crossings. index: its place on the control ring. node: the constant with its number.
    interrupts: the lines of other tiles that it sees."""
    declared = [f"logic {own(tile, 'rst')};", f"ctrl_t {own(tile, 'ctrl_in')}, {own(tile, 'ctrl_out')};"]
    for side in tile.kind.sides:
        declared += [f"logic {own_link(tile, side)}_valid, {own_link(tile, side)}_ready;", f"flit_t {own_link(tile, side)}_flit;"]
    connections = [*CLOCKS, f".tile_rst_o({own(tile, 'rst')})", f".ctrl_i(ctrl[{index}])", f".ctrl_o(ctrl[{index + 1}])"]
    connections += [f".tile_ctrl_o({own(tile, 'ctrl_in')})", f".tile_ctrl_i({own(tile, 'ctrl_out')})"]
    for way, sides in (("in", _ins(tile)), ("out", _outs(tile))):
        there, back = ("i", "o") if way == "in" else ("o", "i")
        for signal, end, other in (("valid", there, back), ("ready", back, there), ("flit", there, back)):
            for prefix, direction, name in (("", end, nets), ("tile_", other, own_link)):
                listed = ", ".join(f"{name(tile, side)}_{signal}" for side in reversed(sides))
                connections.append(f".{prefix}{way}_{signal}_{direction}({'{' + listed + '}' if len(sides) > 1 else listed})")
    parameters = [f".Node({node})", *(f".{name}({value})" for name, value in _sizes(card, tile).items())]
    instances: list[Instance] = [("tile_crossing", "u_crossing", parameters, connections)]
    if "credits_out" in tile.kind.uses:
        declared.append(f"sched_pkg::credit_t {own(tile, 'credit')};")
        pin = f".credit_o({credit(card, tile)})"
        instances.append(("credit_crossing", "u_credits", [], [*CLOCKS, pin, f".tile_credit_i({own(tile, 'credit')})"]))
    if "interrupts" in tile.kind.uses:
        declared.append(f"logic [{tile.kind.rights - 1}:0] {own(tile, 'interrupt')};")
        lines = [".clk_i(cores_clk_i)", f".in_i({interrupts})", f".out_o({own(tile, 'interrupt')})"]
        instances.append(("synchroniser", "u_interrupts", [f".Width({tile.kind.rights})"], lines))
    return {"block": block(tile), "nets": declared, "instances": instances}


def connections(tile: Tile) -> list[str]:
    """What the tile's instance is connected to, except for its links."""
    found = [".clk_i(cores_clk_i)", f".rst_i({own(tile, 'rst')})", f".ctrl_i({own(tile, 'ctrl_in')})", f".ctrl_o({own(tile, 'ctrl_out')})"]
    pins = {"now": ("now_i", TIME), "credits_out": ("credit_o", own(tile, "credit")), "interrupts": ("interrupt_i", own(tile, "interrupt"))}
    return found + [f".{pin}({net})" for use, (pin, net) in pins.items() if use in tile.kind.uses]


def around(card: Card, tile: Tile) -> list[tuple[str, str, dict[str, object]]]:
    """The modules of a tile's crossings: what each is of, its name, its parameters."""
    found = [("tile", "tile_crossing", _sizes(card, tile))]
    if "credits_out" in tile.kind.uses:
        found.append(("credits", "credit_crossing", {}))
    return found


def held(tile: Tile) -> tuple[list[str], list[str]]:
    """The hierarchical names of the FIFOs in which messages and credits of a tile cross, and an expression of what else waits."""
    inside = f"u_card.{block(tile)}"
    fifos = [f"{inside}.u_crossing.gen_{way}[{i}].u_fifo" for way, sides in (("in", _ins(tile)), ("out", _outs(tile))) for i in range(len(sides))]
    if "credits_out" not in tile.kind.uses:
        return fifos, []
    return [*fifos, f"{inside}.u_credits.u_fifo"], [f"{inside}.u_credits.waits"]


def _ins(tile: Tile) -> list[str]:
    return [side for side in tile.kind.sides if side.endswith("in")]


def _outs(tile: Tile) -> list[str]:
    return [side for side in tile.kind.sides if side.endswith("out")]


def credit(card: Card, tile: Tile) -> str:
    """The credits of a unit, on the card's side."""
    return f"credits[{card.scheduling.unit_names.index(tile.name)}]"


def _sizes(card: Card, tile: Tile) -> dict[str, object]:
    """The parameters of a tile's crossing that are not its defaults."""
    sizes: dict[str, object] = {name: len(sides) for name, sides in (("Ins", _ins(tile)), ("Outs", _outs(tile))) if len(sides) > 1}
    if tile.control is not None:
        sizes["Master"] = card.masters.index(tile.name) + 1
    elif card.masters:
        sizes["SharedControl"] = "1'b1"
    return sizes
