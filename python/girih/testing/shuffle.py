# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: `--shuffle SEED` runs the tests in another order. It shuffles the files and the tests of each file,
so that a file's fixtures are still made once."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in an order drawn from this seed")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seed = config.getoption("--shuffle")
    if seed is None:
        return
    draw = random.Random(seed)
    files: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        files[str(item.path)].append(item)
    order = list(files.values())
    draw.shuffle(order)
    for tests in order:
        draw.shuffle(tests)
    items[:] = [item for tests in order for item in tests]
