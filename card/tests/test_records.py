# SPDX-License-Identifier: Apache-2.0
"""Recordings, replays, waves, and the files that captures and pcap backends read and write."""

import shutil
import subprocess
from pathlib import Path

import pytest
from pywellen import Waveform
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import PcapNgReader, rdpcap, wrpcap

from girih.card import VirtualCard
from girih.card.library import CardFault
from girih.card.recording import read_recording_label
from girih.errors import GirihError


def clock_edges(path):
    """Nanosecond and level of each change of the card's clock in an FST file."""
    clock = next(var for var in Waveform(str(path)).all_vars() if var.name == "clk_i")
    return [(nanoseconds, int(level)) for nanoseconds, level in clock.tv]


def record(folder, path):
    with VirtualCard(folder, record=path) as card:
        card.set_ready(0, 0.7, seed=5)
        card.set_faults(0, "in", loss=0.1, corrupt=0.1, reorder=0.2, seed=2)
        card.add_flow(payload=[18, 700], rate=0.05)
        card.add_flow(payload=64, port=1, src_port=9)
        card.run_flows(count=200)
        card.registers.write("loop.scratch", 77)
        card.reset()
        card.inject(1, bytes(100))
        card.run(300)
        return card.registers.counters(), card.registers.read("loop.scratch")


def test_a_replay_gives_the_same_cycles_and_bytes(loop_folder, tmp_path):
    record(loop_folder, tmp_path / "run")
    with VirtualCard(loop_folder) as card:
        result = card.replay(tmp_path / "run")
    assert result.difference is None
    assert result.inputs > 300 and result.outputs > 300 and result.accesses >= 7
    assert read_recording_label(tmp_path / "run")["name"] == "loop"


@pytest.mark.parametrize("what", ["recording", "capture"])
def test_a_file_that_is_not_whole_is_reported_at_the_end(loop_folder, what):
    """/dev/full is a disk without room. The capture is of a port; one of links reports this when it is stopped."""
    card = VirtualCard(loop_folder, record="/dev/full" if what == "recording" else None)
    if what == "capture":
        card.pcap_out(1, "/dev/full")
    card.inject(0, bytes(100))
    card.run(300)
    with pytest.raises(GirihError, match=f"cannot write the {what} /dev/full: No space left"):
        card.close()
    card.close()


def test_a_failure_is_not_hidden_by_that_of_a_file(loop_folder):
    with pytest.raises(ZeroDivisionError), VirtualCard(loop_folder, record="/dev/full"):
        raise ZeroDivisionError


def test_a_recording_of_the_first_version_is_replayed(loop_folder, tmp_path):
    record(loop_folder, tmp_path / "run")
    data = (tmp_path / "run").read_bytes()
    assert data[8:12] == (2).to_bytes(4, "little")
    (tmp_path / "run").write_bytes(data[:8] + (1).to_bytes(4, "little") + data[12:])
    with VirtualCard(loop_folder) as card:
        assert card.replay(tmp_path / "run").difference is None


@pytest.mark.parametrize("part", ["output", "read"])
def test_a_replay_reports_the_first_difference(loop_folder, tmp_path, part):
    with VirtualCard(loop_folder, record=tmp_path / "run") as card:
        card.inject(0, bytes(12) + b"needle" * 20)
        card.run(50)
        card.registers.write("loop.scratch", 0x5EEDCAFE)
        card.registers.read("loop.scratch")
    data = bytearray((tmp_path / "run").read_bytes())
    needle = b"needle" if part == "output" else (0x5EEDCAFE).to_bytes(4, "little")
    data[data.rindex(needle)] ^= 1
    (tmp_path / "run").write_bytes(data)
    with VirtualCard(loop_folder) as card:
        result = card.replay(tmp_path / "run")
    assert ("byte 126 " if part == "output" else "0x5eedcafe") in result.difference


@pytest.mark.parametrize("damage", ["cut", "magic", "missing", "kind"])
def test_a_damaged_recording_is_refused(loop_folder, tmp_path, damage):
    path = tmp_path / "run"
    record(loop_folder, path)
    data = path.read_bytes()
    if damage == "missing":
        path.unlink()
    elif damage == "kind":  # of the first record, behind its cycle and its size
        at = 16 + int.from_bytes(data[12:16], "little") + 12
        path.write_bytes(data[:at] + b"\x63" + data[at + 1 :])
    else:
        path.write_bytes(data[:-20] if damage == "cut" else b"X" + data[1:])
    with VirtualCard(loop_folder) as card, pytest.raises(CardFault):
        card.replay(path)
    if damage in ("magic", "missing"):
        with pytest.raises(GirihError):
            read_recording_label(path)


def test_a_recording_names_the_seed_that_the_card_ran_from(loop_folder, tmp_path):
    path = tmp_path / "run"
    with VirtualCard(loop_folder, record=path, seed=12) as card:
        card.run(10)
    assert card.seed == read_recording_label(path)["seed"] == 12
    good = path.read_bytes()
    for wrong in (b'"seed": -1', b'"seed": .5', b'"seed": []'):
        path.write_bytes(good.replace(b'"seed": 12', wrong))
        with pytest.raises(GirihError, match="not a recording"):
            read_recording_label(path)


