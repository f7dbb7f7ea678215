# SPDX-License-Identifier: Apache-2.0
"""Second pass: makes a `Design` from the tree. Knows every key and type, and nothing about the kinds of tiles."""

from __future__ import annotations

from girih.compiler import values
from girih.compiler.model import CARD_NODE, LARGEST_BUTTERFLY, LARGEST_SIDE, Addresses, Design, Fabric, TileText
from girih.compiler.read.clocks import clock_lines, read_clocks
from girih.compiler.read.keys import flag, mapping, name, number, word
from girih.compiler.read.memory import read_memory
from girih.compiler.read.parse import Map, Report, Scalar, Seq, Tree
from girih.compiler.read.scheduling import SECTIONS, read_scheduling
from girih.compiler.read.traffic import read_traffic
from girih.compiler.scheduling import SchedulingText
from girih.rmt.action import most_hops
from girih.spec.message import LARGEST_FRAME, SUPPORTED_WIDTHS, TENANTS, TIME_BITS, TIMINGS, CardParams, type_widths

CARD_KEYS = (
    "name", "width", "clock_mhz", "clocks", "timing", "max_frame", "time_bits", "route_hops", "chain_hops", "ports", "fabric", "mac", "ip", "gateway", "tiles", *SECTIONS, "traffic", "memory", "snapshots",
)  # fmt: skip
TILE_KEYS = ("kind", "at", "port", "next", "drop_log", "control", "program")  # all others are settings of the kind
MOST_PORTS = 1 << type_widths()["port"]
MOST_TILES = CARD_NODE  # each has a node number, and that one is the card itself
LARGEST_CROSSBAR = 64  # its logic grows with the square of its ports; one of 255 takes Verilator over a quarter of an hour
FABRIC_REMEDY = "Write fabric: {mesh: [4, 2]}, fabric: {butterfly: [2, 2, 2]} or fabric: crossbar"
DEFAULTS = CardParams()
DROP_LOGS = tuple(1 << bits for bits in range(4, 9))  # the records that a tile may keep of its last drops
LEAST_HOPS, DEFAULT_HOPS = 2, 4  # hops of chains; the default is for a design without chains


def read(tree: Map, stem: str, report: Report) -> Design:
    """The design in `tree`; `stem` is its default name. Mistakes go to `report`."""
    keys = mapping(tree, CARD_KEYS, "a card", report)
    written = name(keys, "name", report, "the card", "my_card") if "name" in keys else Scalar(1, stem, stem)
    card = stem if written is None else written.text
    if written is not None and (fault := values.name_fault(card, reserved=())):
        report.error(written.line, f"the card's name {card} {fault}", "Write name: my_card")
    width = number(keys, "width", 128, 1024, DEFAULTS.data_width, report)
    if width not in SUPPORTED_WIDTHS:
        report.error(
            keys["width"].line,
            f"a card cannot be {width} bits wide",
            f"width may be {values.listing(SUPPORTED_WIDTHS)}; {DEFAULTS.data_width} is the default.",
        )
    scheduling = read_scheduling(keys, report)
    chain_hops = _chain_hops(keys, scheduling, report)
    tiles = _tiles(keys.get("tiles"), report)
    params = CardParams(
        data_width=width,
        max_frame=number(keys, "max_frame", 64, LARGEST_FRAME, DEFAULTS.max_frame, report),
        route_hops=number(keys, "route_hops", chain_hops + 1, 15, chain_hops + 1 if chain_hops else DEFAULTS.route_hops, report),
        chain_hops=chain_hops,
        service_bits=_bits(len(scheduling.services)) if chain_hops else DEFAULTS.service_bits,
        tenants=_tenants(scheduling, tiles),
        time_bits=number(keys, "time_bits", *TIME_BITS, DEFAULTS.time_bits, report),
        timing=word(keys, "timing", tuple(TIMINGS), DEFAULTS.timing, report, "the card"),
    )
    ports = number(keys, "ports", 1, MOST_PORTS, 1, report)
    clock_mhz = number(keys, "clock_mhz", 1, 1000, 250, report)
    return Design(
        name=card,
        params=params,
        clock_mhz=clock_mhz,
        ports=ports,
        fabric=_fabric(keys.get("fabric"), report),
        addresses=_addresses(keys, ports, report),
        tiles=tiles,
        tiles_line=keys["tiles"].line if "tiles" in keys else 1,
        scheduling=scheduling,
        traffic=read_traffic(keys.get("traffic"), report),
        memory=read_memory(keys.get("memory"), report),
        memory_line=keys["memory"].line if "memory" in keys else None,
        snapshots=flag(keys, "snapshots", report, "the card"),
        clocks=read_clocks(keys.get("clocks"), clock_mhz, report),
        clock_lines=clock_lines(keys.get("clocks")),
    )


