# SPDX-License-Identifier: Apache-2.0
"""The demonstration of ``python -m pykindred demo``. Everything but the times is the same in every run."""
import difflib
import itertools
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import pykindred

FIRST = """Aaron Abigail Agnes Albert Alexander Amelia Andrew Angela Arthur Barbara Benjamin Bernard Beatrice Caroline Catherine Charles
Charlotte Christopher Clara Daniel David Dorothy Edward Eleanor Elizabeth Emily Ernest Florence Frances Frederick George Hannah Harold
Helen Henry Isabella Jacob James Jonathan Josephine Katherine Laura Leonard Margaret Matthew Nathaniel Rebecca Stephen""".split()
LAST = """Abbott Andersen Baker Bennett Blackwood Bradley Brennan Campbell Carpenter Chapman Clarke Coleman Cunningham Davidson
Donovan Edwards Ferguson Fitzgerald Fletcher Gallagher Gardner Graham Hamilton Harrison Hawthorne Henderson Hoffmann Holloway Hughes
Jackson Jennings Johansson Johnson Kennedy Lancaster Lawrence MacDonald Marshall McCarthy Mitchell Montgomery Morrison Nicholson
O'Connor Patterson Pemberton Phillips Reynolds Richardson Robertson Rutherford Sanderson Schneider Sinclair Stevenson Sullivan
Thompson Underwood Wainwright Whitaker""".split()
MISSPELLED = ["Katherin B. Jonson", "Nathanael R. Mongomery", "Elisabeth Q Fitzgereld"]

ASSOCIATIONS = """
coffee caffeine 0.9, coffee breakfast 0.6, coffee cup 0.5, tea caffeine 0.6, tea cup 0.6, tea England 0.5, caffeine sleep 0.7,
caffeine energy 0.5, breakfast morning 0.8, breakfast bread 0.6, breakfast egg 0.5, bread bakery 0.7, bread wheat 0.6, morning sunrise 0.6,
morning alarm 0.5, alarm clock 0.8, alarm sleep 0.5, sleep dream 0.7, sleep bed 0.6, sleep night 0.6, night moon 0.7, night dark 0.5,
moon tide 0.6, tide sea 0.8, sea ship 0.6, ship harbour 0.7, England rain 0.5, rain cloud 0.7, cloud sky 0.6, sunrise sky 0.5"""


def run(names: int = 24_000, rows: int = 100_000) -> bool:
    """Prints the demonstration. Returns whether all results were right."""
    context = pykindred.default_context()
    processor = context.spaces()["serial"]["device"]
    print(f"pykindred {pykindred.__version__} on {processor}, {context.threads} threads; library: {pykindred.library.name}")
    right = _misspelled_names(names)
    right = _vectors(rows) and right
    right = _graph() and right
    print("\nEvery result above is right." if right else "\nA RESULT IS WRONG.")
    return right


def _timed(function: Callable[[], Any]) -> tuple[Any, float]:
    """What the function returns, and the milliseconds that it takes."""
    begin = time.perf_counter()
    returned = function()
    return returned, 1000 * (time.perf_counter() - begin)


def _line(what: str, milliseconds: float, note: str = "") -> None:
    print(f"  {what:<52}{milliseconds:>9.1f} ms{'   ' + note if note else ''}")


def _all_names(count: int) -> list[str]:
    """Distinct names, mixed by a fixed rule."""
    initials = [f"{letter}." for letter in "BDHKMQRW"]
    every = [" ".join(parts) for parts in itertools.product(FIRST, initials, LAST)]
    return [every[7919 * position % len(every)] for position in range(min(count, len(every)))]


def _best_by_difflib(query: str, names: list[str], threshold: float, top: int) -> list[tuple[float, int]]:
    """The standard library's ratio with its own bounds, as in ``difflib.get_close_matches``, ties by position."""
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(query)
    found: list[tuple[float, int]] = []
    for position, name in enumerate(names):
        matcher.set_seq1(name)
        if matcher.real_quick_ratio() >= threshold and matcher.quick_ratio() >= threshold:
            ratio = matcher.ratio()
            if ratio >= threshold:
                found.append((-ratio, position))
    return [(-ratio, position) for ratio, position in sorted(found)[:top]]


