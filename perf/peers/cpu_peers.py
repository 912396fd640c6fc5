#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Alternative libraries for the same work on a CPU, each used in its fastest way. Started by `kindred-perf peers`."""
import difflib
import itertools

from protocol import Peer, serve


def top(scores, k):
    """The k best, best first, computed in the fastest way."""
    import numpy as np

    best = np.argpartition(-scores, k - 1)[:k]
    return best[np.argsort(-scores[best], kind="stable")]


def lcs(job):
    """RapidFuzz with each input type: a str with one code point per symbol is the fastest, a list is common in programs."""
    import numpy as np
    from rapidfuzz import process
    from rapidfuzz.distance import Indel, LCSseq

    patterns, query, workers = job.array("patterns"), job.array("query"), job["threads"]
    base = 0 if job["vocabulary"] <= 256 else 0x100
    text = lambda row: "".join(map(chr, (row + base).tolist()))
    forms = {"str": ([text(row) for row in patterns], text(query)), "list": (patterns.tolist(), query.tolist())}
    peers = []
    for form, (choices, wanted) in forms.items():
        peers.append(
            Peer(
                f"RapidFuzz cdist, {form}",
                lambda choices=choices, wanted=wanted: process.cdist(
                    [wanted], choices, scorer=LCSseq.similarity, workers=workers, dtype=np.int32
                ),
                lambda result: (None, result[0]),
            )
        )
    choices, wanted = forms["str"]
    peers.append(
        Peer(
            "RapidFuzz extract top-100, str",
            lambda: process.extract(wanted, choices, scorer=Indel.normalized_similarity, score_cutoff=0.1, limit=100),
            lambda result: ([index for _, _, index in result], [score for _, score, _ in result]),
        )
    )
    return peers


def strings(job):
    """RapidFuzz's measures of texts of one length. `cdist` computes several of its first texts at once with SIMD, so it is called in both directions."""
    import numpy as np
    from rapidfuzz import fuzz, process
    from rapidfuzz.distance import OSA, Indel, JaroWinkler, Levenshtein, Postfix, Prefix

    modules = {
        "indel": Indel, "levenshtein": Levenshtein, "osa": OSA, "jaro-winkler": JaroWinkler, "prefix": Prefix, "postfix": Postfix
    }
    ratios = {"token-sort": fuzz.token_sort_ratio, "token-set": fuzz.token_set_ratio}
    measure, k, workers = job["measure"], job["top"], job["threads"]
    module = modules.get(measure)
    similarity, scale = (module.normalized_similarity, 1) if module else (ratios[measure], 100)
    choices, wanted = ([bytes(row).decode() for row in job.array(name)] for name in ("patterns", "queries"))

    def best(matrix):
        """The k largest similarities of each row, largest first."""
        return None, -np.sort(-matrix, axis=1)[:, :k] / scale

    def from_distances(matrix):
        longest = len(choices[0]) + len(wanted[0]) if measure == "indel" else max(len(choices[0]), len(wanted[0]))
        return best(1 - matrix / longest)

    def matrix(scorer, dtype, swapped, **options):
        first, second = (choices, wanted) if swapped else (wanted, choices)
        return process.cdist(first, second, scorer=scorer, dtype=dtype, workers=workers, **options)

    def extract():
        return [process.extract(query, choices, scorer=similarity, score_cutoff=0, limit=k) for query in wanted]

    def extracted(lists):
        return [index for found in lists for _, _, index in found], [score / scale for found in lists for _, score, _ in found]

    peers = []
    for swapped, name in ((False, "RapidFuzz cdist"), (True, "RapidFuzz cdist, swapped")):
        turned = lambda result, swapped=swapped: result.T if swapped else result
        peers.append(
            Peer(
                name,
                lambda swapped=swapped: matrix(similarity, np.float32, swapped, score_cutoff=0),
                lambda result, turned=turned: best(turned(result)),
            )
        )
        if module not in (None, JaroWinkler):  # the others' distances are integers
            peers.append(
                Peer(
                    name + ", distances",
                    lambda swapped=swapped: matrix(module.distance, np.uint8, swapped),
                    lambda result, turned=turned: from_distances(turned(result)),
                )
            )
    peers.append(Peer(f"RapidFuzz extract top-{k}", extract, extracted))
    return peers


