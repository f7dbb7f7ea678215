# SPDX-License-Identifier: Apache-2.0
"""Services, tenants and chains of a card: what a design says of them becomes what its tables hold."""
