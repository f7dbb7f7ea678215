# SPDX-License-Identifier: Apache-2.0
"""The rules for parameters in the kinds' `.yaml` and the checks of the RTL agree: values that the rules allow elaborate without a
warning, and the RTL also refuses values that they forbid."""

from __future__ import annotations

from dataclasses import replace

import pytest

from girih.build.generate import generated_rtl
from girih.build.lint import Lint, lint
from girih.build.sources import resolve
from girih.spec.kinds import Kind, load_kinds
from girih.spec.message import LARGEST_FRAME, TIME_BITS, CardParams, in_order
from girih.spec.parameters import EngineParameter, Parameters
from girih.testing import some_of

KINDS = [kind for kind in load_kinds().values() if kind.parameters]
LEAST, GREATEST = 0, 1
LARGE = {"cluster", "scheduler", "unit_core"}  # with their greatest parameters
FRAMES = (64, 9018, LARGEST_FRAME)  # bytes of the largest frame: the least, the default and the greatest


def params_of(kind: Kind, width: int, frame: int) -> CardParams:
    """A card whose descriptor has only the field groups that the kind says it touches, and, with the largest frame, the longest time stamps."""
    basic = CardParams.with_groups(width, frame, kind.groups)
    return replace(basic, groups=in_order(kind.groups), time_bits=TIME_BITS[frame == LARGEST_FRAME])


def lint_kind(kind: Kind, params: CardParams, values: dict[str, int]) -> Lint:
    names = {parameter.name: parameter.verilog_name for parameter in kind.parameters}
    given = [f"-G{names[name]}={value}" for name, value in values.items()]
    return lint(kind.name, resolve([kind.name], [generated_rtl(params)]), *given)


def together(kind: Kind, params: CardParams, end: int) -> dict[str, int]:
    """All parameters at their least or greatest values, set one after the other; a value that then breaks a rule is moved to the nearest valid
    one."""
    values: dict[str, int] = {}
    for _ in range(2):
        for item in kind.parameters:
            limits = Parameters(kind.parameters, params, values).limits(item)
            if limits is not None:
                values[item.name] = limits[end]
    return values


def alone(kind: Kind, params: CardParams, item: EngineParameter, end: int) -> dict[str, int] | None:
    """One parameter at its least or greatest value, the others at their defaults; None if it has no such value."""
    limits = Parameters(kind.parameters, params, {}).limits(item)
    if limits is None:
        return None
    values = {item.name: limits[end]}
    known = Parameters(kind.parameters, params, values)
    for other in kind.parameters:  # a default that does not fit this value
        if other is not item and not known.allows(other, known.value(other)) and (near := known.limits(other)):
            values[other.name] = near[0]
    return values


def judge(kind: Kind, params: CardParams, values: dict[str, int], result: Lint) -> None:
    """Without a warning; but if these values leave none to another parameter, not even a 0 with a meaning of its own, the RTL refuses them with a sentence."""
    known = Parameters(kind.parameters, params, values)
    if any(known.limits(item) is None and item.zero is None for item in kind.parameters):
        assert not result.clean and "USERFATAL" in result.output, f"no value is allowed, and the RTL takes one: {values}"
        return
    assert result.clean, f"{values}\n{result.output}"


def limits() -> list:
    """Kinds, bytes of the largest frame, and which end: in each run the greatest values with the greatest frame, if that does not take long."""
    return [
        pytest.param(
            *(kind, frame, end),
            id=f"{kind.name}-{frame}-{('least', 'greatest')[end]}",
            marks=() if (frame, end) == (LARGEST_FRAME, GREATEST) and kind.name not in LARGE else pytest.mark.thorough,
        )
        for kind in KINDS
        for frame in FRAMES
        for end in (LEAST, GREATEST)
    ]


@pytest.mark.parametrize(("kind", "frame", "end"), limits())
def test_all_at_their_limits_elaborate(kind, frame, end):
    """At the narrowest width with the least values and at the widest with the greatest."""
    params = params_of(kind, kind.widths[-1 if end else 0], frame)
    values = together(kind, params, end)
    result = lint_kind(kind, params, values)
    judge(kind, params, values, result)


