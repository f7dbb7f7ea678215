# SPDX-License-Identifier: Apache-2.0
"""A card with 64 tenants: each has its own traffic, counts and part of windows, also beside those whose number differs from its own in one bit; and a
card with 32 services. Both are the largest of their kind, and thorough tests."""

import pytest

from girih.card import VirtualCard
from girih.card.account import account
from girih.card.registers import AccessRefused
from girih.errors import GirihError
from girih.services.monitor import FATE_NAMES, Monitor
from girih.spec.windows import offset
from girih.testing.designs import lint_design
from tests.host.test_pairs import inject
from tests.host.test_steering import udp

pytestmark = pytest.mark.thorough
TENANTS, FIRST_PORT = 64, 5000
NAMED = range(1, TENANTS)
OWN = (2, 34)  # those with entries of their own, among which are copies of all chains
DESIGN = f"""\
width: 256
fabric: {{crossbar: 8}}
ports: 2
tiles:
  wire: {{kind: rmt_port, port: 0, exit: host, entries_0: 1024}}
  host: {{kind: rmt_port, port: 1, exit: wire, entries_0: 1024}}
  scheduler: {{kind: scheduler}}
  even: {{kind: unit_null}}
  odd: {{kind: unit_null}}
services:
  even: {{units: [even], share: true}}
  odd: {{units: [odd]}}
tenants:
  operator: {{id: 0}}
{"".join(f"  t{n}: {{id: {n}, services: [{'odd' if n % 2 else 'even'}], entries: {128 * (n in OWN)}}}{chr(10)}" for n in NAMED)}chains:
{"".join(f"  c{n}: {{services: [{'odd' if n % 2 else 'even'}], tenant: t{n}, match: {{udp.dst: {FIRST_PORT + n}}}}}{chr(10)}" for n in NAMED)}"""
SERVICES = f"""\
width: 256
fabric: {{crossbar: 38}}
ports: 2
tiles:
  wire: {{kind: rmt_port, port: 0, exit: host}}
  host: {{kind: rmt_port, port: 1, exit: wire}}
  scheduler: {{kind: scheduler}}
{"".join(f"  unit_{n}: {{kind: unit_null}}{chr(10)}" for n in range(32))}services:
{"".join(f"  s{n}: [unit_{n}]{chr(10)}" for n in range(32))}tenants:
  first: {{id: 7, services: [s0, s31]}}
chains:
  both: {{services: [s31, s0], tenant: first, match: {{udp.dst: 5000}}}}
"""


@pytest.fixture(scope="module")
def card(tmp_path_factory):
    path = tmp_path_factory.mktemp("tenants") / "tenants.yaml"
    path.write_text(DESIGN)
    with VirtualCard.open(path, collect=True) as card:
        yield card


def of(tenant: int, fate: str) -> int:
    """The place of a tenant's count in the scheduler's window."""
    return offset("scheduler_window", "fates", tenant=tenant, service=tenant % 2, fate=FATE_NAMES.index(fate))


def test_each_tenant_has_its_own_counts(card):
    """Each sends another number of frames, which are counted for it alone; its controller reads them, and those of no tenant beside it."""
    frames = [udp(FIRST_PORT + tenant, source) for tenant in NAMED for source in range(1 + tenant % 3)]
    inject(card, frames)
    card.run_until_quiet()
    assert sorted(one.data for one in card.collect(1)) == sorted(frames)
    for tenant in NAMED:
        registers = card.registers.as_tenant(tenant)
        assert registers.read_window("scheduler", of(tenant, "accepted")) == 1 + tenant % 3
        for bit in range(6):
            other = tenant ^ 1 << bit
            for place in (of(other, "accepted"), offset("scheduler_window", "tenants", tenant=other), offset("scheduler_window", "queues", tenant=other, service=0)):
                with pytest.raises(AccessRefused):
                    registers.read_window("scheduler", place)
    state = Monitor(card.registers).state()
    accepted = {(tenant, "odd" if tenant % 2 else "even"): 1 + tenant % 3 for tenant in NAMED}
    assert len(state["tenants"]) == TENANTS and sum(service["accepted"] for service in state["services"]) == sum(accepted.values())
    account(card.manifest, card.registers.counters()).judge()


def test_a_tenant_without_a_right_is_dropped_for_itself(card):
    """Tenant 33 loses its right, and gets it back: tenants 1, 17 and 32, whose numbers differ in one or two bits, keep theirs."""
    right = "scheduler.rights[33]"
    before, sent = card.registers.read(right), (1, 17, 32, 33)
    drops = [card.registers.read_window("scheduler", of(tenant, "no_right")) for tenant in sent]
    card.registers.write(right, 0)
    inject(card, [udp(FIRST_PORT + tenant, 7) for tenant in sent])
    card.run_until_quiet()
    card.registers.write(right, before)
    assert sorted(one.data for one in card.collect(1)) == sorted(udp(FIRST_PORT + tenant, 7) for tenant in sent[:-1])
    after = [card.registers.read_window("scheduler", of(tenant, "no_right")) for tenant in sent]
    assert [now - then for now, then in zip(after, drops)] == [0, 0, 0, 1]


def test_a_controller_changes_the_tables_of_its_tenant_alone(card):
    """Two tenants have entries of their own at the wire, and their numbers differ in one bit. Neither deletes those of the other, or acts as it."""
    own, other = (card.services.as_tenant(f"t{number}") for number in OWN)
    places = [
        services.add_entry("wire", f"udp dst is {9000 + number}", f"tenant t{number} / queue even")
        for services, number in ((own, OWN[0]), (other, OWN[1]))
    ]
    with pytest.raises(GirihError):
        other.add_entry("wire", "udp dst is 9100", f"tenant t{OWN[0]} / queue even")
    with pytest.raises(GirihError):
        other.delete_entry("wire", places[0])
    for services, place in zip((own, other), places):
        services.delete_entry("wire", place)
    with pytest.raises(GirihError):
        card.registers.as_tenant(TENANTS)


def test_a_card_with_32_services_is_clean():
    result = lint_design("services_32", SERVICES)
    assert result.clean, result.output
