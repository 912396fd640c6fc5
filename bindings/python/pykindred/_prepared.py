# SPDX-License-Identifier: Apache-2.0
"""Calls that are checked and partitioned once, and then run on the same arrays again and again."""
from collections.abc import Callable
from typing import Any, TypeVar

from pykindred import _kindred
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._layers import LinearGradients, NormGradients, NormResults
from pykindred._types import Array, Arrays, Stream

PREPARE: Any = ...  # as `copy`, for the extension: the call is prepared, and reads its arrays later
Made = TypeVar("Made", bound="Prepared")


class Prepared(Closing):
    """What :class:`PreparedBulk` and :class:`PreparedLayer` have in common: runs, and the arrays of their results.

    >>> import numpy as np
    >>> call = PreparedBulk.element_wise("square", np.array([1.0, 2.0]))
    >>> call.run(), call.space
    (array([1., 4.]), 'serial')
    """

    __slots__ = ("__weakref__", "_native", "_out", "_run")
    _native: "_kindred.Prepared"
    _out: Any
    _run: Callable[[], None]

    def __init__(self) -> None:
        raise TypeError(f"pykindred.{type(self).__name__} is made by its class methods")

    @classmethod
    def _made(cls: type[Made], given: "_kindred.Prepared", out: Any) -> Made:
        prepared = cls.__new__(cls)
        prepared._native, prepared._run, prepared._out = given, given.run, out
        return prepared

    def run(self) -> Any:
        """Computes with what the arrays contain now. On a device, does not wait: the stream orders the call.

        Returns:
            the arrays of the results, the same ones every time

        >>> x = np.float32([1, 4])
        >>> roots = PreparedBulk.element_wise("sqrt", x)
        >>> roots.run()
        array([1., 2.], dtype=float32)
        >>> x[1] = 9
        >>> roots.run()
        array([1., 3.], dtype=float32)
        """
        self._run()
        return self._out

    def wait(self) -> None:
        """Waits for the last run, on a device."""
        self._native.wait()

    @property
    def out(self) -> Any:
        """The arrays of the results."""
        return self._out

    @property
    def space(self) -> str:
        """Where the call runs: ``"serial"``, ``"openmp"`` or ``"cuda"``."""
        return self._native.space()

    def __repr__(self) -> str:
        name = f"pykindred.{type(self).__name__}"
        return f"<{name}: closed>" if self._native.is_closed() else f"<{name}: on {self.space}>"


class PreparedBulk(Prepared):
    """A call of :class:`Bulk` on the same arrays again and again, which are checked once: a run allocates and copies nothing.

    The arrays are one array or a list of them, all on the host or all on the device of the context; there may be gaps between rows. They
    are kept alive, and must not be resized. A list is one launch. Bits are those of :class:`Bulk`. Thread-safe: runs of one object follow each
    other.

    Class methods have the arguments and exceptions of the methods of :class:`Bulk` that they name, but the arrays are used where they are: what
    would have to be copied is refused. ``space`` instead of ``"serial"`` for little work and ``"openmp"`` otherwise, or of the device where the
    arrays lie; ``stream`` orders the runs on a device (by default the current stream of the library of the first array) and must outlive this
    object; ``context``: None is the default context.

    >>> rows = [np.float32([1, 2, 3]), np.float32([4, 5])]
    >>> with PreparedBulk.reduce("sum", rows) as sums:
    ...     sums.run()
    array([6., 9.])
    """

    __slots__ = ()

    @classmethod
    def element_wise(cls, operation: str, arrays: Arrays, other: "Arrays | float | None" = None, *, space: str | None = None,
                     out: Arrays | None = None, stream: Stream = None, context: Context | None = None) -> "PreparedBulk":
        """As :meth:`Bulk.element_wise`.

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape or the operation does not fit, or an array would have to be copied
            SpaceUnavailable: the call cannot run in ``space``

        >>> PreparedBulk.element_wise("multiply", np.float32([1, 2]), 3).run()
        array([3., 6.], dtype=float32)
        """
        return cls._made(*_kindred.Bulk(native(context)).element_wise(operation, arrays, other, space, out, stream, PREPARE))

    @classmethod
    def xor(cls, arrays: Arrays, keys: Arrays, *, space: str | None = None, out: Arrays | None = None, stream: Stream = None,
            context: Context | None = None) -> "PreparedBulk":
        """As :meth:`Bulk.xor`. Raises as :meth:`element_wise`.

        >>> PreparedBulk.xor(np.uint8([12, 10]), np.uint8([10, 10])).run()
        array([6, 0], dtype=uint8)
        """
        return cls._made(*_kindred.Bulk(native(context)).xor_elements(arrays, keys, space, out, stream, PREPARE))

    @classmethod
    def normalise(cls, arrays: Arrays, *, space: str | None = None, out: Arrays | None = None, stream: Stream = None,
                  context: Context | None = None) -> "PreparedBulk":
        """As :meth:`Bulk.normalise`, also on a device. Raises as :meth:`element_wise`.

        >>> PreparedBulk.normalise(np.float64([1, 3])).run().round(6)
        array([-1.,  1.])
        """
        return cls._made(*_kindred.Bulk(native(context)).normalise(arrays, space, out, stream, PREPARE))

    @classmethod
    def random_fill(cls, out: Arrays, seed: int, *, offset: int = 0, space: str | None = None, stream: Stream = None,
                    context: Context | None = None) -> "PreparedBulk":
        """As :meth:`Bulk.random_fill`, also on a device: every run writes the same numbers. Raises as :meth:`element_wise`.

        >>> numbers = PreparedBulk.random_fill(np.empty(4), seed=1).run()
        >>> (numbers == PreparedBulk.random_fill(np.empty(3), seed=1, offset=1).run()[0]).tolist()
        [False, True, False, False]
        """
        return cls._made(*_kindred.Bulk(native(context)).random_fill(out, seed, offset, space, stream, PREPARE))

    @classmethod
    def reduce(cls, reduction: str, arrays: Arrays, *, space: str | None = None, out: Array | None = None, stream: Stream = None,
               context: Context | None = None) -> "PreparedBulk":
        """As :meth:`Bulk.reduce`, but results have 64 bits: those of float32 are not rounded. Raises as :meth:`element_wise`.

        Args:
            out: float64 or, of integers, int64 or uint64; one element per array or row

        >>> PreparedBulk.reduce("mean", np.float32([[1, 2], [3, 5]])).run()
        array([1.5, 4. ])
        """
        return cls._made(*_kindred.Bulk(native(context)).reduce(reduction, arrays, space, out, stream, PREPARE))

    @classmethod
    def multiply(cls, a: Arrays, b: Arrays, *, reproducible: bool = False, space: str | None = None, out: Arrays | None = None,
                 stream: Stream = None, context: Context | None = None) -> "PreparedBulk":
        """As :meth:`Bulk.multiply`. Raises as :meth:`element_wise`.

        >>> PreparedBulk.multiply(np.float32([[1, 2]]), np.float32([[3], [4]])).run()
        array([[11.]], dtype=float32)
        """
        return cls._made(*_kindred.Bulk(native(context)).multiply(a, b, space, reproducible, out, stream, PREPARE))


