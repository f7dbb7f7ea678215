# SPDX-License-Identifier: Apache-2.0
"""Services, tenants and chains of a running card: from the design to the card's tables."""