def _misspelled_names(count: int) -> bool:
    names = _all_names(count)
    threshold, top = 0.6, 3
    print(f"\nMisspelled names: the best of {len(names):,} by the ratio of difflib")
    matcher, building = _timed(lambda: pykindred.SequenceMatcher(names))
    found, ours = _timed(lambda: matcher.match(MISSPELLED, measure="difflib", threshold=threshold, top=top))
    expected, theirs = _timed(lambda: [_best_by_difflib(query, names, threshold, top) for query in MISSPELLED])
    for query, (scores, ids) in zip(MISSPELLED, found, strict=True):
        print(f"  {query:<24} " + ",  ".join(f"{names[position]} {score:.3f}" for score, position in zip(scores, ids, strict=True)))
    same: bool = [list(zip(scores.tolist(), ids.tolist(), strict=True)) for scores, ids in found] == expected
    _line("pykindred.SequenceMatcher(names)", building)
    _line(f"  .match({len(MISSPELLED)} names, measure=\"difflib\")", ours)
    _line("difflib.SequenceMatcher and its bounds, one by one", theirs, f"{'the same names and bits' if same else 'OTHER NAMES'}, {theirs / ours:.0f} x the time")
    return same


def _vectors(count: int) -> bool:
    dimension, queries, k = 128, 64, 10
    random = np.random.default_rng(7)
    rows, wanted = (random.standard_normal((size, dimension), np.float32) for size in (count, queries))
    print(f"\nVectors: the best {k} of {count:,} with {dimension} dimensions, by inner product; the least time of three")
    index, building = _timed(lambda: pykindred.VectorIndex(rows))
    _line("pykindred.VectorIndex(rows)", building)

    def by_numpy(given: Any) -> Any:
        products = given @ rows.T
        best = np.argpartition(products, -k, axis=1)[:, -k:]
        return np.take_along_axis(best, np.argsort(-np.take_along_axis(products, best, 1), axis=1, kind="stable"), 1)

    def least(function: Callable[[], Any]) -> tuple[Any, float]:
        return min((_timed(function) for _ in range(3)), key=lambda result: result[1])
    # By the definition, in float64.
    exact = np.argsort(-(wanted.astype(np.float64) @ rows.astype(np.float64).T), axis=1, kind="stable")[:, :k]
    right = True
    for given in (wanted[:1], wanted):
        (scores, ids), ours = least(partial(index.search, given, k, metric="ip"))
        others, theirs = least(partial(by_numpy, given))
        right = right and _recall(ids, exact[:len(given)]) == 1
        _line(f"  .search({'one query' if len(given) == 1 else f'{len(given)} queries'}, top=10, metric=\"ip\")", ours, f"recall {_recall(ids, exact[:len(given)]):.3f}")
        _line("NumPy: product, argpartition, argsort", theirs, f"recall {_recall(others, exact[:len(given)]):.3f}, {theirs / ours:.1f} x the time")
    again = [index.search(wanted, k, metric="ip", space=space, path=path) for space, path in (("serial", "quantized"), ("openmp", "brute_force"))]
    same = all(scores.tobytes() == other.tobytes() and ids.tobytes() == numbers.tobytes() for other, numbers in again)
    print(f"  one thread, all threads, other algorithms: {'the same bits' if same else 'OTHER BITS'}")
    return same and right


def _recall(found: Any, exact: Any) -> float:
    return float(sum(len(np.intersect1d(left, right)) for left, right in zip(found, exact, strict=True)) / exact.size)


def _graph() -> bool:
    edges = [line.split() for line in ASSOCIATIONS.replace("\n", " ").split(",")]
    names = sorted({name for source, target, _ in edges for name in (source, target)}, key=str.lower)
    number = {name: node for node, name in enumerate(names)}
    # Associations go both ways.
    ends = [(number[source], number[target], float(weight)) for source, target, weight in edges]
    sources, targets, weights = zip(*ends, *((target, source, weight) for source, target, weight in ends), strict=True)
    engine = pykindred.SpreadingEngine(len(names), sources, targets, np.array(weights, np.float32), names=names)
    print(f"\nA graph: what {len(names)} words and {len(sources)} associations bring to mind, from coffee and tea")
    query = {number["coffee"]: 1.0, number["tea"]: 1.0}
    spread = engine.spread([query], hops=4, decay=("exponential", 0.7), top=8, trace_paths=1)
    scores, nodes = spread[0]
    for position, (score, node) in enumerate(zip(scores, nodes, strict=True)):
        if node in query:
            continue
        path = spread.paths(position)[0]
        words = [names[path.steps[0].source], *(names[step.target] for step in path.steps)]
        print(f"  {names[node]:<12} {score:.3f} {'#' * round(20 * score):<20} {' -> '.join(words)}")
    alone = engine.spread([query], hops=4, decay=("exponential", 0.7), top=8, space="serial")[0]
    return nodes.tobytes() == alone[1].tobytes() and scores.tobytes() == alone[0].tobytes()
