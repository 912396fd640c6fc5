# SPDX-License-Identifier: Apache-2.0
from typing import Any

from pykindred import _kindred
from pykindred._context import Context, native
from pykindred._types import Array


def row_scores(queries: Array, rows: Array, *, metric: str = "cosine", space: str | None = None, out: Array | None = None,
               copy: bool | None = None, context: Context | None = None) -> Any:
    """The scores of all rows for every query, in the order of the rows, which are read where they are.

    Args:
        queries: float32 ``[queries, dimension]``, or ``[dimension]`` for one query
        rows: float32, float16 or bfloat16 ``[count, dimension]``; there may be gaps between rows
        metric: ``"cosine"`` or ``"ip"``, larger is better; ``"l2"``, the Euclidean distance (not squared), smaller is better
        space: ``"serial"`` uses the calling thread only
        out: float32 ``[queries, count]``, or ``[count]`` for one query
        copy: False raises where the layout of an array would need a copy
        context: None: the default context

    Returns:
        ``out``, or a new array beside the queries: float32 ``[queries, count]``, or ``[count]``

    Raises:
        InvalidType: an array has elements of another type
        InvalidArgument: a shape or an option does not fit

    >>> row_scores(np.float32([3, 4]), np.float32([[3, 4], [4, -3]]), metric="ip")
    array([25.,  0.], dtype=float32)
    """
    return _kindred.row_scores(queries, rows, metric, space, out, copy, native(context))


def top_rows(queries: Array, rows: Array, top: int = 10, *, metric: str = "cosine", space: str | None = None,
             out: tuple[Array, Array] | None = None, copy: bool | None = None, context: Context | None = None) -> tuple[Any, Any]:
    """The exact best ``top`` rows of every query, without an index. Arguments and exceptions as :func:`row_scores`.

    Returns:
        ``(scores, ids)``: float32 and int64 ``[queries, top]``, or ``[top]`` for one query, best first; equal scores by lower row. Beyond the
        number of rows, ids are −1 and scores −inf (+inf under ``"l2"``).

    >>> top_rows(np.float32([3, 4]), np.float32([[3, 4], [4, -3]]), 3, metric="ip")
    (array([ 25.,   0., -inf], dtype=float32), array([ 0,  1, -1]))
    """
    return _kindred.top_rows(queries, rows, top, metric, space, out, copy, native(context))
