# SPDX-License-Identifier: Apache-2.0
"""Long calls of every kind, for test_interrupts.py: prints the name of a call when it begins, and
the time when it was interrupted.

After all interruptions, small calls of the same objects must have the results that they had before.
All functions of the extension check for signals in the same place (`Unlocked`), where they release
the GIL; tests/threads cancels every call of the engines at all its points.
"""
import os
import signal
import sys
import threading
import time
from functools import partial

import numpy as np

import pykindred
from support import generator, same, vectors


def words(name, count, least, most):
    random = generator(name)
    letters = "abcdefghijklmnopqrstuvwxyz"
    lengths = random.integers(least, most + 1, count)
    text = "".join(letters[i] for i in random.integers(0, 26, lengths.sum()))
    ends = np.cumsum(lengths)
    return [text[end - length:end] for end, length in zip(ends, lengths)]


def both(name, call, large, small, **options):
    """A call of large arguments, and one of small ones."""
    return name, partial(call, *large, **options), partial(call, *small, **options)


def vector_calls():
    rows, query = vectors("rows", 60_000, 96), vectors("query", 2, 96)
    index, many = pykindred.VectorIndex(rows), np.tile(query, (16_000, 1))
    for space in ("serial", "openmp"):
        yield both(f"search, {space}", index.search, (many,), (query,), space=space)
    yield both("row_scores", pykindred.row_scores, (many[:1500], rows), (query, rows))
    building = partial(pykindred.HnswIndex, rows, m=16, ef_construction=400)
    yield "building an HnswIndex", building, lambda: None


def sequence_calls():
    query = words("queries", 2, 60, 60)
    matcher = pykindred.SequenceMatcher(words("texts", 60_000, 40, 120))
    yield both("match", matcher.match, (query * 2000,), (query,), threshold=0.0, top=3)
    yield "cluster", partial(matcher.cluster, threshold=0.5), lambda: None
    long = "".join(words("long", 30_000, 30, 30))
    prepared = pykindred.PreparedQuery(long, measure="lcs")
    yield both("one pair", prepared.similarity, (long[::-1],), (long[:50],))
    short, process = words("short", 60_000, 8, 30), pykindred.process
    yield both("cdist", process.cdist, (query * 1000, short), (query, short[:50]))
    yield both("extract", process.extract, (query[0], short * 60), (query[0], short[:500]),
               scorer=pykindred.fuzz.token_set_ratio)


def other_calls():
    random, nodes, edges = generator("graph"), 300_000, 6_000_000
    given = *random.integers(0, nodes, (2, edges)), random.random(edges, np.float32)
    engine = pykindred.SpreadingEngine(nodes, *given)
    sources = [{int(node): 1.0} for node in random.integers(0, nodes, 400)]
    yield both("spread", engine.spread, (sources * 8,), (sources[:2],))
    building = partial(pykindred.SpreadingEngine, nodes, *given)
    yield "building a SpreadingEngine", building, lambda: None
    a, b = vectors("a", 6000, 5000), vectors("b", 5000, 6000)
    yield both("multiply", pykindred.Bulk().multiply, (a, b), (a[:9], b[:, :9].copy()))
    index, held = pykindred.HnswIndex(vectors("rows", 5000, 32)), threading.Event()

    def wait_for_another_thread():
        """Waits for an object that another thread changes."""
        held.clear()
        more = vectors("more", 12_000, 32)
        other = threading.Thread(target=lambda: (held.set(), index.add(more)), daemon=True)
        other.start()
        held.wait()
        time.sleep(0.05)
        try:
            index.remove([0])
        finally:
            wait_for_another_thread.other = other

    def join():
        if hasattr(wait_for_another_thread, "other"):
            wait_for_another_thread.other.join()
    yield "waiting for an object", wait_for_another_thread, join


KINDS = {"vectors": vector_calls, "sequences": sequence_calls, "others": other_calls}


class Interruption:
    """The one signal of an attempt, whichever thread receives it: raises KeyboardInterrupt within the call, and nothing after that."""

    def __init__(self):
        self.is_awaited, self.has_come = True, False
        signal.signal(signal.SIGINT, self.receive)

    def receive(self, *_):
        is_awaited, self.is_awaited, self.has_come = self.is_awaited, False, True
        if is_awaited:
            raise KeyboardInterrupt

    def wait(self):
        while not self.has_come:
            time.sleep(0.001)


def main(kind):
    for name, call, small in KINDS[kind]():
        expected = small()
        for _ in range(3):
            interruption = Interruption()
            try:
                print(name, flush=True)
                call()
                interruption.is_awaited = False
                answer = "ended"
            except KeyboardInterrupt:
                answer = f"{time.monotonic():.6f}"
            print(answer, flush=True)
            again = sys.stdin.readline() == "again\n"
            interruption.wait()
            if not again:
                break
        if not same(small(), expected):
            print(f"the results of {name} have changed", file=sys.stderr)
            os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
