# SPDX-License-Identifier: Apache-2.0
"""The virtual card: a design's RTL behind ports, registers, captures and a control socket."""

from importlib import import_module

# Loaded when they are first asked for: the build of a card needs its manifest, not all the rest.
_MODULES = {
    "ControlClient": "client",
    "Flow": "flows",
    "FlowResult": "flows",
    "Latency": "flows",
    "RunResult": "flows",
    "Manifest": "manifest",
    "Session": "session",
    "VirtualCard": "virtual",
}
__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