def difflib_exact(job):
    """The query is the second sequence, which is indexed once, and the quick filters run first, as difflib recommends."""
    import cydifflib

    patterns, query, threshold = job.array("patterns").tolist(), job.array("query").tolist(), job["threshold"]

    def scan(module):
        matcher = module.SequenceMatcher(None, "", query, autojunk=False)
        found = []
        for index, pattern in enumerate(patterns):
            matcher.set_seq1(pattern)
            if threshold and (matcher.real_quick_ratio() < threshold or matcher.quick_ratio() < threshold):
                continue
            ratio = matcher.ratio()
            if ratio >= threshold:
                found.append((index, ratio))
        return found

    answer = lambda found: ([index for index, _ in found], [ratio for _, ratio in found])
    return [
        Peer("cydifflib", lambda: scan(cydifflib), answer),
        Peer("Python difflib", lambda: scan(difflib), answer),
    ]


def unit_rows(rows):
    import numpy as np

    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def search(job):
    """Cosine similarity of rows that were normalised beforehand: less work than ours, which does not change the rows."""
    import faiss
    import numpy as np

    faiss.omp_set_num_threads(job["threads"])
    rows, queries, k = unit_rows(job.array("rows")), unit_rows(job.array("queries")), job["top"]
    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows)
    rows = faiss.rev_swig_ptr(index.get_xb(), rows.size).reshape(rows.shape)  # one copy for both
    options, hidden = {}, None
    if "filter" in job["arrays"]:
        passes = job.array("filter").astype(bool)
        bits = np.packbits(passes, bitorder="little")
        options["params"] = faiss.SearchParameters(sel=faiss.IDSelectorBitmap(bits))
        hidden = np.flatnonzero(~passes)

    def with_numpy():
        scores = queries @ rows.T
        if hidden is not None:
            scores[:, hidden] = -np.inf
        ids = np.stack([top(line, k) for line in scores])
        return np.take_along_axis(scores, ids, 1), ids

    answer = lambda result: (result[1].ravel(), result[0].ravel())
    return [
        Peer("FAISS flat", lambda: index.search(queries, k, **options), answer),
        Peer("NumPy", with_numpy, answer),
    ]


def score(job):
    """One list of rows per call; the lists rotate, so that their rows do not stay in the caches."""
    rows, query, k = unit_rows(job.array("rows")), unit_rows(job.array("queries"))[0], job["top"]
    lists = itertools.cycle(job.array("ids"))

    def run():
        ids = next(lists)
        scores = rows[ids] @ query
        best = top(scores, k)
        return ids[best], scores[best]

    return [Peer("NumPy gather + matvec", run, lambda result: result)]


def row_scores(job):
    """Rows that no index keeps: their norms are computed in every call."""
    import numpy as np

    rows, query, k = job.array("rows"), job.array("queries")[0], job["top"]

    def cosines():
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        return rows @ query / (norms * np.sqrt(query @ query))

    def best():
        scores = cosines()
        ids = top(scores, k)
        return ids, scores[ids]

    if job["kind"] == "top_rows":
        return [Peer("NumPy", best, lambda result: result)]
    return [Peer("NumPy", cosines, lambda scores: (None, scores))]


def transpose(job):
    import numpy as np
    import scipy.sparse as sparse

    source, target, weight, nodes = job.array("from"), job.array("to"), job.array("weight"), job["nodes"]
    return sparse.csr_matrix((weight, (target.astype(np.int32), source.astype(np.int32))), shape=(nodes, nodes))