@pytest.mark.parametrize("kind", [kind for kind in load_kinds().values() if not kind.parameters], ids=lambda kind: kind.name)
def test_a_kind_touches_only_the_fields_of_its_groups(kind):
    """For kinds with parameters the test above shows it."""
    result = lint_kind(kind, params_of(kind, 128, 9018), {})
    assert result.clean, result.output


@pytest.mark.thorough
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("kind, width", [pytest.param(kind, width, id=f"{kind.name}-{width}") for kind in KINDS for width in kind.widths])
def test_each_at_its_limits_elaborates(kind, width, frame):
    params = params_of(kind, width, frame)
    for item in kind.parameters:
        for end in (LEAST, GREATEST):
            values = alone(kind, params, item, end)
            if values is not None:
                result = lint_kind(kind, params, values)
                judge(kind, params, values, result)


@pytest.mark.parametrize(("name", "route_hops"), [("echo", 1), ("echo", 3), ("echo", 15), ("unit_null", 9), ("unit_null", 15)])
def test_fewest_and_most_hops_of_a_route_elaborate(name, route_hops):
    """And the numbers of hops that fill the field that counts them."""
    kind = load_kinds()[name]
    result = lint_kind(kind, replace(params_of(kind, 128, 9018), route_hops=route_hops), {})
    assert result.clean, result.output


@pytest.mark.parametrize("name", ["scheduler", "rmt_port", "unit_aes"])
@pytest.mark.parametrize("chain_hops, service_bits, address_bits", [(2, 1, 2), (3, 4, 7), (7, 3, 8)])
def test_sizes_of_chains_elaborate(name, chain_hops, service_bits, address_bits):
    """The smallest ones, and those at which the counts of a chain and of its route differ in width."""
    kind = load_kinds()[name]
    params = replace(
        params_of(kind, 256, 1518), chain_hops=chain_hops, route_hops=chain_hops + 1, service_bits=service_bits, address_bits=address_bits
    )
    few = {"services": min(8, 1 << service_bits)} if name == "scheduler" else {}
    result = lint_kind(kind, params, few)
    assert result.clean, result.output


def forbidden(kind: Kind, item: EngineParameter, params: CardParams) -> list[int]:
    """Values just outside of a rule that is more than two limits."""
    known = Parameters(kind.parameters, params, {})
    limits = known.limits(item)
    beside = [limits[0] - 1, limits[0] + 1, 2 * limits[1]]
    if not item.power_of_two and item.divides is None and item.multiple_of is None:
        return [limits[0] - 1] if isinstance(item.min, str) and limits[0] > 1 else []
    beside = beside[1:2] if not isinstance(item.min, str) else [limits[0] // 2, limits[0] + 1]
    return [value for value in beside if value > 0 and not known.allows(item, value)]


FORBIDDEN = [
    (kind, item.name, value)
    for kind in KINDS
    for item in kind.parameters
    for value in forbidden(kind, item, params_of(kind, 512, 9018))
]


@pytest.mark.parametrize("kind, name, value", some_of(16, FORBIDDEN), ids=lambda value: getattr(value, "name", None))
def test_what_a_rule_forbids_the_rtl_refuses(kind, name, value):
    params = params_of(kind, 512, 9018)
    staged = any(item.name == "stages" for item in kind.parameters)
    others = GREATEST if staged else LEAST  # as many stages as use such a parameter; but no card of many units or cores for each of these lints
    result = lint_kind(kind, params, together(kind, params, others) | {name: value})
    assert "USERFATAL" in result.output, f"{name} = {value}\n{result.output}"


def test_every_default_keeps_to_its_rules():
    """On every card on which some value satisfies them: some kinds cannot be on a card of the smallest frames."""
    for kind in KINDS:
        for width in kind.widths:
            for frame in FRAMES:
                known = Parameters(kind.parameters, params_of(kind, width, frame), {})
                wrong = [item.name for item in kind.parameters if known.limits(item) and not known.allows(item, known.value(item))]
                assert not wrong, f"{kind.name}, {width} bits, {frame} bytes: {wrong}"
