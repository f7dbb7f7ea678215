# SPDX-License-Identifier: Apache-2.0
"""Facts that several languages share, and what is generated from them."""
