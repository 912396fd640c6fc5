# SPDX-License-Identifier: Apache-2.0
"""The calls whose outputs have golden checksums: name → arguments, run in the folder of
`inputs`."""

MATCH = ["match", "--patterns", "patterns.jsonl", "--queries", "queries.jsonl"]
LINES = ["match", "--lines", "lines.txt", "--queries", "query_lines.txt"]
REPEATS = ["match", "--patterns", "repeats.jsonl", "--queries", "repeat_queries.jsonl", "--predict", "--threshold", "0.2"]
SEARCH = ["search", "--vectors", "vectors.npy", "--queries", "queries.npy"]
WIDE = ["search", "--vectors", "wide.npy", "--queries", "wide_queries.npy"]
SCORE = ["score", "--vectors", "vectors.npy", "--queries", "queries.npy", "--candidates", "candidates.jsonl"]
SPREAD = ["spread", "--graph", "graph.tsv", "--sources", "sources.jsonl"]

CASES = {
    "match lcs": MATCH,
    "match indel": MATCH + ["--measure", "indel", "--threshold", "0.4", "--top", "5"],
    "match lcs blocks": MATCH + ["--blocks", "--top", "20"],
    "match difflib": MATCH + ["--measure", "difflib", "--blocks"],
    "match difflib all": MATCH + ["--measure", "difflib", "--threshold", "0", "--top", "5000"],
    "match difflib high": MATCH + ["--measure", "difflib", "--threshold", "0.6", "--blocks"],
    "match characters": MATCH + ["--level", "character"],
    "match lines": LINES + ["--top", "30"],
    "match lines difflib": LINES + ["--measure", "difflib", "--blocks"],
    "match autojunk": MATCH + ["--level", "character", "--measure", "difflib", "--autojunk", "--blocks"],
    "match levenshtein": LINES + ["--measure", "levenshtein", "--threshold", "0.2"],
    "match osa": MATCH + ["--level", "character", "--measure", "osa"],
    "match prefix": LINES + ["--measure", "prefix", "--threshold", "0"],
    "match postfix": MATCH + ["--measure", "postfix", "--threshold", "0"],
    "match jaro-winkler": LINES + ["--measure", "jaro-winkler", "--threshold", "0.4"],
    "match jaro-winkler tokens": MATCH + ["--measure", "jaro-winkler", "--threshold", "0"],
    "match token-sort": LINES + ["--measure", "token-sort", "--threshold", "0.3"],
    "match token-set": MATCH + ["--measure", "token-set", "--threshold", "0.2"],
    "match self": ["match", "--patterns", "patterns.jsonl", "--self", "--threshold", "0.5"],
    "match self difflib": ["match", "--patterns", "patterns.jsonl", "--self", "--threshold", "0.4", "--top", "3", "--measure", "difflib", "--blocks"],
    "match clusters": ["match", "--patterns", "patterns.jsonl", "--self", "--threshold", "0.5", "--clusters", "single"],
    "match clusters complete": ["match", "--lines", "lines.txt", "--self", "--threshold", "0.4", "--measure", "difflib", "--clusters", "complete"],
    "predict": MATCH + ["--predict", "--top", "20", "--blocks"],
    "predict difflib": MATCH + ["--predict", "--measure", "difflib", "--threshold", "0.3", "--rank", "tfidf_score"],
    "predict repeats": REPEATS + ["--rank", "normalized_entropy", "--top", "300"],
    "predict affinities": REPEATS + ["--affinity", "affinities.jsonl", "--rank", "weighted_confidence", "--top", "100"],
    "search cosine": SEARCH,
    "search ip": SEARCH + ["--metric", "ip", "--top", "50"],
    "search l2": SEARCH + ["--metric", "l2", "--top", "100"],
    "search all rows": SEARCH + ["--top", "1200"],
    "search filter": SEARCH + ["--filter", "mask.npy", "--top", "60"],
    "search few": SEARCH + ["--filter", "few.npy", "--metric", "l2"],
    "search wide": WIDE + ["--top", "40"],
    "search wide l2": WIDE + ["--metric", "l2"],
    "score cosine": SCORE,
    "score ip": SCORE + ["--metric", "ip", "--top", "3"],
    "score l2": SCORE + ["--metric", "l2", "--top", "500"],
    "spread": SPREAD,
    "spread far": SPREAD + ["--hops", "7", "--decay", "constant:0.5", "--threshold", "0", "--top", "5000"],
    "spread power": SPREAD + ["--decay", "power:0.5", "--threshold", "0.02", "--top", "100"],
    "spread exponential": SPREAD + ["--hops", "6", "--decay", "exponential:0.3", "--threshold", "0.001", "--top", "2000"],
    "spread power far": SPREAD + ["--hops", "8", "--decay", "power:1.3", "--threshold", "0", "--top", "5000"],
    "spread linear decay": SPREAD + ["--decay", "linear:0.2"],
    "spread constant": SPREAD + ["--decay", "constant:0.3", "--threshold", "0.005", "--top", "1000"],
    "spread linear exponential": SPREAD + ["--mode", "linear", "--hops", "5", "--decay", "exponential:0.9", "--top", "5000"],
    "spread linear power": SPREAD + ["--mode", "linear", "--hops", "5", "--decay", "power:0.4", "--top", "5000"],
    "spread linear": SPREAD + ["--mode", "linear", "--top", "5000"],
    "spread signed": ["spread", "--graph", "signed.tsv", "--sources", "sources.jsonl", "--mode", "linear", "--top", "5000"],
    "spread pagerank": SPREAD + ["--mode", "pagerank", "--top", "5000"],
    "spread pagerank tight": SPREAD + ["--mode", "pagerank", "--damping", "0.5", "--tolerance", "1e-12"],
    "spread own": ["spread", "--graph", "graph.tsv", "--sources", "own_sources.jsonl", "--hops", "3", "--top", "300"],
    "spread mtx": ["spread", "--graph", "graph.mtx", "--sources", "mtx_sources.jsonl", "--top", "200"],
    "spread symmetric": ["spread", "--graph", "symmetric.mtx", "--sources", "mtx_sources.jsonl", "--decay", "constant:0.25", "--threshold", "0"],
}
# Files that a call writes in addition to stdout.
OUT_FILES = {"search files": SEARCH + ["--metric", "ip", "--filter", "mask.npy", "--top", "300", "--out-ids", "ids.npy", "--out-scores", "scores.npy"],
             "seeds forward": ["seeds", "forward", "--input", "seed_rows.npy", "--state", "seeds.json", "--weights", "seed_weights.npy",
                               "--out", "y.npy", "--out-telemetry", "telemetry.json"]}
OUT_FLAGS = ("--out-ids", "--out-scores", "--out", "--out-telemetry")
