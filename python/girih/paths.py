# SPDX-License-Identifier: Apache-2.0
"""Where things are in the checkout. Everything generated goes below `BUILD`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "spec"
RTL = ROOT / "rtl"
TEST_KINDS = ROOT / "tests" / "kinds"  # of tiles that are on cards of tests alone
HARDWARE = (RTL, ROOT / "experiments" / "baseline", TEST_KINDS)  # folders of modules and kinds of tiles
DESIGNS = ROOT / "designs"
BUILD = (ROOT / "build").resolve()  # a link where the path of the checkout has a space: girih.bootstrap


def relative(path: Path) -> str:
    """Relative to the checkout if it is inside, so that the same design gives the same bytes anywhere."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