class PreparedLayer(Prepared):
    """A layer on the same arrays again and again, which are checked once: a run allocates and copies nothing.

    Class methods have the arguments and exceptions of the functions that they name, but the arrays are used where they are: what would have to
    be copied is refused. They are kept alive, and must not be resized. Thread-safe: runs of one object follow each other. On a device,
    a run does not wait; the stream must outlive this object.

    >>> x, weight = np.float32([[1, 2]]), np.float32([[3, 4], [5, -6]])
    >>> layer = PreparedLayer.linear(x, weight, activation="relu")
    >>> layer.run()
    array([[11.,  0.]], dtype=float32)
    """

    __slots__ = ()

    @classmethod
    def norm(cls, x: Array, weight: Array | None = None, bias: Array | None = None, *, eps: float = 1e-5,
             activation: str = "gelu", statistics: bool = False, space: str | None = None, out: Array | None = None,
             stream: Stream = None, context: Context | None = None) -> "PreparedLayer":
        """As :func:`layer_norm_act`.

        >>> PreparedLayer.norm(np.float32([[1, 3]]), eps=1e-12, activation="none").run()
        array([[-1.,  1.]], dtype=float32)
        """
        prepared, results = _kindred.layer_norm_act(x, weight, bias, eps, activation, statistics, space, out, native(context), stream, PREPARE)
        return cls._made(prepared, NormResults(*results) if statistics else results)

    @classmethod
    def norm_backward(cls, x: Array, gradient: Array, weight: Array | None = None, bias: Array | None = None, *,
                      eps: float = 1e-5, activation: str = "gelu", space: str | None = None,
                      out: tuple[Array | None, Array | None, Array | None] | None = None, stream: Stream = None,
                      context: Context | None = None) -> "PreparedLayer":
        """As :func:`layer_norm_act_backward`.

        >>> PreparedLayer.norm_backward(np.float32([[1, 3]]), np.float32([[1, 1]]), eps=1e-12, activation="none").run().dweight
        array([-1.,  1.], dtype=float32)
        """
        prepared, results = _kindred.layer_norm_act_backward(x, gradient, weight, bias, eps, activation, space, out, native(context), stream, PREPARE)
        return cls._made(prepared, NormGradients(*results))

    @classmethod
    def linear(cls, x: Array, weight: Array, bias: Array | None = None, *, activation: str = "none", reproducible: bool = False,
               space: str | None = None, out: Array | None = None, stream: Stream = None,
               context: Context | None = None) -> "PreparedLayer":
        """As :func:`linear_act`.

        >>> PreparedLayer.linear(np.float32([[1, 2]]), np.float32([[3, 4]]), np.float32([1])).run()
        array([[12.]], dtype=float32)
        """
        return cls._made(*_kindred.linear_act(x, weight, bias, activation, reproducible, space, out, native(context), stream, PREPARE))

    @classmethod
    def linear_backward(cls, x: Array, gradient: Array, weight: Array, bias: Array | None = None, *, activation: str = "none",
                        reproducible: bool = False, space: str | None = None,
                        out: tuple[Array | None, Array | None, Array | None] | None = None, stream: Stream = None,
                        context: Context | None = None) -> "PreparedLayer":
        """As :func:`linear_act_backward`.

        >>> PreparedLayer.linear_backward(np.float32([[1, 2]]), np.float32([[1]]), np.float32([[3, 4]])).run().dweight
        array([[1., 2.]], dtype=float32)
        """
        prepared, results = _kindred.linear_act_backward(x, gradient, weight, bias, activation, reproducible, space, out, native(context), stream, PREPARE)
        return cls._made(prepared, LinearGradients(*results))
