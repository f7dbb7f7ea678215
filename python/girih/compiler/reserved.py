# SPDX-License-Identifier: Apache-2.0
"""Words that cannot be names in a design file: a tile's name is an identifier in every language in which a card is emitted.

In SystemVerilog it is part of longer ones (`echo_in_valid`, `u_echo`, `EchoNode`), so its keywords do no harm there.
"""

from __future__ import annotations

import keyword
from functools import cache
from importlib import metadata

from girih.paths import BUILD
from girih.spec.files import keep, look

# Of C to C23 and C++ to C++20, and what compilers of GNU C define as macros.
_C = frozenset(
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await "
    "co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do "
    "double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace "
    "new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict "
    "return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try "
    "typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq "
    "i386 linux unix".split()
)
# Names with another meaning in design files, in the register map, or in the top level beside `u_echo` and `echo_in_valid`.
_GIRIH = frozenset(("any", "null", "card", "fabric", "ctrl_bridge", "host_join"))


@cache
def reserved_words() -> frozenset[str]:
    """All of them. Those of SystemRDL are kept in the build folder, because its parser takes longer to import than a design file to check."""
    kept = BUILD / "spec" / f"systemrdl-{metadata.version('systemrdl-compiler')}"
    words = look(kept)
    if words is None:
        from systemrdl.parser.SystemRDLLexer import SystemRDLLexer

        words = frozenset(word.strip("'") for word in SystemRDLLexer.literalNames)
        keep(kept, words)
    return words | _C | _GIRIH | frozenset(keyword.kwlist)
