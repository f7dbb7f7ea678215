# SPDX-License-Identifier: Apache-2.0
"""Drawings of a card on each fabric, and of a deadlock cycle."""
