# SPDX-License-Identifier: Apache-2.0
"""Parser programs: the format of `spec/parser.yaml`.

    encode("place", {"base": "l3", "halfword": 4})
"""

from __future__ import annotations

from girih.spec.formats import Format

WINDOW_BYTES = 0x800  # of the parser, in the tile's window

FORMAT = Format("parser")
size, bits, encode = FORMAT.size, FORMAT.bits, FORMAT.encode
