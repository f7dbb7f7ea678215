# SPDX-License-Identifier: Apache-2.0
"""The message and its descriptor: reads `spec/message.yaml`, gives a codec and the SystemVerilog package."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ruamel.yaml import YAML

from girih.paths import SPEC

SUPPORTED_WIDTHS = (128, 256, 512, 1024)
TIMINGS = {"relaxed": 0, "250": 250, "322": 322}  # what a card can be timed for, and the clock in MHz


@dataclass(frozen=True)
class CardParams:
    """What the generated package depends on.

    data_width: bits of a flit's data. max_frame: bytes of the largest frame, without FCS (9,000 of
    payload, 14 of header, 4 of tag). route_hops: hops that a source route can hold. chain_hops: services
    that a chain can hold; 0: a card without services, whose descriptor has no chain. timing: one of `TIMINGS`.
    """

    data_width: int = 512
    max_frame: int = 9018
    route_hops: int = 4
    chain_hops: int = 0
    timing: str = "250"

    @classmethod
    def chained(cls, data_width: int = 512, max_frame: int = 9018) -> CardParams:
        """Of a card with services: chains of eight, and a route that leads along all of one and out."""
        return cls(data_width, max_frame, route_hops=9, chain_hops=8)

    @property
    def flit_bytes(self) -> int:
        return self.data_width // 8


@dataclass(frozen=True)
class Field:
    """One field of a packed struct. `count` > 1 makes it a packed array of `bits` each."""

    name: str
    bits: int
    count: int
    type: str | None
    doc: str

    @property
    def width(self) -> int:
        return self.bits * self.count


@cache
def _spec() -> dict:
    return YAML(typ="safe").load((SPEC / "message.yaml").read_text())


def type_widths() -> dict[str, int]:
    """Bits of each named type, such as `node`."""
    return {name: entry["bits"] for name, entry in _spec()["widths"].items()}


def struct_fields(name: str) -> list[Field]:
    """The fields of a named struct, such as `hop`, first one at the most significant end."""
    return [
        Field(entry["name"], entry.get("bits") or type_widths()[entry["type"]], 1, entry.get("type"), entry["doc"])
        for entry in _spec()["structs"][name]
    ]


def descriptor_fields(params: CardParams) -> list[Field]:
    """The descriptor's fields, first one at the most significant end."""
    computed = {
        "route_count": params.route_hops.bit_length(),
        "route_hops": params.route_hops,
        "chain_count": params.chain_hops.bit_length(),
        "chain_hops": params.chain_hops,
    }
    widths = type_widths() | {name: sum(f.width for f in struct_fields(name)) for name in _spec()["structs"]}
    fields = []
    for entry in _spec()["descriptor"]:
        if entry.get("chained") and not params.chain_hops:
            continue
        bits = entry.get("bits")
        if bits is None:
            bits = widths[entry["type"]]
        fields.append(
            Field(
                name=entry["name"],
                bits=computed.get(bits, bits),
                count=computed.get(entry.get("count"), 1),
                type=entry.get("type"),
                doc=entry["doc"],
            )
        )
    return fields


def pack(fields: list[Field], values: dict) -> int:
    """Packs named values (a list for an array, index 0 least significant) as SystemVerilog would.

    Raises KeyError for an unknown name and ValueError for a value that does not fit.
    """
    unknown = set(values) - {f.name for f in fields}
    if unknown:
        raise KeyError(f"no such field: {', '.join(sorted(unknown))}")
    word = 0
    for field in fields:
        value = values.get(field.name, 0)
        items = list(value) if isinstance(value, (list, tuple)) else [value]
        number = 0
        for index, item in enumerate(items):
            if not 0 <= int(item) < 1 << field.bits or index >= field.count:
                raise ValueError(f"{field.name} = {value} does not fit {field.count} x {field.bits} bits")
            number |= int(item) << (index * field.bits)
        word = word << field.width | number
    return word


def unpack(fields: list[Field], word: int) -> dict:
    """The inverse of `pack`; arrays come back as lists."""
    values: dict = {}
    for field in reversed(fields):
        number = word & ((1 << field.width) - 1)
        word >>= field.width
        if field.count > 1:
            mask = (1 << field.bits) - 1
            values[field.name] = [number >> (i * field.bits) & mask for i in range(field.count)]
        else:
            values[field.name] = number
    return values


def flit_fields(params: CardParams) -> list[Field]:
    """The fields of `flit_t`; `desc` is the packed descriptor."""
    descriptor = sum(f.width for f in descriptor_fields(params))
    empty = (params.flit_bytes - 1).bit_length()
    return [
        Field("desc", descriptor, 1, "descriptor", "rides beside the first flit"),
        Field("bad", 1, 1, None, "with last: the whole message is void"),
        Field("last", 1, 1, None, "ends the message"),
        Field("empty", empty, 1, None, "invalid bytes at the top of the last flit"),
        Field("data", params.data_width, 1, None, "first wire byte in [7:0]"),
    ]


