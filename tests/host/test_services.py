# SPDX-License-Identifier: Apache-2.0
"""Frames of the host pass match-action tables and services on their way to the wire, as those from the wire do on their way to the host
(experiments/cards/nic_services.yaml)."""

import pytest

from girih.card import VirtualCard
from girih.card.account import account
from girih.card.host import SEND
from girih.errors import GirihError
from girih.paths import ROOT
from girih.services.monitor import FATE_NAMES
from girih.spec.windows import offset
from tests.host.queues import RUN, fresh
from tests.host.test_pairs import PAIRS, Host, inject
from tests.host.test_steering import udp

SERVED = 5004  # the UDP port of the design's chain
SLOW = 400  # cycles of a service time


@pytest.fixture(scope="module")
def opened():
    with VirtualCard.open(ROOT / "experiments" / "cards" / "nic_services.yaml", collect=True) as card:
        yield card


@pytest.fixture
def card(opened):
    return fresh(opened)


def send(host: Host, frames: list[bytes], pair: int = 0) -> list[bytes]:
    """Sends frames of the host, and returns what leaves at the wire."""
    for at, data in enumerate(frames):
        host.offer(pair, data, at)
    host.kick(2 * pair + SEND)
    host.card.run(len(frames) * 50 + 3 * RUN)
    host.card.run_until_quiet()
    host.queues[2 * pair + SEND].used()
    return [one.data for one in host.card.collect()]


def passed(card) -> int:
    """Messages that have passed the service."""
    return card.registers.counters("waits")["waits"]["out_messages"]


def test_a_chain_is_that_of_both_directions(card, ring):
    """Frames of the chain pass the service, and no others; all leave whole."""
    host = Host(card, ring)
    served, others = [udp(SERVED, source) for source in range(8)], [udp(SERVED + 1, source) for source in range(8)]
    assert sorted(send(host, served)) == sorted(served) and passed(card) == 8
    assert send(host, others) == others and passed(card) == 8
    inject(card, served)
    assert sorted(one for data in host.came().values() for one in data) == sorted(served) and passed(card) == 16
    account(card.manifest, card.registers.counters()).judge()


def test_entries_for_the_host_alone(card, ring):
    """An entry of the host's tables does not concern frames from the wire, nor the other way round. Frames that are not IP go to the wire."""
    host = Host(card, ring)
    card.services.add_entry("classify", "udp dst is 9", "drop")
    card.services.add_entry("classify", "udp dst is 10", "queue waits class 3 / rank 5")
    card.services.add_entry("wire", "udp dst is 11", "drop")
    frames = {port: [udp(port, source) for source in range(5)] for port in (9, 10, 11)}
    assert send(host, frames[9]) == [] and card.registers.counters("classify")["classify"]["drop_action"] == 5
    assert send(host, frames[10]) == frames[10] and passed(card) == 5
    assert send(host, frames[11]) == frames[11]
    inject(card, [*frames[9], *frames[11]])
    assert sorted(one for data in host.came().values() for one in data) == sorted(frames[9])
    plain = [bytes(12) + b"\x88\xb5" + bytes([number]) * 60 for number in range(4)]
    assert send(host, plain) == plain
    account(card.manifest, card.registers.counters()).judge()


def test_a_table_gives_frames_of_the_host_to_a_tenant(card, ring):
    """Until then they belong to the tenant of the host's tile. The scheduler counts them for the tenant that they have."""
    host = Host(card, ring)

    def accepted() -> list[int]:
        """Packets that the scheduler has taken, of the operator and of the guest."""
        fate = FATE_NAMES.index("accepted")
        return [card.registers.read_window("scheduler", offset("scheduler_window", "fates", tenant=tenant, service=0, fate=fate)) for tenant in (0, 1)]

    card.services.add_entry("classify", "udp dst is 12", "tenant guest / queue waits")
    frames = [udp(12, source) for source in range(4)]
    assert sorted(send(host, frames)) == sorted(frames) and accepted() == [0, 4]
    frames = [udp(SERVED, source) for source in range(3)]
    assert sorted(send(host, frames)) == sorted(frames) and accepted() == [3, 4]


