# SPDX-License-Identifier: Apache-2.0
"""How much longer small calls take in Python than in C++: prints a table. Not a test, since the times depend on the machine.

The time in C++ is the one in the record of the call, which the dispatcher measures; the rest, which includes the dispatcher's own work, counts as
overhead of Python here. Run with PYTHONPATH=build/release/bindings/python.
"""
import statistics
import time

import numpy as np

import pykindred


def time_of(call, rounds=60, calls=200):
    """Microseconds per call: the median of rounds, and of their records."""
    times, inside = [], []
    call()
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - begin) / calls * 1e6)
        inside.append(pykindred.last_record().seconds * 1e6)
    return statistics.median(times), statistics.median(inside)


def calls():
    random = np.random.default_rng(1)
    rows = random.standard_normal((16, 8)).astype(np.float32)
    index, query, scores, ids = pykindred.VectorIndex(rows), rows[3].copy(), np.zeros(3, np.float32), np.zeros(3, np.int64)
    candidates, bulk, matrix = np.arange(8), pykindred.Bulk(), rows[:4, :4].copy()
    engine = pykindred.SpreadingEngine(16, np.arange(15), np.arange(1, 16))
    x, y = np.ones(16, np.float32), np.zeros(16, np.float32)
    yield "VectorIndex.search, 1 query, 16 rows", lambda: index.search(query, 3, space="serial", path="brute_force")
    yield "VectorIndex.search, out=", lambda: index.search(query, 3, space="serial", path="brute_force", out=(scores, ids))
    yield "VectorIndex.score, 8 candidates", lambda: index.score(query, candidates, 3, space="serial")
    yield "VectorIndex.scores", lambda: index.scores(query, space="serial")
    yield "SpreadingEngine.hop, 16 nodes", lambda: engine.hop(x, space="serial")
    yield "SpreadingEngine.hop, out=", lambda: engine.hop(x, space="serial", out=y)
    yield "Bulk.element_wise", lambda: bulk.element_wise("add", x, x, space="serial")
    yield "Bulk.element_wise, out=", lambda: bulk.element_wise("add", x, x, space="serial", out=y)
    yield "Bulk.reduce", lambda: bulk.reduce("sum", rows, space="serial")
    yield "Bulk.multiply, 4 x 4", lambda: bulk.multiply(matrix, matrix, space="serial")


def main():
    print(f"{'':38} {'Python':>8} {'C++':>8} {'overhead':>8}  microseconds")
    for name, call in calls():
        total, inside = time_of(call)
        print(f"{name:38} {total:8.2f} {inside:8.2f} {total - inside:8.2f}")


if __name__ == "__main__":
    main()