def hop(job):
    matrix, x = transpose(job), job.array("x")
    name = "SciPy CSR @ vector" if x.ndim == 1 else "SciPy CSR @ matrix"
    return [Peer(name, lambda: matrix @ x, lambda result: (None, result.ravel()))]


def pagerank(job):
    import igraph
    import numpy as np

    edges = np.stack([job.array("from"), job.array("to")], axis=1)
    graph = igraph.Graph(n=job["nodes"], edges=edges, directed=True)
    graph.es["weight"] = job.array("weight").tolist()

    def run():
        values = np.array(
            graph.personalized_pagerank(damping=job["damping"], reset_vertices=job["source"], weights="weight")
        )
        best = top(values, job["top"])
        return best, values[best]

    return [Peer("igraph personalized_pagerank", run, lambda result: result)]


def linear(job):
    import numpy as np

    matrix, start, decay, k = transpose(job), np.zeros((job["nodes"], job["queries"]), np.float32), job["decay"], job["top"]
    for (query, node), value in zip(job.array("sources"), job.array("values")):
        start[node, query] += value

    def run():
        x, total = start, start.copy()
        for factor in decay:
            x = (matrix @ x) * np.float32(factor)
            total += x
        columns = np.ascontiguousarray(total.T)
        return [(line[best], best) for line in columns for best in [top(line, k)]]

    return [
        Peer(
            "SciPy CSR @ matrix",
            run,
            lambda result: (np.concatenate([ids for _, ids in result]), np.concatenate([v for v, _ in result])),
        )
    ]


def small_spread(job):
    """One query that reaches few nodes: SciPy with sparse rows, and with slices of the rows of the frontier."""
    import numpy as np
    import scipy.sparse as sparse

    matrix, decay, k, nodes = transpose(job).T.tocsr(), job["decay"], job["top"], job["nodes"]
    source, value = int(job.array("sources")[0][1]), np.float32(job.array("values")[0])
    start = sparse.csr_matrix(([value], ([0], [source])), shape=(1, nodes), dtype=np.float32)
    offsets, targets, weights = matrix.indptr, matrix.indices, matrix.data

    def best(ids, values):
        ids, at = np.unique(ids, return_inverse=True)
        totals = np.bincount(at, weights=values)
        order = np.lexsort((ids, -totals))[:k]
        return ids[order], totals[order]

    def by_products():
        x, found = start, [start]
        for factor in decay:
            x = (x @ matrix) * np.float32(factor)
            found.append(x)
        return best(np.concatenate([x.indices for x in found]), np.concatenate([x.data for x in found]))

    def by_slices():
        ids, values = np.array([source]), np.array([value])
        all_ids, all_values = [ids], [values]
        for factor in decay:
            counts = offsets[ids + 1] - offsets[ids]
            ends = np.cumsum(counts)
            edges = np.arange(ends[-1] if len(ends) else 0) + np.repeat(offsets[ids] - ends + counts, counts)
            terms = np.repeat(values, counts) * weights[edges] * np.float32(factor)
            ids, at = np.unique(targets[edges], return_inverse=True)
            values = np.bincount(at, weights=terms, minlength=len(ids)).astype(np.float32)
            all_ids.append(ids)
            all_values.append(values)
        return best(np.concatenate(all_ids), np.concatenate(all_values))

    return [
        Peer("SciPy CSR row @ CSR", by_products, lambda result: result),
        Peer("NumPy slices of CSR rows", by_slices, lambda result: result),
    ]


def hnswlib_index(job):
    import hnswlib

    rows = job.array("rows")
    index = hnswlib.Index(space=job["space"], dim=rows.shape[1])
    index.init_index(len(rows), M=job["m"], ef_construction=job["ef_construction"], random_seed=1)
    index.set_num_threads(job["threads"])
    index.add_items(rows)
    return index


def hnsw_build(job):
    return [Peer("hnswlib", lambda: hnswlib_index(job), lambda _: (None, []))]


