# SPDX-License-Identifier: Apache-2.0
"""The settings of a tile: values for its kind's configuration and engine parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from girih.compiler import values
from girih.compiler.model import Addresses, Design, TileText, Value
from girih.compiler.read.design import TILE_KEYS, read_ip, read_mac
from girih.compiler.read.parse import Report, Scalar, Seq
from girih.spec.kinds import ConfigField, Kind
from girih.spec.message import SUPPORTED_WIDTHS, CardParams
from girih.spec.parameters import Parameters

REPLICA_KEY = "replica"  # the key of a balancer's node table
_EXAMPLES = {"mac": "02:67:69:72:69:68", "ipv4": "10.77.0.1", "node": "a_tile", "tile": "a_tile", "flag": "true"}
LEASED = ("ip", "netmask", "gateway")
"""The fields that a tile with a leased address writes, in the order of their numbers in its register `places`, from 1."""
REPLICAS = "replicas"  # the field that is derived from a balancer's next

Values = tuple[tuple[str, Value], ...]


def resolve(
    tile: TileText,
    kind: Kind,
    design: Design,
    filled: Mapping[str, Value],
    targets: Mapping[str, int | str],
    nodes: Mapping[str, int],
    counters: Mapping[str, int],
    leased: bool,
    report: Report,
) -> tuple[Values, tuple[tuple[str, int], ...]]:
    """The values of all configuration fields, and of the parameters that the design sets or that name a port.

    filled: values derived from the rest of the design, by name; a tile cannot set them. targets: the node of every tile,
    or the reason why messages cannot be sent there; nodes: that of every tile. counters: those that it may read, by `tile.counter`. leased: it gets its addresses
    while the card runs, and has none before. A field gets the tile's value, else the card's address of that name, else
    the kind's default.
    """
    given = {key.text: value for key, value in tile.settings}
    _check_keys(tile, kind, filled, report)
    inherited = _inherited(design, tile.port if kind.at_port else 0)
    config: dict[str, Value | None] = {**_own_address(tile, kind, given, report), **filled}
    if leased:
        _check_leased(tile, kind, report)
        config |= {field.name: 0xFFFFFFFF if field.name == "netmask" else 0 for field in kind.config if field.name in LEASED}
    for field in kind.config:
        if field.name in config:
            continue
        if field.name in given:
            known = {"tile": nodes, "counter": counters}.get(field.format, targets)
            fits = replace(field, width=design.params.tenant_bits) if field.format == "tenant" else field
            config[field.name] = _field(fits, given[field.name], tile.name, known, report)
        elif inherited.get(field.name) is not None:
            config[field.name] = inherited[field.name]
        elif field.default is not None:
            config[field.name] = _all_of(field, field.default)
        else:
            _not_given(field, tile, kind, report)
    parameters = _parameters(tile, kind, given, filled, design, report)
    _check_elements(tile, kind, given, design, report)
    _check_network(tile, config, report)
    return tuple((field.name, config.get(field.name) or _all_of(field, 0)) for field in kind.config), tuple(parameters.items())


def _all_of(field: ConfigField, value: int) -> Value:
    """The value of a field; for an array, the same in every element."""
    return (value,) * field.count if field.count else value


def _check_keys(tile: TileText, kind: Kind, filled: Mapping[str, Value], report: Report) -> None:
    names = [*(field.name for field in kind.config), *(item.name for item in kind.parameters)]
    settable = [name for name in names if name not in filled and name != "port"]
    for key, _ in tile.settings:
        if key.text not in settable:
            _unknown(key, tile, kind, settable, report)


def _check_leased(tile: TileText, kind: Kind, report: Report) -> None:
    fields = [field.name for field in kind.config]
    for key in (key for key, _ in tile.settings if key.text in LEASED and key.text in fields):
        what = f"tile {tile.name} has a setting {key.text}, but gets its addresses while the card runs"
        report.error(key.line, what, f"Leave it out, or leave {tile.name} out of write of the tile that gives them.")


def _own_address(tile: TileText, kind: Kind, given: Mapping[str, Scalar | Seq], report: Report) -> dict[str, Value | None]:
    """A tile's own IP address, and the netmask for its prefix."""
    address = given.get("ip")
    if not isinstance(address, Scalar) or not any(field.name == "ip" for field in kind.config):
        return {}
    ip, prefix = read_ip(address, "ip", f"ip of tile {tile.name}", report)
    masked = "/" in address.text and "netmask" not in given
    return {"ip": ip, "netmask": Addresses(None, None, prefix, None).netmask} if masked else {"ip": ip}


