# SPDX-License-Identifier: Apache-2.0
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pykindred import _kindred
from pykindred._context import Context, native
from pykindred._types import Array


class NormResults(NamedTuple):
    """A normalised matrix, with the statistics of its rows.

    >>> layer_norm_act(np.float32([[1, 3], [2, 2]]), statistics=True).mean
    array([2., 2.], dtype=float32)
    """

    y: Any  #: [rows, columns]
    mean: NDArray[np.float32]  #: [rows]
    variance: NDArray[np.float32]  #: [rows]


def layer_norm_act(x: Array, gamma: Array | None = None, beta: Array | None = None, *, epsilon: float = 1e-5, activation: str = "gelu",
                   statistics: bool = False, space: str | None = None, out: Array | None = None, context: Context | None = None) -> Any:
    """``act((x − mean) / √(variance + ε) · γ + β)`` of every row, with the same bits on every space. Arrays on the host.

    Args:
        x: float32, float16 or bfloat16 ``[rows, columns]``; rows may lie apart
        gamma, beta: float32 ``[columns]``; None: 1 and 0
        activation: ``"gelu"`` (with erf), ``"relu"`` or ``"none"``
        statistics: also return mean and variance of the rows, as :class:`NormResults`
        space: instead of the dispatcher's choice
        out: of the shape of x, float32, float16 or bfloat16; may be x itself
        context: None: the default context

    Returns:
        ``out``, or a new array of the type of x

    Raises:
        InvalidType: an array has elements of another type
        InvalidArgument: a shape or an option does not fit

    >>> layer_norm_act(np.float32([[1, 3]]), epsilon=1e-12, activation="none")
    array([[-1.,  1.]], dtype=float32)
    """
    y, mean, variance = _kindred.layer_norm_act(x, gamma, beta, epsilon, activation, statistics, space, out, native(context))
    return NormResults(y, mean, variance) if statistics else y


def linear_act(x: Array, w: Array, bias: Array | None = None, *, activation: str = "none", reproducible: bool = False,
               space: str | None = None, out: Array | None = None, context: Context | None = None) -> Any:
    """``act(x·Wᵀ + b)``: a linear layer of PyTorch, followed by an activation. Arrays on the host.

    Args:
        x: float32, float16 or bfloat16 ``[rows, inputs]``; rows may lie apart
        w: ``[outputs, inputs]``, of the type of x
        bias: float32 ``[outputs]``
        activation: ``"gelu"`` (with erf), ``"relu"`` or ``"none"``
        reproducible: the same bits on every space, but slower
        space: instead of the dispatcher's choice
        out: ``[rows, outputs]`` of float32, float16 or bfloat16
        context: None: the default context

    Returns:
        ``out``, or a new array of the type of x

    Raises:
        InvalidType: an array has elements of another type
        InvalidArgument: a shape or an option does not fit

    >>> linear_act(np.float32([[1, 2]]), np.float32([[3, 4], [-1, 0]]), activation="relu")
    array([[11.,  0.]], dtype=float32)
    """
    return _kindred.linear_act(x, w, bias, activation, reproducible, space, out, native(context))
