# SPDX-License-Identifier: Apache-2.0
"""Area of the router, the shell, the protocol engines, the whole UDP echo stack and the TCP tiles, by open synthesis."""

from girih.experiments import Exhibit, Progress, Row

# Table V. BRAM in blocks of 36 Kb.
PAPER: dict[str, dict] = {
    "router": {"lut": 5946, "bram": 0},
    "udp_rx": {"lut": 2912, "bram": 9.5},
    "udp_tx": {"lut": 3105, "bram": 9.5},
    "udp_rx_tile": {"lut": 10054, "bram": 9.5},
    "udp_tx_tile": {"lut": 10128, "bram": 9.5},
    "udp_stack": {"lut": 58540, "bram": 41},
    "tcp_tile": {"lut": 41677, "bram": 25},
}
# Beehive's public RTL by the same synthesis.
PEER: dict[str, dict] = {
    "router": {"lut": 7389, "lutram": 1480, "ff": 265, "bram": 0},
    "udp_rx": {"lut": 3190, "lutram": 3104, "ff": 4226, "bram": 0},
    "udp_tx": {"lut": 3985, "lutram": 3104, "ff": 4305, "bram": 0},
    "udp_rx_tile": {"lut": 11294, "lutram": 5176, "ff": 4973, "bram": 0},
    "udp_tx_tile": {"lut": 11148, "lutram": 4880, "ff": 5063, "bram": 0},
    "eth_rx_tile": {"lut": 9769, "lutram": 1480, "ff": 1675, "bram": 0},
    "eth_tx_tile": {"lut": 8110, "lutram": 1776, "ff": 1416, "bram": 4},
    "ipv4_rx_tile": {"lut": 14986, "lutram": 3480, "ff": 2992, "bram": 0},
    "ipv4_tx_tile": {"lut": 8805, "lutram": 2536, "ff": 3275, "bram": 0},
    "echo_tile": {"lut": 8285, "lutram": 1776, "ff": 1381, "bram": 2},
    "udp_stack": {"lut": 77063, "lutram": 22288, "ff": 21011, "bram": 6},
    "tcp_tile": {"lut": 49579, "lutram": 10976, "ff": 19265, "bram": 7.5},  # its TCP tiles, for four connections
}
PAPER["tcp_duplex_tile"], PEER["tcp_duplex_tile"] = PAPER["tcp_tile"], PEER["tcp_tile"]
KINDS = ("eth_rx", "ipv4_rx", "udp_rx", "echo", "udp_tx", "ipv4_tx", "eth_tx")
METRICS = ("lut", "lutram", "ff", "bram")
UNITS = {"lut": "LUT", "lutram": "LUT sites", "ff": "flip-flops", "bram": "36 Kb blocks", "uram": "288 Kb blocks"}
WIDTH = 512


def run(progress: Progress) -> list[Row]:
    from girih.bootstrap import ensure
    from girih.compiler.check.card import check_file
    from girih.paths import DESIGNS, ROOT
    from girih.synth import synthesize_all, total
    from girih.synth.design import card_areas, parts

    ensure(("synth",))
    card = card_areas(DESIGNS / "udp_echo.yaml", lambda name, _area: progress(f"{name} done"))
    jobs: dict[str, dict] = {kind: {"top": f"{kind}_engine"} for kind in KINDS}
    jobs["shell"] = {"top": "tile_shell"}
    jobs["router"] = {"top": "router"}
    jobs["router_of_stack"] = {"top": "router", "params": card.card.params}
    areas = synthesize_all(jobs, lambda name, _area: progress(f"{name} done"))
    stack = []
    for tile in card.card.tiles:  # as Beehive counts a tile: with its router
        area = areas[f"{tile.kind.name}_tile"] = total([card.tiles[tile.name], card.routers[tile.node]])
        stack.append(area)
    areas["udp_stack"] = total(stack)
    sizes = {}
    for design in (DESIGNS / "tcp_echo.yaml", ROOT / "experiments" / "cards" / "tcp_many_duplex.yaml"):
        tcp_card = check_file(design)
        tile = next(tile for tile in tcp_card.tiles if tile.kind.name in ("tcp", "tcp_duplex"))
        module, of_card = f"{tile.kind.name}_tile", parts(tcp_card)
        sizes[module] = {parameter.name: parameter.default for parameter in tile.kind.parameters} | dict(tile.parameters)
        tcp_parts = (f"tile {tile.name}", *(f"router {node}" for node in tile.nodes))
        areas[module] = total(synthesize_all({name: of_card[name] for name in tcp_parts}, lambda name, _area: progress(f"{name} done")).values())

    rows = []
    for module, area in areas.items():
        paper, peer = PAPER.get(module, {}), PEER.get(module, {})
        for metric in (*METRICS, "uram") if area.uram else METRICS:
            measured = getattr(area, metric)
            note = f"{measured / WIDTH:.1f} per bit of link" if metric == "lut" else ""
            params: dict[str, object] = {"module": module}
            if module in sizes:
                params |= {name: sizes[module][name] for name in ("connections", "window")}
                note = f"wanted: {peer['lut']}, aim: half" if metric == "lut" else ""
            unit = UNITS[metric]
            rows.append(Row(metric, params, unit, paper.get(metric), measured, peer.get(metric), note))
    return rows


EXHIBIT = Exhibit(
    id="beehive-t5",
    title="area of the UDP stack and its parts",
    source="Beehive, table V",
    differs=(
        "the paper's figures are from its vendor's tool for another part of the same family; ours, and those of "
        "its RTL, are from Yosys (synth_xilinx -family xcup), each module by itself, flattened. lut counts LUT1 to LUT6 "
        "and not memory; inverters, carry chains and wide multiplexers are not counted. lutram counts sites, 8 for a "
        "RAM32M16 or RAM64M8. router and shell are by themselves with all ports in use; router_of_stack has the "
        "descriptor of designs/udp_echo.yaml, as the tiles have, and the other modules one that knows nothing of a design; <kind> is the engine "
        "alone; <kind>_tile adds shell, registers, counters and the router at its place; udp_stack is the seven "
        "tiles of designs/udp_echo.yaml with their routers; tcp_tile is the one of designs/tcp_echo.yaml with its router, and "
        "tcp_duplex_tile the one of experiments/cards/tcp_many_duplex.yaml with its two, both for both "
        "directions of 1,024 connections with buffers of 8 KB each way, beside the tiles of the paper, which have four connections."
    ),
    run=run,
)
