# SPDX-License-Identifier: Apache-2.0
"""A recorded run gives the same bytes in the same cycles when it is replayed, and a different run
is detected."""

import signal
import struct
import subprocess
from pathlib import Path

import pytest
from pywellen import Waveform

from girih.card import VirtualCard
from girih.compiler.compile import compile_design
from girih.paths import DESIGNS
from girih.testing import SEED
from tests.commands import BUILD_SECONDS, command, options, processor_seconds, wait_for
from tests.frames import Traffic
from tests.test_bad_input import CARD, HOSTS, STRANGER, introductions

HEADER_BYTES = 16  # of each part of a recording; that of its end is the last
FAR = 10**15  # a cycle to which no replay comes


def record(folder, path) -> None:
    """Random traffic with faults both ways, stalls of the MAC, and register writes in the middle."""
    traffic = Traffic(CARD, HOSTS, STRANGER, SEED)
    with VirtualCard(folder, record=path) as card:
        for _kind, frame, bad in introductions(HOSTS):
            card.inject(0, frame, bad=bad)
        card.set_ready(0, 0.7, seed=3)
        faults = {"loss": 0.05, "duplicate": 0.05, "corrupt": 0.05, "reorder": 0.05, "delay": 0.1}
        card.set_faults(0, "in", **faults, seed=1)
        card.set_faults(0, "out", **faults, seed=2)
        for turn in range(6):
            for _ in range(200):
                _kind, frame, bad = traffic.next()
                card.inject(0, frame, bad=bad)
            card.run(1500)
            # While frames are on their way: the card answers to another address, then to its own.
            card.registers.write("ip_rx.ip", int.from_bytes(CARD.ip, "big") + turn % 2)
            card.registers.counters("udp_rx")
        card.add_flow(payload=[1, 18, 1472], dst_mac=CARD.mac.hex(":"), src_mac=HOSTS[0].mac.hex(":"), rate=0.01)
        card.run_flows(count=100)


def test_a_replay_is_the_same_to_the_cycle_and_the_byte(built, tmp_path):
    folder = built("demo")
    record(folder, tmp_path / "recording")
    with VirtualCard(folder, bare=True) as card:
        replay = card.replay(tmp_path / "recording")
    assert replay.difference is None
    assert replay.inputs > 1000 and replay.outputs > 300 and replay.accesses > 100

    # The same run recorded again gives the same file: it does not depend on anything outside.
    record(folder, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "recording").read_bytes()


def test_what_registers_held_before_reset_makes_no_difference(built, tmp_path):
    folder = built("demo")
    record(folder, tmp_path / "recording")
    for seed in (1, 20_240_801):
        with VirtualCard(folder, bare=True, seed=seed) as card:
            replay = card.replay(tmp_path / "recording")
        assert replay.difference is None, f"seed {seed}"
        assert replay.outputs > 300


def test_another_card_is_told_apart(built, tmp_path):
    record(built("demo"), tmp_path / "recording")
    with VirtualCard(built("udp_echo"), bare=True) as card:
        assert card.replay(tmp_path / "recording").difference is not None


@pytest.fixture(scope="module")
def endless(tmp_path_factory) -> Path:
    """A recording whose end is moved so far away that it never comes."""
    path = tmp_path_factory.mktemp("endless") / "recording"
    with VirtualCard(compile_design(DESIGNS / "demo.yaml"), record=path) as card:
        card.run(100)
    data = bytearray(path.read_bytes())
    struct.pack_into("<Q", data, len(data) - HEADER_BYTES, FAR)
    path.write_bytes(data)
    return path


def interruptible(*words: object) -> list[str]:
    """A command that takes all signals, as at a terminal: in the background of a shell SIGINT is ignored, and under nohup SIGHUP."""
    return ["env", "--default-signal=INT,HUP", *command(*words)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_ends_a_replay(endless, number):
    """However long the recording is."""
    process = subprocess.Popen(interruptible("replay", endless), **options())
    try:
        wait_for(lambda: "/libcard.so" in Path(f"/proc/{process.pid}/maps").read_text(), bool, BUILD_SECONDS)
        loaded = processor_seconds(process)
        wait_for(lambda: processor_seconds(process) - loaded > 1, bool, 60)  # it has nothing else to do than the replay
        process.send_signal(number)
        output, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, output.strip(), errors) == (130, "", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_replay_leaves_waves_that_can_be_read(endless, tmp_path, number):
    """And says so: those from the start of the window to the interrupt."""
    path = tmp_path / "w.fst"
    process = subprocess.Popen(interruptible("replay", endless, "--waves", f"100:{FAR}", "-o", path), **options())
    try:
        wait_for(lambda: path.exists() and path.stat().st_size, bool, BUILD_SECONDS)
        process.send_signal(number)
        output, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, errors) == (130, "") and output.strip() == f"The replay is interrupted: what there is of the waves of cycles 100:{FAR} is in {path}"
    clock = next(var for var in Waveform(str(path)).all_vars() if var.name == "clk_i")
    assert [(time, int(level)) for time, level in clock.tv[:4]] == [(400, 0), (402, 1), (404, 0), (406, 1)]


def test_a_replay_that_is_interrupted_before_the_window_leaves_no_waves(endless, tmp_path):
    path = tmp_path / "w.fst"
    process = subprocess.Popen(interruptible("replay", endless, "--waves", f"{FAR - 1}:{FAR}", "-o", path), **options())
    try:
        wait_for(path.exists, bool, BUILD_SECONDS)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, errors) == (130, "") and output.strip() == f"The replay is interrupted: it had not come to the waves of cycles {FAR - 1}:{FAR}"
    assert not path.exists()
