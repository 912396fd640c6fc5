# SPDX-License-Identifier: Apache-2.0
"""Exact search for the rows with the largest inner products, beside NumPy and FAISS: time, and whether results depend on the batch.

    python exact_search.py --size 200000 --picture exact_search.png

Every library answers the same queries one by one and in batches. FAISS is skipped where it is not installed, and the picture where
Matplotlib is not.
"""
from __future__ import annotations

import argparse
import importlib
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import pykindred

Results = tuple[NDArray[np.float32], NDArray[np.int64]]  # scores and ids, [queries, k]
Search = Callable[[NDArray[np.float32]], Results]
COLORS = {"pykindred": "#3f51b5", "NumPy": "#e69f00", "FAISS": "#009e73"}


class Row(NamedTuple):
    """A row of the table."""

    library: str
    batch: int
    seconds: float  # per query
    other_scores: float  # share of the scores whose bits differ from those of queries one by one
    same_ids: float  # share of the queries with the ids of pykindred


def searches(rows: NDArray[np.float32], k: int) -> dict[str, Search]:
    """The function that searches, for every library that is installed."""
    index = pykindred.VectorIndex(rows)

    def by_numpy(queries: NDArray[np.float32]) -> Results:
        scores = queries @ rows.T
        ids = np.argpartition(scores, -k, axis=1)[:, -k:]
        best = np.take_along_axis(scores, ids, axis=1)
        order = np.argsort(-best, axis=1)
        return np.take_along_axis(best, order, axis=1), np.take_along_axis(ids, order, axis=1)

    found: dict[str, Search] = {"pykindred": lambda queries: index.search(queries, k, metric="ip"), "NumPy": by_numpy}
    try:
        faiss = importlib.import_module("faiss")
    except ImportError:
        print("FAISS is not installed")
    else:
        flat = faiss.IndexFlatIP(rows.shape[1])
        flat.add(rows)
        found["FAISS"] = lambda queries: flat.search(queries, k)
    return found


def median_time(search: Search, queries: NDArray[np.float32], repetitions: int) -> float:
    times: list[float] = []
    for _ in range(repetitions):
        began = time.perf_counter()
        search(queries)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def compare(rows: NDArray[np.float32], queries: NDArray[np.float32], k: int, batches: list[int], repetitions: int) -> list[Row]:
    table: list[Row] = []
    expected: NDArray[np.int64] | None = None
    for library, search in searches(rows, k).items():
        single = [search(queries[i:i + 1]) for i in range(len(queries))]
        scores = np.concatenate([found[0] for found in single])
        if expected is None:
            expected = np.concatenate([found[1] for found in single])
        for batch in batches:
            batched = [search(queries[i:i + batch]) for i in range(0, len(queries), batch)]
            other = np.concatenate([found[0] for found in batched]).view(np.uint32) != scores.view(np.uint32)
            same = (np.concatenate([found[1] for found in batched]) == expected).all(axis=1)
            table.append(Row(library, batch, median_time(search, queries[:batch], repetitions) / batch, float(other.mean()), float(same.mean())))
    return table


def draw(path: str, size: int, dimension: int, table: list[Row]) -> None:
    try:
        matplotlib = importlib.import_module("matplotlib")
    except ImportError:
        print("Matplotlib is not installed: there is no picture")
        return
    matplotlib.use("Agg")
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    batches = sorted({row.batch for row in table})
    for (library, color), marker, width in zip(COLORS.items(), "osD", (6, 6, 10), strict=True):
        rows = [row for row in table if row.library == library]
        if rows:
            style = {"color": color, "marker": marker, "markersize": width, "fillstyle": "none" if width > 6 else "full", "label": library}
            left.plot(batches, [1 / row.seconds for row in rows], **style)
            right.plot(batches, [100 * row.other_scores for row in rows], **style)
    left.set(xscale="log", yscale="log", ylabel="queries per second")
    low, high = left.get_ylim()
    ticks = [digit * 10**power for power in range(7) for digit in (1, 2, 5) if low < digit * 10**power < high]
    left.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
    left.set_title(f"Exact search in {size:,} rows of {dimension}", loc="left")
    right.set(xscale="log", ylim=(-3, 103), ylabel="% of the scores")
    right.set_title("Scores with other bits than one by one", loc="left")
    for axes in (left, right):
        axes.set(xlabel="queries per call", xticks=batches, xticklabels=batches)
        axes.minorticks_off()
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description="Exact search, beside NumPy and FAISS")
    parser.add_argument("--size", type=int, default=200_000, help="number of rows")
    parser.add_argument("--dimension", type=int, default=128, help="elements of a row")
    parser.add_argument("--queries", type=int, default=256, help="number of queries")
    parser.add_argument("--k", type=int, default=10, help="results per query")
    parser.add_argument("--repetitions", type=int, default=5, help="of each call, of which the median is printed")
    parser.add_argument("--picture", default="exact_search.png", help="the file to draw")
    arguments = parser.parse_args()

    chance = np.random.default_rng(1)
    rows = chance.standard_normal((arguments.size, arguments.dimension), np.float32)
    queries = chance.standard_normal((arguments.queries, arguments.dimension), np.float32)
    batches = [batch for batch in (1, 4, 16, 64, 256, 1024) if batch <= arguments.queries]
    table = compare(rows, queries, min(arguments.k, arguments.size), batches, arguments.repetitions)
    print(f"The best {arguments.k} of {arguments.size:,} rows of {arguments.dimension} by inner product, threads: {pykindred.default_context().threads}\n")
    print(f"{'library':12}{'queries per call':>17}{'ms per query':>14}{'scores with other bits':>24}{'same ids':>10}")
    for row in table:
        print(f"{row.library:12}{row.batch:>17}{row.seconds * 1000:>14,.3f}{row.other_scores:>24.1%}{row.same_ids:>10.1%}")
    draw(arguments.picture, arguments.size, arguments.dimension, table)


if __name__ == "__main__":
    main()
