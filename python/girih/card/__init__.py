# SPDX-License-Identifier: Apache-2.0
"""The virtual card: a design's RTL behind ports, registers, captures and a control socket."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from girih.card.client import ControlClient
    from girih.card.flows import Flow, FlowResult, Latency, RunResult
    from girih.card.manifest import Manifest
    from girih.card.rack import Rack
    from girih.card.session import Session
    from girih.card.virtual import VirtualCard

# Loaded when they are first asked for: the build of a card needs its manifest, not all the rest.
_MODULES = {
    "ControlClient": "client",
    "Flow": "flows",
    "FlowResult": "flows",
    "Latency": "flows",
    "RunResult": "flows",
    "Manifest": "manifest",
    "Rack": "rack",
    "Session": "session",
    "VirtualCard": "virtual",
}
__all__ = [
    "ControlClient",
    "Flow",
    "FlowResult",
    "Latency",
    "Manifest",
    "Rack",
    "RunResult",
    "Session",
    "VirtualCard",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
