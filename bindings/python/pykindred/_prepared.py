# SPDX-License-Identifier: Apache-2.0
"""Calls that are checked and partitioned once, and then run on the same arrays again and again."""
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from pykindred import _kindred
from pykindred._closing import Closing
from pykindred._context import Context, native
from pykindred._layers import LinearGradients, NormGradients, NormResults
from pykindred._types import Array, Stream

# One array, or several.
Arrays: TypeAlias = Array | list[Array] | tuple[Array, ...]
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

    The arrays are one array or a list of them, of float32 or float64 without gaps, all on the host or all on the device of the context. They
    are kept alive, and must not be resized. A list is one launch. Bits are those of :class:`Bulk`. Thread-safe: runs of one object follow each
    other.

    Arguments of all class methods: ``space`` instead of ``"serial"`` for little work and ``"openmp"`` otherwise, or of the device where the
    arrays lie; ``out`` takes the results, which are otherwise new arrays beside the first ones; ``stream`` orders the runs on a device (by
    default the current stream of the library of the first array) and must outlive this object; ``context``: None is the default context.

    >>> rows = [np.float32([1, 2, 3]), np.float32([4, 5])]
    >>> with PreparedBulk.reduce("sum", rows) as sums:
    ...     sums.run()
    array([6., 9.])
    """

    __slots__ = ()

    @classmethod
    def element_wise(cls, operation: str, arrays: Arrays, other: "Arrays | float | None" = None, *, space: str | None = None,
                     out: Arrays | None = None, stream: Stream = None, context: Context | None = None) -> "PreparedBulk":
        """One operation on every element, as :meth:`Bulk.element_wise`.

        Args:
            operation: ``"add"`` or ``"multiply"`` with other arrays or a number; ``"square"``, ``"sqrt"`` or ``"exp"``
            arrays: one array or a list
            other: of the shapes of ``arrays``, or a number
            out: of the shapes of ``arrays``; may be ``arrays`` or ``other``

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape or the operation does not fit, or an array would have to be copied
            SpaceUnavailable: the call cannot run in ``space``

        >>> PreparedBulk.element_wise("multiply", np.float32([1, 2]), 3).run()
        array([3., 6.], dtype=float32)
        """
        return cls._made(*_kindred.prepare_element_wise(operation, arrays, other, space, out, stream, native(context)))

    @classmethod
    def xor(cls, arrays: Arrays, keys: Arrays, *, space: str | None = None, out: Arrays | None = None, stream: Stream = None,
            context: Context | None = None) -> "PreparedBulk":
        """``arrays ^ keys``, bit by bit, of bool or integers of the same shapes. Raises as :meth:`element_wise`.

        >>> PreparedBulk.xor(np.uint8([12, 10]), np.uint8([10, 10])).run()
        array([6, 0], dtype=uint8)
        """
        return cls._made(*_kindred.prepare_xor(arrays, keys, space, out, stream, native(context)))

    @classmethod
    def normalise(cls, arrays: Arrays, *, space: str | None = None, out: Arrays | None = None, stream: Stream = None,
                  context: Context | None = None) -> "PreparedBulk":
        """``(x − mean) / (deviation + 1e-8)`` of every array. Arguments and exceptions as :meth:`element_wise`.

        >>> PreparedBulk.normalise(np.float64([1, 3])).run().round(6)
        array([-1.,  1.])
        """
        return cls._made(*_kindred.prepare_normalise(arrays, space, out, stream, native(context)))

    @classmethod
    def random_fill(cls, out: Arrays, seed: int, *, offset: int = 0, space: str | None = None, stream: Stream = None,
                    context: Context | None = None) -> "PreparedBulk":
        """Uniform random numbers, in [0, 1) for floating-point elements: every run writes the same ones. Raises as :meth:`element_wise`.

        Args:
            out: arrays of uint8, float32 or float64, which get consecutive parts of the random stream
            seed: of the random stream
            offset: the position where it begins

        >>> numbers = PreparedBulk.random_fill(np.empty(4), seed=1).run()
        >>> (numbers == PreparedBulk.random_fill(np.empty(3), seed=1, offset=1).run()[0]).tolist()
        [False, True, False, False]
        """
        return cls._made(*_kindred.prepare_random_fill(out, seed, offset, space, stream, native(context)))

    @classmethod
    def reduce(cls, reduction: str, arrays: Arrays, *, space: str | None = None, out: Array | None = None, stream: Stream = None,
               context: Context | None = None) -> "PreparedBulk":
        """The ``"sum"``, ``"min"``, ``"max"``, ``"mean"`` or ``"deviation"`` of every array, or of every row of one matrix.

        Unlike those of :meth:`Bulk.reduce`, results are not rounded to float32. Raises as :meth:`element_wise`.

        Args:
            arrays: a list of arrays, or one array of one or two dimensions; there may be gaps between rows
            out: float64, one element per array or row

        >>> PreparedBulk.reduce("mean", np.float32([[1, 2], [3, 5]])).run()
        array([1.5, 4. ])
        """
        return cls._made(*_kindred.prepare_reduce(reduction, arrays, space, out, stream, native(context)))

    @classmethod
    def multiply(cls, a: Arrays, b: Arrays, *, reproducible: bool = False, space: str | None = None, out: Arrays | None = None,
                 stream: Stream = None, context: Context | None = None) -> "PreparedBulk":
        """The matrix products of ``a`` and ``b``, as :meth:`Bulk.multiply`. Raises as :meth:`element_wise`.

        Args:
            a, b: ``[m, k]`` and ``[k, n]``, ``[batch, m, k]`` and ``[batch, k, n]``, or lists of matrices
            reproducible: the same bits on every space, but slower; otherwise those of the fastest library
            out: ``[m, n]`` or ``[batch, m, n]``, or a list

        >>> PreparedBulk.multiply(np.float32([[1, 2]]), np.float32([[3], [4]])).run()
        array([[11.]], dtype=float32)
        """
        return cls._made(*_kindred.prepare_multiply(a, b, reproducible, space, out, stream, native(context)))


class PreparedLayer(Prepared):
    """A layer on the same arrays again and again, which are checked once: a run allocates and copies nothing.

    Class methods have the arguments and exceptions of the functions that they name, but the arrays are used where they are: what would have to
    be copied is refused. They are kept alive, and must not be resized. Thread-safe: runs of one object follow each other. On a device,
    a run does not wait; the stream must outlive this object.

    >>> x, w = np.float32([[1, 2]]), np.float32([[3, 4], [5, -6]])
    >>> layer = PreparedLayer.linear(x, w, activation="relu")
    >>> layer.run()
    array([[11.,  0.]], dtype=float32)
    """

    __slots__ = ()

    @classmethod
    def norm(cls, x: Array, gamma: Array | None = None, beta: Array | None = None, *, epsilon: float = 1e-5,
             activation: str = "gelu", statistics: bool = False, space: str | None = None, out: Array | None = None,
             stream: Stream = None, context: Context | None = None) -> "PreparedLayer":
        """As :func:`layer_norm_act`.

        >>> PreparedLayer.norm(np.float32([[1, 3]]), epsilon=1e-12, activation="none").run()
        array([[-1.,  1.]], dtype=float32)
        """
        prepared, (y, mean, variance) = _kindred.prepare_layer_norm_act(x, gamma, beta, epsilon, activation, statistics, space, out, stream,
                                                                        native(context))
        return cls._made(prepared, NormResults(y, mean, variance) if statistics else y)

    @classmethod
    def norm_backward(cls, x: Array, gradient: Array, gamma: Array | None = None, beta: Array | None = None, *,
                      epsilon: float = 1e-5, activation: str = "gelu", space: str | None = None,
                      out: tuple[Array | None, Array | None, Array | None] | None = None, stream: Stream = None,
                      context: Context | None = None) -> "PreparedLayer":
        """As :func:`layer_norm_act_backward`.

        >>> PreparedLayer.norm_backward(np.float32([[1, 3]]), np.float32([[1, 1]]), epsilon=1e-12, activation="none").run().dgamma
        array([-1.,  1.], dtype=float32)
        """
        prepared, results = _kindred.prepare_layer_norm_act_backward(x, gradient, gamma, beta, epsilon, activation, space, out, stream,
                                                                     native(context))
        return cls._made(prepared, NormGradients(*results))

    @classmethod
    def linear(cls, x: Array, w: Array, bias: Array | None = None, *, activation: str = "none", reproducible: bool = False,
               space: str | None = None, out: Array | None = None, stream: Stream = None,
               context: Context | None = None) -> "PreparedLayer":
        """As :func:`linear_act`.

        >>> PreparedLayer.linear(np.float32([[1, 2]]), np.float32([[3, 4]]), np.float32([1])).run()
        array([[12.]], dtype=float32)
        """
        return cls._made(*_kindred.prepare_linear_act(x, w, bias, activation, reproducible, space, out, stream, native(context)))

    @classmethod
    def linear_backward(cls, x: Array, gradient: Array, w: Array, bias: Array | None = None, *, activation: str = "none",
                        reproducible: bool = False, space: str | None = None,
                        out: tuple[Array | None, Array | None, Array | None] | None = None, stream: Stream = None,
                        context: Context | None = None) -> "PreparedLayer":
        """As :func:`linear_act_backward`.

        >>> PreparedLayer.linear_backward(np.float32([[1, 2]]), np.float32([[1]]), np.float32([[3, 4]])).run().dw
        array([[1., 2.]], dtype=float32)
        """
        prepared, results = _kindred.prepare_linear_act_backward(x, gradient, w, bias, activation, reproducible, space, out, stream,
                                                                 native(context))
        return cls._made(prepared, LinearGradients(*results))
