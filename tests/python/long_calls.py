# SPDX-License-Identifier: Apache-2.0
"""Long calls of every kind, for test_interrupts.py: prints the name of a call when it begins, and the time when it was interrupted.

After all interruptions, small calls of the same objects must have the results that they had before.
"""
import itertools
import os
import signal
import sys
import threading
import time
from functools import partial

import numpy as np

import pykindred
from support import generator, vectors

TIMES = 2000  # how often the queries of a call are repeated, so that it takes seconds


def words(name, count, least, most):
    random = generator(name)
    letters = "abcdefghijklmnopqrstuvwxyz"
    lengths = random.integers(least, most + 1, count)
    text = "".join(letters[i] for i in random.integers(0, 26, lengths.sum()))
    ends = np.cumsum(lengths)
    return [text[end - length:end] for end, length in zip(ends, lengths)]


def vector_calls():
    rows, query = vectors("rows", 60_000, 96), vectors("query", 2, 96)
    index = pykindred.VectorIndex(rows)
    many = np.tile(query, (TIMES, 1))
    lists = np.tile(np.arange(20_000), (len(many), 1))[:, :20_000]
    for space in ("serial", "openmp"):
        for path in ("brute_force", "quantized", "gemm"):
            yield (f"search, {path}, {space}", partial(index.search, np.tile(many, (8, 1)), space=space, path=path),
                   partial(index.search, query, space=space, path=path))
        yield (f"scores, {space}", partial(index.score_all, many[:1500], space=space), partial(index.score_all, query, space=space))
        yield (f"score, {space}", partial(index.score, many, lists[:len(many)], 5, space=space), partial(index.score, query, lists[:2], 5, space=space))
    yield "search_at_least", partial(index.search_at_least, many, 0.45), partial(index.search_at_least, query, 0.45)
    yield "row_scores", partial(pykindred.row_scores, many[:1500], rows), partial(pykindred.row_scores, query, rows)
    yield "top_rows", partial(pykindred.top_rows, many, rows, 5), partial(pykindred.top_rows, query, rows, 5)


def hnsw_calls():
    rows, query = vectors("rows", 60_000, 64), vectors("query", 2, 64)
    index = pykindred.HnswIndex(rows[:3000], m=8, ef_construction=50)
    yield "building an HnswIndex", partial(pykindred.HnswIndex, rows, m=16, ef_construction=400), lambda: None
    yield "HnswIndex.search", partial(index.search, np.tile(query, (60_000, 1)), ef=400), partial(index.search, query)


def sequence_calls():
    texts = words("texts", 60_000, 40, 120)
    matcher = pykindred.SequenceMatcher(texts)
    query = words("queries", 2, 60, 60)
    for measure in ("lcs", "difflib", "levenshtein", "jaro-winkler", "token-set"):
        for space in ("serial", "openmp"):
            yield (f"match, {measure}, {space}", partial(matcher.match, query * 2000, measure=measure, threshold=0.0, top=3, space=space),
                   partial(matcher.match, query, measure=measure, threshold=0.0, top=3, space=space))
        yield (f"scores, {measure}", partial(matcher.score_all, query * 200, measure=measure), partial(matcher.score_all, query, measure=measure))
    yield "match_self", partial(matcher.match_self, threshold=0.3, top=2), lambda: None
    yield "cluster", partial(matcher.cluster, threshold=0.5), lambda: None
    long = "".join(words("long", 30_000, 30, 30))
    for measure in ("lcs", "levenshtein", "difflib"):
        prepared = pykindred.PreparedQuery(long, measure=measure)
        yield f"one pair, {measure}", partial(prepared.similarity, long[::-1]), partial(prepared.similarity, long[:50])
    short = words("short", 60_000, 8, 30)
    choices = pykindred.process.Choices(short)
    yield ("cdist", partial(pykindred.process.cdist, query * 1000, short, scorer=pykindred.distance.Levenshtein.distance),
           partial(pykindred.process.cdist, query, short[:50]))
    yield ("cdist of Choices", partial(pykindred.process.cdist, words("many", 8000, 60, 60), choices), partial(pykindred.process.cdist, query, choices))
    yield ("extract", partial(pykindred.process.extract, query[0], short * 60, scorer=pykindred.fuzz.token_set_ratio),
           partial(pykindred.process.extract, query[0], short[:500]))