def _parameters(
    tile: TileText, kind: Kind, given: Mapping[str, Scalar | Seq], filled: Mapping[str, Value], design: Design, report: Report
) -> dict[str, int]:
    """The values of the parameters that the design sets. All parameters, defaults included, must obey the kind's rules."""
    numbers = {name: number for name, tree in given.items() if (number := values.number(tree)) is not None}
    numbers |= {name: value for name, value in filled.items() if isinstance(value, int)}
    known = Parameters(kind.parameters, design.params, numbers)
    for item in kind.parameters if design.params.data_width in SUPPORTED_WIDTHS else ():
        tree, whose = given.get(item.name), f"{item.name} of tile {tile.name}"
        if item.name == "port" or item.name in filled:
            continue
        if tree is not None and item.name not in numbers:
            report.error(tree.line, f"{whose} is {values.what_it_is(tree)}; it must be a whole number", known.remedy(item))
        elif not known.allows(item, value := known.value(item)):
            limits = known.limits(item) or (value, value)
            fault = "which does not fit" if limits[0] <= value <= limits[1] else "out of range"
            if tree is None:
                remedy = f"Set it. {known.remedy(item)}" if known.limits(item) else known.remedy(item)
                report.error(tile.line, f"{whose} is {value} by default, {fault} beside the other settings", remedy)
            else:
                report.error(tree.line, f"{whose} is {value}, {fault}", known.remedy(item))
    numbers["port"] = tile.port
    return {item.name: numbers[item.name] for item in kind.parameters if item.name in numbers}


def _check_elements(tile: TileText, kind: Kind, given: Mapping[str, Scalar | Seq], design: Design, report: Report) -> None:
    """Checks that no array of the configuration is given more elements than the tile has by its parameters."""
    for field in kind.config:
        tree, has = given.get(field.name), parameter(tile, kind, field.elements, design.params) if field.elements else None
        if isinstance(tree, Seq) and has is not None and has < len(tree.items) <= field.count:
            what = f"{field.name} of tile {tile.name} has {len(tree.items)} values, but the tile has room for {has}"
            report.error(tree.line, what, f"Write {field.elements}: {len(tree.items)}, or leave some out.")


def _check_network(tile: TileText, config: Mapping[str, Value | None], report: Report) -> None:
    """Checks that address, netmask and gateway of a tile are consistent, whether set in the tile, the card or the kind."""
    ip, netmask, gateway = (config.get(name) for name in ("ip", "netmask", "gateway"))
    prefix = values.prefix_of(netmask) if isinstance(netmask, int) else None
    if isinstance(netmask, int) and prefix is None:
        what = f"netmask of tile {tile.name} is {values.ipv4_text(netmask)}, which is not a netmask"
        report.error(tile.line, what, "Write netmask: 255.255.255.0, or give the prefix with the address, ip: 10.77.0.2/24.")
    elif isinstance(ip, int) and isinstance(gateway, int) and ip and gateway and prefix and (fault := values.gateway_fault(gateway, ip, prefix)):
        what = f"gateway {values.ipv4_text(gateway)} of tile {tile.name} {fault}"
        report.error(tile.line, what, "Give a neighbour's address, or correct the prefix after the / of ip.")


def parameter(tile: TileText, kind: Kind, name: str, params: CardParams) -> int | None:
    """A parameter of a tile from the design or the kind; None if the kind has none of that name."""
    given = {key.text: number for key, value in tile.settings if (number := values.number(value)) is not None}
    found = next((p for p in kind.parameters if p.name == name), None)
    return None if found is None else Parameters(kind.parameters, params, given).value(found)


def is_balancer(kind: Kind) -> bool:
    return kind.next is not None and kind.next.key == REPLICA_KEY


def _inherited(design: Design, port: int) -> dict[str, int | None]:
    """The values that tiles inherit from the card, by name of the field; port n's MAC address is port 0's plus n."""
    addresses = design.addresses
    return {
        "mac": None if addresses.mac is None else (addresses.mac + port) & 0xFFFFFFFFFFFF,
        "ip": addresses.ip,
        "netmask": None if addresses.ip is None else addresses.netmask,
        "gateway": addresses.gateway,
        "second_cycles": design.clock_mhz * 1_000_000,
        "microsecond_cycles": design.clock_mhz,
    }


