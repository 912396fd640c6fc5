# SPDX-License-Identifier: Apache-2.0
"""How much longer small calls take in Python than in C++: prints a table. Not a test, since the times depend on the machine.

The time in C++ is the one in the record of the call, which the dispatcher measures; the rest, which includes the dispatcher's own work, counts as
overhead of Python here. Prepared calls have no record: their overhead is the time of the same call without work. Run with
PYTHONPATH=build/release/bindings/python.
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
        record = pykindred.last_record()
        inside.append(0 if record is None else record.seconds * 1e6)
    return statistics.median(times), statistics.median(inside)


rows = np.random.default_rng(1).standard_normal((16, 8)).astype(np.float32)
index, query, candidates = pykindred.VectorIndex(rows), rows[3].copy(), np.arange(8)
out = np.zeros(3, np.float32), np.zeros(3, np.int64)
x, y, matrix = np.ones(16, np.float32), np.zeros(16, np.float32), rows[:4, :4].copy()


def calls():
    bulk, engine = pykindred.Bulk(), pykindred.SpreadingEngine(16, np.arange(15), np.arange(1, 16))
    yield "VectorIndex.search, 1 query, 16 rows", lambda: index.search(query, 3, space="serial", path="brute_force")
    yield "VectorIndex.search, out=", lambda: index.search(query, 3, space="serial", path="brute_force", out=out)
    yield "VectorIndex.score, 8 candidates", lambda: index.score(query, candidates, 3, space="serial")
    yield "VectorIndex.score_all", lambda: index.score_all(query, space="serial")
    yield "SpreadingEngine.hop, 16 nodes", lambda: engine.hop(x, space="serial")
    yield "SpreadingEngine.hop, out=", lambda: engine.hop(x, space="serial", out=y)
    yield "Bulk.element_wise", lambda: bulk.element_wise("add", x, x, space="serial")
    yield "Bulk.element_wise, out=", lambda: bulk.element_wise("add", x, x, space="serial", out=y)
    yield "Bulk.reduce", lambda: bulk.reduce("sum", rows, space="serial")
    yield "Bulk.multiply, 4 x 4", lambda: bulk.multiply(matrix, matrix, space="serial")


def prepared_calls():
    """``(name, call, the same call without work)``"""
    none, score = np.zeros(0, np.float32), pykindred.PreparedScore(index, 8, 3, space="serial")
    nothing = pykindred.PreparedBulk.element_wise("add", none, none).run
    yield "PreparedBulk.element_wise", pykindred.PreparedBulk.element_wise("add", x, x, out=y).run, nothing
    yield "PreparedBulk.reduce", pykindred.PreparedBulk.reduce("sum", rows).run, nothing
    yield "PreparedBulk.multiply, 4 x 4", pykindred.PreparedBulk.multiply(matrix, matrix).run, nothing
    yield "PreparedLayer.norm, 16 x 8", pykindred.PreparedLayer.norm(rows).run, nothing
    index_of_one = pykindred.VectorIndex(np.ones((1, 1), np.float32))
    one = pykindred.PreparedScore(index_of_one, 1, filter=np.array([False]), space="serial")
    alone, first = np.ones(1, np.float32), np.array([0])
    outs = np.zeros(1, np.float32), np.zeros(1, np.int64)
    yield "PreparedScore.score, 8 candidates", lambda: score.score(query, candidates), lambda: one.score(alone, first)
    yield "PreparedScore.score, out=", lambda: score.score(query, candidates, out=out), lambda: one.score(alone, first, out=outs)


def main():
    print(f"{'':38} {'Python':>8} {'C++':>8} {'overhead':>8}  microseconds")
    for name, call in calls():
        total, inside = time_of(call)
        print(f"{name:38} {total:8.2f} {inside:8.2f} {total - inside:8.2f}")
    for name, call, nothing in prepared_calls():
        total, overhead = time_of(call)[0], time_of(nothing)[0]
        print(f"{name:38} {total:8.2f} {max(total - overhead, 0):8.2f} {overhead:8.2f}")


if __name__ == "__main__":
    main()
