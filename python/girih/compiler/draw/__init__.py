# SPDX-License-Identifier: Apache-2.0
"""Drawings of a card, of each sort of fabric, and of a circle of waiting."""