def _unknown(key: Scalar, tile: TileText, kind: Kind, settable: list[str], report: Report) -> None:
    if key.text == REPLICAS and is_balancer(kind):
        report.error(key.line, f"{REPLICAS} of tile {tile.name} follows from its next", "Leave it out.")
        return
    unused = {name for name, used in (("control", "control" in kind.uses), ("program", kind.programs)) if not used}
    keys = [name for name in TILE_KEYS if name not in unused]
    hint = values.did_you_mean(key.text, [*settable, *keys])
    remedy = f"{hint}Besides {values.listing(keys, 'and')} it may have {values.listing(settable)}."
    if not settable:
        remedy = f"{hint}It may have {values.listing(keys, 'and')} only."
    report.error(key.line, f"tile {tile.name} of kind {kind.name} has no setting {key.text}", remedy)


def _not_given(field: ConfigField, tile: TileText, kind: Kind, report: Report) -> None:
    example = "10.77.0.2/24" if field.format == "ipv4" else _EXAMPLES.get(field.format, "1")
    place = "at the top of the card or in the tile" if field.name in ("mac", "ip") else "in the tile"
    report.error(
        tile.line,
        f"tile {tile.name} of kind {kind.name} needs {field.name}: {field.doc}",
        f"Write {field.name}: {example} {place}.",
    )


def _field(
    field: ConfigField, tree: Scalar | Seq, tile: str, targets: Mapping[str, int | str], report: Report
) -> Value | None:
    """A field, or all elements of an array: elements that are not given have the kind's default or 0."""
    if not field.count:
        if isinstance(tree, Seq):
            report.error(tree.line, f"{field.name} of tile {tile} is {values.what_it_is(tree)}", f"Write one value, such as {field.name}: {_EXAMPLES.get(field.format, '1')}")
            return None
        return _node(field, tree, tile, targets, report) if field.format in ("node", "tile") else _value(field, tree, tile, report)
    items = tree.items if isinstance(tree, Seq) else (tree,)
    if len(items) > field.count:
        report.error(tree.line, f"{field.name} of tile {tile} has {len(items)} values", f"It may have {field.count}.")
        return None
    named = {"tile": _node, "counter": _counter}.get(field.format)
    one = [named(field, item, tile, targets, report) if named else _value(field, item, tile, report) for item in items if isinstance(item, Scalar)]
    given = [value or 0 for value in one]
    return (*given, *[field.default or 0] * (field.count - len(given)))


def _node(
    field: ConfigField, value: Scalar, tile: str, targets: Mapping[str, int | str], report: Report
) -> int | None:
    """The node of the tile that a setting names."""
    if value.text == tile:
        report.error(value.line, f"{field.name} of tile {tile} leads back to itself", "Name another tile.")
        return None
    found = targets.get(value.text, "is not a tile")
    if isinstance(found, int):
        return found
    good = [name for name, node in targets.items() if isinstance(node, int) and name != tile]
    report.error(
        value.line,
        f"{field.name} of tile {tile} is {value.text}, which {found}",
        f"{values.did_you_mean(value.text, good)}Name one of: {', '.join(good)}." if good else "No other tile can be named. Add one that takes messages.",
    )
    return None


def _counter(
    field: ConfigField, value: Scalar, tile: str, counters: Mapping[str, int | str], report: Report
) -> int | None:
    """The location of the counter that a setting names; 0, for no counter, stays 0."""
    found = 0 if value.value == 0 else counters.get(value.text)
    if isinstance(found, int):
        return found
    what = f"{field.name} of tile {tile} is {value.text}, which is not a counter of a tile that it may read"
    report.error(value.line, what, f"{values.did_you_mean(value.text, counters)}Write TILE.COUNTER, and name the tile in read of control; ./girih stats shows the counters.")
    return None


def _value(field: ConfigField, value: Scalar, tile: str, report: Report) -> int | None:
    if field.format == "mac":
        return read_mac(value, field.name, f"{field.name} of tile {tile}", report)
    if field.format == "ipv4":
        address = values.ipv4(value.text)
        if address is None:
            report.error(
                value.line,
                f"{field.name} of tile {tile} is {value.text}, which is not an IPv4 address",
                f"Write {field.name}: 10.77.0.1",
            )
        return address
    if field.format == "flag":
        if not isinstance(value.value, bool):
            report.error(
                value.line,
                f"{field.name} of tile {tile} is {value.text}; it is a flag",
                f"Write {field.name}: true or {field.name}: false",
            )
            return None
        return int(value.value)
    return _in_range(value, field.name, 0, (1 << field.width) - 1, tile, report)


def _in_range(value: Scalar, name: str, low: int, high: int, tile: str, report: Report) -> int | None:
    number = values.number(value)
    if number is None:
        report.error(value.line, f"{name} of tile {tile} is {value.text}; it must be a whole number", values.span(low, high))
        return None
    if not low <= number <= high:
        report.error(value.line, f"{name} of tile {tile} is {number}, out of range", values.span(low, high))
        return None
    return number


