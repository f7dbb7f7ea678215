# SPDX-License-Identifier: Apache-2.0
"""The message and its descriptor: reads `spec/message.yaml`, gives a codec and the SystemVerilog package."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from girih.spec.files import read_spec
from girih.verilog import render

TEMPLATE = Path(__file__).parent / "templates" / "girih_pkg.sv.j2"
SUPPORTED_WIDTHS = (128, 256, 512, 1024)
CHAIN = "chain"  # the group of fields that only cards with services have
MEMORY = "memory"  # the group of fields for accesses to external memory
STREAM = "stream"  # the group of fields for connections of byte streams
BASIC_GROUPS = ("route", "meta", "network", "transport", "payload", "payload_sum", "timing")  # of a card that no design describes, such as that of a unit test
LARGEST_FRAME = 65_553  # the largest IPv4 packet behind an Ethernet header with a tag
LEAST_LENGTH_BITS = 14
TIME_BITS = (24, 32)  # least and most
TENANTS = (8, 64)  # likewise
LEAST_TENANT_BITS = 4
MOST_TENANT_BITS = (TENANTS[1] - 1).bit_length()
TIMINGS = {"relaxed": 0, "250": 250, "322": 322}  # what a card can be timed for, and the clock in MHz


@dataclass(frozen=True)
class CardParams:
    """What the generated package depends on.

    data_width: bits of a flit's data. max_frame: bytes of the largest frame, without FCS (9,000 of
    payload, 14 of header, 4 of tag). route_hops: hops that a source route can hold. chain_hops: services
    that a chain can hold; 0: a card without services, whose descriptor has no chain. service_bits: of a service's number in
    a chain. address_bits: of a node in a descriptor. time_bits: of a time stamp. timing: one of `TIMINGS`.
    groups: the groups of fields that the descriptor has, in the order of `group_names`. tenants: those that have shares and counters
    of their own, a power of two.
    """

    data_width: int = 512
    max_frame: int = 9018
    route_hops: int = 4
    chain_hops: int = 0
    service_bits: int = 4
    address_bits: int = 8
    time_bits: int = TIME_BITS[0]
    timing: str = "250"
    groups: tuple[str, ...] = BASIC_GROUPS
    tenants: int = TENANTS[0]

    @classmethod
    def with_groups(cls, data_width: int = 512, max_frame: int = 9018, groups: Iterable[str] = ()) -> CardParams:
        """The parameters of a card that no design describes, with these groups beside the basic ones. With chains: of eight hops, and
        source routes for a whole chain and its exit."""
        route_hops, chain_hops = (9, 8) if CHAIN in groups else (cls.route_hops, 0)
        return cls(data_width, max_frame, route_hops, chain_hops, groups=in_order({*BASIC_GROUPS, *groups}))

    @classmethod
    def chained(cls, data_width: int = 512, max_frame: int = 9018) -> CardParams:
        """The parameters of a card with services that no design describes."""
        return cls.with_groups(data_width, max_frame, (CHAIN,))

    @property
    def flit_bytes(self) -> int:
        return self.data_width // 8

    @property
    def tenant_bits(self) -> int:
        """Of a tenant's number."""
        return max(LEAST_TENANT_BITS, (self.tenants - 1).bit_length())

    @property
    def length_bits(self) -> int:
        """Of a message's length: as many as the largest frame needs."""
        return max(LEAST_LENGTH_BITS, self.max_frame.bit_length())


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


def _spec() -> Mapping[str, Any]:
    return read_spec("message")


def group_names() -> tuple[str, ...]:
    """The groups of fields that a descriptor may have."""
    return tuple(_spec()["groups"])


def group_doc(group: str) -> str:
    """The meaning of a group's fields."""
    return _spec()["groups"][group]["doc"]


def has_setter(group: str) -> bool:
    """Whether RTL writes the fields of a group with a function, which every card has."""
    return "setter" in _spec()["groups"][group]


def in_order(groups: Collection[str]) -> tuple[str, ...]:
    """Groups in the order of `group_names`. Raises ValueError for an unknown one."""
    for group in groups:
        if group not in group_names():
            raise ValueError(f"there is no group of fields {group}; the groups are {', '.join(group_names())}")
    return tuple(group for group in group_names() if group in groups)


def type_widths(params: CardParams | None = None) -> dict[str, int]:
    """Bits of each named type, such as `node`; on a card with the default parameters if none are given."""
    card = params or CardParams()
    computed: dict[Any, int] = {"address_bits": card.address_bits, "length_bits": card.length_bits, "time_bits": card.time_bits, "tenant_bits": card.tenant_bits}
    return {name: computed.get(entry["bits"], entry["bits"]) for name, entry in _spec()["widths"].items()}


