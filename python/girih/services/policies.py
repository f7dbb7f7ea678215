# SPDX-License-Identifier: Apache-2.0
"""The policies of a card's services, read from and written to the scheduler."""

from __future__ import annotations

from collections.abc import Mapping

from girih.card.registers import Registers
from girih.errors import GirihError
from girih.services.facts import Facts
from girih.services.policy import (
    CLASS_VALUES,
    CLASSES,
    SCALE_BITS,
    Classes,
    ClassWords,
    class_values,
    class_words,
    shift_of,
)
from girih.spec.windows import offset

KINDS = tuple(CLASS_VALUES)  # by their numbers, as policy_pkg::policy_e
FLAGS = {"share": "hierarchy", "by_tenant": "by_tenant", "given_rank": "given_rank"}  # and their registers


class Policies:
    """Access through the operator's registers; the card refuses a tenant's."""

    def __init__(self, registers: Registers, facts: Facts):
        self._registers = registers
        self._facts = facts

    def write_classes(self, service: str, kind: str, classes: Classes) -> None:
        """The table of classes of a service under a policy."""
        number = self._facts.service(service)["number"]
        for index, entry in enumerate(class_words(kind, classes, self._facts.manifest.clock_mhz)):
            for word, value in enumerate(entry.words):
                self._registers.write_window(self._facts.scheduler, self._offset(number, index, word), value)

    def set(self, service: str, kind: str, classes: Classes, flags: Mapping[str, bool | None]) -> None:
        """Writes the classes first, so that they are valid when the new policy takes effect."""
        number = self._facts.service(service)["number"]
        _check(service, kind, classes, flags)
        values = {register: int(flag) for name, register in FLAGS.items() if (flag := flags.get(name)) is not None}
        values |= {"shift": shift_of(kind, classes, self._facts.manifest.clock_mhz), "policy": KINDS.index(kind)}
        self.write_classes(service, kind, classes)
        for register, value in values.items():
            self._registers.write(self._register(register, number), value)

    def read_all(self) -> list[dict]:
        return [self._read(service) for service in self._facts.services]

    def _read(self, service: Mapping) -> dict:
        number = service["number"]
        kind = KINDS[self._registers.read(self._register("policy", number))]
        words = [self._class(number, index) for index in range(CLASSES)]
        return {
            "service": service["name"],
            "policy": kind,
            **{flag: bool(self._registers.read(self._register(register, number))) for flag, register in FLAGS.items()},
            "classes": [{"class": n, **values} for n, values in class_values(kind, words, self._facts.manifest.clock_mhz).items()],
        }

    def _class(self, number: int, index: int) -> ClassWords:
        cost, relative = (self._registers.read_window(self._facts.scheduler, self._offset(number, index, word)) for word in (0, 1))
        return ClassWords(cost & (1 << SCALE_BITS) - 1, cost >> SCALE_BITS, relative)

    def _register(self, name: str, number: int) -> str:
        return f"{self._facts.scheduler}.{name}[{number}]"

    @staticmethod
    def _offset(number: int, index: int, word: int) -> int:
        return offset("scheduler_window", "classes", service=number, **{"class": index}, word=word)


def _check(service: str, kind: str, classes: Classes, flags: Mapping[str, object]) -> None:
    if kind not in KINDS:
        raise GirihError(f"there is no policy {kind}", service, f"There are: {', '.join(KINDS)}.")
    unknown = sorted(set(flags) - set(FLAGS))
    if unknown:
        raise GirihError(f"no flag of a policy is called {unknown[0]}", service, f"There are: {', '.join(FLAGS)}.")
    for number, values in classes.items():
        if not isinstance(number, int) or not 0 <= number < CLASSES:
            raise GirihError(f"{number} is not a traffic class", service, f"It may be 0 to {CLASSES - 1}.")
        for name, value in values.items():
            if name not in CLASS_VALUES[kind]:
                raise GirihError(f"a class of {kind} has no {name}", service, f"It may have: {', '.join(CLASS_VALUES[kind])}.")
            least, most = CLASS_VALUES[kind][name]
            if not isinstance(value, int) or not least <= value <= most:
                raise GirihError(f"{name} {value} of class {number}", service, f"It may be {least} to {most}.")
        if kind == "shaped" and "burst" in values and "mbps" not in values:
            raise GirihError(f"class {number} has a burst and no rate", service, "Give its rate in mbps as well.")
