# SPDX-License-Identifier: Apache-2.0
"""Compiles the C program of a core, with the runtime and the addresses of `spec/core_map.yaml`; caches programs by content.

    program = compile_program(Path("firmware/programs/udp_echo.c"), memory_bytes=32768)
    program.image         # bytes, from address 0
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from girih.bootstrap import FIRMWARE as PACKAGES
from girih.bootstrap import ensure
from girih.build.generate import alone, digest, write_if_changed
from girih.errors import GirihError
from girih.paths import BUILD, ROOT
from girih.spec.formats import Format

FIRMWARE = ROOT / "firmware"
TOOLS = "riscv64-unknown-elf-"
STACK_BYTES = 1024 + 512  # bytes at least, including the stack of machine mode (core.ld)
FLAGS = [
    "-march=rv32imc_zicsr", "-mabi=ilp32", "-std=c11", "-O2", "-g", "-ffreestanding", "-nostdlib", "-static", "-fno-common",
    "-ffunction-sections", "-fdata-sections", "-fno-tree-loop-distribute-patterns", "-msmall-data-limit=64",
    "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wstrict-prototypes", "-Werror",
]  # fmt: skip
LINKS = ["-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments"]
UNSIGNED = ["#ifdef __ASSEMBLER__", "#define GIRIH_UNSIGNED(value) value", "#else", "#define GIRIH_UNSIGNED(value) value##u", "#endif"]
LOOKS = 8  # words of a program that are always compared
MOST_SECONDS = 120  # seconds that a program may take to compile


@dataclass(frozen=True)
class Program:
    """A compiled program. image: its bytes from address 0, which the core cannot change. folder: `program.elf`, and `program.lst` with
    its instructions."""

    image: bytes
    folder: Path


def map_header() -> str:
    """The text of `girih_core_map.h`: the constants of `spec/core_map.yaml`."""
    lines = [
        f"#define GIRIH_{re.sub(r'(?<!^)(?=[A-Z])', '_', name).upper()} GIRIH_UNSIGNED({size['value']:#x})  // {size['doc']}"
        for name, size in Format("core_map").sizes.items()
    ]
    return "\n".join(["// Generated from spec/core_map.yaml by girih.firmware.compile; do not edit.", "#pragma once", "", *UNSIGNED, "", *lines, ""])


@cache
def _version() -> str:
    ensure(packages=PACKAGES)
    return subprocess.run([f"{TOOLS}gcc", "--version"], capture_output=True, text=True, check=True).stdout


@cache
def _libgcc() -> str:
    """The compiler's support library for this instruction set, which the compiler does not find by itself."""
    command = [f"{TOOLS}gcc", "-march=rv32im", "-mabi=ilp32", "-print-libgcc-file-name"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def why_no_file(source: Path) -> str | None:
    """Why there is no program to read at a path, or None. A pipe is refused because the compiler reads a program more than once."""
    if source.is_file():
        return None
    return "is not a regular file" if source.exists() else "does not exist"


def compile_program(source: Path, *, memory_bytes: int, defines: tuple[str, ...] = (), card: str = "") -> Program:
    """The program in the C file `source`, which may include other files. defines: macros, `NAME=VALUE`. card: the text of `card.h`; "": there is none.

    Raises GirihError with the compiler's messages, which name file and line, or if the program does not fit.
    """
    source = Path(source).resolve()
    if fault := why_no_file(source):
        raise GirihError(f"the program {fault}", str(source), "Name a file of C.")
    version, header, map_folder = _version(), map_header(), BUILD / "firmware" / "map"
    write_if_changed(map_folder / "girih_core_map.h", header)
    flags = [*FLAGS, *(f"-D{name}" for name in defines), f"-I{FIRMWARE / 'include'}", f"-I{map_folder}"]
    if card:
        card_folder = BUILD / "firmware" / "cards" / digest(card)
        write_if_changed(card_folder / "card.h", card)
        flags.append(f"-I{card_folder}")
    text = _gcc(source, [*flags, "-E", str(source)])  # with all included files, wherever they are
    runtime = [path.read_bytes() for folder in ("include", "runtime") for path in sorted((FIRMWARE / folder).iterdir())]
    key = digest(version, header, repr((FLAGS, LINKS, memory_bytes)), str(source), text, *runtime)
    folder = BUILD / "firmware" / f"{source.stem[:40]}-{key}"
    with alone(folder):
        if not (folder / "program.bin").exists():
            _compile(source, folder, memory_bytes, flags)
    return Program((folder / "program.bin").read_bytes(), folder)


def symbols_of(size: int, word: Callable[[int], bytes]) -> Path | None:
    """The ELF file of the program that a core holds, if it was compiled here. size: the program's bytes. word: reads the four bytes at an
    address. Reads a few words that tell it from other programs."""
    found = {}
    for image in sorted((BUILD / "firmware").glob("*/program.bin")):
        data = image.read_bytes()
        data += bytes(-len(data) % 4)
        if len(data) == size:
            found[data] = image.with_name("program.elf")
    looks = [size // 4 * index // LOOKS * 4 for index in range(LOOKS)]
    while found and (looks or len(found) > 1):
        at = looks.pop() if looks else next(at for at in range(0, size, 4) if len({data[at : at + 4] for data in found}) > 1)
        there = word(at)
        found = {data: path for data, path in found.items() if data[at : at + 4] == there}
    return next(iter(found.values()), None)


def _gcc(source: Path, arguments: list[str]) -> str:
    """The compiler's output. Raises GirihError with its messages."""
    try:
        done = subprocess.run([f"{TOOLS}gcc", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="backslashreplace", timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise GirihError(f"the program has not been compiled after {MOST_SECONDS} seconds", str(source), "Make it smaller.") from error
    if done.returncode:
        raise GirihError(f"the program cannot be compiled:\n{done.stderr.strip()}", str(source), "Correct it; warnings are errors.")
    return done.stdout


def _compile(source: Path, folder: Path, memory_bytes: int, flags: list[str]) -> None:
    elf = folder / "program.elf"
    runtime = [str(FIRMWARE / "runtime" / name) for name in ("start.S", "runtime.c")]
    script = [f"-Wl,-T,{FIRMWARE / 'runtime' / 'core.ld'}", f"-Wl,--defsym=_memory_bytes={memory_bytes}"]
    _gcc(source, [*flags, *LINKS, *script, *runtime, str(source), _libgcc(), "-o", str(elf)])
    end = _symbol(elf, "_bss_end")
    if end + STACK_BYTES > memory_bytes:
        enough = 1 << (end + STACK_BYTES - 1).bit_length()
        what = f"the program takes {end} bytes and at least {STACK_BYTES} of stack, and the core has {memory_bytes}"
        raise GirihError(what, str(source), f"Write memory_bytes: {enough} in the tile, or make it smaller.")
    listing = _run("objdump", "-d", "-S", str(elf))
    write_if_changed(folder / "program.lst", listing)
    _run("objcopy", "-O", "binary", str(elf), str(folder / "program.tmp"))
    (folder / "program.tmp").rename(folder / "program.bin")


def _run(tool: str, *arguments: str) -> str:
    return subprocess.run([TOOLS + tool, *arguments], capture_output=True, text=True, errors="backslashreplace", check=True).stdout


def _symbol(elf: Path, name: str) -> int:
    return next(int(line.split()[0], 16) for line in _run("nm", str(elf)).splitlines() if line.split()[-1] == name)
