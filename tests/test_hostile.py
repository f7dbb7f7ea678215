# SPDX-License-Identifier: Apache-2.0
"""Each command with odd arguments and in a hostile environment: it ends in time, with one of its exit codes and a sentence,
never with a stack trace."""

import errno
import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from girih.card import Manifest, VirtualCard
from girih.card.client import ControlClient
from girih.card.control import ControlServer
from girih.card.recording import recording_label
from girih.cli import main as cli
from girih.cli.main import COMMANDS
from girih.cli.run import parse_faults
from girih.compiler.compile import compile_design
from girih.errors import GirihError
from girih.paths import BUILD, DESIGNS, ROOT
from girih.private import private_folder
from tests.commands import command, full_disk, girih, namespaces, needs_tap, options, running

SEED = 20_240_801
CYCLES = "It is a whole number, 0 to 1000000000000."
ODD_FAULTS = [
    *(("loss", value, "It is a probability, 0 to 1.") for value in ("-0.1", "1.5", "nan", "inf")),
    *(("delay_cycles", value, CYCLES) for value in ("inf", "nan", "-1", "0.5")),
    ("reorder_cycles", "1e300", CYCLES),
    *(("seed", value, f"It is a whole number, 0 to {(1 << 64) - 1}.") for value in ("-1", "1e30")),
]
SECONDS = 60
CODES = (0, 1, 2, 130, 141)
ODD = ("", "-1", "0", "nonsense", "99999999999999999999", "1e999", "nan", "/", "/dev/null", "a b\tc\n", "\u0661", "--")
UDP_ECHO = "udp_echo"
WRITTEN = ("--record", "--pcap-out", "-o", "--output")  # options that name files for a run to overwrite
NOBODY = 65534


def fails_well(words: list, **changes) -> subprocess.CompletedProcess:
    """Runs a command, checks that it ended in time and without a stack trace, and returns its result."""
    done = subprocess.run(words, timeout=SECONDS, stdin=subprocess.DEVNULL, **(options() | changes))
    assert done.returncode in CODES and "Traceback" not in done.stdout + done.stderr, done
    return done


def every_option() -> list[tuple[str, ...]]:
    """Each option of each command that takes a value, with the arguments that must precede it."""
    first = {"run": (UDP_ECHO,), "place": (UDP_ECHO,), "replay": ("/dev/null",), "ctl": ()}
    chains = ("--pattern", "udp dst is 9", "--actions", "drop", "--port", "wire")
    found: list[tuple[str, ...]] = []
    found += [("run", *first["run"], "--cycles", "10", option) for option in ("--host", "--ip", "--mac", "--pcap-in", "--pcap-out", "--record", "--fault", "--watchdog")]
    found += [("run", *first["run"], option) for option in ("--cycles",)]
    found += [("run", "--cycles", "10"), ("check",), ("build",), ("bench",), ("replay",)]
    found += [("replay", "/dev/null", option) for option in ("--waves", "--output", "--design")]
    found += [("place", *first["place"], "--steps", "10", option) for option in ("--keep", "--seed")]
    found += [(name, "--socket") for name in ("stats", "top", "capture")] + [("capture", "-o"), ("capture", "--seconds")]
    found += [("ctl", "table", "add", *chains, option) for option in ("--stage", "--priority", "--tenant", "--socket")]
    found += [("ctl", "meter", "set", "1", "--port", "wire", option) for option in ("--cir", "--cbs")]
    return found


