# SPDX-License-Identifier: Apache-2.0
"""The report of times: processor time of child processes is counted, for the right test, with and without workers."""

import re
import subprocess
import sys

import pytest

from girih.paths import ROOT

BURN = "import time\nend = time.process_time() + {seconds}\nwhile time.process_time() < end: pass\n"
TESTS = f"""
import subprocess, sys, time

def test_child():
    subprocess.run([sys.executable, "-c", {BURN.format(seconds=0.6)!r}], check=True)

def test_rest():
    time.sleep(0.3)

def test_self():
    exec({BURN.format(seconds=0.3)!r})
"""


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "workers"])
def test_processor_time_is_that_of_the_test_and_its_children(workers, tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "test_burn.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "girih.testing.times", "--rootdir", str(tmp_path), *workers, "deep"]
    done = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT / "python"), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    found = {name: (float(cpu), float(clock)) for cpu, clock, name in re.findall(r"([\d.]+) s processor +([\d.]+) s clock +(\S+)", done.stdout)}
    child, rest, own = (found[f"deep/test_burn.py::test_{name}"] for name in ("child", "rest", "self"))
    assert child[0] >= 0.6
    assert 0.3 <= own[0] < child[0]
    assert rest[0] < 0.3 <= rest[1]
    assert found["deep"][0] == pytest.approx(child[0] + rest[0] + own[0], abs=0.2)