def _bits(services: int) -> int:
    """The bits of a service number; too many services are reported elsewhere."""
    return min(max(1, (services - 1).bit_length()), type_widths()["service"])


def _tenants(scheduling: SchedulingText, tiles: tuple[TileText, ...]) -> int:
    """A power of two, enough for the operator, the tenants that the design names, their numbers, and as many as a tile says that it knows."""
    said = [value for tile in tiles for key, tree in tile.settings if key.text == "tenants" and (value := values.number(tree)) is not None]
    numbers = [tenant.number + 1 for tenant in scheduling.tenants if tenant.number is not None]
    most = max([len(scheduling.tenants) + 1, *numbers, *said])
    return 1 << (min(max(TENANTS[0], most), TENANTS[1]) - 1).bit_length()


def _chain_hops(keys: dict[str, Tree], scheduling: SchedulingText, report: Report) -> int:
    """The hops for which descriptors have room: those of the longest chain, unless the design says more for chains that come later."""
    if not scheduling.there:
        if "chain_hops" in keys:
            report.error(keys["chain_hops"].line, "the card has chain_hops, but no services", "Add services, or remove chain_hops.")
        return 0
    longest = max((len(chain.hops) for chain in scheduling.chains), default=DEFAULT_HOPS)
    return number(keys, "chain_hops", LEAST_HOPS, most_hops(), min(max(longest, LEAST_HOPS), most_hops()), report)


def _fabric(tree: Tree | None, report: Report) -> Fabric | None:
    if tree is None:
        report.error(1, "the card has no fabric", FABRIC_REMEDY)
        return None
    if isinstance(tree, Scalar) and tree.text == "crossbar":
        return Fabric("crossbar", 0, line=tree.line)
    if isinstance(tree, Map) and len(tree.entries) == 1 and tree.entries[0][0].text in _SIZED:
        topology, value = tree.entries[0]
        return _SIZED[topology.text](value, tree.line, report)
    report.error(tree.line, f"the fabric is {_fabric_found(tree)}; a card has a mesh, a butterfly or a crossbar", FABRIC_REMEDY)
    return None


def _crossbar(value: Tree, line: int, report: Report) -> Fabric | None:
    ports = values.number(value)
    if ports is not None and 1 <= ports <= LARGEST_CROSSBAR:
        return Fabric("crossbar", ports, line=line)
    report.error(value.line, f"crossbar is {values.what_it_is(value)}", f"It may have 1 to {LARGEST_CROSSBAR} ports: fabric: {{crossbar: 8}}")
    return None


def _mesh(value: Tree, line: int, report: Report) -> Fabric | None:
    sides = _sides(value)
    if len(sides) != 2 or None in sides:
        report.error(value.line, "the size of a mesh is two whole numbers", "Write fabric: {mesh: [4, 2]}")
    elif not all(1 <= side <= LARGEST_SIDE for side in sides):
        what = f"a mesh of {sides[0]} x {sides[1]} cannot be built"
        report.error(value.line, what, f"Each side may be 1 to {LARGEST_SIDE} routers.")
    else:
        return Fabric("mesh", sides[0], sides[1], line=line)
    return None


