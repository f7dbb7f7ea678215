# SPDX-License-Identifier: Apache-2.0
"""The same design file gives the same bytes, in whatever folder and process; only the manifest names
the folder, since it says where the sources are."""

import os
import subprocess
import sys
from pathlib import Path

from girih.paths import DESIGNS, ROOT

DESIGN_FILES = sorted(DESIGNS.glob("*.yaml"))
COMPILE = """
import sys
from pathlib import Path
from girih.compiler.compile import compile_design
for path in map(Path, sys.argv[2:]):
    compile_design(path, Path(sys.argv[1], path.stem))
"""


def compiled(folder: Path, designs: list[Path], hash_seed: str) -> dict[str, dict[str, bytes]]:
    """Every file of each design that a fresh interpreter writes, one design after the other; the order of its sets differs with hash_seed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONHASHSEED": hash_seed}
    subprocess.run([sys.executable, "-c", COMPILE, str(folder), *map(str, designs)], env=environment, check=True)
    here = str(folder).encode()
    return {
        design.stem: {path.name: path.read_bytes().replace(here, b".") for path in sorted((folder / design.stem).iterdir())} for design in designs
    }


def test_the_same_file_gives_the_same_bytes(tmp_path):
    """Also after other designs than the first time."""
    first = compiled(tmp_path / "first", DESIGN_FILES, "1")
    second = compiled(tmp_path / "second", DESIGN_FILES[::-1], "2")
    for design in DESIGN_FILES:
        assert len(first[design.stem]) >= 6
        assert first[design.stem] == second[design.stem], design.stem
