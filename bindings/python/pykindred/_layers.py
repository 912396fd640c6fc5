# SPDX-License-Identifier: Apache-2.0
from typing import Any, NamedTuple

from pykindred import _kindred
from pykindred._context import Context, native
from pykindred._types import Array, Stream


class NormResults(NamedTuple):
    """A normalised matrix, with the statistics of its rows.

    >>> layer_norm_act(np.float32([[1, 3], [2, 2]]), statistics=True).mean
    array([2., 2.], dtype=float32)
    """

    y: Any  #: [rows, columns]
    mean: Any  #: float32 [rows]
    variance: Any  #: float32 [rows]


class NormGradients(NamedTuple):
    """Gradients of :func:`layer_norm_act`; None where ``out`` says that one is not computed.

    >>> layer_norm_act_backward(np.float32([[1, 3]]), np.float32([[1, 1]]), epsilon=1e-12, activation="none").dgamma
    array([-1.,  1.], dtype=float32)
    """

    dx: Any  #: of the shape and type of x
    dgamma: Any  #: float32 [columns]
    dbeta: Any  #: float32 [columns]


class LinearGradients(NamedTuple):
    """Gradients of :func:`linear_act`; None where ``out`` says that one is not computed.

    >>> linear_act_backward(np.float32([[1, 2]]), np.float32([[1]]), np.float32([[3, 4]])).dw
    array([[1., 2.]], dtype=float32)
    """

    dx: Any  #: [rows, inputs], of the type of x
    dw: Any  #: [outputs, inputs], of the type of w
    dbias: Any  #: float32 [outputs]


def layer_norm_act(x: Array, gamma: Array | None = None, beta: Array | None = None, *, epsilon: float = 1e-5, activation: str = "gelu",
                   statistics: bool = False, space: str | None = None, out: Array | None = None, stream: Stream = None,
                   copy: bool | None = None, context: Context | None = None) -> Any:
    """``act((x − mean) / √(variance + ε) · γ + β)`` of every row, with the same bits on every space.

    All arrays lie on the host, or on one GPU. There the call is ordered by ``stream``, does not wait, and can be captured in a CUDA graph
    if the library of x captures; call it once with the same shapes and types before. Gradients and some linear layers need a workspace,
    which PyTorch and CuPy allocate; for arrays of another library the context keeps one, and such calls cannot be captured.

    Args:
        x: float32, float16 or bfloat16 ``[rows, columns]``; there may be gaps between rows
        gamma, beta: float32 ``[columns]``; None: 1 and 0
        activation: ``"gelu"`` (with erf), ``"relu"`` or ``"none"``
        statistics: also return mean and variance of the rows, as :class:`NormResults`
        space: instead of the dispatcher's choice
        out: of the shape of x, float32, float16 or bfloat16; may be x itself
        stream: of the GPU; None: the current stream of the library of x. It must outlive the context.
        copy: False raises where the layout of an array would need a copy
        context: None: the default context

    Returns:
        ``out``, or a new array of the type of x beside it

    Raises:
        InvalidType: an array has elements of another type
        InvalidArgument: a shape or an option does not fit

    >>> layer_norm_act(np.float32([[1, 3]]), epsilon=1e-12, activation="none")
    array([[-1.,  1.]], dtype=float32)
    """
    y, mean, variance = _kindred.layer_norm_act(x, gamma, beta, epsilon, activation, statistics, space, out, stream, copy, native(context))
    return NormResults(y, mean, variance) if statistics else y


def layer_norm_act_backward(x: Array, gradient: Array, gamma: Array | None = None, beta: Array | None = None, *, epsilon: float = 1e-5,
                            activation: str = "gelu", space: str | None = None,
                            out: tuple[Array | None, Array | None, Array | None] | None = None, stream: Stream = None,
                            copy: bool | None = None, context: Context | None = None) -> NormGradients:
    """The gradients of :func:`layer_norm_act` with respect to x, γ and β, with the same bits on every space. Other arguments as there.

    Args:
        gradient: with respect to y: of the shape of x; float32, float16 or bfloat16
        out: ``(dx, dgamma, dbeta)``: arrays for the results. None as dx: a new array; as another: not computed. ``dx`` may be ``gradient``.

    Returns:
        the gradients: ``dx`` of the shape and type of x; ``dgamma`` and ``dbeta``, float32 ``[columns]``

    Raises:
        InvalidType: an array has elements of another type
        InvalidArgument: a shape or an option does not fit

    >>> layer_norm_act_backward(np.float32([[1, 3]]), np.float32([[1, 1]]), epsilon=1e-12, activation="none").dbeta
    array([1., 1.], dtype=float32)
    """
    return NormGradients(*_kindred.layer_norm_act_backward(x, gradient, gamma, beta, epsilon, activation, space, out, stream, copy, native(context)))


def linear_act(x: Array, w: Array, bias: Array | None = None, *, activation: str = "none", reproducible: bool = False,
               space: str | None = None, out: Array | None = None, stream: Stream = None, copy: bool | None = None,
               context: Context | None = None) -> Any:
    """``act(x·Wᵀ + b)``: a linear layer of PyTorch, followed by an activation. Arrays as for :func:`layer_norm_act`.

    Args:
        x: float32, float16 or bfloat16 ``[rows, inputs]``; there may be gaps between rows
        w: ``[outputs, inputs]``, of the type of x
        bias: float32 ``[outputs]``
        activation: ``"gelu"`` (with erf), ``"relu"`` or ``"none"``
        reproducible: the same bits on every space, but slower
        space: instead of the dispatcher's choice
        out: ``[rows, outputs]`` of float32, float16 or bfloat16
        context: None: the default context

    Returns:
        ``out``, or a new array of the type of x beside it

    Raises:
        InvalidType: an array has elements of another type
        InvalidArgument: a shape or an option does not fit

    >>> linear_act(np.float32([[1, 2]]), np.float32([[3, 4], [-1, 0]]), activation="relu")
    array([[11.,  0.]], dtype=float32)
    """
    return _kindred.linear_act(x, w, bias, activation, reproducible, space, out, stream, copy, native(context))


def linear_act_backward(x: Array, gradient: Array, w: Array, bias: Array | None = None, *, activation: str = "none",
                        reproducible: bool = False, space: str | None = None,
                        out: tuple[Array | None, Array | None, Array | None] | None = None, stream: Stream = None,
                        copy: bool | None = None, context: Context | None = None) -> LinearGradients:
    """The gradients of :func:`linear_act` with respect to x, w and the bias. Other arguments as there.

    Args:
        gradient: with respect to y: ``[rows, outputs]`` of float32, float16 or bfloat16
        out: ``(dx, dw, dbias)``: arrays for the results. None as one of them: not computed.

    Returns:
        the gradients: ``dx`` and ``dw`` of the shapes and types of x and w; ``dbias``, float32 ``[outputs]``

    Raises:
        InvalidType: an array has elements of another type
        InvalidArgument: a shape or an option does not fit

    >>> linear_act_backward(np.float32([[1, 2]]), np.float32([[1]]), np.float32([[3, 4]])).dx
    array([[3., 4.]], dtype=float32)
    """
    return LinearGradients(*_kindred.linear_act_backward(x, gradient, w, bias, activation, reproducible, space, out, stream, copy, native(context)))
