# SPDX-License-Identifier: Apache-2.0
"""`./girih top` on a running card: it shows the registers' numbers, and reading them changes nothing."""

import os
import pty
import signal
import subprocess
import sys
import threading

import pytest

from girih.card.virtual import VirtualCard
from girih.paths import ROOT
from girih.spec.kinds import TILE_BYTES, WINDOW_INDEX
from girih.spec.windows import offset
from tests.commands import wait_for
from tests.control.running import SECONDS, everything, frame, running

PACKETS = 160  # 500 bytes each: they fit into the scheduler while a unit is slow


def test_the_numbers_shown_are_the_registers(card, top, girih):
    for _ in range(PACKETS):
        card.inject(0, frame(5004, 500))
    card.registers.write("scheduler.unit_credits[2]", 7)
    card.run_until_quiet()
    with running(card) as path:
        state = top(path)
        page = girih(path, "top", "--once")[1]
    counters = card.registers.counters()
    for index, unit in enumerate(state["units"]):
        assert unit["in_messages"] == counters[unit["name"]]["in_messages"]
        assert unit["busy_cycles"] == counters[unit["name"]]["mark_busy_cycles"]
        assert unit["detoured"] == counters[unit["name"]]["mark_detoured"]
        assert unit["credits"] == unit["most_credits"] == card.registers.read(f"scheduler.unit_credits[{index}]")
    sha = next(service for service in state["services"] if service["name"] == "sha")
    assert sha["accepted"] == sha["dispatched"] == sha["waits"] == PACKETS == counters["scheduler"]["mark_dispatched"]
    assert 0 < sha["wait_mean"] <= sha["wait_max"] and sha["wait_p99"] <= sha["wait_max"]
    assert all(queue["packets"] == 0 and queue["head_rank"] is None for queue in state["queues"])
    assert [port["in_frames"] for port in state["ports"]] == [pins["rx_frames"] for pins in state["pins"]] == [PACKETS, 0]
    for word in ("Services", "Units", "Ports", "aes_0", "sha_1", "7/7", str(PACKETS)):
        assert word in page


def test_a_card_without_services_shows_its_tiles(built, girih, top):
    with VirtualCard(built("udp_echo"), collect=True) as card:
        for _ in range(PACKETS):
            card.inject(0, frame(5004))
        card.run_until_quiet()
        counters = card.registers.counters()
        with running(card) as path:
            state = top(path)
            page = girih(path, "top", "--once")[1]
    assert {tile["name"]: tile["dropped"] for tile in state["tiles"]} == {
        tile: sum(count for name, count in values.items() if name.startswith("drop_")) for tile, values in counters.items()
    }
    (dropped,) = state["tile_drops"]
    assert dropped["packets"] == PACKETS and f"{dropped['tile']}  " in page and f"{dropped['reason']}  " in page
    row = next(line.split() for line in page.splitlines() if line.startswith("eth_rx"))
    assert row[3:] == [str(PACKETS), "0", str(PACKETS)]  # their destination is another MAC address
    assert not state["services"] and "Units" not in page


def test_queues_that_hold_packets_are_shown(card, top, girih):
    card.services.set_policy("sha", "shaped", [{"class": 1, "mbps": 1}])
    card.run(2000)  # a service whose policy was changed starts anew with each packet for some hundred cycles
    for _ in range(12):
        card.inject(0, frame(5004))
    card.run(3000)
    queue = card.registers.read_window("scheduler", offset("scheduler_window", "queues", service=1, tenant=2))  # of sha, video
    with running(card) as path:
        state = top(path)
        page = girih(path, "top", "--once")[1]
    held, rank = queue & 0xFFFF, queue >> 17 & 0x7FF
    assert queue >> 31 and 10 <= held < 12
    assert [queue for queue in state["queues"] if queue["packets"]] == [
        {"service": "sha", "tenant": "video", "packets": held, "head_rank": rank, "head_detoured": False}
    ]
    video = next(tenant for tenant in state["tenants"] if tenant["name"] == "video")
    assert (video["packets"], video["bytes"]) == (held, held * 2 * 128)
    assert "Queues" in page and str(rank) in page


def test_top_changes_nothing(card, ctl, top, girih):
    with running(card) as path:
        before = everything(ctl, path)
    card.run_until_quiet()
    writes = []
    write32 = card.write32
    card.write32 = lambda address, value: writes.append(address) or write32(address, value)
    with running(card) as path:
        top(path)
        girih(path, "top", "--once")
    assert {address % TILE_BYTES for address in writes} <= {WINDOW_INDEX}, "only where a large window is read"
    with running(card) as path:
        assert everything(ctl, path) == before


@pytest.mark.parametrize("end", ["q", "signal"])
def test_top_is_shown_again_until_it_is_told_to_stop(shared, end):
    terminal, inside = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "COLUMNS": "150", "LINES": "60", "TERM": "xterm"}
    # Programs started in the background ignore Ctrl-C, and would pass that on.
    words = ["env", "--default-signal=INT", sys.executable, "-m", "girih.cli", "top", "--socket", str(shared)]
    process = subprocess.Popen(words, cwd=ROOT, env=environment, stdin=inside, stdout=inside, stderr=inside, start_new_session=True)
    os.close(inside)
    seen = []
    reader = threading.Thread(target=read_all, args=(terminal, seen))
    reader.start()
    try:
        wait_for(lambda: b"".join(seen).count(b"Services"), lambda times: times >= 2)
        if end == "q":
            os.write(terminal, b"q")
        else:
            process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS) == 0
    finally:
        process.kill()
        reader.join()
        os.close(terminal)
    assert b"Traceback" not in b"".join(seen)


def read_all(terminal: int, seen: list[bytes]) -> None:
    try:
        while data := os.read(terminal, 65536):
            seen.append(data)
    except OSError:  # the other end has gone
        pass
