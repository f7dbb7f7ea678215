# SPDX-License-Identifier: Apache-2.0
"""`./girih run --gdb`: a core waits for gdb before its first instruction, on a card on a TAP device; how such a run ends, and what it refuses."""

import re
import signal
import socket
import struct
import subprocess
import sys
import time

import pytest

from girih.build import coverage
from girih.card.manifest import Manifest
from girih.card.registers import ENDS, SOURCES, AccessRefused, Registers, total
from girih.card.session import REST_SECONDS
from girih.compiler.compile import compile_design
from girih.errors import GirihError
from girih.firmware.debug import Debugger
from girih.paths import ROOT
from girih.private import private_folder
from girih.spec.windows import offset as address
from tests.commands import ADDRESS, girih, needs_tap, ping, running, wait_for
from tests.test_ending import ended, inside

CORE = "designs/core.yaml"
SECONDS = 60 * (coverage.SLOWER if coverage.folder() else 1)
# Sends a datagram to port 7 until an answer comes, or for a number of seconds; prints the answer.
ASK = """
import socket, sys, time
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.settimeout(0.2)
udp.connect((sys.argv[1], 7))
end, answer = time.monotonic() + float(sys.argv[2]), b""
while time.monotonic() < end and not answer:
    try:
        udp.send(bytes.fromhex(sys.argv[3]))
        answer = udp.recv(2000)
    except OSError:
        pass
print(answer.hex())
"""


def answer(process, seconds, datagram):
    """b"": none came."""
    done = subprocess.run(inside(process.pid, sys.executable, "-c", ASK, ADDRESS, str(seconds), datagram.hex()), capture_output=True, text=True, timeout=SECONDS)
    return bytes.fromhex(done.stdout)


def answers(process, seconds):
    return answer(process, seconds, b"datagram") == b"datagram"


def ports(process, count):
    """The ports of gdb that the run prints, by core."""
    found = {}
    while len(found) < count:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        if said := re.match(r"(\w+)(?:, core (\d+),)? waits before its first instruction: gdb-multiarch -ex 'target remote 127\.0\.0\.1:(\d+)'$", line):
            found[said[1] + (f".{said[2]}" if said[2] else "")] = int(said[3])
    return found


def gdb(port, *commands):
    """A gdb that stays connected after the commands until its input is closed, as communicate() does."""
    words = [word for command in ("set pagination off", "set confirm off", f"target remote 127.0.0.1:{port}", *commands) for word in ("-ex", command)]
    return subprocess.Popen(["gdb-multiarch", "-nx", "-q", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def nothing_left(process, port):
    """Neither a file of this run, nor its port."""
    assert not [path for path in private_folder().iterdir() if f"-{process.pid}." in path.name]
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port))


@needs_tap
def test_a_program_is_debugged_from_its_first_instruction():
    """Until gdb says continue, it has executed nothing, while the other tiles work; later it answers, and a breakpoint that is set at the end hinders nothing."""
    with running(CORE, "--tap", "--gdb", "echo") as (process, card):
        port = ports(process, 1)["echo"]
        assert ", 0% packet loss" in ping(process.pid).stdout
        assert not answers(process, 1)
        text = gdb(port, "print/x $pc", "break main", "continue", "delete", "detach").communicate(timeout=SECONDS)[0]
        assert re.search(r"\$1 = 0x(0|80)\b", text), text
        assert re.search(r"Breakpoint 1, main \(\) at .*udp_echo.c:1\d", text), text
        assert answers(process, SECONDS / 2)
        assert card.registers.counters("echo")["echo"]["mark_restarts"] == 0
        stuck = gdb(port, "break udp_echo.c:21", "continue")
        while answers(process, 1):  # until the breakpoint halts it
            assert stuck.poll() is None, stuck.communicate()[0]
        output, errors = ended(process, signal.SIGINT, seconds=REST_SECONDS + 2)
        assert process.returncode == 0, errors
        assert "Every message is accounted for" in output
        stuck.communicate(timeout=SECONDS)
        nothing_left(process, port)


