# SPDX-License-Identifier: Apache-2.0
"""First passes: from the text of a design file to a Design, in which only types have been checked."""
