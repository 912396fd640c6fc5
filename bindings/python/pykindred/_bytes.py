# SPDX-License-Identifier: Apache-2.0
"""Engines as bytes, for pickling."""
import operator
import os
import pickle
from collections.abc import Callable
from typing import SupportsIndex, TypeVar

Engine = TypeVar("Engine")

# Memory instead of a disk, where the system has it.
_FOLDER = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None


def bytes_of(save: Callable[[str], object]) -> bytes:
    """The file that ``save`` writes, of an engine that has no ``to_bytes``."""
    import tempfile  # what few programs need is not imported with the package

    with tempfile.TemporaryDirectory(prefix="pykindred-", dir=_FOLDER) as folder:
        path = os.path.join(folder, "engine")
        save(path)
        with open(path, "rb") as file:
            return file.read()


def in_pickle(data: bytes, protocol: SupportsIndex) -> bytes | pickle.PickleBuffer:
    """The bytes as ``__reduce_ex__`` returns them: with protocol 5 they may be kept out of the pickle."""
    return pickle.PickleBuffer(data) if operator.index(protocol) >= 5 else data


def loaded_from(data: bytes | bytearray | memoryview, load: Callable[[str], Engine]) -> Engine:
    """What ``load`` makes of a file with these bytes. An engine may map the file, which has no name when it returns."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="pykindred-", dir=_FOLDER) as folder:
        path = os.path.join(folder, "engine")
        with open(path, "wb") as file:
            file.write(data)
        return load(path)
