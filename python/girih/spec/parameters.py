# SPDX-License-Identifier: Apache-2.0
"""Parameters of engines: their defaults and the rules for their values, from a kind's `.yaml`.

A rule is a number or a constant expression of SystemVerilog over W, FlitBytes, MaxFrameBytes, MaxFrameFlits, ChainHops (0: the
card's messages have no chains) and the engine's own parameters, such as `2 * MaxFrameFlits` or `Kind0 == 2 ? 2 : 1`.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from girih.spec.message import CardParams

Expression = int | str

_OPERATORS: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
    ast.LtE: operator.le,
    ast.GtE: operator.ge,
}
_CHOICE = re.compile(r"([^?:]+)\?([^?:]+):([^?:]+)")


@dataclass(frozen=True)
class EngineParameter:
    """A parameter of the engine that a design file may set as `name`.

    min, max: its range. power_of_two: only powers of two are allowed. divides, multiple_of: what it must divide, or be a multiple
    of. zero: the special meaning of the value 0, to which the rules do not apply; None: 0 is a value like any other.
    """

    name: str
    default: Expression
    min: Expression
    max: Expression
    doc: str
    power_of_two: bool = False
    divides: Expression | None = None
    multiple_of: Expression | None = None
    zero: str | None = None

    @property
    def verilog_name(self) -> str:
        return "".join(word.capitalize() for word in self.name.split("_"))

    @property
    def rule(self) -> str:
        """The allowed values in words, for lists and comments."""
        shape = "a power of two, " if self.power_of_two else ""
        shape += f"a divisor of {self.divides}, " if self.divides is not None else ""
        shape += f"a multiple of {self.multiple_of}, " if self.multiple_of is not None else ""
        return f"{shape}{self.min} to {self.max}" + (f"; 0: {self.zero}" if self.zero is not None else "")


class Parameters:
    """The values that the parameters of one engine have on a card. given: those that are not the defaults."""

    def __init__(self, parameters: tuple[EngineParameter, ...], params: CardParams, given: Mapping[str, int]):
        self._by_name = {parameter.verilog_name: parameter for parameter in parameters}
        self._given = given
        self._card = {
            "W": params.data_width,
            "FlitBytes": params.flit_bytes,
            "MaxFrameBytes": params.max_frame,
            "MaxFrameFlits": -(-params.max_frame // params.flit_bytes),
            "ChainHops": params.chain_hops,
        }

    def value(self, parameter: EngineParameter) -> int:
        return self._given[parameter.name] if parameter.name in self._given else self.of(parameter.default)

    def of(self, expression: Expression) -> int:
        """The value of a default or a rule. Raises ValueError for one that cannot be parsed, or that names an unknown value."""
        return evaluate(expression, self._named)

    def _named(self, name: str) -> int:
        return self._card[name] if name in self._card else self.value(self._by_name[name])

    def allows(self, parameter: EngineParameter, value: int) -> bool:
        """Whether the rules allow a value, given those of the other parameters."""
        if value == 0 and parameter.zero is not None:
            return True
        return self.of(parameter.min) <= value <= self.of(parameter.max) and self._has_shape(parameter, value)

    def _has_shape(self, parameter: EngineParameter, value: int) -> bool:
        return (
            (not parameter.power_of_two or (value > 0 and value & (value - 1) == 0))
            and (parameter.divides is None or (value > 0 and self.of(parameter.divides) % value == 0))
            and (parameter.multiple_of is None or value % self.of(parameter.multiple_of) == 0)
        )

    def limits(self, parameter: EngineParameter) -> tuple[int, int] | None:
        """The least and the greatest value that the rules allow, apart from a 0 that has a meaning; None if there is none."""
        low, high = self.of(parameter.min), self.of(parameter.max)
        if parameter.power_of_two:
            powers = [1 << bit for bit in range(high.bit_length()) if low <= 1 << bit <= high]
            fit = [value for value in powers if self._has_shape(parameter, value)]
        else:
            fit = [value for value in range(low, high + 1) if self._has_shape(parameter, value)] if self._shaped(parameter) else [low, high]
        return (fit[0], fit[-1]) if fit and fit[0] <= fit[-1] else None

    @staticmethod
    def _shaped(parameter: EngineParameter) -> bool:
        return parameter.divides is not None or parameter.multiple_of is not None

    def remedy(self, parameter: EngineParameter) -> str:
        """The values that the rules allow, as a sentence."""
        limits = self.limits(parameter)
        if limits is None:
            return "It may be 0 only." if parameter.zero is not None else "No value fits the others; change those."
        words = f"{limits[0]} to {limits[1]}" if limits[1] > limits[0] else f"{limits[0]}"
        if parameter.power_of_two:
            words = f"a power of two, {words}"
        if parameter.divides is not None:
            words = f"a divisor of {self.of(parameter.divides)}, {words}"
        if parameter.multiple_of is not None and self.of(parameter.multiple_of) > 1:
            words = f"a multiple of {self.of(parameter.multiple_of)}, {words}"
        only = " only" if limits[0] == limits[1] and parameter.zero is None else ""
        apart = parameter.zero is not None and limits[0] > 0  # a 0 that is not in the range
        return f"It may be {'0, or ' if apart else ''}{words}{only}."


def merged(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a kind, as in its `.yaml`: those that it shares with others first, each with what its own file adds or changes."""
    return {name: shared.get(name, {}) | own.get(name, {}) for name in (*shared, *(name for name in own if name not in shared))}


def evaluate(expression: Expression, named: Callable[[str], int]) -> int:
    """The value of a constant expression of SystemVerilog: whole numbers, `+ - * / << >>`, comparisons, `$clog2`, `a ? b : c`."""
    if isinstance(expression, int):
        return expression
    if choice := _CHOICE.fullmatch(expression):
        condition, then, otherwise = choice.groups()
        return evaluate(then if evaluate(condition, named) else otherwise, named)

    def value(node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int(number)):
                return number
            case ast.Name(id=name):
                return named(name)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](value(left), value(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPERATORS:
                return int(_OPERATORS[type(op)](value(left), value(right)))
            case ast.Call(func=ast.Name(id="clog2"), args=[argument]):
                return max(0, value(argument) - 1).bit_length()
        raise ValueError(f"{expression}: {ast.unparse(node)} is not understood")

    try:
        return value(ast.parse(expression.replace("$clog2", "clog2").strip(), mode="eval").body)
    except (SyntaxError, KeyError) as error:
        raise ValueError(f"{expression}: {error} is not understood") from error
