# SPDX-License-Identifier: Apache-2.0
from typing import Any

from pykindred import _kindred
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._types import Array, Stream


class Bulk(Closing):
    """Operations on whole arrays, with the same bits on every machine and space, products excepted. Thread-safe.

    Arrays are all on the host or all on the device of the context, of bool, integers, float32 or float64, and of one type; there may be
    gaps between rows. On a device they are used in place; the call is ordered by ``stream`` (by default the current stream of the
    library of the first array) and does not wait for the device, and the stream must outlive this object. Workspace is kept for later
    calls.

    Arguments of all calls: ``space`` instead of the dispatcher's choice; ``out`` takes the result, which is otherwise a new array beside the
    first one; ``copy=False`` raises where the layout of an array would need a copy.

    Args:
        context: None: the default context

    >>> bulk = Bulk()
    >>> bulk.element_wise("add", np.int8([100, -3]), 100)
    array([-56,  97], dtype=int8)
    >>> bulk.reduce("mean", np.uint8([[1, 2], [3, 4]]))
    array([1.5, 3.5])
    """

    __slots__ = ("__weakref__", "_native")

    def __init__(self, *, context: Context | None = None) -> None:
        self._native = _kindred.Bulk(native(context))

    def element_wise(self, operation: str, array: Array, other: "Array | float | None" = None, *, space: str | None = None,
                     out: Array | None = None, stream: Stream = None, copy: bool | None = None) -> Any:
        """One operation on every element. Integers wrap around; of bool, add is "or" and multiply is "and".

        Args:
            operation: ``"add"`` or ``"multiply"`` with another array or a number; ``"square"``, ``"sqrt"`` or ``"exp"``, the latter two of
                floating-point numbers
            other: an array of the shape of ``array``; or a number, which its type must be able to represent
            out: of the shape of ``array``; may be ``array`` or ``other``

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape or the operation does not fit

        >>> Bulk().element_wise("sqrt", np.float32([1, 4]))
        array([1., 2.], dtype=float32)
        """
        return self._native.element_wise(operation, array, other, space, out, stream, copy)

    def xor(self, array: Array, key: Array, *, space: str | None = None, out: Array | None = None, stream: Stream = None,
            copy: bool | None = None) -> Any:
        """``array ^ key``, bit by bit, of bool or integers of the same shape. Raises as :meth:`element_wise`.

        >>> Bulk().xor(np.uint8([12, 10]), np.uint8([10, 10]))
        array([6, 0], dtype=uint8)
        """
        return self._native.xor_elements(array, key, space, out, stream, copy)

    def reduce(self, reduction: str, array: Array, *, space: str | None = None, out: Array | None = None, stream: Stream = None,
               copy: bool | None = None) -> Any:
        """The ``"sum"``, ``"min"``, ``"max"``, ``"mean"`` or ``"deviation"`` of every row of a matrix, or of an array of one dimension.

        Sums of floating-point numbers are reproducible; those of integers are exact modulo 2⁶⁴.

        Args:
            out: ``[rows]``, or ``[1]`` for one dimension

        Returns:
            ``out``, or a new array: of the type of ``array``; sums of bool and integers are int64 or, of unsigned ones, uint64, their means
            float64

        Raises:
            InvalidArgument: a shape or the reduction does not fit, or a row without elements has none

        >>> Bulk().reduce("max", np.float32([[1, 2], [4, 3]]))
        array([2., 4.], dtype=float32)
        """
        return self._native.reduce(reduction, array, space, out, stream, copy)

    def multiply(self, a: Array, b: Array, *, reproducible: bool = False, space: str | None = None, out: Array | None = None,
                 stream: Stream = None, copy: bool | None = None) -> Any:
        """The matrix product of float32 or float64 ``a`` ``[m, k]`` and ``b`` ``[k, n]``, or of batches of them, ``[batch, m, k]`` and ``[batch, k, n]``.

        Args:
            reproducible: the same bits on every space, but slower; otherwise those of the fastest library
            out: ``[m, n]`` or ``[batch, m, n]``

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: the shapes do not fit

        >>> Bulk().multiply(np.float32([[1, 2]]), np.float32([[3], [4]]))
        array([[11.]], dtype=float32)
        """
        return self._native.multiply(a, b, reproducible, space, out, stream, copy)

    def __repr__(self) -> str:
        return "<pykindred.Bulk: closed>" if self._native.is_closed() else "<pykindred.Bulk>"