def struct_fields(name: str, params: CardParams = CardParams()) -> list[Field]:
    """The fields of a named struct, such as `hop`, first one at the most significant end."""
    return _fields(_spec()["structs"][name], type_widths(params), params)


def _fields(entries: list[dict], widths: Mapping[str, int], params: CardParams) -> list[Field]:
    """Those without a group, and those of the groups of the card."""
    return [_field(entry, widths, params) for entry in entries if entry.get("group") in (None, *params.groups)]


def _field(entry: dict, widths: Mapping[str, int], params: CardParams) -> Field:
    """A field of the specification on a card with these parameters. widths: bits of each type."""
    computed: dict[Any, int] = {
        "route_count": params.route_hops.bit_length(),
        "route_hops": params.route_hops,
        "chain_count": params.chain_hops.bit_length(),
        "chain_hops": params.chain_hops,
        "service_bits": params.service_bits,
    }
    bits, count = entry["bits"] if "bits" in entry else widths[entry["type"]], entry.get("count", 1)
    return Field(entry["name"], computed.get(bits, bits), computed.get(count, count), entry.get("type"), entry["doc"])


def descriptor_fields(params: CardParams) -> list[Field]:
    """The descriptor's fields, first one at the most significant end."""
    widths = type_widths(params) | {name: sum(f.width for f in struct_fields(name, params)) for name in _spec()["structs"]}
    return _fields(_spec()["descriptor"], widths, params)


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
        Field("first", 1, 1, None, "begins the message"),
        Field("bad", 1, 1, None, "with last: the whole message is void"),
        Field("last", 1, 1, None, "ends the message"),
        Field("empty", empty, 1, None, "invalid bytes at the top of the last flit"),
        Field("data", params.data_width, 1, None, "first wire byte in [7:0]"),
    ]


def declared(field: Field, enums: Collection[str] = ()) -> dict[str, str]:
    """A field, as SystemVerilog declares it. A route and a chain stay arrays if they have a single element. enums: the types that are enums."""
    array = f" [{field.count - 1}:0]" if field.count > 1 or field.name in ("route", "chain") else ""
    bits = f" [{field.bits - 1}:0]" if field.bits > 1 and not field.type else ""
    kind = f"{field.type}{'_e' if field.type in enums else '_t'}" if field.type else "logic"
    return {"type": f"{kind}{array}{bits}", "name": field.name, "doc": field.doc}


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
            f"route_hops {params.route_hops}: a source route through a whole chain to its exit takes {params.chain_hops + 1}"
        )
    if not 1 <= params.service_bits <= type_widths()["service"]:
        raise ValueError(f"service_bits {params.service_bits}: it must be between 1 and {type_widths()['service']}")
    if not TENANTS[0] <= params.tenants <= TENANTS[1] or params.tenants & (params.tenants - 1):
        raise ValueError(f"tenants {params.tenants}: it must be a power of two between {TENANTS[0]} and {TENANTS[1]}")
    if not 1 <= params.max_frame <= LARGEST_FRAME:
        raise ValueError(f"max_frame {params.max_frame}: it must be between 1 and {LARGEST_FRAME}")
    if not TIME_BITS[0] <= params.time_bits <= TIME_BITS[1]:
        raise ValueError(f"time_bits {params.time_bits}: it must be between {TIME_BITS[0]} and {TIME_BITS[1]}")
    if not 1 <= params.address_bits <= type_widths()["node"]:
        raise ValueError(f"address_bits {params.address_bits}: it must be between 1 and {type_widths()['node']}")
    if (CHAIN in params.groups) != bool(params.chain_hops):
        raise ValueError(f"chain_hops {params.chain_hops}: it must be 0 without the group {CHAIN}, and only then")
    descriptor = descriptor_fields(params)
    # A field for at most 1, 3, 7 or 15 hops cannot hold more, and Verilator warns of a comparison that is always true.
    counts = (("route_count) <= RouteHops", params.route_hops), ("chain_count) <= ChainHops", params.chain_hops))
    there = {field.name for field in descriptor}
    fits = [f"32'(desc.{count}" for count, hops in counts if count.split(")")[0] in there and hops & (hops + 1)] or ["1'b1"]
    structs = {name: struct_fields(name, params) for name in _spec()["structs"]} | {"descriptor": descriptor}
    return render(
        TEMPLATE,
        params=params,
        mhz=TIMINGS[params.timing],
        widths={name: {"bits": bits, "doc": _spec()["widths"][name]["doc"]} for name, bits in type_widths(params).items()},
        nodes=type_widths()["node"],
        structs={name: [declared(field) for field in fields] for name, fields in structs.items()},
        fits=" && ".join(fits),
        there=there | ({"meta"} & set(params.groups)),
        offsets=[field.name for field in descriptor if field.type == "offset"],
    )