def _typedef(name: str, fields: list[Field]) -> list[str]:
    lines = ["  typedef struct packed {"]
    for field in fields:
        if field.type:
            dims = f"[{field.count - 1}:0] " if field.count > 1 or field.name in ("route", "chain") else ""
            kind = f"{field.type}_t {dims}"
        else:
            kind = f"logic [{field.bits - 1}:0] " if field.bits > 1 else "logic "
        lines.append(f"    {kind}{field.name};  // {field.doc}")
    return [*lines, f"  }} {name}_t;", ""]


def package(params: CardParams) -> str:
    """The text of `girih_pkg.sv` for one card."""
    if params.data_width not in SUPPORTED_WIDTHS:
        raise ValueError(f"data width {params.data_width}: it must be one of {SUPPORTED_WIDTHS}")
    if params.timing not in TIMINGS:
        raise ValueError(f"timing {params.timing}: it must be one of {tuple(TIMINGS)}")
    if not 1 <= params.route_hops <= 15:
        raise ValueError(f"route_hops {params.route_hops}: it must be between 1 and 15")
    if not 0 <= params.chain_hops < 15:
        raise ValueError(f"chain_hops {params.chain_hops}: it must be between 0 and 14")
    if params.chain_hops and params.route_hops <= params.chain_hops:
        raise ValueError(
            f"route_hops {params.route_hops}: a route along a whole chain and out takes {params.chain_hops + 1}"
        )
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "// Generated from spec/message.yaml by girih.spec.message; do not edit.",
        "package girih_pkg;",
        f"  localparam int unsigned W = {params.data_width};  // bits of data in a flit",
        "  localparam int unsigned FlitBytes = W / 8;",
        "  localparam int unsigned EmptyWidth = $clog2(FlitBytes);",
        f"  localparam int unsigned MaxFrameBytes = {params.max_frame};  // without FCS",
        "  localparam int unsigned MaxFrameFlits = (MaxFrameBytes + FlitBytes - 1) / FlitBytes;",
        f"  localparam int unsigned RouteHops = {params.route_hops};",
        f"  localparam int unsigned ChainHops = {params.chain_hops};",
        "  // The clock that paths are cut for, where a cut costs a cycle; 0: they are not cut.",
        f"  localparam int unsigned TimingMhz = {TIMINGS[params.timing]};",
        "",
    ]
    for name, entry in _spec()["widths"].items():
        lines.append(f"  typedef logic [{entry['bits'] - 1}:0] {name}_t;  // {entry['doc']}")
    lines.append("")
    for name in _spec()["structs"]:
        lines += _typedef(name, struct_fields(name))
    lines += _typedef("descriptor", descriptor_fields(params))
    # A count of 1, 3, 7 or 15 hops cannot say more, and Verilator warns of a comparison that is always true.
    counts = (("route_count) <= RouteHops", params.route_hops), ("chain_count) <= ChainHops", params.chain_hops))
    fits = [f"32'(desc.{count}" for count, hops in counts if hops & (hops + 1)] or ["1'b1"]
    lines += [
        "  // Whether the arrays of a descriptor can have as many elements as their counts say.",
        "  /* verilator lint_off UNUSEDSIGNAL */",
        "  function automatic logic descriptor_fits(input descriptor_t desc);",
        f"    descriptor_fits = {' && '.join(fits)};",
        "  endfunction",
        "  /* verilator lint_on UNUSEDSIGNAL */",
        "",
        "  typedef struct packed {",
        "    descriptor_t desc;  // with the first flit",
        "    logic bad;  // with last: the whole message is void",
        "    logic last;",
        "    logic [EmptyWidth-1:0] empty;  // invalid bytes at the top of the last flit",
        "    logic [W-1:0] data;  // first wire byte in [7:0]",
        "  } flit_t;",
        "",
        "  // One entry of a node table: messages whose key matches (or any, for `any`) go to node.",
        "  typedef struct packed {",
        "    logic valid;",
        "    logic any;",
        "    node_t node;",
        "    next_key_t key;",
        "  } next_hop_t;",
        "",
        "  // A beat of the control ring: a request, or the response that replaces it.",
        "  typedef struct packed {",
        "    logic valid;",
        "    logic response;",
        "    logic write;",
        "    logic error;",
        "    tenant_t tenant;  // whose request it is; 0: the operator's",
        "    node_t node;",
        "    logic [15:0] offset;  // byte address in the tile",
        "    logic [31:0] data;  // of an error: 1 if the window did not answer in time, else 0",
        "  } ctrl_t;",
        "endpackage",
        "",
    ]
    return "\n".join(lines)
