# SPDX-License-Identifier: Apache-2.0
"""The commands as a user gives them, and the control socket of a running card."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from pywellen import Waveform
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

from girih.card.client import ControlClient
from girih.cli.main import COMMANDS
from girih.compiler.compile import compile_design
from girih.errors import GirihError
from girih.paths import DESIGNS, ROOT
from tests.commands import ADDRESS, command, girih, namespaces, needs_tap, options, ping, running, wait_for


@pytest.fixture(scope="module")
def recording(tmp_path_factory) -> Path:
    """A recording of udp_echo under faults."""
    folder = tmp_path_factory.mktemp("recording")
    frame = Ether(dst="02:67:69:72:69:68", src="02:00:00:00:00:01") / IP(src="10.77.0.1", dst=ADDRESS)
    wrpcap(str(folder / "in.pcap"), [frame / UDP(sport=4000, dport=7) / (b"needle" * n) for n in range(1, 60)])
    faults = ["--fault", "0:in:loss=0.1,corrupt=0.1,reorder=0.1,seed=3", "--fault", "0:out:loss=0.05,seed=4"]
    done = girih("run", "udp_echo", "--pcap-in", folder / "in.pcap", *faults, "--record", folder / "run.girih")
    assert done.returncode == 0, done.stderr
    return folder / "run.girih"


def test_help():
    done = girih("--help")
    assert done.returncode == 0 and all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_shows_an_example(name):
    done = girih(name, "--help")
    assert done.returncode == 0 and f"./girih {name}" in done.stdout


def test_check_names_the_line_of_a_mistake(tmp_path):
    path = tmp_path / "broken.yaml"
    path.write_text((ROOT / "designs" / "udp_echo.yaml").read_text() + "nonsense: 1\n")
    line = path.read_text().splitlines().index("nonsense: 1") + 1
    done = girih("check", path)
    assert done.returncode == 2 and f"{path}:{line}: " in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_place_writes_positions_and_says_what_they_are_worth(tmp_path):
    path = tmp_path / "my_card.yaml"
    path.write_text((ROOT / "designs" / "panic_mesh.yaml").read_text())
    printed = girih("place", path, "--seed", 3, "--steps", 4000)
    assert printed.returncode == 0 and "links between routers per packet" in printed.stderr
    assert "4,000 of 4,000 steps" in printed.stderr
    assert girih("place", path, "--seed", 3, "--steps", 4000, "--write").stdout == ""
    assert path.read_text() == printed.stdout
    assert girih("check", path).returncode == 0
    both = girih("place", path, "--write", "-o", tmp_path / "other.yaml")
    assert both.returncode == 2 and both.stderr == "place: --write and --output are both given. Give one of them.\n"
    nowhere = girih("place", path, "-o", tmp_path / "none" / "other.yaml")  # before the search
    assert nowhere.returncode == 2 and nowhere.stderr.endswith("none does not exist. Make it first, or write to another place.\n")


def test_list_names_designs_kinds_and_experiments():
    done = girih("list")
    assert done.returncode == 0
    assert all(word in done.stdout for word in ("demo", "udp_echo", "eth_rx", "beehive-lat", "buffer_flits"))


def test_replay_of_a_run_with_faults_is_identical(recording):
    done = girih("replay", recording)
    assert done.returncode == 0 and "Identical" in done.stdout


def test_replay_tells_the_first_difference(recording, tmp_path):
    data = bytearray(recording.read_bytes())
    data[data.rindex(b"needle")] ^= 1  # of the last reply
    (tmp_path / "run.girih").write_bytes(data)
    done = girih("replay", tmp_path / "run.girih")
    assert done.returncode == 2 and re.search(r"differs in cycle \d+: ", done.stderr)
    assert "Traceback" not in done.stderr


@pytest.mark.thorough
def test_replay_writes_the_waves_of_the_window_only(recording, tmp_path):
    done = girih("replay", recording, "--waves", "100:200", "-o", tmp_path / "x.fst")
    assert done.returncode == 0, done.stderr
    clock = next(var for var in Waveform(str(tmp_path / "x.fst")).all_vars() if var.name == "clk_i")
    assert [(nanoseconds, int(level)) for nanoseconds, level in clock.tv] == [(4 * cycle + 2 * up, up) for cycle in range(100, 200) for up in (0, 1)]


@pytest.mark.thorough
def test_replay_tells_that_a_window_is_behind_the_end_of_the_recording(recording, tmp_path):
    done = girih("replay", recording, "--waves", "100000000:100000100", "-o", tmp_path / "x.fst")
    assert done.returncode == 2 and "before the window 100000000:100000100. Name earlier cycles" in done.stderr
    assert "Waves of" not in done.stdout and not (tmp_path / "x.fst").exists()


@pytest.fixture(scope="module")
def live():
    """A card shared by the tests of the control socket; they leave it running and unchanged."""
    with running("designs/udp_echo.yaml") as (process, card):
        yield process, card


def test_names_of_files_are_shown_as_they_are(live, tmp_path):
    """Brackets in them are no markup, and none that is wrong."""
    _process, card = live
    (tmp_path / "a[").mkdir()
    there = {**options(), "cwd": tmp_path}
    for name in ("[red].xdc", "a[/b].xdc"):
        done = subprocess.run(command("synth", "--module", "fifo", "--constraints", name), **there)
        assert (done.returncode, done.stdout) == (0, f"{name}: 0 crossings\n"), done.stderr
    done = subprocess.run(command("capture", "port0.rx", "-o", "a[/b].pcapng", "--seconds", 0.1, "--socket", card.path), **there)
    assert done.returncode == 0 and done.stdout.endswith(" messages in a[/b].pcapng\n"), done.stderr


def test_time_stands_still_steps_and_goes_on(live):
    _process, card = live
    stopped = card.call("pause")
    time.sleep(0.3)
    assert card.call("info")["cycle"] == stopped
    assert card.call("step", cycles=137) == stopped + 137
    assert card.call("info")["cycle"] == stopped + 137
    card.call("resume")
    wait_for(lambda: card.call("info")["cycle"], lambda cycle: cycle > stopped + 137)


def test_registers_and_next_hops_by_name(live):
    _process, card = live
    assert card.registers.read("ip_rx.ip") == 0x0A4D0002 == card.call("read", name="ip_rx.ip")
    entry = "udp_rx.next_hop[7]"
    before = card.registers.read(entry)
    try:
        card.registers.write(entry, before ^ 1)
        assert card.call("read", name=entry) == before ^ 1
    finally:
        card.registers.write(entry, before)
    assert card.registers.read(entry) == before


@pytest.mark.parametrize(
    "request_line",
    [
        b"{not json",
        b"[1, 2]",
        pytest.param(b"[" * 100_000, id="a list in a list, and so on"),
        b"\xff\xfe",
        b'{"op": "no such"}',
        b'{"op": 5}',
        b'{"op": "read", "name": "ip_rx.nonsense"}',
        b'{"op": "write", "name": "ip_rx.ip", "value": 4294967296}',
        b'{"op": "write", "name": "ip_rx.ip", "value": -1}',
        b'{"op": "write", "name": "ip_rx.ip", "value": "x"}',
        b'{"op": "write", "name": "ip_rx.node", "value": 1}',
        b'{"op": "read32", "address": 99999999999999}',
        b'{"op": "write32", "address": 0, "value": -1}',
        b'{"op": "step", "cycles": 0}',
        b'{"op": "step", "cycles": "x"}',
        b'{"op": "capture_start", "path": "/dev/null", "links": ["nonsense"]}',
        b'{"op": "faults", "port": 99, "direction": "in"}',
        b'{"op": "faults", "port": 0, "direction": "in", "loss": 2.0}',
        b'{"op": "capture_stop", "extra": 1}',
    ],
)
def test_a_bad_request_gets_an_error_and_changes_nothing(live, request_line):
    process, card = live
    registers = {name: card.registers.read(name) for name in ("ip_rx.ip", "ip_rx.node")}
    with socket.socket(socket.AF_UNIX) as other:
        other.settimeout(10)
        other.connect(str(card.path))
        other.sendall(request_line + b"\n")
        answer = json.loads(other.makefile().readline())
    assert answer["ok"] is False and answer["error"]
    assert {name: card.registers.read(name) for name in registers} == registers
    assert process.poll() is None and card.call("info")["paused"] is False


def begins(card: ControlClient, path: Path) -> bool:
    """Whether a capture begins; otherwise another is running."""
    try:
        card.call("capture_start", path=str(path), links=["port0.rx"])
    except GirihError as error:
        if "a capture is already running" not in str(error):
            raise
        return False
    return True


def test_a_capture_ends_with_its_client(live, tmp_path):
    _process, card = live
    with ControlClient(card.path) as other:
        assert begins(other, tmp_path / "theirs.pcapng") and not begins(card, tmp_path / "ours.pcapng")
    wait_for(lambda: begins(card, tmp_path / "ours.pcapng"), bool)
    with ControlClient(card.path) as other:
        assert not begins(other, tmp_path / "theirs.pcapng")
    assert card.call("info")["paused"] is False and not begins(card, tmp_path / "again.pcapng"), "another client's end has ended it"
    with ControlClient(card.path) as other:
        other.call("capture_stop")
        assert begins(other, tmp_path / "theirs.pcapng")
    wait_for(lambda: begins(card, tmp_path / "ours.pcapng"), bool)
    card.call("capture_stop")


def test_commands_that_watch_a_card_say_that_it_has_ended(tmp_path):
    with running("designs/udp_echo.yaml") as (process, card):
        capture = subprocess.Popen(command("capture", "port0.rx", "-o", tmp_path / "links.pcapng", "--socket", card.path), **options())
        assert capture.stdout.readline().startswith("Capturing")
        sockets = open_sockets(process.pid)
        watching = [subprocess.Popen(command(*words, "--socket", card.path), **options()) for words in (("top",), ("stats", "--watch"))]
        wait_for(lambda: open_sockets(process.pid), lambda now: now == sockets + 2)
        process.kill()
        for each in (capture, *watching):
            output, errors = each.communicate(timeout=30)
            assert each.returncode == 2 and errors == f"{card.path}: the card has ended. Start it again.\n"
            assert each is not capture or output == f"0 messages in {tmp_path / 'links.pcapng'}\n"


def open_sockets(pid: int) -> int:
    return sum(os.readlink(each).startswith("socket:") for each in Path(f"/proc/{pid}/fd").iterdir())


def test_tests_of_a_path_that_does_not_exist_are_refused():
    ended = girih("test", "tests/nowhere.py::test_it")
    assert ended.returncode == 2 and "tests/nowhere.py: the test does not exist" in ended.stderr


def test_a_built_card_gets_no_other_address():
    folder = compile_design(DESIGNS / "demo.yaml")
    ended = girih("run", folder, "--cycles", 1, "--mac", "02:00:00:00:00:01")
    assert ended.returncode == 2 and f"--mac: {folder} is a built card" in ended.stderr and "leave --mac out" in ended.stderr


def test_no_card_at_a_socket_is_said_so(tmp_path):
    with pytest.raises(GirihError, match="no card answers"):
        ControlClient.find(tmp_path / "none.sock")


@needs_tap
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_card_on_a_tap_device_from_start_to_end(tmp_path, number):
    with running("designs/demo.yaml", "--tap") as (process, card):
        assert namespaces(process.pid) == [f"girih-{process.pid}"]
        captured = tmp_path / "links.pcapng"
        words = command("capture", "port0.rx", "port0.tx", "-o", captured, "--socket", card.path)
        capture = subprocess.Popen(words, **options())
        assert capture.stdout.readline().startswith("Capturing")
        assert ", 0% packet loss" in ping(process.pid).stdout
        capture.send_signal(signal.SIGINT)
        assert capture.wait(30) == 0, capture.communicate()
        show = ["tshark", "-r", str(captured), "-Y", "icmp.type == 0", "-T", "fields", "-e", "frame.interface_name"]
        shown = subprocess.run(show, capture_output=True, text=True)
        assert shown.returncode == 0 and shown.stdout.split() == ["port0.tx"] * 5

        stats = girih("stats", "--socket", card.path)
        assert stats.returncode == 0 and "eth_rx" in stats.stdout
        counters = json.loads(girih("stats", "--json", "--socket", card.path).stdout)
        assert sum(n for name, n in counters["tiles"]["eth_rx"].items() if name.startswith("in_")) >= 5
        assert card.call("check") == []

        process.send_signal(number)
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)  # an impatient second one
        output, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        assert "Frames by tile" in output and "Traceback" not in errors
        assert not namespaces(process.pid) and not card.path.exists()


@needs_tap
def test_demo_loses_nothing():
    done = girih("demo")
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in done.stdout.splitlines() if "ping" in line or "clients" in line]
    rows = [row for row in rows if len(row) == 5]
    assert len(rows) == 5
    for _program, sent, replies, lost, _time in rows:
        assert int(sent) == int(replies) > 0 and int(lost) == 0
    assert "Every message is accounted for" in done.stdout
