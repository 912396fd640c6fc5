# SPDX-License-Identifier: Apache-2.0
"""The libraries of Kindred for NVIDIA GPUs. ``import pykindred`` finds and uses them; there is nothing to call here."""
