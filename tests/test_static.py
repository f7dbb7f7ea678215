# SPDX-License-Identifier: Apache-2.0
"""The Python code is clean to a linter; pyproject.toml has the rules and a reason for each exception."""

import subprocess
import sys

from girih.paths import BUILD, ROOT


def run(*command: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)


def test_the_linter_has_nothing_to_say():
    found = run("ruff", "check", "--cache-dir", str(BUILD / "ruff"), "--output-format", "concise", ".")
    assert found.returncode == 0, found.stdout + found.stderr
