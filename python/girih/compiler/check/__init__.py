# SPDX-License-Identifier: Apache-2.0
"""Third pass: a Design and the kinds of tiles to a Card that is known to be right, and what would mend one that is not."""
