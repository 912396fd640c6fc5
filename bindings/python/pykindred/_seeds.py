# SPDX-License-Identifier: Apache-2.0
from typing import Any, NamedTuple

from pykindred import _kindred
from pykindred._context import Context, native
from pykindred._types import Array, Stream


class SeedSums(NamedTuple):
    """Arrays for the telemetry of :func:`forward_seeds`, ``[seeds]``; None: not computed.

    >>> x, weights = np.full((2, 4), 2, np.float32), np.full((1, 4), 3, np.float32)
    >>> sums = SeedSums(sum=np.empty(2, np.float32), count=np.empty(2, np.int64))
    >>> _ = forward_seeds(x, np.int32([3, 0]), np.int32([0, -1]), np.int32([0, 0]), np.float32([0.5, 0]), weights, telemetry=sums)
    >>> sums.sum, sums.count
    (array([8., 8.], dtype=float32), array([4, 4]))
    """

    sum: Array | None = None  #: of the elements of a seed's features: float32 or float64
    sum_of_squares: Array | None = None  #: float32 or float64
    count: Array | None = None  # type: ignore[assignment]  #: number of elements: int32, int64, float32 or float64


class SeedGradients(NamedTuple):
    """Gradients of :func:`forward_seeds`; None where ``out`` says that one is not computed.

    >>> x, weights = np.full((1, 2), 2, np.float32), np.full((1, 2), 3, np.float32)
    >>> backward_seeds(x, np.ones_like(x), np.int32([3]), np.int32([0]), np.int32([0]), np.float32([0.5]), weights).dalpha
    array([8.], dtype=float32)
    """

    dx: Any  #: ``[rows, hidden]``, of the type of x
    dweights: Any  #: float32 ``[blueprints, hidden]``: 0 where no seed applies a weight
    dalpha: Any  #: float32 ``[seeds]``: 0 for a seed that does not apply its blueprint linearly


def forward_seeds(x: Array, lifecycle: Array, blueprint: Array, mode: Array, alpha: Array, weights: Array, *, chunk_size: int = 0,
                  mode_codes: str = "kindred", fossilized_applies: bool = True, telemetry: SeedSums | None = None, space: str | None = None,
                  out: Array | None = None, workspace: Array | None = None, stream: Stream = None, copy: bool | None = None,
                  context: Context | None = None) -> Any:
    """Applies seeds, whose state and weights are arrays, to the rows of x. The bits are those of :meth:`SeedLayer.forward`.

    All arrays lie on the host, or on one GPU; there the call is ordered by ``stream``, does not wait, and can be captured in a CUDA graph
    (call it once with the same types before). A seed whose codes have no meaning, or whose blueprint is not a row of ``weights``, copies
    its features.

    Args:
        x: float32, float16 or bfloat16 ``[rows, hidden]``; there may be gaps between rows
        lifecycle: int32, int8 or uint8 ``[seeds]``, codes of :class:`Lifecycle`
        blueprint: int32 ``[seeds]``, rows of ``weights``
        mode: int32, int8 or uint8 ``[seeds]``, codes of ``mode_codes``
        alpha: float32 ``[seeds]``
        weights: float32 ``[blueprints, hidden]``
        chunk_size: seed s owns the features from ``s · chunk_size``; 0: chunks of equal width
        mode_codes: ``"kindred"`` (0 linear, 1 multiplicative, 2 additive, 3 mixed; another code copies), ``"kasmina_v2"`` (0 linear,
            1 multiplicative, others additive) or ``"kasmina_simple"`` (0 multiplicative, 1 additive, others mixed)
        fossilized_applies: False: fossilized seeds copy their features
        telemetry: arrays that the call writes
        space: ``"serial"``, ``"openmp"`` or ``"cuda"`` instead of the dispatcher's choice
        out: ``[rows, hidden]`` of float32, float16 or bfloat16; may be x
        workspace: for arrays on a GPU whose library cannot make one: uint8 there
        stream: of the GPU; None: the current stream of the library of x
        copy: False raises where the layout of an array would need a copy
        context: None: the default context

    Returns:
        ``out``, or a new array of the type of x beside it

    Raises:
        InvalidType: an array has elements of another type
        InvalidArgument: a shape or an option does not fit, or arrays overlap
        SpaceUnavailable: the call cannot run in ``space``

    >>> x, weights = np.full((1, 4), 2, np.float32), np.full((1, 4), 3, np.float32)
    >>> forward_seeds(x, np.int32([3, 0]), np.int32([0, -1]), np.int32([0, 0]), np.float32([0.5, 0]), weights)
    array([[4., 4., 2., 2.]], dtype=float32)
    """
    return _kindred.forward_seeds(x, lifecycle, blueprint, mode, alpha, weights, chunk_size, mode_codes, fossilized_applies, telemetry, space,
                                  out, workspace, stream, copy, native(context))


def backward_seeds(x: Array, gradient: Array, lifecycle: Array, blueprint: Array, mode: Array, alpha: Array, weights: Array, *,
                   chunk_size: int = 0, mode_codes: str = "kindred", fossilized_applies: bool = True, space: str | None = None,
                   out: tuple[Array | None, Array | None, Array | None] | None = None, workspace: Array | None = None, stream: Stream = None,
                   copy: bool | None = None, context: Context | None = None) -> SeedGradients:
    """The gradients of :func:`forward_seeds` with respect to x, the weights and the alphas. Other arguments as there.

    Args:
        gradient: with respect to y, of the type and shape of x
        out: ``(dx, dweights, dalpha)``: arrays for the results. None as dx: a new array; as another: not computed. ``dx`` may be
            ``gradient``.

    Returns:
        the gradients: ``dx`` of the shape and type of x; ``dweights``, float32 ``[blueprints, hidden]``; ``dalpha``, float32 ``[seeds]``

    Raises:
        InvalidType: an array has elements of another type
        InvalidArgument: a shape or an option does not fit, or arrays overlap
        SpaceUnavailable: the call cannot run in ``space``

    >>> x, weights = np.full((1, 4), 2, np.float32), np.full((1, 4), 3, np.float32)
    >>> state = np.int32([3, 0]), np.int32([0, -1]), np.int32([0, 0]), np.float32([0.5, 0])
    >>> gradients = backward_seeds(x, np.ones_like(x), *state, weights)
    >>> gradients.dx, gradients.dweights, gradients.dalpha
    (array([[2., 2., 1., 1.]], dtype=float32), array([[1., 1., 0., 0.]], dtype=float32), array([8., 0.], dtype=float32))
    """
    return SeedGradients(*_kindred.backward_seeds(x, gradient, lifecycle, blueprint, mode, alpha, weights, chunk_size, mode_codes,
                                                  fossilized_applies, space, out, workspace, stream, copy, native(context)))