@pytest.mark.thorough
def test_waves_of_a_window(loop_folder, tmp_path):
    record(loop_folder, tmp_path / "run")
    with VirtualCard(loop_folder, waves=True) as card:
        card.waves(tmp_path / "w.fst", 100, 200)
        assert card.replay(tmp_path / "run").difference is None
    assert clock_edges(tmp_path / "w.fst") == [(cycle * 4 + 2 * up, up) for cycle in range(100, 200) for up in (0, 1)]


@pytest.mark.thorough
def test_waves_that_cannot_be_written(loop_folder, tmp_path):
    """The card says so, at once if there can be no such file; when the disk is full, the program goes on without waves."""
    with VirtualCard(loop_folder, waves=True) as card:
        with pytest.raises(CardFault, match=r"cannot write the waves .*/none/w.fst: No such file"):
            card.waves(tmp_path / "none" / "w.fst", 100, 200)
        card.waves(Path("/dev/full"), 100, 200)
        with pytest.raises(CardFault, match="cannot write the waves /dev/full"):
            card.run(300)
        card.waves(tmp_path / "w.fst", 1000, 2000)  # it is closed within the window
        card.run(1000)
    assert clock_edges(tmp_path / "w.fst")[0] == (4000, 0)


def test_waves_need_a_library_that_has_them(card, tmp_path):
    with pytest.raises(CardFault, match="without waves"):
        card.waves(tmp_path / "w.fst", 100, 200)


def test_a_capture_of_links_and_ports_is_readable(card, tmp_path):
    path = tmp_path / "capture.pcapng"
    packet = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(src="1.1.1.1", dst="2.2.2.2") / UDP() / (b"x" * 99)
    card.inject(0, bytes(60))  # before the capture
    card.run(50)
    card.start_capture(path, ["loop.in", "loop.out", "port0.tx"])
    start = card.cycle
    for _ in range(3):
        card.inject(0, bytes(packet), cycle=start + 10)
    card.inject(1, bytes(60))  # another port
    card.run_until_quiet(100)
    assert card.stop_capture() == 9
    card.inject(0, bytes(60))  # after it
    card.run(50)
    with PcapNgReader(str(path)) as reader:
        packets = list(reader)
    assert [p.sniffed_on for p in packets[:2]] == ["loop.in"] * 2 or {p.sniffed_on for p in packets} == {
        "loop.in", "loop.out", "port0.tx"
    }  # fmt: skip
    first = packets[0]
    assert bytes(first) == bytes(packet)
    assert float(first.time) == pytest.approx((start + 10) * 4e-9, abs=1e-9)
    comment = first.comments[0] if hasattr(first, "comments") else first.comment
    assert b"src=18" in comment and b"length=99" in comment and f"cycle={start + 10}".encode() in comment
    if shutil.which("tshark"):
        done = subprocess.run(
            ["tshark", "-r", str(path), "-T", "fields", "-e", "frame.interface_name", "-e", "udp.length"],
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0 and done.stdout.count("loop.in\t107") == 3


def test_a_capture_begins_with_the_first_whole_message(card, tmp_path):
    path = tmp_path / "capture.pcapng"
    card.inject(0, bytes(3000))
    card.run(20)  # some flits of the message have come, and not all
    card.start_capture(path, ["loop.in"])
    card.inject(0, bytes(100))
    card.run_until_quiet(100)
    assert card.stop_capture() == 1
    with PcapNgReader(str(path)) as reader:
        assert [len(bytes(packet)) for packet in reader] == [100]


@pytest.mark.parametrize("suffix", ["pcap", "pcapng"])
def test_pcap_files_in_and_out(card, tmp_path, suffix):
    source, target = tmp_path / f"in.{suffix}", tmp_path / "out.pcapng"
    packets = [Ether() / IP() / UDP() / bytes(n) for n in (1, 100, 3000)]
    for number, packet in enumerate(packets):
        packet.time = 100 + number * 4e-6
    if suffix == "pcap":
        wrpcap(str(source), packets)
    else:
        from scapy.utils import wrpcapng

        wrpcapng(str(source), packets)
    card.pcap_out(0, target)
    start = card.cycle
    card.pcap_in(0, source, keep_times=True)
    card.run_until_quiet(100)
    frames = card.collect(0)
    assert [len(frame.data) for frame in frames] == [len(bytes(packet)) for packet in packets]
    assert frames[2].first_cycle - frames[0].first_cycle == pytest.approx(2000, abs=260)
    assert frames[0].first_cycle == start + 1
    card.close()
    assert [bytes(p) for p in rdpcap(str(target))] == [frame.data for frame in frames]


@pytest.mark.parametrize("content", [b"", b"hello, this is no capture at all", bytes.fromhex("0a0d0d0a") + b"\xff" * 40])
def test_other_files_are_refused(card, tmp_path, content):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(CardFault, match="pcap"):
        card.pcap_in(0, tmp_path / "x")
