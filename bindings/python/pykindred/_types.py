# SPDX-License-Identifier: Apache-2.0
"""Types of arguments."""
import os
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

from numpy.typing import NDArray


@runtime_checkable
class DLPackArray(Protocol):
    """An array of PyTorch, CuPy, JAX and others."""

    def __dlpack__(self, *, stream: Any = ...) -> Any: ...

    def __dlpack_device__(self) -> tuple[Any, int]: ...


Array: TypeAlias = NDArray[Any] | DLPackArray
Ids: TypeAlias = NDArray[Any] | Sequence[int] | int
StrPath: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Stream: TypeAlias = Any  # an int, an object with __cuda_stream__, or a stream of PyTorch or CuPy
