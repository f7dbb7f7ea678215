# SPDX-License-Identifier: Apache-2.0
"""The counts of the traffic generator, with and without faults."""

import pytest

from girih.card import Flow


def test_a_full_speed_flow_measures_the_card(card):
    card.add_flow(payload=18)
    result = card.run_flows(warmup=10, count=1000).flows[0]
    assert (result.sent, result.received, result.lost, result.corrupted) == (1000, 1000, 0, 0)
    assert result.packets_per_cycle == 1 and result.payload_bits_per_cycle == 18 * 8
    assert result.first_beat.min == result.first_beat.max == 1
    assert len(result.first_latencies) == 1000


@pytest.mark.parametrize("payload", [0, 1, 2, 3, 22, 64, 1472, 8192])
def test_every_payload_size_is_checked_and_counted(card, payload):
    card.add_flow(payload=payload)
    result = card.run_flows(count=600)
    assert result.flows[0].received == 600 and result.unexpected == 0
    beats = -(-max(60, 42 + payload) // 64)
    assert result.flows[0].last_beat.p50 == beats
    assert result.packets_per_cycle == pytest.approx(1 / beats, rel=1e-3)


def test_flows_take_turns_and_keep_their_rate(card):
    card.add_flow(payload=18, src_port=1, rate=0.1)
    card.add_flow(payload=[64, 200], src_port=2, vlan=5, rate=0.05, expect="forward")  # the loop card swaps the addresses of untagged ones
    card.add_flow(payload=18, src_port=3, port=1)
    flows = card.run_flows(count=500).flows
    assert [flow.received for flow in flows] == [500] * 3
    assert flows[0].packets_per_cycle == pytest.approx(0.1, rel=0.02)
    assert flows[1].packets_per_cycle == pytest.approx(0.05, rel=0.02)


def test_a_flow_can_have_a_length_of_its_own_and_a_payload_that_is_not_compared(card):
    card.add_flow(payload=100, src_port=1, count=30, opaque=True)
    card.add_flow(payload=100, src_port=2)
    short, long = card.run_flows(count=90).flows
    assert (short.sent, short.received, long.sent, long.received) == (30, 30, 90, 90)
    assert list(short.arrivals) == sorted(short.arrivals) and len(short.arrivals) == 30
    assert short.arrivals[0] == short.first_out and short.arrivals[-1] == short.last_out


def test_a_window_bounds_what_is_under_way(card):
    card.add_flow(payload=18, window=1)
    result = card.run_flows(count=100).flows[0]
    assert result.received == 100 and result.packets_per_cycle < 1


def test_forwarded_packets_keep_their_addresses(card):
    card.add_flow(Flow(expect="forward"))
    result = card.run_flows(count=10)
    assert result.flows[0].lost == 10 and result.unexpected == 10  # the loop card swaps the addresses


@pytest.mark.parametrize("direction", ["in", "out"])
@pytest.mark.parametrize("window", [None, 8])
def test_the_books_balance_under_faults(card, direction, window):
    faults = {"loss": 0.1, "duplicate": 0.1, "corrupt": 0.05, "reorder": 0.1, "delay": 0.1}
    card.set_faults(0, direction, seed=3, reorder_cycles=20, delay_cycles=10, **faults)
    card.add_flow(payload=100, window=window, rate=0.3)
    run = card.run_flows(count=2000)
    result, counts = run.flows[0], card.fault_counts(0, direction)
    assert counts["frames"] == result.sent == 2000
    assert 0 < counts["lost"] < 400 and 0 < counts["duplicated"] < 400
    assert result.received + result.lost == result.sent
    assert result.corrupted + run.unexpected > 0
    came_back = counts["frames"] - counts["lost"] + counts["duplicated"]
    assert result.received + result.duplicated + result.corrupted + run.unexpected == came_back
    assert result.reordered > 0
    assert result.first_beat.max >= result.first_beat.p99 >= result.first_beat.p50 >= result.first_beat.min


def test_loss_alone_is_counted_exactly(card):
    card.set_faults(0, "out", loss=0.25, seed=9)
    card.add_flow()
    result = card.run_flows(count=1000).flows[0]
    assert result.lost == card.fault_counts(0, "out")["lost"] > 150
    assert result.corrupted == result.duplicated == result.reordered == 0


def test_the_same_seed_gives_the_same_run(loop_folder):
    from girih.card import VirtualCard

    runs = []
    for _ in range(2):
        with VirtualCard(loop_folder) as card:
            card.set_faults(0, "in", loss=0.3, seed=4)
            card.add_flow(payload=[10, 90], seed=11)
            runs.append(card.run_flows(count=300))
    assert runs[0] == runs[1]