def _butterfly(value: Tree, line: int, report: Report) -> Fabric | None:
    sides = _sides(value)
    if len(sides) != 3 or None in sides:
        report.error(value.line, "the size of a butterfly is three whole numbers", "Write fabric: {butterfly: [2, 2, 2]}")
    elif not all(1 <= n <= most for n, most in zip(sides, LARGEST_BUTTERFLY, strict=True)) or sides[:2] == [1, 1]:
        x, y, tiles = LARGEST_BUTTERFLY
        what = f"a butterfly of {sides[0]} x {sides[1]} routers of {sides[2]} tiles cannot be built"
        remedy = f"x may be 1 to {x} and y 1 to {y}, with two routers at least, and the tiles of a router 1 to {tiles}."
        report.error(value.line, what, remedy)
    else:
        return Fabric("butterfly", sides[0], sides[1], sides[2], line=line)
    return None


def _sides(value: Tree) -> list[int | None]:
    return [values.number(item) for item in value.items] if isinstance(value, Seq) else []


_SIZED = {"crossbar": _crossbar, "mesh": _mesh, "butterfly": _butterfly}


def _fabric_found(tree: Tree) -> str:
    if isinstance(tree, Map) and tree.entries:
        return values.listing([key.text for key, _ in tree.entries], "and")
    return values.what_it_is(tree)


def _addresses(keys: dict[str, Tree], ports: int, report: Report) -> Addresses:
    mac = read_mac(keys["mac"], "mac", "mac", report) if "mac" in keys else None
    if mac and not values.mac_fault(mac) and (fault := values.mac_fault(mac + ports - 1)):
        what = f"mac {values.mac_text(mac)} is port 0's; that of port {ports - 1}, {ports - 1} above it, {fault}"
        report.error(keys["mac"].line, what, "Give a lower one, such as 02:67:69:72:69:68.")
    ip, prefix = read_ip(keys["ip"], "ip", "ip", report) if "ip" in keys else (None, 24)
    gateway, _ = read_ip(keys["gateway"], "gateway", "gateway", report, prefix=32) if "gateway" in keys else (None, 32)
    if gateway and ip and (fault := values.gateway_fault(gateway, ip, prefix)):
        what = f"the gateway {values.ipv4_text(gateway)} {fault}"
        report.error(keys["gateway"].line, what, "Give a neighbour's address, or correct the prefix after the / of ip.")
        gateway = None
    return Addresses(mac, ip, prefix, gateway)


def read_mac(tree: Tree, key: str, label: str, report: Report) -> int:
    """A MAC address that a card may have, 0 after an error; `label` names it in messages."""
    value = values.mac(tree.text) if isinstance(tree, Scalar) else None
    if value is None:
        found = values.what_it_is(tree)
        report.error(tree.line, f"{label} is {found}, which is not a MAC address", f"Write {key}: 02:67:69:72:69:68")
    elif fault := values.mac_fault(value):
        report.error(
            tree.line,
            f"{label} {values.mac_text(value)} {fault}",
            "A card's own address has an even first byte, such as 02:67:69:72:69:68.",
        )
    return value or 0


def read_ip(tree: Tree, key: str, label: str, report: Report, prefix: int = 24) -> tuple[int, int]:
    """An IPv4 address that a card may have, 0 after an error, and the bits of its prefix, `prefix` when not given."""
    text, slash, length = tree.text.partition("/") if isinstance(tree, Scalar) else ("", "", "")
    value = values.ipv4(text)
    prefix = int(length) if length.isascii() and length.isdecimal() else prefix
    wrong_prefix = slash and not (length.isascii() and length.isdecimal() and 1 <= prefix <= 32)
    if value is None or wrong_prefix:
        found, what = values.what_it_is(tree), "which is not an IPv4 address" if value is None else "whose prefix is not of 1 to 32 bits"
        report.error(tree.line, f"{label} is {found}, {what}", f"Write {key}: 10.77.0.2/24")
        return 0, 24
    if fault := values.ipv4_fault(value, prefix):
        report.error(tree.line, f"{label} {text} {fault}", "Give the address of a host, such as 10.77.0.2/24.")
    return value, prefix


