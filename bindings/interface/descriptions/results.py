# SPDX-License-Identifier: Apache-2.0
"""Results"""


class ArrayField(Field):
    """A pointer to elements {0} of the library; NULL where a result has none."""
    members = ("const {0}* {n}",)
    defaults = ("NULL",)


class CharsField(Field):
    members = ("char {n}[16]",)
    defaults = ("{0}",)


class View(Result):
    """The struct that `view` of the object returns."""
    c = ("kindred_{0}_view* view",)
    c_check = 'check_output(view, "view");'
    c_write = "write_output(view, {found});"


class Block(Plain, c="block"):
    """A run of equal symbols: pattern[pattern_begin + i] == query[query_begin + i] for i < length."""
    pattern_begin: U32
    query_begin: U32
    length: U32


class Step(Plain, c="step"):
    """The contribution of an edge in one hop of a spread."""
    from_: U32
    to: U32
    weight: Member("float")
    carried: Member("float")


class Convergence(Plain, c="convergence"):
    """Convergence of PageRank for one query."""
    residual: Double
    iterations: U32
    reserved: U32


class FusionReason(Plain, c="fusion_reason"):
    """The contribution of one ranking to a fused result."""
    ranking: U64
    place: U64  # 1 is the best
    score: Double  # in that ranking
    contribution: Double


class SearchReport(Struct, c="search_report"):
    """Which path a search took, and its counts."""
    path: Chars  # `brute_force`, `quantized`, `gemm` or `candidates`
    prefiltered: U64  # (query, row) pairs that were compared with a bound
    survivors: U64  # of these, pairs that were scored exactly


class ResultsView(Struct, c="results_view"):
    """The arrays of results, which live as long as the handle. What results do not have is NULL."""
    rows: U64  # one per query
    offsets: Array("uint64_t")  # rows + 1: row r has the results offsets[r] ... offsets[r + 1]
    ids: Array("int64_t")  # indices of patterns, ids of vectors, nodes, items
    scores: Array("double")  # similarities, scores or activations, best first; float32 scores are converted exactly; 0 for paths and rows of lattices
    matched: Array("uint32_t")  # matched symbols of sequences
    distances: Array("double")  # of sequences
    block_offsets: Array("uint64_t")  # result i has the matching blocks block_offsets[i] ... block_offsets[i + 1], if the options asked for them
    blocks: Array("kindred_block")
    path_offsets: Array("uint64_t")  # result i of a spread has the paths path_offsets[i] ... path_offsets[i + 1], if the options asked for them
    strengths: Array("float")  # of every path
    step_offsets: Array("uint64_t")  # path j has the edges step_offsets[j] ... step_offsets[j + 1]
    steps: Array("kindred_step")
    convergence: Array("kindred_convergence")  # of every query of PageRank
    reason_offsets: Array("uint64_t")  # result i of a fusion has the reasons reason_offsets[i] ... reason_offsets[i + 1]
    reasons: Array("kindred_fusion_reason")
    keys: Array("kindred_key_span")  # of every result of a kindred_keyed_index, in the order of the ids
    record: Array("kindred_record")  # where the call ran
    report: Array("kindred_search_report")  # the path of a search in vectors


class Results(Handle, c="results", header=None, namespace=None):
    @cpp("view")
    def get(self) -> View("results"):
        """The arrays of results."""
