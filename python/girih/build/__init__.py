# SPDX-License-Identifier: Apache-2.0
"""Turns sources into simulations: tools, source lists, content-addressed builds."""