def _tiles(tree: Tree | None, report: Report) -> tuple[TileText, ...]:
    if not isinstance(tree, Map) or not tree.entries:
        line = tree.line if tree is not None else 1
        report.error(line, "the card has no tiles", "Write tiles: and below it lines such as echo: {kind: echo, next: udp_tx}")
        return ()
    if len(tree.entries) > MOST_TILES:
        report.fail(tree.line, f"the card has {len(tree.entries)} tiles", f"It may have {MOST_TILES}: a node number has eight bits.")
    return tuple(_tile(name, value, report) for name, value in tree.entries)


def _tile(name: Scalar, tree: Tree, report: Report) -> TileText:
    if fault := values.name_fault(name.text):
        report.error(name.line, f"the tile name {name.text} {fault}", "Rename it, such as echo or ip_rx_0.")
    if not isinstance(tree, Map):
        found = values.what_it_is(tree)
        report.error(name.line, f"tile {name.text} is {found}", f"Write {name.text}: {{kind: echo, next: udp_tx}}")
        return TileText(name.text, name.line, Scalar(name.line, "", None), None, name.line, 0, None, None, ())
    keys = {key.text: value for key, value in tree.entries}
    kind = keys.get("kind")
    if not isinstance(kind, Scalar) or kind.value is None or not kind.text:
        report.error(name.line, f"tile {name.text} has no kind", "Add one, such as kind: echo; ./girih list shows them all.")
        kind = Scalar(name.line, "", None)
    at = _place(name.text, keys["at"], report) if "at" in keys else None
    settings = []
    for key, value in tree.entries:
        if key.text in TILE_KEYS:
            continue
        items = value.items if isinstance(value, Seq) else (value,)
        if isinstance(value, Scalar | Seq) and items and all(isinstance(item, Scalar) and item.value is not None for item in items):
            settings.append((key, value))
        else:
            found = values.what_it_is(value)
            report.error(key.line, f"{key.text} of tile {name.text} is {found}", "A setting has one value or a list of them.")
    return TileText(
        name=name.text,
        line=name.line,
        kind=kind,
        at=at,
        at_line=keys["at"].line if "at" in keys else name.line,
        port=number(keys, "port", 0, MOST_PORTS - 1, 0, report),
        port_line=keys["port"].line if "port" in keys else None,
        next=keys.get("next"),
        settings=tuple(settings),
        drop_log=_drop_log(name.text, keys, report),
        control=keys.get("control"),
        program=keys.get("program"),
    )


def _drop_log(tile: str, keys: dict[str, Tree], report: Report) -> int:
    """How many of its last drops a tile keeps; 0 if the key is missing or wrong."""
    tree = keys.get("drop_log")
    if tree is None:
        return 0
    entries = values.number(tree)
    if entries in DROP_LOGS:
        return entries
    report.error(tree.line, f"drop_log of tile {tile} is {values.what_it_is(tree)}", f"It may be {values.listing(DROP_LOGS)} drops, or be left out.")
    return 0


def _place(name: str, tree: Tree, report: Report) -> tuple[tuple[int, ...], ...] | None:
    """One place, or a list of them: `3`, `[1, 0]`, `[[1, 0], [2, 0]]`. On a crossbar `[3, 4]` is two ports."""
    items = tree.items if isinstance(tree, Seq) else ()
    several = items and all(isinstance(item, Seq) for item in items)
    places = [
        tuple(values.number(item) for item in (one.items if isinstance(one, Seq) else (one,)))
        for one in (items if several else (tree,))
    ]
    if any(None in place or not place for place in places) or any(several and len(place) not in (2, 3) for place in places):
        remedy = "Write at: [x, y] on a mesh, at: [x, y, tile] on a butterfly, at: port on a crossbar, or leave it out."
        report.error(tree.line, f"the place of tile {name} is {values.what_it_is(tree)}", remedy)
        return None
    return tuple(places)
