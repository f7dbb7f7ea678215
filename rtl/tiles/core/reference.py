# SPDX-License-Identifier: Apache-2.0
"""Independent models of RISC-V, which execute a core's program: QEMU's translator (unicorn), and Spike, the reference simulator of the RISC-V foundation."""

from __future__ import annotations

import subprocess
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from unicorn import UC_ARCH_RISCV, UC_MODE_RISCV32, Uc
from unicorn.riscv_const import UC_RISCV_REG_PC

SOURCE = Path(__file__).with_name("spike_model.cpp")


def unicorn(image: bytes, start: int, end: int, steps: int) -> bytes:
    """The memory when a program that traps nowhere has come to `end`."""
    model = Uc(UC_ARCH_RISCV, UC_MODE_RISCV32)
    model.mem_map(0, len(image))
    model.mem_write(0, image)
    model.emu_start(start, end, count=steps)
    assert model.reg_read(UC_RISCV_REG_PC) == end, "the program does not end"
    return bytes(model.mem_read(0, len(image)))


def has_spike() -> bool:
    return find_spec("riscv") is not None


@cache
def _spike_model() -> tuple[tempfile.TemporaryDirectory, Path]:
    spec = find_spec("riscv")
    assert spec is not None and spec.origin
    data = Path(spec.origin).parent / "data"
    folder = tempfile.TemporaryDirectory(prefix="girih-spike-")
    program = Path(folder.name) / "spike_model"
    headers = [word for path in (data / "include", data / "include" / "softfloat") for word in ("-isystem", str(path))]
    # With the older form of C++ strings, as manylinux2014 has them, on which the layout of Spike's classes depends.
    options = ["-std=c++20", "-D_GLIBCXX_USE_CXX11_ABI=0", "-Wall", "-Wextra", "-Werror", *headers, f"-Wl,-rpath,{data / 'lib'}"]
    subprocess.run(["g++", *options, str(SOURCE), "-o", str(program), str(data / "lib" / "libriscv.so")], check=True)
    return folder, program


def spike(image: bytes, start: int, stop: int, steps: int) -> bytes:
    """The memory when the program has written to `stop`."""
    folder, program = _spike_model()
    path = Path(folder.name) / "image"
    path.write_bytes(image)
    run = subprocess.run([program, path, hex(start), hex(stop), str(steps)], capture_output=True)
    assert run.returncode == 0, f"the program does not end: {run.stderr.decode()}"
    return run.stdout