@pytest.fixture
def main(capfd, monkeypatch, tmp_path):
    """`main("run", ...)`: the exit code of the command, run in this process, which is much faster, in an empty folder and with no card running."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def call(*words: object) -> int:
        start = time.monotonic()
        with pytest.raises(SystemExit) as done:
            cli.main([*map(str, words)])
        printed = capfd.readouterr()
        assert done.value.code in CODES and "Traceback" not in printed.out + printed.err, (words, printed)
        assert time.monotonic() - start < SECONDS
        return done.value.code

    return call


@pytest.mark.parametrize("words", every_option(), ids=" ".join)
def test_an_option_with_an_odd_value(main, words):
    draw = random.Random(repr(words))  # a few values for each option, so that all values are tried on many options
    for value in draw.sample(ODD, 4):
        if not (words[-1] in WRITTEN and value == "/dev/null"):
            main(*words, value)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_without_arguments_or_with_too_many(main, name):
    if name not in ("demo", "test", "list", "bench"):
        assert main(name) == 2
    if name != "test":
        assert main(name, *["nonsense"] * 20) == 2


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("run", UDP_ECHO, "--host", "10.77.0.1/24", "--cycles", 1), "--host is given without --tap"),
        (("run", UDP_ECHO, "--ip", "10.77.0.0/24", "--cycles", 1), "--ip: "),
        (("run", UDP_ECHO, "--mac", "01:00:00:00:00:00", "--cycles", 1), "--mac: "),
        (("run", UDP_ECHO, "--fault", "5:in:loss=1", "--cycles", 1), "no port 5"),
        (("run", UDP_ECHO, "--fault=-1:in:loss=1", "--cycles", 1), "no port -1. It may be 0."),
        (("run", UDP_ECHO, "--fault", "99999999999:in:loss=1", "--cycles", 1), "no port 99999999999"),
        (("run", UDP_ECHO, "--fault", "0:in:loss=1,loss=0", "--cycles", 1), "'0:in:loss=1,loss=0' cannot be read"),
        (("run", UDP_ECHO, "--fault", "0:in:loss=1", "--fault", "0:in:delay=1", "--cycles", 1), "faults of port 0, in, are given twice"),
        (("synth", "--module", "async_fifo", "--constraints", "x.txt"), "the format of constraints is not known"),
        (("synth", "--module", "async_fifo", "--constraints", "x.xdc", "--timing"), "--constraints is given with --timing"),
        (("run", "none.yaml"), "none.yaml"),
        *(
            ((*words, f"--seconds={value}"), "for '--seconds': Input should be a number of seconds above 0")
            for words in (("capture", "port0.rx"), ("run", UDP_ECHO), ("rack", "server_behind_nic"))
            for value in ("inf", "nan", "-1", "0", "1e10")
        ),
        *((("test", "tests/nowhere.py", f"--jobs={value}"), "for '--jobs' / '-j': Input should be") for value in (0, -1)),
        (("run", "."), "card.json"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(words, complaint):
    done = fails_well(command(*words))
    assert done.returncode == 2 and complaint in done.stderr


@pytest.mark.parametrize(("name", "value", "limits"), ODD_FAULTS)
def test_a_fault_that_cannot_be_is_refused_before_a_card_is_built(name, value, limits):
    with pytest.raises(GirihError) as refused:
        parse_faults(f"0:in:{name}={value}")
    assert str(refused.value).startswith(f"faults: {name} is ") and str(refused.value).endswith(f". {limits}")


def test_a_card_refuses_faults_that_cannot_be(built):
    with VirtualCard(built(UDP_ECHO)) as card:
        for name, value, limits in ODD_FAULTS:
            with pytest.raises(GirihError) as refused:
                card.set_faults(0, "in", **{name: float(value)})
            assert limits in str(refused.value)
        for port in (-1, 1, 1 << 40, 0.5, "0"):
            with pytest.raises(GirihError, match=f"no port {port}"):
                card.set_faults(port, "in", loss=0.1)
        for odd in ({"lose": 0.1}, {"loss": "0.1"}):
            with pytest.raises(GirihError, match=r"no fault is called 'lose'|loss is 0\.1"):
                card.set_faults(0, "in", **odd)
        card.set_faults(0, "in", loss=1, delay_cycles=1e3, seed=(1 << 64) - 1)


@needs_tap
def test_the_host_is_not_the_card():
    done = fails_well(command("run", UDP_ECHO, "--tap", "--host", "10.77.0.2/24"))
    assert done.returncode == 2 and "is the card's own address" in done.stderr


# ---- an output that nobody reads ----


@pytest.mark.parametrize("words", [("list",), ("--help",), ("check", UDP_ECHO), ("nonsense", "2>&1")], ids=" ".join)
def test_an_output_that_nobody_reads_ends_a_command_silently(words):
    """The way in which `./girih list | head -1` ends, with the code of SIGPIPE. The last case is that of the error output."""
    reader, writer = os.pipe()
    os.close(reader)
    both = words[-1] == "2>&1"
    changes = {"stdout": writer} | ({"stderr": writer} if both else {})
    done = subprocess.run(command(*words[: 1 if both else None]), timeout=SECONDS, stdin=subprocess.DEVNULL, **(options() | changes))
    os.close(writer)
    assert done.returncode == 141 and not done.stderr


def test_a_broken_pipe_elsewhere_is_an_error(monkeypatch, capsys):
    def find(_path):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(ControlClient, "find", find)
    with pytest.raises(SystemExit) as done:
        cli.main(["stats"])
    assert done.value.code == 2 and "the system refused it (Broken pipe)" in capsys.readouterr().err


# ---- without rights ----


def as_nobody(words: list[str]) -> list[str]:
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *words]


needs_setpriv = pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="another user is needed, and so root and setpriv")


@pytest.fixture
def checkout():
    """A clean checkout that every user can reach and no other can write; pytest's own folders are only for its user."""
    with tempfile.TemporaryDirectory(prefix="girih-checkout-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copytree(ROOT / "python", folder / "python", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(DESIGNS, folder / "designs")
        shutil.copytree(ROOT / "requirements", folder / "requirements")
        shutil.copy(ROOT / "girih", folder)
        yield folder


@needs_setpriv
@pytest.mark.parametrize("name", [*COMMANDS, "nonsense", "--help"])
def test_a_checkout_that_cannot_be_written(checkout, name):
    done = fails_well(as_nobody(["python3", str(checkout / "girih"), name]), cwd="/", env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "build" in done.stderr or "needs root" in done.stderr


@needs_setpriv
@pytest.mark.parametrize("hidden", ["python", "python/girih", "python/girih/errors.py", "python/girih/bootstrap.py", "requirements"])
def test_a_checkout_that_cannot_be_read(checkout, hidden):
    (checkout / "build").mkdir(mode=0o777)
    (checkout / "build").chmod(0o777)
    (checkout / hidden).chmod(0)
    done = fails_well(as_nobody(["python3", str(checkout / "girih"), "list"]), cwd="/", env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    assert done.returncode == 2 and str(checkout) in done.stderr


@needs_setpriv
@pytest.mark.parametrize("words", [("demo",), ("demo", "--stay"), ("run", "demo", "--tap")])
def test_what_needs_root_says_so_before_anything_else(checkout, words):
    done = fails_well(as_nobody(["python3", str(checkout / "girih"), *words]), cwd="/", env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    assert done.returncode == 2 and f"Run: sudo ./girih {' '.join(words)}" in done.stderr
    assert not (checkout / "build").exists()


def test_a_working_folder_that_is_gone(tmp_path):
    gone = tmp_path / "gone"
    script = "cd gone && rmdir ../gone && exec \"$@\""
    gone.mkdir()
    fails_well(["sh", "-c", script, "sh", *command("check", UDP_ECHO)], cwd=tmp_path)


def test_a_path_with_a_space_has_its_build_elsewhere(tmp_path):
    """The build of a path without a space is in its usual place."""
    checkout = tmp_path / "a b"
    shutil.copytree(ROOT / "python" / "girih", checkout / "python" / "girih", ignore=shutil.ignore_patterns("__pycache__"))
    look = "from girih import bootstrap, paths; print(bootstrap.BUILD); print(paths.BUILD)"
    environment = os.environ | {"PYTHONPATH": str(checkout / "python"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    shown = [fails_well([sys.executable, "-c", look], env=environment).stdout.split() for _ in range(2)]
    assert shown[0] == shown[1] and len(set(shown[0])) == 1
    assert Path(shown[0][0]).is_relative_to(tmp_path / "cache") and (checkout / "build").resolve() == Path(shown[0][0])
    assert BUILD == ROOT / "build"


# ---- a full disk ----


@pytest.mark.parametrize("words", [("--write",), ("-o", "other.yaml")])
def test_a_design_whose_positions_cannot_be_written_is_left_as_it_was(tmp_path, monkeypatch, capsys, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("girih.placement.place.place_design", lambda *_: ("# a place\n" * 1000, "found"))
    design = tmp_path / "card.yaml"
    design.write_text("# mine\n" * 100)
    with full_disk(), pytest.raises(SystemExit) as done:
        cli.main(["place", str(design), *words])
    printed = capsys.readouterr()
    assert done.value.code == 2 and "cannot be written" in printed.err and "found" not in printed.err
    assert design.read_text() == "# mine\n" * 100 and list(tmp_path.iterdir()) == [design]


# ---- places where nothing can be written ----


@pytest.mark.parametrize(
    "words",
    [
        ("synth", "--module", "tcp", "--timing", "--json"), ("synth", UDP_ECHO, "--timing", "--json"), ("synth", UDP_ECHO, "--constraints"), ("bench", "timing", "--json"),
        ("run", UDP_ECHO, "--record"), ("run", UDP_ECHO, "--pcap-out"), ("run", UDP_ECHO, "--vhost-user"), ("replay", "run.girih", "--waves", "1:2", "-o"), ("place", UDP_ECHO, "-o"), ("log", "--card", "127.0.0.1", "--design", "logged", "-o"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_place_where_nothing_can_be_written_is_told_before_the_work(tmp_path, monkeypatch, capsys, words):
    """Which may take minutes: it is an error of the test here."""
    monkeypatch.chdir(tmp_path)
    design = Manifest.load(compile_design(DESIGNS / "udp_echo.yaml"))
    label = recording_label(design, 0).encode()
    Path("run.girih").write_bytes(struct.pack("<8sII", b"GIRIHREC", 0, len(label)) + label)
    Path("file").touch()
    for work in ("synth.design.module_timing", "synth.design.card_timings", "synth.design.card_crossings", "compiler.compile.compile_design", "cli.run.compile_design", "cli.replay.VirtualCard.open", "placement.place.place_design"):
        monkeypatch.setattr(f"girih.{work}", None)
    monkeypatch.setattr("girih.cli.bench.load", lambda _name: None)
    for place in (str(tmp_path), "file/new.xdc", *([] if "--json" in words else ["none/new.xdc"])):  # which makes folders
        with pytest.raises(SystemExit) as done:
            cli.main([*words, place])
        assert done.value.code == 2 and f"{place}: the " in (said := capsys.readouterr().err) and " cannot be written there: " in said


# ---- the folder of control sockets ----


def test_a_folder_that_others_can_use_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = private_folder()
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    with pytest.raises(GirihError, match="not trusted"):
        ControlClient.sockets()
    folder.rmdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    folder.symlink_to(elsewhere)
    with pytest.raises(GirihError, match="not trusted"):
        ControlServer(None)


@needs_setpriv
def test_a_folder_of_another_user_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    os.chown(private_folder(), NOBODY, NOBODY)
    done = fails_well(command("stats"), env=options()["env"] | {"TMPDIR": str(tmp_path)})
    assert done.returncode == 2 and "not trusted" in done.stderr


# ---- a card that gets requests while it is stopped, two at a time, or is interrupted ----


def test_a_stopped_card_says_so():
    with running(UDP_ECHO) as (process, card):
        assert girih("stats", "--socket", card.path).returncode == 0
        process.send_signal(signal.SIGSTOP)
        try:
            for words in (("stats",), ("top", "--once"), ("ctl", "chain", "list"), ("capture",)):
                done = fails_well(command(*words, "--socket", card.path))
                assert done.returncode == 2 and f"kill -CONT {process.pid}" in done.stderr
        finally:
            process.send_signal(signal.SIGCONT)
        paused = card.call("pause")
        shown = girih("stats", "--socket", card.path)
        assert shown.returncode == 0 and f"cycle {paused}, paused" in shown.stdout
        assert card.call("info")["cycle"] == paused


def test_many_ask_at_once():
    with running(UDP_ECHO) as (_process, card):
        words = [command("stats", "--json", "--socket", card.path) for _ in range(4)]
        asking = [subprocess.Popen(word, **options()) for word in words]
        for process in asking:
            output, errors = process.communicate(timeout=SECONDS)
            assert process.returncode == 0, errors
            assert json.loads(output)["tiles"].keys() == card.call("counters").keys()


@pytest.mark.parametrize("interrupted", [True, False])
def test_a_library_that_swallows_an_interrupt(interrupted):
    """It goes on with what is half made, and fails. Without the interrupt the same is a fault that shows where."""
    text = f"""
import os, runpy, signal
import girih.cli.main

def main():
    try:
        if {interrupted}:
            os.kill(os.getpid(), signal.SIGTERM)  # SIGINT is ignored in the background of a shell
    except KeyboardInterrupt:
        pass
    raise AttributeError("half made")

girih.cli.main.main = main
runpy.run_module("girih.cli", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", text], **options(), timeout=SECONDS)
    assert (done.returncode, "Traceback" in done.stderr) == ((130, False) if interrupted else (1, True)), done.stderr


@needs_tap
def test_an_interrupt_that_python_loses_ends_a_run():
    """An interrupt in a destructor, of which Python tells on the error output and goes on."""
    text = """
import os, runpy, signal, sys
from girih.card.virtual import VirtualCard
class Loses:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)  # SIGINT is ignored in the background of a shell
        for _ in range(1000): pass
open_card = VirtualCard.__init__
def opened(self, *arguments, **options):
    Loses()
    open_card(self, *arguments, **options)
VirtualCard.__init__ = opened
sys.argv = ["girih", "run", "udp_echo", "--tap"]
runpy.run_module("girih.cli", run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", text], **options(), timeout=SECONDS)
    assert done.returncode == 130 and "Exception ignored" in done.stdout + done.stderr and "The card runs" not in done.stdout, done.stdout + done.stderr


@needs_tap
@pytest.mark.parametrize("number", range(6))
def test_ctrl_c_at_any_moment(number):
    """From the start of the program to its end. It ends soon and leaves no namespace and no socket behind."""
    draw, before = random.Random(SEED + number), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command("run", UDP_ECHO, "--tap"), **options())
    time.sleep(draw.uniform(0.1, 4))  # the interpreter itself must have begun
    for _ in range(draw.choice((1, 1, 2, 3))):
        process.send_signal(draw.choice((signal.SIGINT, signal.SIGTERM)))
        time.sleep(draw.uniform(0, 0.5))
    output, errors = process.communicate(timeout=SECONDS)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime < 15, "it took 15 s of processor time"
    # The signal itself ended the process: Python did not have its handlers yet, or had removed them.
    assert process.returncode in (0, 130, -signal.SIGINT, -signal.SIGTERM) and "Traceback" not in output + errors, errors
    assert not namespaces(process.pid)
    assert not list(private_folder().glob(f"*-{process.pid}.sock"))
