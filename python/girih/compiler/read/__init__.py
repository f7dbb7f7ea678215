# SPDX-License-Identifier: Apache-2.0
"""First passes: the text of a design file to a Design, in which nothing is known to be right but types."""
