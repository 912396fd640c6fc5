#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of the documents: measurements from perf/results, engines from matcher/CMakeLists.txt.

Usage: make_pictures.py [--check]. Without --check it writes the SVG files of this folder; with it, it exits 1 if one differs.
"""
import json
import re
import sys
from pathlib import Path

from svg import Axes, Svg, legend

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
sys.path.insert(0, str(ROOT / "perf/results"))
import records  # noqa: E402

MICROSECONDS = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}


def rows(record, table):
    """The rows of one table of a record in perf/results."""
    with open(ROOT / "perf/results" / f"{record}.jsonl", encoding="utf-8") as file:
        return [row for row in map(json.loads, file) if row.get("table") == table]


def of_time(microseconds):
    return f"{microseconds:g} µs" if microseconds < 1000 else f"{microseconds / 1000:g} ms"


def crossovers():
    """Time per call over its size, on every space."""
    operations = (("lcs", "LCS: patterns of 100"), ("search", "search: rows of 768"), ("score", "re-ranking: candidates of 768"),
                  ("spread", "spread: edges"))
    _, measured = records.read("h200-16")
    svg = Svg(860, 640, "Time per call by size on one thread, sixteen threads and an H200")
    legend(svg, 70, 26, (("serial", 0), ("openmp, 2 to 16 threads", 1), ("cuda, H200", 2)))
    for index, (operation, title) in enumerate(operations):
        place = (70 + 420 * (index % 2), 70 + 295 * (index // 2), 340, 205)
        axes = Axes(svg, place, (1, 1e6), (1, 1e5))
        axes.frame(title, "items of a call", "", (1, 100, 1e4, 1e6), (1, 10, 100, 1e3, 1e4, 1e5), y_label=of_time)
        for style, space in enumerate(("serial", "openmp", "cuda")):
            points = measured["curve/" + operation, space]["points"]
            axes.curve([(size, 1e6 * seconds) for size, seconds in points if size <= 1e6 and seconds <= 0.1], style)
    return svg


def hnsw():
    """Recall and queries per second of one thread, compared with hnswlib."""
    svg = Svg(860, 360, "Queries per second by recall of HNSW indexes, compared with hnswlib")
    legend(svg, 70, 26, (("Kindred", 0), ("hnswlib 0.8.0", 3)))
    measured = rows("2026-11-21-cpu-hnsw", "rows")[1:] + rows("2026-11-21-cpu-hnsw-1m", "rows")
    for index, row in enumerate(measured):
        axes = Axes(svg, (70 + 420 * index, 70, 340, 220), (0.85, 1), (1000, 1e5), x_log=False)
        axes.frame(f"{row['rows']:,} rows × {row['dimension']}: queries/s", "recall@10", "", (0.85, 0.9, 0.95, 1),
                   (1000, 1e4, 1e5), x_label=lambda value: f"{value:g}")
        curve = row["search"][0]["curve"]
        for style, points in ((3, [point["hnswlib"] for point in curve]), (0, curve)):
            axes.curve([(point["recall"], point["per_second"]) for point in points if point["recall"] >= 0.85], style)
    return svg


def bars(svg, top, entries, most, label):
    """Horizontal bars: (name, value, style, note)."""
    left, width = 300, 430
    for index, (name, value, style, note) in enumerate(entries):
        y = top + 34 * index
        svg.text(left - 12, y + 15, name, "ink small", "end")
        svg.bar(left, y, max(2, width * value / most), 20, f"f{style}")
        svg.text(left + max(2, width * value / most) + 8, y + 15, label(value) + note, "soft small")
    return top + 34 * len(entries)


def sequences():
    """Speed of one thread relative to the fastest peer, logarithmic."""
    names = {"lcs-200": "LCS, vocabulary 200", "lcs-50000": "LCS, vocabulary 50,000", "difflib-0.6": "difflib, threshold 0.6",
             "difflib-none": "difflib, no threshold"}
    svg = Svg(860, 290, "Speed of sequence matching relative to the fastest peer, one thread")
    svg.text(20, 30, "Times as fast as the fastest peer, one thread, 100,000 patterns of 100 symbols (no threshold: 20,000)", "ink bold")
    axes = Axes(svg, (220, 60, 460, 160), (1, 1000), (0, 1), y_log=False)
    for tick in (1, 10, 100, 1000):
        x, _ = axes.at(tick, 0)
        svg.line(x, 52, x, 228, "grid")
        svg.text(x, 246, f"{tick} ×", "soft small", "middle")
    _, measured = records.read("epyc-2")
    for index, (name, title) in enumerate(names.items()):
        row = measured["peers/" + name, "serial"]
        ratio, y = row["ratio"], 64 + 42 * index
        x, _ = axes.at(ratio, 0)
        svg.text(208, y + 17, title, "ink", "end")
        svg.bar(220, y, x - 220, 24, "f0")
        svg.text(x + 8, y + 17, f"{ratio:.3g} × ({row['fastest_peer']})", "soft small")
    svg.text(220, 274, "logarithmic; 1 × is the peer itself", "soft small")
    return svg


def spreads():
    """Time of a small query by the number of edges that it touches (degree⁴)."""
    points = []
    for row in rows("2026-11-22-cpu-sweep-small-spreads", "benchmarks"):
        edges, nodes = map(float, re.search(r"edges:(\d+)/nodes:(\d+)", row["name"]).groups())
        points.append(((edges / nodes) ** 4, row["median_seconds"] * 1e6))
    svg = Svg(860, 350, "Time of a spread by the number of edges that it touches, one thread")
    axes = Axes(svg, (80, 60, 700, 220), (10, 2e6), (1, 1e5))
    axes.frame("Time of one query, one thread, three hops in a graph of 200,000 nodes", "edges touched", "",
               (10, 100, 1e3, 1e4, 1e5, 1e6), (1, 10, 100, 1e3, 1e4, 1e5), y_label=of_time)
    axes.curve(points[:-1], 0)
    axes.curve(points[-2:], 1, dashed=True)
    x, y = axes.at(*points[-1])
    svg.text(x - 12, y + 4, "complete hops: beyond the budget of a small query", "soft small", "end")
    return svg


def vectors():
    """Exact search of Kindred and inexact or slower forms of PyTorch on one H200."""
    peers = {(row["row"], row["peer"]): row.get("graph_milliseconds") or row["milliseconds"]
             for row in rows("2026-11-21-h200-peers-vectors", "measured")}
    ours = {row["row"]: row["seconds"] * 1e3 for row in rows("2026-11-21-h200-vectors", "rows")}
    # The rows of many queries are from a record that is text: the least of several runs.
    with open(ROOT / "perf/results/2026-11-21-h200-judged.jsonl", encoding="utf-8") as file:
        for match in re.finditer(r"(\d+) queries: best ([\d.]+) ms", file.read()):
            ours.setdefault(f"text-{match[1]}", float(match[2]))
    entries = (("1 query", ours["search-1"], "search-1", "mv and topk"), ("1,024 queries", ours["text-1024"], "search-1024", "mm and topk"),
               ("10,000 queries", ours["text-10000"], "search-10k", "mm and topk"))
    svg = Svg(860, 350, "Time of an exact search of a million rows on an H200, compared with PyTorch")
    legend(svg, 80, 26, (("Kindred, exact, host to host", 0), ("PyTorch float32, device to device", 1), ("PyTorch bfloat16, inexact", 3)))
    axes = Axes(svg, (80, 74, 740, 220), (0, 3), (0.1, 1000), x_log=False)
    axes.frame("Exact cosine top-100 of 1M rows × 768", "", "", (), (0.1, 1, 10, 100, 1000), y_label=lambda value: of_time(value * 1e3))
    for index, (name, own, row, form) in enumerate(entries):
        values = ((own, 0), (peers[row, f"cuBLAS {form}, fp32"], 1), (peers[row, f"cuBLAS {form}, bf16"], 3))
        for place, (value, style) in enumerate(values):
            x, y = axes.at(index + 0.18 + 0.22 * place, value)
            svg.bar(x, y, 42, 294 - y, f"f{style}")
            svg.text(x + 21, y - 6, f"{value:.3g} ms", "soft small", "middle")
        x, _ = axes.at(index + 0.5, 1)
        svg.text(x, 316, name, "ink", "middle")
    svg.text(80, 340, "logarithmic", "soft small")
    return svg


def memory():
    """Bytes per pattern by the number of distinct symbols."""
    entries = [(f"{row['vocabulary']:,} symbols", row["bytes"] / row["patterns"], 0, f"; ready to query in {row['seconds']:.2f} s")
               for row in rows("2026-11-21-cpu-sequence", "build")]
    svg = Svg(860, 190, "Bytes per stored pattern of 100 symbols by vocabulary")
    svg.text(20, 30, "Bytes per pattern of 100 symbols, by the number of distinct symbols (1M patterns)", "ink bold")
    bars(svg, 56, entries, 600, lambda value: f"{value:.0f} bytes")
    return svg


def house():
    """Folders and the directions of their dependencies."""
    text = (ROOT / "matcher/CMakeLists.txt").read_text(encoding="utf-8")
    engines = re.findall(r"^kindred_engine\((\w+)", text, re.M)
    svg = Svg(860, 620, "Folders of Kindred; each uses only what lies below it")
    svg.text(30, 32, "Each folder uses only what lies below it.", "soft")
    svg.box(30, 50, 250, 62, ("tools/", "the kindred command"))
    svg.box(305, 50, 250, 62, ("perf/", "kindred-perf"))
    svg.box(580, 50, 250, 62, ("examples/", "programs of the documents"))
    svg.add('<rect x="30" y="152" width="800" height="166" rx="8" class="strong"/>')
    svg.text(46, 176, "matcher/", "ink bold")
    svg.text(120, 176, "the engines, one folder and one target each; a line of its CMakeLists.txt names only lines above it", "soft small")
    for index, engine in enumerate(engines):
        svg.box(46 + 97 * (index % 8), 192 + 58 * (index // 8), 90, 48, (engine,))
    svg.box(30, 358, 560, 74, ("backends/", "Context, spaces, dispatcher, profiles"), "strong")
    svg.box(640, 358, 190, 74, ("backends/vendor/", "matrix products of libraries"))
    svg.box(30, 472, 380, 62, ("memory/", "budgets, buffers, split and retry"), "strong")
    svg.box(450, 472, 380, 62, ("core/", "kernels: Views in, Views out"), "strong")
    svg.box(30, 566, 800, 40, ("Kokkos",))
    for x in (155, 430, 705):
        svg.arrow((x, 112), (x, 150))
    svg.arrow((310, 318), (310, 356))
    svg.arrow((735, 318), (735, 356))
    svg.arrow((220, 432), (220, 470))
    svg.arrow((520, 432), (520, 470))
    svg.arrow((735, 432), (735, 470))
    svg.arrow((410, 503), (448, 503))
    svg.arrow((640, 534), (640, 564))
    svg.text(725, 343, "vector, layers, bulk", "soft small", "end")
    return svg


def call():
    """What happens between a call of an engine and its result."""
    svg = Svg(860, 690, "The path of a call from the program through the dispatcher to the kernels and back, and of a change")
    svg.box(30, 30, 180, 60, ("program", "index.search(queries)"))
    steps = (("snapshot", "the data of the whole call; no lock"), ("checks", "every argument, before any launch"),
             ("dispatcher", "serial, openmp, cuda: the least time"), ("lease", "an instance and a workspace"),
             ("kernels", "in parts, on the instance of the space"), ("results", "its instance is fenced; total order"))
    for i, step in enumerate(steps):
        svg.box(300, 30 + 110 * i, 250, 60, step, "strong")
        if i > 0:
            svg.arrow((425, 110 * i - 20), (425, 110 * i + 28))
    svg.arrow((210, 60), (298, 60))
    svg.box(640, 140, 190, 60, ("InvalidArgument", "nothing has changed"))
    svg.arrow((550, 170), (638, 170))
    svg.box(640, 250, 190, 60, ("cost curves", "priors, calibration"))
    svg.arrow((638, 280), (552, 280))
    svg.box(640, 415, 190, 60, ("next best space", "or half of the batch"))
    svg.arrow((550, 500), (735, 500), (735, 477))
    svg.text(602, 518, "OutOfMemory, DeviceLost", "soft small")
    svg.arrow((638, 445), (595, 445), (595, 390), (552, 390))
    svg.arrow((300, 515), (212, 515))
    svg.text(212, 500, "may be cancelled", "soft small")
    svg.box(30, 470, 180, 60, ("Cancelled", "between parts"))
    svg.box(30, 580, 180, 60, ("result", "ids, scores, record"))
    svg.arrow((300, 610), (212, 610))
    svg.arrow((550, 610), (848, 610), (848, 280), (832, 280))
    svg.text(640, 602, "time taken: observed", "soft small")
    svg.box(30, 140, 180, 60, ("change: publish", "replaces the snapshot"))
    svg.box(30, 250, 180, 60, ("change: build", "beside; writers' lock"))
    svg.arrow((120, 250), (120, 202))
    svg.arrow((210, 165), (255, 165), (255, 78), (298, 78))
    return svg


PICTURES = (crossovers, hnsw, sequences, spreads, vectors, memory, house, call)


def main(check):
    wrong = 0
    for draw in PICTURES:
        path, text = FOLDER / f"{draw.__name__}.svg", str(draw())
        if not check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path.name} is not what docs/pictures/make_pictures.py draws")
            wrong += 1
    print(f"{len(PICTURES)} pictures, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv))