@needs_tap
@pytest.mark.parametrize("connected", [False, True])
@pytest.mark.parametrize("signals", [1, 2])
def test_ctrl_c_ends_a_run_whose_core_waits(connected, signals):
    """With gdb connected or not, by one Ctrl-C or two; the exit code is that of a run."""
    with running(CORE, "--tap", "--gdb", "echo", "--gdb", "firewall") as (process, _card):
        found = ports(process, 2)
        waiting = gdb(found["echo"]) if connected else None
        time.sleep(1)
        _, errors = ended(process, *[signal.SIGINT] * signals, pause=0.05, seconds=REST_SECONDS + 2)
        assert process.returncode in ((0,) if signals == 1 else (0, 130)), errors
        for port in found.values():
            nothing_left(process, port)
        if waiting:
            waiting.communicate(timeout=SECONDS)


@needs_tap
def test_one_core_of_a_cluster_waits_and_the_others_answer():
    with running("designs/cluster.yaml", "--tap", "--gdb", "echo.2") as (process, _card):
        port = ports(process, 1)["echo.2"]
        assert answers(process, SECONDS / 2)
        text = gdb(port, "print/x $pc", "continue&", "detach").communicate(timeout=SECONDS)[0]
        assert re.search(r"\$1 = 0x(0|80)\b", text), text
        ended(process, signal.SIGINT, seconds=REST_SECONDS + 2)
        assert process.returncode == 0


@needs_tap
def test_a_halted_program_sees_what_its_access_to_memory_brings():
    """A store of blocks is halted right after it has started to read one: its reply is taken, and the program sends it as if nothing had happened."""
    head, block = struct.pack("!II", 0, 1 << 31 | 3), bytes(range(256)) * 4  # the fourth block of the card's memory
    with running("designs/dma_core.yaml", "--tap", "--gdb", "store") as (process, card):
        port = ports(process, 1)["store"]
        gdb(port, "detach").communicate(timeout=SECONDS)
        assert answer(process, SECONDS / 2, struct.pack("!II", 1, 1 << 31 | 3) + block) == head
        halted = gdb(port, "break block_store.c:40", "continue", "shell sleep 1", "x/8xb message->data + 1024", "delete", "detach")
        assert answer(process, SECONDS / 2, head) == head + block
        text = halted.communicate(timeout=SECONDS)[0]
        assert "0x00\t0x01\t0x02\t0x03\t0x04\t0x05\t0x06\t0x07" in text, text
        counters = wait_for(lambda: card.registers.counters("store")["store"], lambda counters: total(counters, SOURCES) == total(counters, ENDS))
        assert counters["mark_restarts"] == 0
        output, errors = ended(process, signal.SIGINT, seconds=REST_SECONDS + 2)
        assert process.returncode == 0 and "Every message is accounted for" in output, output + errors


def test_what_cannot_be_debugged_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        used = taken.getsockname()[1]
        for options, complaint in (
            (["udp_tx"], "core: udp_tx is not a core. Its cores: firewall, echo."),
            (["nobody"], "core: nobody is not a core. Its cores: firewall, echo."),
            (["echo.1"], "--gdb: echo has no core 1. Name one from 0 to 0."),
            (["echo:70000"], "--gdb: echo:70000 does not say which core gdb debugs. Write TILE or TILE:PORT, with a port up to 65535; of a cluster, TILE.CORE."),
            (["3333"], "--gdb: 3333 does not say which core gdb debugs. Write TILE or TILE:PORT, with a port up to 65535; of a cluster, TILE.CORE."),
            (["echo:4000", "firewall:4000"], "--gdb: port 4000 is for echo and for firewall. Name another one: --gdb firewall:PORT"),
            (["echo:4000", "echo.0:4001"], "--gdb: core 0 of echo is named twice. Name each core once."),
            ([f"echo:{used}"], f"--gdb: port {used} cannot be used: [Errno 98] Address already in use"),
        ):
            done = girih("run", CORE, *[word for option in options for word in ("--gdb", option)], "--cycles", 1)
            assert done.returncode == 2 and complaint in done.stderr and "Traceback" not in done.stderr, (options, done.stderr)


def test_a_core_without_debug_mode_is_refused_with_the_remedy():
    """As its window answers then (rtl/tiles/core/core_loader.sv)."""

    class NoDebugMode(Registers):
        def read_window(self, tile_name, offset):
            assert offset == address("core_window", "debug")
            raise AccessRefused("an error", None, None)

    manifest = Manifest.load(compile_design(ROOT / CORE))
    with pytest.raises(GirihError, match=r"echo: its cores have no debug mode. Write debug: 1 in the tile.$"):
        Debugger(NoDebugMode(manifest, None), "echo").await_start()
