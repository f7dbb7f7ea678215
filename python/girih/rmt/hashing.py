# SPDX-License-Identifier: Apache-2.0
"""The hash functions of exact-match tables, as `rtl/rmt/match_hash_pkg.sv` has them."""

from __future__ import annotations

from functools import cache

WAYS = 4
KEY_WORDS = 5
_MASK = (1 << 32) - 1


def _xorshift(state: int) -> int:
    state ^= state << 13 & _MASK
    state ^= state >> 17
    return state ^ (state << 5 & _MASK)


@cache
def taps(way: int, bit: int) -> int:
    """The bits of a key whose parity is bit `bit` of the hash of way `way`."""
    state = _xorshift(_xorshift(0x9E3779B9 * (32 * way + bit + 1) & _MASK))
    result = 0
    for word in range(KEY_WORDS):
        state = _xorshift(state)
        result |= state << 32 * word
    return result


def row(key: int, way: int, row_bits: int) -> int:
    """The row of way `way`, of 2^row_bits rows, in which a key can be."""
    return sum(((key & taps(way, bit)).bit_count() & 1) << bit for bit in range(row_bits))
