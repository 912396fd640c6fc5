# SPDX-License-Identifier: Apache-2.0
"""Types of arguments, and checks of them by which type checkers know what the elements are."""
import os
from collections import abc
from typing import Any, Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class DLPackArray(Protocol):
    """An array of PyTorch, CuPy, JAX and others."""

    def __dlpack__(self, *, stream: Any = ...) -> Any: ...

    def __dlpack_device__(self) -> tuple[Any, int]: ...


Array: TypeAlias = NDArray[Any] | DLPackArray
# One array, or several.
Arrays: TypeAlias = Array | list[Array] | tuple[Array, ...]
Ids: TypeAlias = NDArray[Any] | abc.Sequence[int] | int
# A str, bytes, an array of uint32, or a sequence of hashable items.
Sequence: TypeAlias = str | bytes | NDArray[Any] | abc.Sequence[abc.Hashable]
# Of several: a collection of str, bytes or arrays; or Sequences.
SequencesLike: TypeAlias = Any
Bytes: TypeAlias = bytes | bytearray | memoryview | NDArray[np.uint8]
StrPath: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Stream: TypeAlias = Any  # an int, an object with __cuda_stream__, or a stream of PyTorch or CuPy
# A pattern: a sequence of events, each a sequence of texts.
Events: TypeAlias = abc.Iterable[abc.Iterable[str | bytes]]


def is_array(given: object) -> TypeGuard[NDArray[Any]]:
    return isinstance(given, np.ndarray)


def is_integer(given: object) -> TypeGuard[int]:
    """Also one of NumPy."""
    return isinstance(given, int | np.integer)


def is_list(given: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    return isinstance(given, list | tuple)
