# SPDX-License-Identifier: Apache-2.0
"""Finds positions for the tiles of a card: no deadlock, and the fewest links for its traffic. See docs/placement.md.

`problem` extracts the problem from a card, and knows tiles; `search` knows fabric ports, places and numbers;
`write` puts places into a design file.
"""
