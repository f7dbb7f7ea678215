# SPDX-License-Identifier: Apache-2.0
"""Cards for the tests, each built once per content of its sources."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from girih.compiler.compile import compile_design
from girih.paths import DESIGNS


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Callable[..., Path]:
    """`built("demo", width=256)`: the folder of a design of designs/, at another width if one is named."""

    def build(name: str, width: int = 512) -> Path:
        path = DESIGNS / f"{name}.yaml"
        if width != 512:
            text = path.read_text()
            assert not re.search(r"^width:", text, re.MULTILINE), f"{path} has a width already"
            path = tmp_path_factory.mktemp("designs") / f"{name}_{width}.yaml"
            path.write_text(f"width: {width}\n{text}")
        return compile_design(path)

    return build
