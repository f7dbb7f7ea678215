# SPDX-License-Identifier: Apache-2.0
"""The same design file gives the same bytes, in whatever folder and process; only the manifest names
the folder, since it says where the sources are."""

import os
import subprocess
import sys

import pytest

from girih.paths import DESIGNS, ROOT

COMPILE = "import sys; from pathlib import Path; from girih.compiler.compile import compile_design; compile_design(*map(Path, sys.argv[1:]))"


def compiled(design, folder, hash_seed: str) -> dict[str, bytes]:
    """Every file that a fresh interpreter writes; the order of its sets differs with hash_seed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONHASHSEED": hash_seed}
    subprocess.run([sys.executable, "-c", COMPILE, str(design), str(folder)], env=environment, check=True)
    here = str(folder).encode()
    return {path.name: path.read_bytes().replace(here, b".") for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("design", sorted(DESIGNS.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_same_file_gives_the_same_bytes(design, tmp_path):
    first, second = (compiled(design, tmp_path / name, seed) for name, seed in (("first", "1"), ("second", "2")))
    assert len(first) >= 6
    assert first == second
