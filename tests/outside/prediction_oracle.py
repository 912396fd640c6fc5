# SPDX-License-Identifier: Apache-2.0
"""KATO's predictions by their definitions (docs/guide/pattern-memory.md), implemented slowly:
difflib's blocks, RapidFuzz's ratios, dictionaries."""
import difflib
import math
from collections import Counter, defaultdict

from measures import lcs, ratio
from rapidfuzz import fuzz

FLOOR = 0.01
RANKS = ("potential", "similarity", "evidence", "confidence", "snr", "fragmentation", "frequency", "normalized_entropy", "global_normalized_entropy",
         "itfdf_similarity", "confluence", "predictive_information", "bayesian_posterior", "bayesian_prior", "bayesian_likelihood", "tfidf_score")
WEIGHTED = ("weighted_similarity", "weighted_evidence", "weighted_confidence", "weighted_snr")


def flatten(events):
    return [symbol for event in events for symbol in event]


class Memory:
    """Patterns as (name, events, frequency)."""

    def __init__(self, patterns):
        self.patterns = [(name, [event for event in events if event], frequency) for name, events, frequency in patterns]
        self.symbols = {symbol for _, events, _ in self.patterns for symbol in flatten(events)}
        self.containing = Counter(symbol for _, events, _ in self.patterns for symbol in set(flatten(events)))
        self.occurrences = Counter()
        for _, events, frequency in self.patterns:
            for symbol in flatten(events):
                self.occurrences[symbol] += frequency
        self.total = sum(frequency for _, _, frequency in self.patterns)

    def p(self, symbol):
        return self.containing[symbol] / len(self.patterns)

    def log(self, x):
        return math.log(x, len(self.symbols)) if len(self.symbols) > 1 else 0.0


def similarity(pattern, query, measure, level):
    a, b = flatten(pattern), flatten(query)
    if level == "character":
        a, b = " ".join(a), " ".join(b)
    return (ratio(autojunk=False) if measure == "difflib" else lcs)(a, b)


def segments(events, first, last):
    """Which events are past, present and future; the matched symbols are [first, last) of all
    symbols."""
    past, present, future, at = [], [], [], 0
    for event in events:
        begin, end = at, at + len(event)
        (past if end <= first else future if begin >= last else present).append(event)
        at = end
    return past, present, future


def divide(a, b):
    return a / b if b > 0 else 0.0


def evaluate(memory, index, query, threshold, measure, level, fuzzy, weights):
    """The fields of one pattern that do not depend on the others, or None."""
    name, events, frequency = memory.patterns[index]
    pattern, state = flatten(events), flatten(query)
    score = similarity(events, query, measure, level)
    if score < threshold:
        return None
    blocks = difflib.SequenceMatcher(None, pattern, state, autojunk=False).get_matching_blocks()[:-1]
    if not blocks and threshold > 0:
        return None
    if blocks:
        past, present, future = segments(events, blocks[0].a, blocks[-1].a + blocks[-1].size)
    else:
        past, present, future = [], events, []
    present_flat = flatten(present)
    anomalies = []
    if fuzzy > 0:
        nearest = {}
        for token in state:
            best = None
            for expected in pattern:
                ratio = 1.0 if token == expected else round(fuzz.ratio(token, expected) / 100 * (len(token) + len(expected))) / (len(token) + len(expected))
                if ratio >= fuzzy and (best is None or ratio > best[1]):
                    best = (expected, ratio)
            if best:
                nearest[token] = best
        matches = [token for token in state if token in nearest]
        unmatched = [token for token in state if token not in nearest]
        anomalies = [{"observed": token, "expected": nearest[token][0], "similarity": nearest[token][1]} for token in matches if nearest[token][0] != token]
        found = {nearest[token][0] for token in matches}
        extras = [[symbol for symbol in event if symbol not in nearest] for event in query]
    else:
        places = [j for block in blocks for j in range(block.b, block.b + block.size)]
        matches = [state[j] for j in places]
        unmatched = [state[j] for j in range(len(state)) if j not in set(places)]
        found = set(matches)
        extras = [[symbol for symbol in event if symbol not in set(present_flat)] for event in query]
    count, noise = len(matches), len(unmatched)
    fields = {
        "name": name, "index": index, "similarity": score, "frequency": frequency, "matches": matches, "past": past, "present": present, "future": future,
        "missing": [[symbol for symbol in event if symbol not in found] for event in present], "extras": extras, "anomalies": anomalies,
        "evidence": divide(count, len(pattern)), "confidence": divide(count, len(present_flat)), "fragmentation": len(blocks) - 1,
        "snr": divide(2 * count - noise, 2 * count + noise), "blocks": [list(block) for block in blocks]}
    counts = Counter(pattern)
    shares = [c / len(pattern) for c in counts.values()]
    fields["entropy"] = -sum(p * math.log2(p) for p in shares)
    fields["normalized_entropy"] = -sum(p * memory.log(p) for p in shares)
    fields["global_normalized_entropy"] = -sum(memory.p(symbol) * memory.log(memory.p(symbol)) for symbol in counts)
    total = len(memory.patterns)
    scores = [c / len(pattern) * (math.log2(total / max(1, int(memory.p(symbol) * total))) + 1) for symbol, c in counts.items()]
    fields["tfidf_score"] = divide(sum(scores), len(scores))
    fields["confluence"] = frequency / memory.total * (1 - math.prod(memory.p(symbol) for symbol in present_flat)) if present_flat else 0.0
    a = {symbol: c * memory.p(symbol) for symbol, c in Counter(present_flat).items()}
    b = {symbol: c * memory.p(symbol) for symbol, c in Counter(state).items()}
    norms = math.hypot(*a.values()) * math.hypot(*b.values())
    fields["_distance"] = 1 - divide(sum(value * b.get(symbol, 0) for symbol, value in a.items()), norms)
    if weights is not None:
        def weigh(symbols):
            return sum(weights.get(symbol, FLOOR) for symbol in symbols)
        fields["weighted_similarity"] = divide(2 * weigh(matches), weigh(state) + weigh(pattern))
        fields["weighted_evidence"] = divide(weigh(matches), weigh(pattern))
        fields["weighted_confidence"] = divide(weigh(matches), weigh(present_flat))
        fields["weighted_snr"] = divide(weigh(matches), weigh(matches) + weigh(unmatched))
    return fields


