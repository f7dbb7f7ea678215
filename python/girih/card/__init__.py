# SPDX-License-Identifier: Apache-2.0
"""The virtual card: a design's RTL behind ports, registers, captures and a control socket."""

from girih.card.flows import Flow, FlowResult, Latency, RunResult
from girih.card.manifest import Manifest
from girih.card.virtual import VirtualCard

__all__ = ["Flow", "FlowResult", "Latency", "Manifest", "RunResult", "VirtualCard"]
