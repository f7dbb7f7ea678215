# SPDX-License-Identifier: Apache-2.0
"""One tenant affects others only within stated bounds, whether it floods a service that they share, stalls a unit that it uses for ever, uses
services without a right, or gives its packets a rank of its own. The neighbour's packets arrive by the wire, the offender's by the host. The
neighbour is measured alone, then together with the offender, and every packet is accounted for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from girih.card import Flow, FlowResult, VirtualCard
from girih.card.registers import violations
from girih.experiments.panic import QUIET, Unit, configure, flow, measure, packet_rate

NEIGHBOUR, OFFENDER = 1, 2  # tenants, of ports 0 and 1
FIRST, BESIDE, THIRD, FLOOD, DETOUR, URGENT = range(2000, 2006)  # UDP ports of the chains here
CREDITS = 2
SLOW = 20  # Gbps, of the contended unit
SIZE = 512  # bytes of the neighbour's packets
LONGEST = 1500  # bytes of the offender's packets
COUNT, FLOODED, LEAD = 200, 1300, 4000  # packets of each; cycles by which the offender starts earlier
GUARANTEE = 128  # cells, and entries
LINE_RATE = 0.595  # frames of 64 bytes per cycle at 100 Gbps
LINK_CYCLES = -(-LONGEST // 64)  # cycles of one of the offender's packets on a shared link


@pytest.fixture
def card(built):
    with VirtualCard(built("panic_delay")) as card:
        configure(card, [Unit(0, SLOW), Unit(1), Unit(2), Unit(3)], credits=CREDITS)
        write = card.registers.write
        for port, tenant in (("wire", NEIGHBOUR), ("host", OFFENDER)):
            write(f"{port}.tenant", tenant)
            write(f"scheduler.inverse_weight[{tenant}]", 1)
        give_guarantee(card, GUARANTEE)
        write("scheduler.hierarchy[0]", 1)
        for name, port, chain in (
            ("first", FIRST, [{"service": "first", "class": 1}]),
            ("beside", BESIDE, ["second"]),
            ("third", THIRD, ["third"]),
            ("flood", FLOOD, ["first"]),
            ("detour", DETOUR, ["fourth", "third"]),
        ):
            card.services.add_chain(name, chain, match={"udp.dst": port})
        yield card


def give_guarantee(card: VirtualCard, much: int) -> None:
    card.registers.write(f"scheduler.guaranteed_cells[{NEIGHBOUR}]", much)
    card.registers.write(f"scheduler.guaranteed_entries[{NEIGHBOUR}]", much)


def neighbour(chain: int, gbps: float) -> Flow:
    return replace(flow(0, SIZE, rate=packet_rate(gbps, SIZE), count=COUNT, start=LEAD), dst_port=chain)


def offender(chain: int, count: int, size: int = LONGEST, rate: float | None = None) -> Flow:
    """Without a rate, packets arrive as fast as the port takes them."""
    return replace(flow(0, size, count=count, rate=rate, src_port=50000, seed=2), port=1, dst_port=chain)


def dropped(card: VirtualCard) -> dict[str, int]:
    """Every drop so far, by tile and reason."""
    counters = card.registers.counters()
    return {f"{tile}.{name}": n for tile, values in counters.items() for name, n in values.items() if name.startswith("drop_") and n}


def untouched(alone: FlowResult, beside: FlowResult, later: float) -> None:
    """Checks that every packet arrived, in order, at the same rate, and none later than the bound."""
    assert beside.received == beside.sent == COUNT and not beside.reordered + beside.corrupted
    assert beside.packets_per_cycle >= 0.99 * alone.packets_per_cycle
    assert beside.last_beat.max <= alone.last_beat.max + later, (alone.last_beat, beside.last_beat)


def both(card: VirtualCard, mine: Flow, theirs: Flow) -> list[FlowResult]:
    """Runs the neighbour's packets alone, then together with the offender's, and checks that the card counted every packet."""
    (alone,) = measure(card, [mine], count=COUNT).flows
    (beside, offending) = measure(card, [mine, theirs], count=COUNT).flows
    assert offending.first_in < beside.first_in < beside.last_in < offending.last_in, "they were not there together"
    return [alone, beside, offending]


def test_a_flood_of_a_service_that_is_shared(card):
    """The neighbour uses less than its half of the unit. It may have to wait for the packets for which the unit has given credits, and for one more
    packet of each tenant, by which the shares may differ."""
    alone, beside, flood = both(card, neighbour(FIRST, 0.4 * SLOW), offender(FLOOD, FLOODED))
    untouched(alone, beside, (CREDITS + 2) / packet_rate(SLOW, LONGEST))
    assert flood.lost > FLOODED / 2
    assert sum(dropped(card).values()) == flood.lost


def test_a_flood_of_another_service(card):
    """The neighbour waits only for packets that share a link with its own, not for a queue."""
    alone, beside, flood = both(card, neighbour(BESIDE, 40), offender(FLOOD, FLOODED))
    untouched(alone, beside, LINK_CYCLES)
    assert sum(dropped(card).values()) == flood.lost > FLOODED / 2


@pytest.mark.parametrize("chain", [THIRD, DETOUR], ids=["dispatched", "pushed"])
def test_a_unit_that_stalls_for_ever(card, chain):
    """Packets that cannot be served fill the offender's part of the memory and are dropped. Sent back by the unit, they cross
    the same links as the neighbour's packets, round robin: 512 bytes for each 1,500, 32 Gbps. When
    the unit goes on, the remaining packets come out."""
    mine, theirs = neighbour(BESIDE, 25), offender(chain, FLOODED)
    (alone,) = measure(card, [mine], count=COUNT).flows
    frames = card.port_stats(0).tx_frames
    card.registers.write("unit_2.stall", 1)
    card.add_flow(mine)
    card.add_flow(theirs)
    beside, stalled = card.run_flows(count=COUNT, quiet=QUIET).flows
    untouched(alone, beside, 2 * LINK_CYCLES)
    assert stalled.received == 0
    lost = sum(dropped(card).values())
    # What the card still has is in the scheduler and in the stalled unit, and nowhere else.
    assert {text.split()[1].strip(":") for text in violations(card.registers.counters())} == {"scheduler", "unit_2"}
    assert FLOODED / 2 < lost < FLOODED

    (again,) = measure_again(card, mine)
    untouched(alone, again, 2 * LINK_CYCLES)
    card.registers.write("unit_2.stall", 0)
    card.run(QUIET)
    card.check_conservation(QUIET)
    assert card.port_stats(0).tx_frames - frames == FLOODED - sum(dropped(card).values())


def measure_again(card: VirtualCard, mine: Flow) -> list[FlowResult]:
    """Runs a flow on a card that cannot come to rest."""
    card.add_flow(mine)
    return card.run_flows(count=COUNT, quiet=QUIET).flows


def test_a_service_without_the_right_to_it(card):
    """The smallest packets at 100 Gbps: each is dropped and counted by its reason."""
    count = 5 * FLOODED
    card.registers.write(f"scheduler.rights[{OFFENDER}]", 0b1101)
    alone, beside, refused = both(card, neighbour(BESIDE, 40), offender(BESIDE, count, 64, rate=LINE_RATE))
    untouched(alone, beside, LINK_CYCLES)
    assert refused.received == 0
    assert dropped(card) == {"scheduler.drop_no_right": count}


def test_a_rank_of_ones_own(card):
    """Under strict priority without shares, the offender gives its packets the best rank, but is in the worst class:
    its rank is ignored, so the neighbour waits only for packets that the unit already has."""
    card.registers.write("scheduler.hierarchy[0]", 0)
    card.services.add_entry("host", f"udp dst is {URGENT}", "queue first class 5 / rank 0")
    alone, beside, flood = both(card, neighbour(FIRST, 0.8 * SLOW), offender(URGENT, FLOODED))
    untouched(alone, beside, (CREDITS + 2) / packet_rate(SLOW, LONGEST))
    assert sum(dropped(card).values()) == flood.lost


def test_more_packets_than_can_be_queued(card):
    """The smallest packets at 100 Gbps for the neighbour's own service: within its guarantee it loses none, and every packet that
    is evicted for a better one is counted."""
    _alone, beside, flood = both(card, neighbour(BESIDE, 40), offender(BESIDE, 5 * FLOODED, 64, rate=LINE_RATE))
    assert beside.received == COUNT
    assert dropped(card)["scheduler.drop_evicted"] and sum(dropped(card).values()) == flood.lost