def pattern_calls():
    memory = pykindred.PatternMemory()
    vocabulary = words("words", 4000, 5, 9)
    symbols = generator("patterns").integers(0, 4000, (60_000, 20))
    memory.learn_all([[[vocabulary[s] for s in row]] for row in symbols[:20_000]])
    query = [[[vocabulary[s] for s in symbols[7]]]]
    count, length = 1_500_000, 20
    lists = pykindred.EventLists(np.arange(count + 1), np.arange(0, count * length + 1, length),
                                 generator("learned").integers(0, 4000, count * length).astype(np.uint32))
    before = len(memory)
    # Once it changes the memory, it finishes.
    yield "learn_all", partial(memory.learn_all, lists, dictionary=vocabulary), lambda: len(memory) in (before, before + count)
    yield "match of a memory", partial(memory.match, query * 8000, threshold=0.0), partial(memory.match, query, threshold=0.1)


def graph_calls():
    random, nodes, edges = generator("graph"), 300_000, 6_000_000
    engine = pykindred.SpreadingEngine(nodes, random.integers(0, nodes, edges), random.integers(0, nodes, edges), random.random(edges, np.float32))
    sources = [{int(node): 1.0} for node in random.integers(0, nodes, 400)]
    for space in ("serial", "openmp"):
        for mode in ("engine", "linear", "pagerank"):
            yield (f"spread, {mode}, {space}", partial(engine.spread, sources * 8, mode=mode, tolerance=1e-9, space=space),
                   partial(engine.spread, sources[:2], mode=mode, space=space))
        x = random.random((nodes, 512), np.float32)
        yield f"hop, {space}", partial(engine.hop, x, space=space), partial(engine.hop, x[:, 0].copy(), space=space)
    yield "spread of small queries", partial(engine.spread, sources * 2000, hops=2, threshold=0.2), partial(engine.spread, sources[:2], hops=2)
    yield ("building a SpreadingEngine", partial(pykindred.SpreadingEngine, nodes, *random.integers(0, nodes, (2, 8_000_000)),
                                                 random.random(8_000_000, np.float32)), lambda: None)


def other_calls():
    lattice = pykindred.Lattice(3, 160, blocked_nodes=range(5, 2000, 7))
    sources = generator("lattice").integers(5000, 160**3, (300, 2))
    sources = sources[~np.isin(sources, range(5, 2000, 7)).any(1)]
    yield "lattice.paths", partial(lattice.paths, sources), partial(lattice.paths, sources[:2])
    yield "lattice.measure", partial(pykindred.Lattice(3, 120).measure), lambda: None
    yield "lattice.all_paths", partial(pykindred.Lattice(2, 9).all_paths, 0, 80, 30), lambda: None
    bulk = pykindred.Bulk()
    a, b = vectors("a", 6000, 5000), vectors("b", 5000, 6000)
    for space in ("serial", "openmp"):
        yield (f"multiply, {space}", partial(bulk.multiply, a, b, space=space), partial(bulk.multiply, a[:9], b[:, :9].copy(), space=space))
    yield "multiply, reproducible", partial(bulk.multiply, a, b, reproducible=True), partial(bulk.multiply, a[:9], b[:, :9].copy(), reproducible=True)
    yield "linear_act", partial(pykindred.linear_act, a, np.ascontiguousarray(b.T)), partial(pykindred.linear_act, a[:9], np.ascontiguousarray(b.T)[:9])
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

    yield "waiting for an object", wait_for_another_thread, lambda: wait_for_another_thread.other.join() if hasattr(wait_for_another_thread, "other") else None


KINDS = {"vectors": vector_calls, "hnsw": hnsw_calls, "sequences": sequence_calls, "patterns": pattern_calls, "graphs": graph_calls, "others": other_calls}


def equal(a, b):
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if hasattr(a, "__slots__"):
        names = [name for kind in type(a).__mro__ for name in getattr(kind, "__slots__", ()) if not name.startswith("_")]
        return all(equal(getattr(a, name), getattr(b, name)) for name in names)
    return a == b


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
    # One of three, and all in the full run.
    step = 1 if os.environ.get("KINDRED_FULL", "0") != "0" else 3
    for name, call, small in itertools.islice(KINDS[kind](), 0, None, step):
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
        if not equal(small(), expected):
            print(f"the results of {name} have changed", file=sys.stderr)
            os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
