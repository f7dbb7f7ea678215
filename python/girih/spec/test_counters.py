# SPDX-License-Identifier: Apache-2.0
"""Every counter that software can read is of a sort that some simulation makes wrap around.

Counters are what only hardware writes, in the register descriptions and the windows. A counter of a new sort, or of another width,
fails here until a simulation makes it wrap.
"""

import ast
from collections.abc import Iterator

import pytest

from girih.paths import ROOT
from girih.spec.kinds import card_registers, load_kinds
from girih.spec.windows import windows

# By block of a tile or register of the card: the counters' width, and the simulations that make them wrap.
SORTS = {
    "counters": (64, {"rtl/shell/test_counter_bank.py": "totals_wrap", "rtl/shell/test_tile.py": "every_counter_wraps"}),
    "latency": (32, {"rtl/shell/test_histogram.py": "bins_wrap"}),
    "card.cycles": (64, {"rtl/control/test_ctrl_ring.py": "cycles_are_read_as_one"}),
    "card.timeouts": (32, {"rtl/control/test_ctrl_ring.py": "the_count_of_timeouts_wraps"}),
    "card.link": (64, {"rtl/shell/test_counter_bank.py": "totals_wrap"}),
    "scheduler_window.waits": (32, {"rtl/scheduler/test_service_waits.py": "counts_wrap_and_the_largest_does_not"}),
    **{f"probe_window.{part}": (32, {"rtl/tiles/memory/test_memory_probe_engine.py": "counts_wrap"}) for part in ("cycles", "waits", "posted", "failed")},
    "host_window.passed": (32, {"rtl/tiles/host/test_host_counts.py": "sums_wrap"}),
    "drop_log_window.counts": (32, {"rtl/shell/test_counter_bank.py": "totals_wrap"}),
    "drop_log_window.next": (32, {"rtl/shell/test_drop_log.py": "numbers_and_cycles_wrap"}),
    "scheduler_window.fates": (32, {"rtl/scheduler/test_fate_counters.py": "sums_wrap"}),
}
CONSTANT = {"kind", "node", "card.magic", "card.digest", "card.data_width", "card.ports", "card.tiles", "card.links"}
# Parts of windows that hold state, or values that software writes, and count nothing.
STATE = {
    "scheduler_window": {"classes", "queues", "units", "tenants", "channels"},
    "drop_log_window": {"keys", "records"},
    "aes_window": {"key", "salt", "load", "forget"},
    "copy_window": {"source", "destination", "size", "start", "state", "left"},
    "probe_window": {"address", "stride", "rounds", "bytes", "what", "window", "count", "start", "state", "sum"},
    "core_window": {"control", "address", "data", "protect", "console", "state", "code", "debug", "exchange", "steps"},
    "host_window": {"regions", "queues", "steer", "pairs", "offloads", "filter", "coalesce"},
    "socket_window": {"connection", "bytes", "room", "start", "state", "opened", "next", "answer", "space", "release", "out", "in"},
    "controller_window": {"key", "start", "state"},
    "parser_window": {"control", "commit", "staging"},
}


def counted() -> Iterator[tuple[str, str, int]]:
    """Each counter's sort, name and width in bits."""
    for kind in load_kinds().values():
        for register in kind.registers:
            if register.access == "r" and register.name not in CONSTANT:
                yield register.name.partition(".")[0], f"{kind.name}.{register.name}", register.width
    for register in card_registers():
        name = f"card.{register.name}"
        if register.access == "r" and name not in CONSTANT:
            yield name if name.count(".") == 1 else name.rpartition(".")[0], name, register.width
    for window, parts in windows().items():
        for part in parts:
            if part not in STATE[window]:
                yield f"{window}.{part}", f"{window}.{part}", 32


def test_every_counter_is_of_a_known_sort():
    found = list(counted())
    assert len(found) > 300
    assert {sort for sort, _, _ in found} == set(SORTS)
    wrong = [f"{name} has {width} bits" for sort, name, width in found if width != SORTS[sort][0]]
    assert not wrong


@pytest.mark.parametrize("sort", SORTS)
def test_a_simulation_drives_it_across_its_end(sort):
    for file, simulation in SORTS[sort][1].items():
        functions = [node for node in ast.walk(ast.parse((ROOT / file).read_text())) if isinstance(node, ast.AsyncFunctionDef)]
        assert any(f.name == simulation and f.decorator_list for f in functions), f"{file} has no simulation {simulation}"
