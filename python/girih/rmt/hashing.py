# SPDX-License-Identifier: Apache-2.0
"""The hash functions of exact-match tables, as `rtl/rmt/stage/match_hash_pkg.sv` has them."""

from __future__ import annotations

from functools import cache

WAYS = 4
MIX = (7, 13)
KEY_WORDS = 5
_MASK = (1 << 32) - 1


def _xorshift(state: int) -> int:
    state ^= state << 13 & _MASK
    state ^= state >> 17
    return state ^ (state << 5 & _MASK)


@cache
def taps(way: int, bit: int) -> int:
    """The bits of a key whose parity is the linear part of bit `bit` of the hash of way `way`."""
    state = _xorshift(_xorshift(0x9E3779B9 * (32 * way + bit + 1) & _MASK))
    result = 0
    for word in range(KEY_WORDS):
        state = _xorshift(state)
        result |= state << 32 * word
    return result


def row(key: int, way: int, row_bits: int) -> int:
    """The row of way `way`, of 2^row_bits rows, in which a key can be."""
    count = WAYS * row_bits
    parities = [(key & taps(n // row_bits, n % row_bits)).bit_count() & 1 for n in range(count)]
    result = 0
    for bit in range(row_bits):
        n = way * row_bits + bit
        mixed = parities[n] ^ parities[(n + MIX[0]) % count] & parities[(n + MIX[1]) % count]
        result |= mixed << bit
    return result
