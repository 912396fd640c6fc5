# SPDX-License-Identifier: Apache-2.0
"""Finds the names that were meant by names with typing errors, among a million, beside RapidFuzz and difflib.

    python fuzzy_names.py --size 1000000 --picture fuzzy_names.png

Prints a table of times, and of the share of the names that each measure finds. The same size gives the same names on every machine.
RapidFuzz is skipped where it is not installed, and the picture where Matplotlib is not.
"""
from __future__ import annotations

import argparse
import difflib
import importlib
import random
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import pykindred
from pykindred import fuzz, process

GIVEN = ("Adam Agnes Alice Anna Anton Bella Bruno Carl Carmen Clara David Diana Elena Emil Emma Erik Eva Felix Frida Georg Greta Hanna Hugo "
         "Ida Igor Ines Ivan Jan Julia Karin Klara Lars Laura Leo Lina Lukas Maria Marta Max Mila Nadia Nina Olga Oscar Otto Paula Peter Petra "
         "Rita Robert Rosa Sara Simon Sofia Stefan Tamara Tilda Viktor Vera Walter").split()
BEGIN = "Ba Be Bra Da Do Fer Ga Gra Ha Hol Jan Ka Kel Lar Lin Ma Mor Na Nor O Pe Pet Ra Ros Sa Schu Ste Ta Tor Va Vin Wal Wil Za".split()
MIDDLE = "n r l ler man ber den ger ri ro ti va ssi ck lo mi no sta".split()
END = "son sen mann er ez ini ova ski ton berg ley ard ers i o a feld wood stein ic".split()
KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
MEASURES = ("lcs", "levenshtein", "osa", "jaro-winkler")
ERRORS = (1, 2, 3, 4)


class Row(NamedTuple):
    """A row of the table."""

    call: str
    threads: int
    seconds: float  # per name
    found: list[str | None]


def names_of(size: int) -> list[str]:
    """Different names, the same ones on every machine."""
    chance = random.Random(1)
    names: dict[str, None] = {}
    while len(names) < size:
        middle = chance.choices(MIDDLE, k=chance.randint(1, 3))
        names[f"{chance.choice(GIVEN)} {chance.choice(BEGIN)}{''.join(middle)}{chance.choice(END)}"] = None
    return list(names)


def mistyped(name: str, errors: int, chance: random.Random) -> str:
    """The name with typing errors: two letters swapped, one missing, one doubled, or the key beside it."""
    letters = list(name)
    for _ in range(errors):
        at = chance.randrange(len(letters) - 1)
        kind = chance.randrange(4)
        if kind == 0:
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
        elif kind == 1:
            del letters[at]
        elif kind == 2:
            letters.insert(at, letters[at])
        else:
            row = next((row for row in KEYBOARD if letters[at].lower() in row), "bn")  # a space is above b and n
            column = row.find(letters[at].lower())
            letters[at] = row[column - 1 if column > 0 else 1]
    return "".join(letters)


def timed(call: str, threads: int, run: Callable[[], list[str | None]]) -> Row:
    began = time.perf_counter()
    found = run()
    return Row(call, threads, (time.perf_counter() - began) / len(found), found)


def choice_of(result: Any) -> str | None:
    return None if result is None else result[0]


