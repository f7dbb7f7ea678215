# SPDX-License-Identifier: Apache-2.0
"""The Python code is clean to a linter and to a type checker; pyproject.toml has the rules and a reason for each exception."""

import subprocess
import sys

from girih.paths import BUILD, ROOT


def run(*command: str) -> None:
    found = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_linter_has_nothing_to_say():
    run("ruff", "check", "--cache-dir", str(BUILD / "ruff"), "--output-format", "concise", ".")


def test_the_type_checker_has_nothing_to_say():
    run("mypy", "--cache-dir", str(BUILD / "mypy"))
