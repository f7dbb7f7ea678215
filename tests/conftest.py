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
    """`built("demo", width=256, timing="relaxed")`: the folder of a design of designs/, at another width and for another clock if named."""

    def build(name: str, width: int = 512, timing: str = "") -> Path:
        path = DESIGNS / f"{name}.yaml"
        keys = {"width": width if width != 512 else "", "timing": timing and f'"{timing}"'}
        if any(keys.values()):
            text = path.read_text()
            for key in (key for key, value in keys.items() if value):
                assert not re.search(rf"^{key}:", text, re.MULTILINE), f"{path} has a {key} already"
                text = f"{key}: {keys[key]}\n{text}"
            path = tmp_path_factory.mktemp("designs") / f"{name}_{width}{timing}.yaml"
            path.write_text(text)
        return compile_design(path)

    return build
