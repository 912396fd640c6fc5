# SPDX-License-Identifier: Apache-2.0
"""The exceptions of Kindred. Each is an :class:`Error` and the built-in exception that comes closest.

A call that raises has changed no object; arrays given as ``out`` may be partly written. The message says what failed, the values seen, the
limit and what to do.
"""
from typing import Any


class Error(Exception):
    """Base of every exception that Kindred raises."""


class InvalidArgument(Error, ValueError):
    """An argument, or a record of the input, is invalid."""


class InvalidType(Error, TypeError):
    """An argument has a wrong type, or an array elements of a wrong type: elements are never cast."""


class OutOfMemory(Error, MemoryError):
    """Memory could not be reserved or allocated; a smaller call may succeed."""

    def __init__(self, message: str, space: str = "host", bytes: int = 0, label: str = "") -> None:
        super().__init__(message)
        self.space: str = space  #: the memory that ran out: ``host`` or ``cuda``
        self.bytes: int = bytes  #: the bytes that were requested; 0 if not known
        self.label: str = label  #: of the allocation that failed

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.space, self.bytes, self.label)


class SpaceUnavailable(Error, RuntimeError):
    """A space cannot be used: not compiled in, no such device, or after a fork."""


class DeviceLost(Error, RuntimeError):
    """CUDA reported an error of the device; data that only it held is lost."""


class CorruptFile(Error, ValueError):
    """The contents of a file are invalid or damaged."""

    def __init__(self, message: str, path: str = "", offset: int = 0, why: str = "") -> None:
        super().__init__(message)
        self.path: str = path  #: of the file
        self.offset: int = offset  #: byte offset (for text, the line) of the first error
        self.why: str = why  #: what is wrong there

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.path, self.offset, self.why)


class NotFound(Error, KeyError):
    """A name, an id or a file does not exist."""

    def __str__(self) -> str:  # that of KeyError quotes
        return Exception.__str__(self)


class Busy(Error, RuntimeError):
    """Another program or thread holds the resource; the call may be repeated later."""


class Cancelled(Error, RuntimeError):
    """A callback cancelled the call."""
