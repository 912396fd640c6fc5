# SPDX-License-Identifier: Apache-2.0
"""Generated inputs of medium size whose bytes depend only on this file: integers, and floats made
from integers."""
import json

import npy


class Generator:
    """A linear congruential generator (Knuth's MMIX constants), upper bits only."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit

    def skewed(self, limit):
        """Often small numbers, as symbol numbers are."""
        return self.below(self.below(limit) + 1)


def json_lines(path, records):
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")


def noisy(generator, tokens, vocabulary):
    """A copy with about a third of the tokens replaced or removed."""
    kept = [token if generator.below(5) else f"w{generator.skewed(vocabulary)}" for token in tokens]
    return [token for token in kept if generator.below(6)] or tokens[:1]


def sequences(folder):
    """patterns.jsonl (every form of record), queries.jsonl, and lines.txt and query_lines.txt in
    many scripts."""
    generator = Generator(1)
    patterns, texts = [], []
    for i in range(1500):
        length = generator.below(40) if i % 50 else generator.below(300)
        tokens = [f"w{generator.skewed(400)}" for _ in range(length)]
        record = {"name": f"p{i}"}
        if i % 3 == 0:
            record["tokens"] = tokens
        else:
            record["events"] = [tokens[j:j + 3] for j in range(0, length, 3)]
        patterns.append(record)
        texts.append(tokens)
    patterns.append({"name": "the same as p7", "tokens": texts[7]})
    patterns.append({"name": "empty", "events": []})
    queries = [{"name": f"q{i}", "tokens": noisy(generator, texts[37 * i] or ["w0"], 500)} for i in range(30)]
    queries.append({"name": "long", "events": [texts[50] + texts[100] + texts[150]]})
    queries.append({"name": "unknown", "tokens": ["nowhere", "to be", "found"]})
    queries.append({"name": "empty", "tokens": []})
    json_lines(folder / "patterns.jsonl", patterns)
    json_lines(folder / "queries.jsonl", queries)
    alphabet = "abcdefghij äöüß αβγδ жзик 一二三四 🙂🙃"
    lines = ["".join(alphabet[generator.below(len(alphabet))] for _ in range(generator.below(90))) for _ in range(800)]
    (folder / "lines.txt").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    (folder / "query_lines.txt").write_text("".join(lines[40 * i][: 5 + 4 * i] + "\n" for i in range(20)), encoding="utf-8")


def repeats(folder):
    """repeats.jsonl, repeat_queries.jsonl: symbols with chosen frequencies. The logarithms of these
    quotients, as of many others, are rounded differently by a C library (glibc 2.36) with and
    without fused operations."""
    generator = Generator(4)
    quotients = [(55, 57), (65, 74), (93, 98), (110, 114), (99, 116), (77, 120), (130, 141), (130, 148), (152, 159), (102, 161), (165, 171),
                 (155, 179), (185, 186), (63, 194), (186, 196)]
    quotients += [(1 + generator.below(99), 100 + generator.below(101)) for _ in range(285)]
    patterns = []
    for i, (count, length) in enumerate(quotients):
        tokens = ["often"] * count + [f"w{generator.skewed(2 + i % 40)}" for _ in range(length - count)]
        patterns.append({"name": f"{count} of {length}", "frequency": 1 + generator.below(9), "events": [tokens[j:j + 7] for j in range(0, length, 7)]})
    json_lines(folder / "repeats.jsonl", patterns)
    queries = [{"name": f"q{i}", "tokens": ["often"] * (20 + 30 * i) + ["w0", "w1", "nowhere"]} for i in range(3)]
    json_lines(folder / "repeat_queries.jsonl", queries)
    affinities = [{"symbol": "often", "affinity": -2.5}] + [{"symbol": f"w{i}", "affinity": (generator.below(200) - 100) / 7} for i in range(30)]
    json_lines(folder / "affinities.jsonl", affinities)


def number(generator):
    """A float32 made from an integer and a power of two, which is exact everywhere."""
    return (generator.below(2001) - 1000) * 2.0 ** (generator.below(12) - 14)


def vectors(folder):
    """vectors.npy with ties, zeros, NaN, infinities and extremes among its rows, queries.npy,
    mask.npy, candidates.jsonl; wide.npy, wide_queries.npy: rows longer than a block of a
    reproducible sum."""
    generator = Generator(2)
    count, dimension = 1200, 67
    rows = [[number(generator) for _ in range(dimension)] for _ in range(count)]
    for i in range(0, 200, 5):
        rows[i + 400] = list(rows[i])
    rows[11] = [0.0] * dimension
    rows[12] = [-0.0] * dimension
    rows[13][5] = float("nan")
    rows[14][6] = float("inf")
    rows[15] = [value * 2.0**120 for value in rows[16]]
    rows[17] = [value * 2.0**-126 for value in rows[18]]
    queries = [list(rows[i]) for i in (0, 16, 20, 18, 15)]
    queries += [[number(generator) for _ in range(dimension)] for _ in range(20)]
    queries.append([0.0] * dimension)
    queries.append([float("nan")] + [1.0] * (dimension - 1))
    flat = [value for row in rows for value in row]
    npy.write(folder / "vectors.npy", flat, (count, dimension))
    npy.write(folder / "queries.npy", [value for row in queries for value in row], (len(queries), dimension))
    npy.write(folder / "mask.npy", [int(i % 3 == 0 and i > 600) for i in range(count)], (count,), "|b1")
    npy.write(folder / "few.npy", [int(i in (3, 13, 700)) for i in range(count)], (count,), "|b1")
    lists = [[generator.below(count) for _ in range(generator.below(200))] for _ in queries]
    lists[3] = [9, 9, 9, 11, 12, 13, 14, 15]
    lists[4] = []
    json_lines(folder / "candidates.jsonl", [{"name": f"c{i}", "ids": ids} for i, ids in enumerate(lists)])
    wide = 8300
    npy.write(folder / "wide.npy", [number(generator) for _ in range(40 * wide)], (40, wide))
    npy.write(folder / "wide_queries.npy", [number(generator) for _ in range(3 * wide)], (3, wide))


def graphs(folder):
    """graph.tsv (weights in [0, 1], hubs, loops, parallel edges), signed.tsv, graph.mtx, sources.jsonl, own_sources.jsonl, mtx_sources.jsonl."""
    generator = Generator(3)
    nodes, edges = 2500, []
    for i in range(16000):
        source, target = generator.below(nodes), generator.skewed(nodes)
        if i % 40 == 0:
            target = 5  # a hub with hundreds of edges
        edges.append((source, target, (generator.below(1024) + 1) / 1024))
    edges += edges[:30]
    edges += [(i, i, 0.5) for i in range(10)]
    tsv = "".join(f"n{source}\tn{target}\t{weight!r}\n" for source, target, weight in edges)
    (folder / "graph.tsv").write_text(tsv)
    signed = "".join(f"n{s} n{t} {(generator.below(4001) - 2000) / 512!r}\n" for s, t, _ in edges)
    (folder / "signed.tsv").write_text(signed)
    entries = "".join(f"{s + 1} {t + 1} {w!r}\n" for s, t, w in edges)
    (folder / "graph.mtx").write_text(f"%%MatrixMarket matrix coordinate real general\n% generated\n{nodes + 7} {nodes + 7} {len(edges)}\n{entries}")
    symmetric = sorted({(max(s, t), min(s, t)) for s, t, _ in edges[:3000]})
    (folder / "symmetric.mtx").write_text(
        f"%%MatrixMarket matrix coordinate pattern symmetric\n{nodes} {nodes} {len(symmetric)}\n" + "".join(f"{s + 1} {t + 1}\n" for s, t in symmetric))
    queries, numbered = [], []
    for i in range(25):
        picked = [(generator.below(400) if i else 5, (generator.below(64) + 1) / 64) for _ in range(1 + i % 6)]
        if i == 4:
            picked += picked[:1]
        queries.append({"name": f"q{i}", "sources": [[f"n{edges[node][0]}", value] for node, value in picked]})
        numbered.append({"name": f"q{i}", "sources": [[str(edges[node][0] + 1), value] for node, value in picked]})
    json_lines(folder / "sources.jsonl", queries + [{"name": "none", "sources": []}])
    json_lines(folder / "mtx_sources.jsonl", numbered)
    own = [{}, {"hops": 1}, {"decay": "constant:0.5"}, {"threshold": 0.001, "hops": 5}]
    json_lines(folder / "own_sources.jsonl", [{**query, **own[i % len(own)]} for i, query in enumerate(queries)])


def seeds(folder):
    """seed_rows.npy, seed_weights.npy, seeds.json: every lifecycle state and every mode of applying
    a blueprint."""
    generator = Generator(5)
    rows, features, blueprints, count = 70, 96, 3, 11
    npy.write(folder / "seed_rows.npy", [number(generator) for _ in range(rows * features)], (rows, features))
    npy.write(folder / "seed_weights.npy", [number(generator) for _ in range(blueprints * features)], (blueprints, features))
    state = {"lifecycle": list(range(count)), "blueprint": [i % blueprints for i in range(count)],
             "mode": [("linear", "additive", "multiplicative", "mixed")[i % 4] for i in range(count)], "alpha": [i / 10 for i in range(count)]}
    (folder / "seeds.json").write_text(json.dumps(state))


def all_inputs(folder):
    sequences(folder)
    repeats(folder)
    vectors(folder)
    graphs(folder)
    seeds(folder)
