# SPDX-License-Identifier: Apache-2.0
"""Finds where the tiles of a card go: no deadlock, and the fewest links for its traffic. docs/placement.md is its page.

`problem` takes from a card what matters for that, and knows tiles; `search` knows fabric ports, places and numbers;
`write` puts places into a design file.
"""
