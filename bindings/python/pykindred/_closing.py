# SPDX-License-Identifier: Apache-2.0
"""What all objects that hold memory have in common."""
from types import TracebackType
from typing import TypeVar

Object = TypeVar("Object", bound="Closing")


class Closing:
    """An object that can be closed, also by a ``with`` block. Subclasses have a ``_native`` of their own type."""

    __slots__ = ()

    def close(self) -> None:
        """Releases what the object holds once the calls of other threads have ended. May be called more than once."""
        self._native.close()  # type: ignore[attr-defined]

    def __enter__(self: Object) -> Object:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None) -> None:
        self.close()
