# SPDX-License-Identifier: Apache-2.0
"""The programs AES and SHA-1 on the core of a whole card answer as libraries do."""

import random

import pytest

from girih.card import VirtualCard
from girih.experiments.judges import JUDGES, aes
from girih.experiments.panic_core import HEADERS, SIZE, TILE, programmed

KEY, SALT = bytes(range(7, 39)), b"salt"


@pytest.fixture(scope="module")
def card(built):
    with VirtualCard(built("panic_core"), collect=True) as card:
        yield card


@pytest.mark.parametrize("program", JUDGES)
def test_a_card_with_a_program_answers_as_the_library(card, program):
    payloads = [random.randbytes(SIZE - HEADERS) for _ in range(3)]
    out = programmed(card, program, payloads)
    assert [answer.data[HEADERS:] for answer in out] == [JUDGES[program](payload) for payload in payloads]
    assert card.registers.counters(TILE)[TILE]["drop_engine"] == 0


def test_the_key_is_the_one_that_the_program_was_compiled_with(card):
    payload = random.randbytes(SIZE - HEADERS)
    defines = tuple(f"{name}={','.join(map(str, value))}" for name, value in (("AES_KEY", KEY), ("AES_SALT", SALT)))
    (out,) = programmed(card, "aes", [payload], defines=defines)
    assert out.data[HEADERS:] == aes(payload, KEY, SALT) != aes(payload)
