# SPDX-License-Identifier: Apache-2.0
"""Software of the match-action pipeline."""