def compare(names: list[str], queries: list[str], matcher: pykindred.SequenceMatcher) -> list[Row]:
    """The best name of each query, by several libraries."""
    def matched(space: str | None) -> list[str | None]:
        found = matcher.match(queries, measure="lcs", threshold=0.5, top=1, space=space)
        return [names[int(ids[0])] if len(ids) else None for _, ids in found]

    threads = pykindred.default_context().threads
    choices = process.Choices(names)
    rows = [timed("pykindred: SequenceMatcher.match", 1, lambda: matched("serial"))]
    if threads > 1:
        rows.append(timed("pykindred: SequenceMatcher.match", threads, lambda: matched("openmp")))
    rows.append(timed("pykindred: process.extractOne", threads, lambda: [choice_of(process.extractOne(query, choices, scorer=fuzz.ratio)) for query in queries]))
    try:
        rapidfuzz = importlib.import_module("rapidfuzz")
    except ImportError:
        print("RapidFuzz is not installed")
    else:
        rows.append(timed("RapidFuzz: process.extractOne", 1, lambda: [
            choice_of(rapidfuzz.process.extractOne(query, names, scorer=rapidfuzz.fuzz.ratio)) for query in queries]))
    # difflib would take minutes: it compares one query with a part of the names, and the time is multiplied.
    part = max(1, len(names) // 100)
    row = timed("difflib: get_close_matches", 1, lambda: [next(iter(difflib.get_close_matches(queries[0], names[:part], n=1)), None)])
    rows.append(row._replace(call=f"{row.call} (from {part:,} names)", seconds=row.seconds * len(names) / part, found=[]))
    return rows


def shares_found(originals: list[str], names: list[str], matcher: pykindred.SequenceMatcher) -> dict[str, list[float]]:
    """For each measure the share of the originals that are the best match, by the number of typing errors."""
    shares: dict[str, list[float]] = {measure: [] for measure in MEASURES}
    for errors in ERRORS:
        chance = random.Random(errors)
        queries = [mistyped(name, errors, chance) for name in originals]
        for measure in MEASURES:
            best = matcher.match(queries, measure=measure, threshold=0.5, top=1)
            right = sum(len(ids) > 0 and names[int(ids[0])] == original for original, (_, ids) in zip(originals, best, strict=True))
            shares[measure].append(right / len(originals))
    return shares


def draw(path: str, size: int, rows: list[Row], shares: dict[str, list[float]]) -> None:
    try:
        matplotlib = importlib.import_module("matplotlib")
    except ImportError:
        print("Matplotlib is not installed: there is no picture")
        return
    matplotlib.use("Agg")
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2), width_ratios=(3, 2), layout="constrained")
    labels: list[str] = []
    for row in rows:
        library, call = row.call.partition(" (")[0].split(": ")
        labels.append(f"{call}\n{library}, {row.threads} thread{'s' if row.threads > 1 else ''}")
    milliseconds = [row.seconds * 1000 for row in rows]
    bars = left.barh(labels, milliseconds, color=["#3f51b5" if row.call.startswith("pykindred") else "#9e9e9e" for row in rows])
    left.bar_label(bars, [f"{value:,.3g} ms" if value < 1000 else f"{value / 1000:,.3g} s" for value in milliseconds], padding=4)
    left.set(xscale="log", xlim=(min(milliseconds) / 10, max(milliseconds) * 8), xlabel="milliseconds per name, less is better")
    left.set_title(f"The best of {size:,} names for one with typing errors", loc="left")
    left.invert_yaxis()
    for (measure, share), color, marker in zip(shares.items(), ("#3f51b5", "#e69f00", "#009e73", "#cc79a7"), "osD^", strict=True):
        right.plot(ERRORS, [100 * value for value in share], color=color, marker=marker, label=measure)
    right.set(xticks=ERRORS, ylim=(0, 105), xlabel="typing errors per name", ylabel="%")
    right.set_title("Found as the best match", loc="left")
    right.grid(axis="y", alpha=0.3)
    right.legend(title="measure", frameon=False, loc="lower left", alignment="left")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser(description="Fuzzy matching of names, beside RapidFuzz and difflib")
    parser.add_argument("--size", type=int, default=1_000_000, help="number of names")
    parser.add_argument("--queries", type=int, default=60, help="names with typing errors, for each number of errors")
    parser.add_argument("--picture", default="fuzzy_names.png", help="the file to draw")
    arguments = parser.parse_args()

    names = names_of(arguments.size)
    originals = random.Random(2).sample(names, min(arguments.queries, len(names)))
    chance = random.Random(3)
    queries = [mistyped(name, chance.randint(1, 3), chance) for name in originals]
    matcher = pykindred.SequenceMatcher(names)

    rows = compare(names, queries, matcher)
    print(f"The best of {len(names):,} names for each of {len(queries)} names with 1 to 3 typing errors, such as {queries[0]!r} for {originals[0]!r}\n")
    print(f"{'call':60}{'threads':>8}{'ms per name':>13}  result")
    for row in rows:
        result = "the same names" if row.found == rows[0].found else "not compared" if not row.found else "other names"
        print(f"{row.call:60}{row.threads:>8}{row.seconds * 1000:>13,.2f}  {result}")
    shares = shares_found(originals, names, matcher)
    print(f"\n{'found as the best match, typing errors:':40}" + "".join(f"{errors:>8}" for errors in ERRORS))
    for measure, share in shares.items():
        print(f"  {measure:38}" + "".join(f"{value:>8.0%}" for value in share))
    draw(arguments.picture, len(names), rows, shares)


if __name__ == "__main__":
    main()