def test_both_directions_share_a_service(card, ring):
    """Frames of the host and of the wire at once: none is lost, and each comes out at its end."""
    host = Host(card, ring)
    out = [udp(SERVED, source) for source in range(40)]
    back = [udp(SERVED, 100 + source) for source in range(40)]
    for at, data in enumerate(out):
        host.offer(at % PAIRS, data, at // PAIRS)
    for number, data in enumerate(back):
        card.inject(0, data, cycle=card.cycle + 20 + 30 * number)
    for pair in range(PAIRS):
        host.kick(2 * pair + SEND)
    card.run(40 * 100 + 4 * RUN)
    card.run_until_quiet()
    assert sorted(one.data for one in card.collect()) == sorted(out)
    assert sorted(one for data in host.came().values() for one in data) == sorted(back)
    assert passed(card) == 80
    account(card.manifest, card.registers.counters()).judge()


def test_the_policy_of_a_service_shares_it_between_both_directions(card, ring):
    """A slow service, and more frames in each direction than it serves: those from the wire have twice the weight, and are served twice as often."""
    host = Host(card, ring)
    card.registers.write("waits.message_time", SLOW << 16)
    card.services.set_policy("waits", "fair", [{"class": 0, "weight": 2}, {"class": 1, "weight": 1}])
    card.services.add_entry("wire", "udp dst is 7", "queue waits class 0")
    card.services.add_entry("classify", "udp dst is 7", "queue waits class 1")
    out, back = [udp(7, source) for source in range(120)], [udp(7, 300 + source) for source in range(120)]
    for at, data in enumerate(out):
        host.offer(at % PAIRS, data, at // PAIRS)
    for number, data in enumerate(back):
        card.inject(0, data, cycle=card.cycle + 20 + 5 * number)
    for pair in range(PAIRS):
        host.kick(2 * pair + SEND)

    def done(cycles: int) -> tuple[int, int]:
        """Runs the card; frames to the host, and to the wire."""
        card.run(cycles)
        return sum(map(len, host.came().values())), len(card.collect())

    first = done(40 * SLOW)  # in which what came before the other direction's frames is served
    to_host, to_wire = done(90 * SLOW)
    assert 88 <= to_host + to_wire <= 92 and abs(to_host - 2 * to_wire) <= 3, (to_host, to_wire)
    rest = done(160 * SLOW)
    assert [sum(counts) for counts in zip(first, (to_host, to_wire), rest, strict=True)] == [120, 120]
    account(card.manifest, card.registers.counters()).judge()


def test_a_tenant_has_entries_of_its_own_between_tiles(card, ring):
    """They concern its own frames alone, and it can do there only what it can at a port."""
    host, guest = Host(card, ring), card.services.as_tenant("guest")
    with pytest.raises(GirihError, match="no entries of its own"):
        guest.add_entry("classify", "udp dst is 20", "queue waits")
    card.services.set_tenant("guest", entries=(16, 31), services=["waits"])
    guest.add_entry("classify", "udp dst is 20", "queue waits")
    for actions in ("port_id wire", "queue waits / rank 0", "tenant operator"):
        with pytest.raises(GirihError, match="does not let tenant guest add this entry"):
            guest.add_entry("classify", "udp dst is 21", actions)
    with pytest.raises(GirihError, match="does not let tenant guest delete entry 0"):
        guest.delete_entry("classify", 0)
    frames = [udp(20, source) for source in range(4)]
    assert send(host, frames) == frames and passed(card) == 0, "frames of the operator"
    card.registers.write("host.tenant", 1)
    assert sorted(send(host, frames)) == sorted(frames) and passed(card) == 4
    account(card.manifest, card.registers.counters()).judge()
