# SPDX-License-Identifier: Apache-2.0
"""Every text that a proof or a mutation of it replaces is in the RTL, also where only thorough runs would notice that it is not."""

import re
import subprocess
import sys

from girih.paths import ROOT, RTL

LEAST = 200  # proofs and mutations


def test_texts_to_be_replaced_are_there():
    folders = sorted({str(path.parent) for path in RTL.rglob("formal/test_*.py")})
    command = [sys.executable, "-m", "pytest", "-n", "0", "-p", "girih.testing.texts_only", "-p", "no:cacheprovider", *folders]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    skipped = re.search(r"(\d+) skipped", done.stdout)
    assert skipped and int(skipped[1]) >= LEAST, done.stdout
