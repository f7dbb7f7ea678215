# SPDX-License-Identifier: Apache-2.0
"""Operations of an action on a register of its stage, from and to words.

    register 3 add length
    register 0 increment to mark
    register 8 by udp.dst 3 set length if register less 1000 else keep drop_if_false

REGISTER is its number; `by FIELD BITS` replaces that many of its low bits by those of a field. The update is keep,
increment, or set, add, subtract, max or min with an operand: a number, length, mark, flow or a field of the packet.
The result (`old`, the default; `new` or `predicate`) goes `to` rank, flow or mark, or the predicate decides on a drop.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from girih.compiler.values import did_you_mean
from girih.errors import GirihError
from girih.rmt import action as actions
from girih.services.chains import match_fields, shipped_program

USAGE = "register N [by FIELD BITS] UPDATE [OPERAND] [if LEFT COMPARE RIGHT [else UPDATE]] [to rank|flow|mark [new|predicate]]"
# Sources other than fields, and the part that holds the value.
KNOWN = {name: (actions.size(f"Source{name.capitalize()}"), part) for name, part in (("mark", "whole"), ("flow", "low"), ("length", "whole"))}
TARGETS = {"rank": "rank", "flow": "flow", "mark": "meta"}  # by their words
DROPS = ("drop_if_true", "drop_if_false")
WITH_OPERAND = ("add", "subtract", "max", "min")
SIDES = {("register", "constant"): 0, ("register", "operand"): 1, ("operand", "constant"): 2}  # by their numbers in `against`


def parse(words: list[str]) -> dict:
    """A `state_op` as `girih.rmt.action.encode` takes it. Raises GirihError, ValueError or IndexError if the words are not one."""
    return _Parser(words).operation()


class _Parser:
    """An operation has only one operand and one constant, so each is kept when it is first named."""

    def __init__(self, words: list[str]):
        self._words = list(words)
        self._operand: tuple[int, str] | None = None
        self._constant: int | None = None

    def operation(self) -> dict:
        state: dict = {"enable": 1, "index": int(self._words.pop(0), 0)}
        if self._next("by"):
            source, part = _place(self._words.pop(0))
            if part == "whole":
                part = "low"
            state |= {"index_half": 2 * source + (part == "high"), "index_bits": int(self._words.pop(0), 0)}
        atom: dict = {"if_true": self._update()}
        atom["if_false"] = atom["if_true"]
        if self._next("if"):
            atom |= self._predicate()
            atom["if_false"] = self._update() if self._next("else") else "keep"
        if self._next("to"):
            target = self._words.pop(0)
            if target not in TARGETS:
                raise ValueError(target)
            state["target"] = TARGETS[target]
            atom["result"] = self._words.pop(0) if self._words else "old"
        elif self._words and self._words[0] in DROPS:
            state["target"] = self._words.pop(0)
        if self._words:
            raise ValueError(self._words)
        source, part = self._operand or (0, "whole")
        return state | {"source": source, "part": part, "atom": atom | {"constant": self._constant or 0}}

    def _next(self, word: str) -> bool:
        if self._words and self._words[0] == word:
            self._words.pop(0)
            return True
        return False

    def _update(self) -> str:
        update = self._words.pop(0)
        if update in ("keep", "increment"):
            return update
        if update != "set" and update not in WITH_OPERAND:
            raise ValueError(update)
        side = self._side(self._words.pop(0))
        if side == "constant" and update != "set":
            self._set_operand((0, "constant"))
        return side if update == "set" else update

    def _predicate(self) -> dict:
        left, compare, right = (self._words.pop(0) for _ in range(3))
        if compare not in actions.names("compare")[1:]:
            raise ValueError(compare)
        sides = tuple("register" if side == "register" else self._side(side) for side in (left, right))
        if sides not in SIDES:
            remedy = "Compare register with a value, or a value of the packet with a number."
            raise GirihError(f"{left} is not compared with {right}", "actions", remedy)
        return {"against": SIDES[sides], "compare": compare}

    def _side(self, text: str) -> str:
        """Keeps an operand or the constant; returns which of the two it is."""
        try:
            number = int(text, 0)
        except ValueError:
            self._set_operand(_place(text))
            return "operand"
        if self._constant not in (None, number):
            raise GirihError(f"a register is changed with {self._constant} and {number}", "actions", "An operation has one number.")
        self._constant = number
        return "constant"

    def _set_operand(self, operand: tuple[int, str]) -> None:
        if self._operand not in (None, operand):
            raise GirihError("a register is changed with two values of the packet", "actions", "An operation has one value of the packet and one number.")
        self._operand = operand


@cache
def _places() -> dict[str, tuple[int, str]]:
    """The source of each value of the packet, and the part of it."""
    parts = {(0, 31): "whole", (16, 31): "high", (0, 15): "low"}
    places = dict(KNOWN)
    for name, pieces in shipped_program().fields.items():
        part = parts.get((pieces[0].low, pieces[0].high))
        if len(pieces) == 1 and part and name in match_fields():
            places[name] = pieces[0].word, part
    return places


def _place(name: str) -> tuple[int, str]:
    if name in _places():
        return _places()[name]
    if name in match_fields():
        raise GirihError(f"{name} does not have 16 or 32 bits", "actions", "Choose a field of 16 or 32 bits.")
    names = [*KNOWN, *match_fields()]
    raise GirihError(f"there is no field {name}", "actions", f"{did_you_mean(name, names)}Fields: {', '.join(names)}.")


def text(state: Mapping) -> str:
    """An operation in the syntax of `parse`, with numbers for values without a name. Its enums are words, as `parse` gives them, or numbers,
    as `girih.rmt.action.decode` does."""
    state = actions.decode(actions.encode(state, "state_op"), "state_op")
    atom = state["atom"]
    operand = _operand_text(state["source"], actions.names("part")[state["part"]], atom["constant"])
    words = ["register", str(state["index"])]
    if state["index_bits"]:
        half = state["index_half"]
        words += ["by", _operand_text(half // 2, "high" if half % 2 else "low", 0), str(state["index_bits"])]
    words += _update_text(atom["if_true"], operand, atom["constant"])
    if atom["compare"]:
        left, right = next(sides for sides, number in SIDES.items() if number == atom["against"])
        values = {"register": "register", "operand": operand, "constant": str(atom["constant"])}
        words += ["if", values[left], actions.names("compare")[atom["compare"]], values[right]]
        if atom["if_false"]:
            words += ["else", *_update_text(atom["if_false"], operand, atom["constant"])]
    target = actions.names("target")[state["target"]]
    if target in DROPS:
        words.append(target)
    elif target != "none":
        result = actions.names("result")[atom["result"]]
        words += ["to", next(word for word, name in TARGETS.items() if name == target), *([result] if result != "old" else [])]
    return " ".join(words)


def _update_text(number: int, operand: str, constant: int) -> list[str]:
    update = actions.names("update")[number]
    if update in ("operand", "constant"):
        return ["set", operand if update == "operand" else str(constant)]
    return [update, operand] if update in WITH_OPERAND else [update]


def _operand_text(source: int, part: str, constant: int) -> str:
    if part == "constant":
        return str(constant)
    return next((name for name, place in _places().items() if place == (source, part)), f"word_{source}_{part}")
