# SPDX-License-Identifier: Apache-2.0
"""Engines as bytes, for pickling."""
import operator
import pickle
from typing import SupportsIndex


def in_pickle(data: bytes, protocol: SupportsIndex) -> bytes | pickle.PickleBuffer:
    """The bytes as ``__reduce_ex__`` returns them: with protocol 5 they may be kept out of the pickle."""
    return pickle.PickleBuffer(data) if operator.index(protocol) >= 5 else data
