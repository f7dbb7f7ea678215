# SPDX-License-Identifier: Apache-2.0
"""Checks the ports at which a tile accepts connections: each needs an application, or its connections would stay open for ever. An
application with state for each connection needs a place for every connection, or two would share one."""

from __future__ import annotations

from girih.compiler.model import Card, Tile
from girih.compiler.read.parse import Report

PORTS = "listen"  # the setting with the ports; 0 is none
CONNECTIONS = "connections"  # the parameter of the stack and of the application


def check_listening(card: Card, report: Report) -> None:
    """Checks that each tile has an entry in its node table for each port, and each application enough places."""
    for tile in card.tiles:
        ports = dict(tile.config).get(PORTS, ())
        keys = {hop.key for hop in tile.hops}
        for port in dict.fromkeys((ports,) if isinstance(ports, int) else ports):
            if port and None not in keys and port not in keys:
                report.error(tile.line, f"tile {tile.name} accepts connections at port {port}, for which it has no application", f"Add it to next, such as {port}: echo, or remove {port} from {PORTS}.")
        if PORTS in dict(tile.config):
            for name in dict.fromkeys(hop.to for hop in tile.hops):
                _check_places(tile, card.tile(name), report)


def _check_places(stack: Tile, application: Tile, report: Report) -> None:
    most, places = (dict(tile.parameters).get(CONNECTIONS) for tile in (stack, application))
    if most is not None and places is not None and places < most:
        what = f"tile {application.name} has {CONNECTIONS} {places}, and {stack.name}, whose connections come to it, {most}"
        report.error(application.line, what, f"Write {CONNECTIONS}: {most} for {application.name}, or at most {places} for {stack.name}.")
