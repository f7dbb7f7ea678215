# SPDX-License-Identifier: Apache-2.0
"""The README's promises about a fresh Debian hold in one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("bare_root.py")
HOURS = 4


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.skipif(os.geteuid() != 0, reason="namespaces and debootstrap need root")
@pytest.mark.skipif(shutil.which("debootstrap") is None, reason="the program debootstrap is not installed")
def test_the_commands_of_the_readme_in_a_bare_root():
    done = subprocess.run([sys.executable, str(SCRIPT)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=HOURS * 3600)
    assert done.returncode == 0, done.stdout[-5000:]
