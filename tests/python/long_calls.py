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
from support import generator, same, vectors

TIMES = 2000  # how often the queries of a call are repeated, so that it takes seconds


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
    index = pykindred.VectorIndex(rows)
    many = np.tile(query, (TIMES, 1))
    lists = np.tile(np.arange(20_000), (len(many), 1))
    for space in ("serial", "openmp"):
        options = {"space": space}
        for path in ("brute_force", "quantized", "gemm"):
            yield both(f"search, {path}, {space}", index.search, (np.tile(many, (8, 1)),), (query,),
                       path=path, **options)
        yield both(f"scores, {space}", index.score_all, (many[:1500],), (query,), **options)
        small = query, lists[:2], 5
        yield both(f"score, {space}", index.score, (many, lists, 5), small, **options)
    yield both("search_at_least", index.search_at_least, (many, 0.45), (query, 0.45))
    yield both("row_scores", pykindred.row_scores, (many[:1500], rows), (query, rows))
    yield both("top_rows", pykindred.top_rows, (many, rows, 5), (query, rows, 5))


def hnsw_calls():
    rows, query = vectors("rows", 60_000, 64), vectors("query", 2, 64)
    index = pykindred.HnswIndex(rows[:3000], m=8, ef_construction=50)
    yield "building an HnswIndex", partial(pykindred.HnswIndex, rows, m=16, ef_construction=400), lambda: None
    yield both("HnswIndex.search", index.search, (np.tile(query, (60_000, 1)),), (query,), ef=400)


def sequence_calls():
    texts = words("texts", 60_000, 40, 120)
    matcher = pykindred.SequenceMatcher(texts)
    query = words("queries", 2, 60, 60)
    for measure in ("lcs", "difflib", "levenshtein", "jaro-winkler", "token-set"):
        for space in ("serial", "openmp"):
            yield both(f"match, {measure}, {space}", matcher.match, (query * 2000,), (query,),
                       measure=measure, threshold=0.0, top=3, space=space)
        yield both(f"scores, {measure}", matcher.score_all, (query * 200,), (query,),
                   measure=measure)
    yield "match_self", partial(matcher.match_self, threshold=0.3, top=2), lambda: None
    yield "cluster", partial(matcher.cluster, threshold=0.5), lambda: None
    long = "".join(words("long", 30_000, 30, 30))
    for measure in ("lcs", "levenshtein", "difflib"):
        prepared = pykindred.PreparedQuery(long, measure=measure)
        yield both(f"one pair, {measure}", prepared.similarity, (long[::-1],), (long[:50],))
    short, process = words("short", 60_000, 8, 30), pykindred.process
    choices = process.Choices(short)
    yield both("cdist", process.cdist, (query * 1000, short), (query, short[:50]),
               scorer=pykindred.distance.Levenshtein.distance)
    many = words("many", 8000, 60, 60)
    yield both("cdist of Choices", process.cdist, (many, choices), (query, choices))
    yield both("extract", process.extract, (query[0], short * 60), (query[0], short[:500]),
               scorer=pykindred.fuzz.token_set_ratio)


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
    yield both("match of a memory", memory.match, (query * 8000,), (query,), threshold=0.0)


def graph_calls():
    random, nodes, edges = generator("graph"), 300_000, 6_000_000
    engine = pykindred.SpreadingEngine(nodes, random.integers(0, nodes, edges), random.integers(0, nodes, edges), random.random(edges, np.float32))
    sources = [{int(node): 1.0} for node in random.integers(0, nodes, 400)]
    for space in ("serial", "openmp"):
        for mode in ("engine", "linear", "pagerank"):
            yield both(f"spread, {mode}, {space}", engine.spread, (sources * 8,), (sources[:2],),
                       mode=mode, tolerance=1e-9, space=space)
        x = random.random((nodes, 512), np.float32)
        yield both(f"hop, {space}", engine.hop, (x,), (x[:, 0].copy(),), space=space)
    yield both("spread of small queries", engine.spread, (sources * 2000,), (sources[:2],), hops=2,
               threshold=0.2)
    ends, weights = random.integers(0, nodes, (2, 8_000_000)), random.random(8_000_000, np.float32)
    building = partial(pykindred.SpreadingEngine, nodes, *ends, weights)
    yield "building a SpreadingEngine", building, lambda: None


def other_calls():
    lattice = pykindred.Lattice(3, 160, blocked_nodes=range(5, 2000, 7))
    sources = generator("lattice").integers(5000, 160**3, (300, 2))
    sources = sources[~np.isin(sources, range(5, 2000, 7)).any(1)]
    yield both("lattice.paths", lattice.paths, (sources,), (sources[:2],))
    yield "lattice.measure", partial(pykindred.Lattice(3, 120).measure), lambda: None
    yield "lattice.all_paths", partial(pykindred.Lattice(2, 9).all_paths, 0, 80, 30), lambda: None
    bulk = pykindred.Bulk()
    a, b = vectors("a", 6000, 5000), vectors("b", 5000, 6000)
    small, weights = (a[:9], b[:, :9].copy()), np.ascontiguousarray(b.T)
    for options in ({"space": "serial"}, {"space": "openmp"}, {"reproducible": True}):
        yield both(f"multiply, {options}", bulk.multiply, (a, b), small, **options)
    yield both("linear_act", pykindred.linear_act, (a, weights), (a[:9], weights[:9]))
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
        if not same(small(), expected):
            print(f"the results of {name} have changed", file=sys.stderr)
            os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
