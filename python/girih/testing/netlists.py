# SPDX-License-Identifier: Apache-2.0
"""Netlists made by hand, whose paths are known."""

from __future__ import annotations

from girih.synth.netlist import Netlist, read_netlist

CLOCK = 2
# ns: from a register, and into one at its data input, without the wires
LEAVE, ARRIVE = 0.08, 0.03 + 0.07
WIRE = 0.15  # with one load


class Module:
    """A netlist in the form of Yosys' `write_json`, cell by cell. Nets are numbers; a name creates one."""

    def __init__(self):
        self.cells: dict[str, dict] = {}
        self.ports: dict[str, dict] = {"clk_i": {"direction": "input", "bits": [CLOCK]}}
        self.names: dict[str, dict] = {"clk_i": {"hide_name": 0, "bits": [CLOCK], "attributes": {}}}
        self.next_net = 100

    def net(self, name: str | None = None) -> int:
        self.next_net += 1
        if name:
            self.names[name] = {"hide_name": 0, "bits": [self.next_net], "attributes": {}}
        return self.next_net

    def cell(
        self, kind: str, outputs: dict[str, list], inputs: dict[str, list], name: str | None = None, src: str = ""
    ) -> None:
        directions = dict.fromkeys(outputs, "output") | dict.fromkeys(inputs, "input")
        self.cells[name or f"$auto${len(self.cells)}"] = {
            "type": kind,
            "attributes": {"src": src},
            "port_directions": directions,
            "connections": outputs | inputs,
        }

    def pin(self, name: str, direction: str, net: int) -> None:
        self.ports[name] = {"direction": direction, "bits": [net]}
        self.names[name] = {"hide_name": 0, "bits": [net], "attributes": {}}

    def flip_flop(self, data: int | str, name: str | None = None, clock: int = CLOCK, enable: int | str = "1") -> int:
        held = self.net(name)
        self.cell("FDRE", {"Q": [held]}, {"C": [clock], "CE": [enable], "D": [data], "R": ["0"]})
        return held

    def lut(self, *inputs: int, name: str | None = None) -> int:
        made = self.net(name)
        self.cell(f"LUT{len(inputs)}", {"O": [made]}, {f"I{index}": [net] for index, net in enumerate(inputs)})
        return made

    def chain(self, net: int, luts: int) -> int:
        for _ in range(luts):
            net = self.lut(net)
        return net

    def carry(self, *, s=("0",) * 4, di=("0",) * 4, ci="0", src: str = "") -> tuple[list[int], list[int]]:
        """Its sums and its carries."""
        sums, carries = [self.net() for _ in range(4)], [self.net() for _ in range(4)]
        self.cell(
            "CARRY4", {"O": sums, "CO": carries}, {"CI": [ci], "CYINIT": ["0"], "S": list(s), "DI": list(di)}, src=src
        )
        return sums, carries

    def read(self) -> Netlist:
        return read_netlist({"modules": {"sample": {"ports": self.ports, "cells": self.cells, "netnames": self.names}}})