def predict(memory, query, threshold=0.1, rank="potential", top=None, measure="lcs", level="token", fuzzy=0.0, affinities=None, fast=False):
    """All predictions, best first, truncated to `top`."""
    query = [event for event in query if event]
    if not query:
        return []
    weights = None
    if affinities is not None:
        weights = {symbol: abs(value) / memory.occurrences[symbol] + FLOOR for symbol, value in affinities.items() if value and memory.occurrences[symbol]}
    if fast and len(flatten(query)) == 1:
        return fast_path(memory, query[0][0], measure, level, weights)[:top]
    found = [evaluate(memory, index, query, threshold, measure, level, fuzzy, weights) for index in range(len(memory.patterns))]
    found = [fields for fields in found if fields is not None]
    frequency = sum(fields["frequency"] for fields in found)
    likelihood = sum(fields["similarity"] * fields["frequency"] / frequency for fields in found)
    futures = defaultdict(float)

    def key(fields):
        return tuple(tuple(sorted(event)) for event in fields["future"])
    for fields in found:
        if fields["future"]:
            futures[key(fields)] += fields["similarity"] * fields["frequency"]
    for fields in found:
        prior = fields["frequency"] / frequency
        fields["itfdf_similarity"] = 1 - fields.pop("_distance") * prior
        fields["bayesian_prior"] = prior
        fields["bayesian_likelihood"] = fields["similarity"]
        fields["bayesian_posterior"] = divide(fields["similarity"] * prior, likelihood)
        share = divide(futures[key(fields)], sum(futures.values())) if fields["future"] else 0
        fields["predictive_information"] = divide(fields["similarity"] * prior, share) if fields["future"] else 0.0
        by = "weighted_" if weights is not None else ""
        cohesion = 0 if fields["fragmentation"] == -1 else 1 / (fields["fragmentation"] + 1)
        fields["potential"] = (fields[by + "evidence"] + fields[by + "confidence"]) * fields[by + "snr"] + fields["itfdf_similarity"] + cohesion
    found.sort(key=lambda fields: (-fields[rank], -fields["similarity"], fields["index"]))
    return found[:top]


def fast_path(memory, symbol, measure, level, weights):
    found = []
    for index, (name, events, frequency) in enumerate(memory.patterns):
        pattern = flatten(events)
        if not pattern or pattern[0] != symbol:
            continue
        fields = {"name": name, "index": index, "similarity": similarity(events, [[symbol]], measure, level), "frequency": frequency, "matches": [symbol],
                  "past": [], "present": [symbol], "future": pattern[1:], "missing": [], "extras": [], "anomalies": [], "evidence": 1 / len(pattern),
                  "confidence": 1.0, "fragmentation": 0, "snr": 1.0}
        evidence = fields["evidence"]
        if weights is not None:
            evidence = weights.get(symbol, FLOOR) / sum(weights.get(other, FLOOR) for other in pattern)
            fields["weighted_evidence"] = evidence
        fields["potential"] = evidence + 1 + 1
        found.append(fields)
    return sorted(found, key=lambda fields: (-fields["potential"], -fields["similarity"], fields["index"]))