def hnsw_search(job):
    """The search with the least ef that finds as many of the nearest rows as ours."""
    index, queries, truth, k = hnswlib_index(job), job.array("queries"), job.array("truth"), job["top"]

    def search(ef, threads):
        index.set_ef(ef)
        return index.knn_query(queries, k=k, num_threads=threads)

    def recall(ids):
        return sum(len(set(found) & set(nearest)) for found, nearest in zip(ids.tolist(), truth.tolist())) / truth.size

    low, high = k - 1, k
    while high < 4096 and recall(search(high, 0)[0]) < job["recall"]:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if recall(search(middle, 0)[0]) >= job["recall"] else (middle, high)
    return [
        Peer(
            f"hnswlib, ef {high}",
            lambda: search(high, job["threads"]),
            lambda result: (result[0].ravel(), result[1].ravel()),
        )
    ]


def samples(y, count):
    return y.ravel()[:: max(1, y.size // count)]


def seed(job):
    """A constant state amounts to two vectors: y = t·x + c. A NumPy program stores its statistics of x in float32."""
    import numpy as np

    x, t, c, begins = job.array("rows"), job.array("t"), job.array("c"), job.array("begins")
    y = np.empty_like(x)
    counts = np.diff(np.append(begins, x.shape[1])) * len(x)

    def run():
        np.multiply(x, t, out=y)
        np.add(y, c, out=y)
        if not job["telemetry"]:
            return []
        mean = np.add.reduceat(x.sum(0), begins) / counts
        squares = np.add.reduceat(np.einsum("ij,ij->j", x, x), begins) / counts
        dead = np.add.reduceat(np.count_nonzero(np.abs(x) < 1e-8, axis=0), begins) / counts
        least, most = np.minimum.reduceat(x.min(0), begins), np.maximum.reduceat(x.max(0), begins)
        return [mean, squares - mean * mean, least, most, dead]

    answer = lambda told: (None, np.concatenate([samples(y, job["sampled"]), *told]))
    return [Peer("NumPy" if job["element"] == "float32" else "NumPy, float32", run, answer)]


def seed_update(job):
    import numpy as np

    seeds, values = job.array("seeds"), {name: job.array(name) for name in ("lifecycle", "mode", "alpha")}
    lifecycle, mode = np.zeros(job["count"], np.int8), np.zeros(job["count"], np.int8)
    epochs, alpha = np.zeros(job["count"], np.int16), np.zeros(job["count"], np.float32)

    def run():
        lifecycle[seeds] = values["lifecycle"]
        epochs[seeds] = 0
        mode[seeds] = values["mode"]
        alpha[seeds] = values["alpha"]

    return [Peer("NumPy", run, lambda _: (None, lifecycle[seeds]))]


def gelu(z):
    """In place."""
    import numpy as np
    from scipy.special import erf

    g = erf(z * np.float32(0.70710678))
    g += 1
    g *= 0.5
    z *= g
    return z


def norm(job):
    import numpy as np

    x, gamma, beta = job.array("rows"), job.array("gamma"), job.array("beta")

    def run():
        mean = x.mean(1, keepdims=True)
        z = x - mean
        z *= 1 / np.sqrt(np.einsum("ij,ij->i", z, z)[:, None] / np.float32(x.shape[1]) + np.float32(1e-5))
        z *= gamma
        z += beta
        return gelu(z)

    return [
        Peer(
            "NumPy and SciPy" + ("" if job["element"] == "float32" else ", float32"),
            run,
            lambda y: (None, samples(y, job["sampled"])),
        )
    ]


def linear_gelu(job):
    x, weights, bias = job.array("rows"), job.array("weights"), job.array("gamma")
    return [
        Peer("NumPy and SciPy", lambda: gelu(x @ weights.T + bias), lambda y: (None, samples(y, job["sampled"])))
    ]


def lattice_graph(job):
    """Its first dimension varies fastest, so nodes are numbered differently; only results that do not depend on this are compared."""
    import igraph

    return igraph.Graph.Lattice([job["size"]] * job["dimensions"], circular=False)


def lattice_build(job):
    return [Peer("igraph Lattice", lambda: lattice_graph(job), lambda graph: (None, graph.degree()))]


def lattice_measure(job):
    graph = lattice_graph(job)

    def run():
        return [
            float(graph.is_connected()),
            graph.diameter(),
            2 * graph.ecount() / graph.vcount(),
            graph.transitivity_avglocal_undirected(mode="zero"),
            graph.density(),
        ]

    return [Peer("igraph", run, lambda values: (None, values))]


def lattice_path(job):
    import numpy as np

    graph, blocked = lattice_graph(job), job.array("blocked")
    size, dimensions = job["size"], job["dimensions"]
    powers = size ** np.arange(dimensions)
    mirror = lambda nodes: (nodes[..., None] // powers % size) @ powers[::-1]
    kept = np.ones(size**dimensions, bool)
    kept[mirror(blocked)] = False
    names = np.cumsum(kept) - 1  # of the remaining nodes
    graph = graph.induced_subgraph(np.flatnonzero(kept).tolist())
    pairs = names[mirror(job.array("pairs"))].tolist()
    return [
        Peer(
            "igraph get_shortest_path",
            lambda: [len(graph.get_shortest_path(source, to)) for source, to in pairs],
            lambda lengths: (None, lengths),
        )
    ]


def bulk_xor(job):
    """NumPy's xor, and a copy that moves as many bytes: an xor of n bytes reads 2 n and writes n."""
    import numpy as np

    a, key = job.array("a"), job.array("key")
    out = np.empty_like(a)
    many = np.resize(a, len(a) // 2 * 3)
    copied = np.empty_like(many)
    return [
        Peer("NumPy xor", lambda: np.bitwise_xor(a, key, out=out), lambda result: (None, samples(result, 1000))),
        Peer("NumPy copy", lambda: np.copyto(copied, many), lambda result: (None, [])),
    ]


def bulk_integer_sum(job):
    values = job.array("values")
    return [Peer("NumPy sum", values.sum, lambda result: (None, [float(result)]))]


def bulk_products(job, stacked):
    import numpy as np

    a, b = job.array("a"), job.array("b")
    out = np.empty_like(a)

    def loop():
        for i in range(len(a)):
            np.matmul(a[i], b[i], out=out[i])
        return out

    name, run = ("NumPy stacked", lambda: np.matmul(a, b, out=out)) if stacked else ("NumPy loop", loop)
    return [Peer(name, run, lambda result: (None, samples(result, 1000)))]


if __name__ == "__main__":
    serve(
        {
            "lcs": (["rapidfuzz"], lcs),
            "strings": (["rapidfuzz"], strings),
            "difflib": (["cydifflib"], difflib_exact),
            "search": (["faiss"], search),
            "score": ([], score),
            "row_scores": ([], row_scores),
            "top_rows": ([], row_scores),
            "hop": (["scipy"], hop),
            "linear": (["scipy"], linear),
            "small_spread": (["scipy"], small_spread),
            "pagerank": (["igraph"], pagerank),
            "seed": ([], seed),
            "seed_update": ([], seed_update),
            "norm": (["scipy"], norm),
            "linear_gelu": (["scipy"], linear_gelu),
            "hnsw_build": (["hnswlib"], hnsw_build),
            "hnsw_search": (["hnswlib"], hnsw_search),
            "bulk_xor": ([], bulk_xor),
            "bulk_integer_sum": ([], bulk_integer_sum),
            "bulk_loop": ([], lambda job: bulk_products(job, False)),
            "bulk_stacked": ([], lambda job: bulk_products(job, True)),
            "lattice_build": (["igraph"], lattice_build),
            "lattice_measure": (["igraph"], lattice_measure),
            "lattice_path": (["igraph"], lattice_path),
        }
    )
