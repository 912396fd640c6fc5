# SPDX-License-Identifier: Apache-2.0
"""Common types"""


class Space(Enum, c="KINDRED_SPACE_", any="ANY", values="serial openmp cuda"):
    """Where work runs."""


class Residency(Enum, c="KINDRED_RESIDENCY_", default="automatic", values="automatic host both device"):
    """Where a store keeps its data: on the host and, if it fits, on the device; on the host; on both; used on the device only."""
