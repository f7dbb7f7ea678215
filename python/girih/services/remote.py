# SPDX-License-Identifier: Apache-2.0
"""The services of a card that runs in another process, through its control socket or over the network.

    with ControlClient.find() as card:
        card.services.add_chain("late", ["aes"], match={"udp.dst": 4501})
        card.services.as_tenant("video").list_entries("host")
        card.services.state()["units"]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from girih.errors import GirihError

if TYPE_CHECKING:
    from girih.services.control import ServiceControl

# Methods of girih.services.control.ServiceControl that the socket offers, beside `state`.
CALLS = (
    "list_chains", "add_chain", "add_rule", "delete_chain",
    "list_tenants", "set_tenant",
    "list_policies", "set_policy",
    "list_stages", "list_entries", "add_entry", "delete_entry",
    "list_meters", "set_meter", "list_counters", "list_registers", "set_register",
)  # fmt: skip


def perform(services: ServiceControl | None, card: str, state: Callable[[], dict], call: str, args: Sequence, named: Mapping, as_tenant: str | None) -> object:
    """Does one of the calls, on behalf of the operator or of a tenant. services: those of the card, or None if it
    has none; then only `state` is available. card: its name. state: returns its state."""
    if call == "state":
        return state()
    if services is None:
        raise GirihError("the card has no services", card, "Run a design with services, such as designs/panic.yaml.")
    if call not in CALLS:
        raise GirihError(f"there is no call {call!r}", "control", f"There are: {', '.join(CALLS)}.")
    control = services if as_tenant is None else services.as_tenant(as_tenant)
    return getattr(control, call)(*args, **named)


class RemoteServices:
    """Offers the methods of ServiceControl that CALLS names. ask: sends an operation with its arguments to the card."""

    def __init__(self, ask: Callable, tenant: str | None = None):
        self._ask = ask
        self._tenant = tenant

    def as_tenant(self, tenant: str) -> RemoteServices:
        """The same card on behalf of a tenant's own controller."""
        return RemoteServices(self._ask, tenant)

    def state(self) -> dict:
        """The state of girih.services.monitor, with the cycle and the statistics of the ports' pins."""
        return self._ask("services", call="state")

    def __getattr__(self, name: str) -> Callable:
        if name not in CALLS:
            raise AttributeError(name)

        def call(*args: object, **named: object) -> object:
            return self._ask("services", call=name, args=args, named=named, as_tenant=self._tenant)

        return call
