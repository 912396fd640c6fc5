# SPDX-License-Identifier: Apache-2.0
"""Sequences: exact search for the most similar ones, and pairs"""
C_INCLUDES = ("Sequences.hpp",)
C_TYPES = """/** Receives the results of a group of stored sequences: row r lists the sequences before `first + r` that match it. The results are valid
 * during the callback, and must not be destroyed; nonzero cancels. */
typedef int (*kindred_match_callback)(void* user, uint64_t first, const kindred_results* results);"""
PYTHON_INCLUDES = ("Ranking.hpp", "Sequences.hpp")
IMPORTS = """
from numpy.typing import DTypeLike
from pykindred._results import Clusters, Matches, Sequences
from pykindred._types import Sequence, SequencesLike
from pykindred.errors import InvalidType"""


# Arguments

class SequenceList(Kind):
    c = ("const kindred_sequences* {n}",)
    c_lines = ('const SequencesArgument {n}_given({n}, "{n}");',)
    c_value = "{n}_given.all()"
    python = ("{n}: SequencesLike",)
    lines = ('const Sequences {n}_given({n}, "{n}");',)
    value = "{n}_given.span()"


class Patterns(SequenceList):
    lines = (*SequenceList.lines, 'if ({n}_given.is_one()) refuse_type("{n} is one sequence; it must be a collection of sequences");')


class OneSequence(SequenceList):
    c_value = '{n}_given.one()'
    python = ("{n}: Sequence",)


class QuerySequence(OneSequence):
    c = ("const kindred_sequences* sequence",)
    c_lines = ('const SequencesArgument {n}_given(sequence, "sequence");',)


class Compared(OneSequence):
    """Several in C."""
    c = ("const kindred_sequences* patterns",)


class CutoffArgument(Kind):
    c = ("double cutoff",)
    c_value = "cutoff"
    python = ("* {n}: float = 0.0",)


class Number(Kind):
    c = ("uint64_t {n}",)


class MatchAnswer(Kind):
    c = ("kindred_match_callback answer", "void* user?")
    c_value = "answer_of(answer, user, options_given.blocks)"


class ClusterArguments(Kind):
    c = ("int32_t linkage", "const kindred_match_options* options?")
    c_value = "cluster_options(linkage, options)"
    python = ("* threshold: float = 0.85", '* linkage: str = "single"', '* measure: str = "lcs"', "* space: str | None = None")
    lines = ("const ClusterOptions {n}_given = cluster_options(threshold, linkage, measure, space);",)
    value = "{n}_given"


class Given(Kind):
    """One that the body converts."""
    python = ("{n}: Any",)


# Fields

class TopField(CountField):
    python = "int | None"
    value = "{n}.is_none() ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(integer_of({n}, \"{n}\", 1))"


class IndicesField(Field):
    members = ("const uint64_t* {n}", "uint64_t {n}_size")
    defaults = ("NULL", "KINDRED_UNSET")
    comments = ("only the sequences or patterns of these indices are results, in any order; a repeated one counts once",
                "0: none; KINDRED_UNSET: all are allowed, and `filter` is NULL")
    c_lines = ('if (given.{n}_size != KINDRED_UNSET) out.{n} = span_of(given.{n}, given.{n}_size, "{n}");',
               'KINDRED_C_REFUSE_IF(given.{n}_size == KINDRED_UNSET && given.{n} != nullptr, '
               '"{n} is given, but {n}_size is KINDRED_UNSET; set it to the number of indices");')
    python = "Ids | None"
    assign = 'if (!{n}.is_none()) options.{n} = m_{n} = ids_of({n}, "{n}");'
    holds = "std::vector<std::uint64_t> m_{n};"


class CutoffField(Field):
    members = ("double cutoff",)
    defaults = ("-1.0",)
    c_lines = ("if (!(given.cutoff < 0)) out.cutoff = given.cutoff;  // a NaN is passed on, and refused",)
    python = "float | None"
    assign = 'if (!{n}.is_none()) options.cutoff = number_of({n}, "{n}");'


# Results

class Similarities(Result):
    c = ("double* similarities",)
    python = "float"


class BlockList(List):
    c_write = 'write_list(blocks_of({found}), blocks, capacity, count, "blocks");'
    python = "NDArray[np.uint32]"


class MatchList(Result):
    c = ("kindred_results** results",)
    c_write = "*results = make_handle_of<kindred_results>(results_of({found}, options_given.blocks));"
    python = "Matches"
    before = ("keep_record(found.record);",)
    value = "matches_of(found, options_given.options.blocks)"
    wrap = "Matches(*{call})"


class OwnMatches(MatchList):
    c = ()
    c_write = "{found};"


class MadeClusters(Result):
    c = ("kindred_clusters** clusters",)
    c_write = "*clusters = make_handle_of<kindred_clusters>({found});"
    python = "Clusters"
    before = ("keep_record(found.record);",)
    value = "clusters_of(found)"
    wrap = "Clusters(*{call})"


class StoredSequences(Result):
    python = "Sequences"
    value = "sequences_of(found)"
    wrap = "Sequences(*{call})"


class Best(Result):
    python = "tuple[list[tuple[Any, Any, Any]], NDArray[np.int64]]"


# Types

class Measure(Enum, c="KINDRED_", default="lcs", values="lcs difflib levenshtein osa prefix postfix jaro-winkler token-sort token-set"):
    """Similarity measures."""


class PostingsUse(Enum, c="KINDRED_POSTINGS_", values="automatic never always"):
    """Whether queries may use an inverted index of the patterns."""


class Linkage(Enum, c="KINDRED_LINKAGE_", default="single", values="single complete"):
    """How similar pairs form clusters."""


class PairValue(Enum, c="KINDRED_", values="similarity distance percentage"):
    """What kindred_matcher_score_all writes for a pair: the similarity; a number of edits if the measure counts them, else 1 - similarity; RapidFuzz's ratio: 100 * (1 - edits / the most possible), else 100 * similarity; of two empty sequences 100, under KINDRED_TOKEN_SET 0."""


class Sequences(Struct, c="sequences"):
    """A borrowed list of sequences: of texts in UTF-8, whose symbols are their code points, or of symbols, with `offsets` or, of one sequence, its `length`."""
    count: U64  # number of sequences
    texts: Array("kindred_text")  # NULL: `symbols` are given
    symbols: Array("uint32_t")  # of all sequences, one after the other
    offsets: Array("uint64_t")  # count + 1: sequence i is symbols[offsets[i] ... offsets[i + 1]]
    length: Member("uint64_t", "KINDRED_UNSET")  # of the only sequence, without `offsets`; KINDRED_UNSET: there are texts or offsets


class SimilarPair(Plain, c="similar_pair"):
    """Two different items whose similarity reaches a threshold."""
    first: U64
    second: U64
    similarity: Double  # in [0, 1]


class MeasureInfo(Statistics, c="measure_info", cpp="Measure", noun="info"):
    """Properties of a measure."""
    name: Member("const char*", "NULL") = "to_string(found).data()"  # as the command line accepts it; valid while the process lives
    counts_edits: Has = "counts_edits(found)"  # 1: distances are numbers of edits; 0: 1 - similarity
    compares_words: Has = "compares_words(found)"  # 1: symbols are code points, and sequences are split into words


class MatchOptions(Options, c="match_options"):
    """Options of a match."""
    top: Top = 10  # maximum number of matches per query; None: all; C: maximum number of results per query
    threshold: Double = 0.1  # minimum similarity, in [0, 1]; 0 returns everything
    measure: Measure = "lcs"
    blocks: Flag("true", "false") = False  # also find the matching blocks, `Matches.blocks`; C: nonzero: also return the matching blocks
    autojunk: Flag("true", "false") = False  # difflib's heuristic for frequent symbols, for ``"difflib"`` alone; C: nonzero: Python's heuristic, only for KINDRED_DIFFLIB
    postings: PostingsUse = "automatic"  # use of an inverted index; the results are the same; C:
    space: Space = None  # instead of the dispatcher's choice; C:
    filter: Indices = None  # indices of the patterns that may be results; C:


class PairOptions(Options, c="pair_options"):
    """Options of kindred_matcher_score_all."""
    score_cutoff: Cutoff = None  # C: a similarity below it is 0; a number of edits above it is cutoff + 1, another distance above it 1; in [0, 1], for percentages in [0, 100], for numbers of edits a whole number; negative: no cutoff
    measure: Measure = "lcs"
    value: PairValue = "similarity"  # C: KINDRED_SIMILARITY, KINDRED_DISTANCE or KINDRED_PERCENTAGE
    autojunk: Flag("true", "false") = False  # C: nonzero: Python's heuristic, only for KINDRED_DIFFLIB
    space: Space = None


class MatcherStatistics(Statistics, c="matcher_statistics"):
    """The size of a matcher."""
    patterns: U64
    host_bytes: U64  # in the memory of the host
    device_bytes: U64  # in that of the device


class ClustersView(Struct, c="clusters_view"):
    """The arrays of clusters, which live as long as the handle."""
    items: U64
    clusters: U64
    cluster_of: Array("uint64_t")  # of every item
    representatives: Array("uint64_t")  # of every cluster: the most central member
    offsets: Array("uint64_t")  # clusters + 1
    members: Array("uint64_t")  # of every cluster, ascending
    record: Array("kindred_record")  # where the longest scan ran


# Functions

class Pairs(Functions, namespace="Pairs", header="kindred/matcher/Similarity.hpp"):
    """The similarity of pairs."""

    @of(only="c", cpp="Measure")
    def measure_describe(measure: Measure) -> MeasureInfo:
        """Describes a measure."""

    @of(only="c", cpp="checked_distance")
    def distance(measure: Measure, matched: Number, pattern_size: Number, query_size: Number) -> U64:
        """The distance that belongs to a number of matched symbols. KINDRED_INVALID for a measure that does not count edits, and for more matched symbols than a sequence has."""

    @of(only="c", cpp="code_points_of")
    def code_points(text: Text, keep: Flag) -> List("uint32_t"):
        """The code points of a text in UTF-8: its symbols where characters are compared. KINDRED_INVALID, with the position, for bytes that are not valid UTF-8.

        C Args:
            keep: nonzero: such a byte becomes the symbol 0x110000 + byte instead
            code_points: at most `capacity` are written
            count: their number; if it exceeds `capacity`, the call fails with KINDRED_INVALID, and sets only this
        """

    @of(only="c", cpp="Kindred::similarity")
    def similarity(measure: Measure, pattern: OneSequence, query: OneSequence, score_cutoff: CutoffArgument, autojunk: Flag) -> Out("double", "float"):
        """The similarity of two sequences if it is at least `cutoff`, otherwise 0.

        C Args:
            autojunk: nonzero: Python's heuristic, only for KINDRED_DIFFLIB
        """

    @of(only="c", cpp="Kindred::matched")
    def matched(measure: Measure, pattern: OneSequence, query: OneSequence, autojunk: Flag) -> Out("uint32_t"):
        """Number of matched symbols of two sequences."""

    @of(only="c", cpp="Kindred::blocks")
    def blocks(measure: Measure, pattern: OneSequence, query: OneSequence, autojunk: Flag) -> BlockList("kindred_block"):
        """The matching blocks of two sequences; other measures than KINDRED_LCS and KINDRED_DIFFLIB may have none.

        C Args:
            blocks: at most `capacity` are written
            count: number of blocks; if it exceeds `capacity`, the call fails with KINDRED_INVALID, and sets only this
        """

    @of(only="c", cpp="clusters_of_pairs")
    def cluster_pairs(items: Number, pairs: Span("kindred_similar_pair"), linkage: Linkage) -> MadeClusters:
        """The clusters of items of which some pairs are similar. KINDRED_INVALID for a pair of an item with itself, an item that is not below `items`, a similarity out of range and a pair that occurs twice.

        C Args:
            items: number of items
        """

    def similarity(pattern: Sequence, query: Sequence, *, measure: str = "lcs", score_cutoff: float = 0.0, autojunk: bool = False) -> float:
        """The similarity of one pair, in [0, 1]. Arguments as :class:`PreparedQuery` and :meth:`PreparedQuery.similarity`.

        >>> similarity("abcd", "bcde", measure="difflib")
        0.75
        """
        return _kindred.PreparedQuery(query, measure, autojunk).similarity(pattern, score_cutoff)

    def _restored(kind: "type[SequenceMatcher]", offsets: NDArray[np.int64], symbols: NDArray[np.uint32], residency: str) -> "SequenceMatcher":
        """An unpickled or copied matcher, in the default context."""
        return kind(Sequences(offsets, symbols), residency=residency)


class PreparedQuery(Handle, c="query", namespace="Queries", header="kindred/matcher/Similarity.hpp", closes=False):
    """One query for many comparisons, without a context. Measures as in :class:`SequenceMatcher`, with the same bits.

    >>> PreparedQuery("kitten", measure="levenshtein").distance("sitting")
    3.0
    """

    @of(hand="python", python="__init__")
    def create(measure: Measure, query: QuerySequence, autojunk: Flag) -> New:
        """C: Prepares a query, which is copied, for comparisons on the calling thread.

        Python Args:
            query: a str, bytes, an array of uint32, or a sequence of hashable items; a ``pattern`` of its methods likewise
            measure: as for :meth:`SequenceMatcher.match`
            autojunk: as for :meth:`SequenceMatcher.match`

        Raises:
            InvalidType: an argument is no such sequence
        """

    @of(hand="c python", gil="short_pair")
    def similarity(self, pattern: Compared, score_cutoff: CutoffArgument) -> Similarities:
        """Python: In [0, 1]; 0 if it is below ``score_cutoff``, which makes a comparison faster.

        C: The similarity of every pattern if it is at least `cutoff`, otherwise 0. Several patterns are compared together: that takes less time than a call per pattern, least if the query has at most 64 symbols.

        C Args:
            similarities: one per pattern

        >>> PreparedQuery("abcd").similarity("bcde")
        0.75
        """

    @of(hand="c python", gil="short_pair")
    def matched(self, pattern: Compared) -> Out("uint32_t"):
        """The number of matched symbols.

        C: Several patterns are compared together, as by `similarity`.

        C Args:
            matched: one per pattern

        >>> PreparedQuery("abcd").matched("bcde")
        3
        """

    @of(only="python", hand="python", gil="short_pair")
    def distance(self, pattern: OneSequence) -> Out("double", "float"):
        """A number of edits if the measure counts them, otherwise 1 − similarity.

        >>> PreparedQuery("abcd", measure="levenshtein").distance("bcde")
        2.0
        """

    @of(hand="python", gil="short_pair")
    def blocks(self, pattern: OneSequence) -> BlockList("kindred_block"):
        """The matching blocks.

        C Args:
            blocks: at most `capacity` are written
            count: number of blocks; if it exceeds `capacity`, the call fails with KINDRED_INVALID, and sets only this

        Returns:
            uint32 ``[n, 3]`` of begin in the pattern, begin in the query, length

        >>> PreparedQuery("bcde").blocks("abcd")
        array([[1, 0, 3]], dtype=uint32)
        """

    @of(only="python", hand="python", python="called", gil="constant")
    def length(self) -> Size:
        """The symbols of the query."""

    @of(only="python", hand="python", python="called", gil="constant")
    def measure(self) -> Measure:
        """Its name."""

    @of(only="python", hand="python", python="called", gil="short_pair")
    def best(self, compared: Given, choices: Given, keys: Given, rule: Given, score_cutoff: Given, limit: Given) -> Best:
        """The best choices of `process.extract`."""

    def __repr__(self) -> str:
        return f"<pykindred.PreparedQuery: {self._native.length()} symbols, {self._native.measure()}>"


class SequenceMatcher(Handle, c="matcher", namespace="Matchers", header="kindred/matcher/SequenceMatcher.hpp"):
    """Exact search for the stored patterns most similar to a query: strings, bytes, or sequences of symbols. Thread-safe.

    Python: Measures: ``"lcs"`` (longest common subsequence, 2·matched / (both lengths)), ``"difflib"`` (Ratcliff-Obershelp, as Python's difflib),
    ``"levenshtein"``, ``"osa"``, ``"prefix"``, ``"postfix"``, ``"jaro-winkler"``, ``"token-sort"`` and ``"token-set"``, with RapidFuzz's numbers
    (divided by 100 where they are percentages).

    >>> matches = SequenceMatcher(["kitten", "sitting", "mitten"]).match("kittens", measure="levenshtein", top=2)
    >>> matches.ids, matches.distances
    (array([0, 2]), array([1., 2.]))
    """

    def create(context: Context, patterns: Patterns, residency: Residency) -> New:
        """C: Stores sequences, which are copied.

        Python Args:
            patterns: a collection of str (compared by code points), bytes or arrays of uint32 symbols; or :class:`Sequences`, as
                :meth:`Vocabulary.encode` makes of words; copied
            residency: ``"automatic"``, ``"host"``, ``"both"`` or ``"device"``
        """

    @of(only="python", python="__len__", gil="constant")
    def size(self) -> Size:
        """The number of patterns."""

    def statistics(self) -> MatcherStatistics:
        """The number of patterns, and their bytes in the memory of host and device."""

    @only("python")
    def patterns(self) -> StoredSequences:
        """A copy of the patterns, as symbols.

        >>> SequenceMatcher(["ab", "c"]).patterns().symbols
        array([97, 98, 99], dtype=uint32)
        """

    @of(only="python", python="called", gil="constant")
    def residency(self) -> Residency:
        """Where the patterns are kept."""

    @by_name("top")
    def match(self, queries: SequenceList, options: MatchOptions) -> MatchList:
        """The best patterns of every query.

        C: KINDRED_INVALID also for an index in `filter` that does not exist.

        Python Args:
            queries: as patterns; or one str, bytes or array, which gives one row
            measure: see :class:`SequenceMatcher`

        Raises:
            InvalidType: a query is no sequence, or an array is not of uint32
            InvalidArgument: an option is out of range

        >>> matches = SequenceMatcher(["kitten", "sitting", "mitten"]).match(["kittens", "sit"], measure="levenshtein", threshold=0.6)
        >>> matches.offsets, matches.ids, matches.distances
        (array([0, 2, 2]), array([0, 2]), array([1., 2.]))
        """

    @hand("python")
    @python("called", dtype="Any")
    @cpp(order="queries, out, options")
    def score_all(self, queries: SequenceList, options: PairOptions, out: Output) -> Record:
        """Writes the similarity or the distance of every query and every stored sequence, in input order.

        C Args:
            out: queries * sequences, where there may be gaps between rows, or one row of all; float32 or float64, for numbers of edits also int32 or uint8, in which a larger number is the largest of the type; on the host, or on the device if the sequences are there
        """

    @of(hand="python", by_name="top", without="blocks postings filter")
    @python(threshold="float = 0.85", top="int | None = None")
    def match_self(self, options: MatchOptions, answer: MatchAnswer) -> OwnMatches:
        """Python: Duplicates: row ``i`` lists the patterns before ``i`` that match it. Arguments as :meth:`match`.

        C: Finds duplicates: scores every pair of stored sequences once, and calls `answer` with groups of results. KINDRED_INVALID if `filter` is set; KINDRED_CANCELLED.

        Python Args:
            measure: as for :meth:`match`

        >>> SequenceMatcher(["abcde", "vwxyz", "abcd"]).match_self(threshold=0.8)[2]
        (array([0.88888889]), array([0]))
        """

    def cluster(self, options: ClusterArguments) -> MadeClusters:
        """Clusters of similar patterns.

        C Args:
            options: of the comparison, of which `top` and `blocks` have no effect; `filter` must not be set; NULL: threshold 0.85

        Python Args:
            threshold: above 0
            linkage: ``"single"`` (a chain of similar pairs) or ``"complete"`` (all pairs are similar)
            measure: as for :meth:`match`
            space: as for :meth:`match`

        >>> clusters = SequenceMatcher(["abcde", "vwxyz", "abcd"]).cluster(threshold=0.8)
        >>> [clusters.members[clusters.offsets[c]:clusters.offsets[c + 1]].tolist() for c in range(2)]
        [[0, 2], [1]]
        """

    @of(only="python", hand="python", python="called")
    def best(self, query: Given, measure: Given, lengths: Given, positions: Given, choices: Given, keys: Given, rule: Given, score_cutoff: Given,
             limit: Given) -> Best:
        """The best patterns of `process.extract`."""

    def score_all(self, queries: SequencesLike, *, measure: str = "lcs", value: str = "similarity", dtype: DTypeLike | None = None,
                  score_cutoff: float | None = None, autojunk: bool = False, out: Array | None = None, space: str | None = None) -> Any:
        """The similarity, distance or percentage of every query and every pattern, in input order: ``[queries, len(matcher)]``.

        Args:
            queries: as patterns; or one str, bytes or array, which gives one row
            value: ``"similarity"``, as :func:`similarity` of the pair; ``"distance"``: a number of edits if the measure counts them, otherwise
                1 − similarity; or ``"percentage"``: RapidFuzz's ratio, 100 · (1 − edits / the most possible), otherwise 100 · similarity
            dtype: float32 or float64, for numbers of edits and percentages also int32 or uint8, to which percentages are rounded and in which a
                larger number is the largest of the type. None: int32 for numbers of edits, otherwise float32
            score_cutoff: a similarity below it becomes 0; a number of edits above it cutoff + 1, any other distance above it 1
            out: the array to write, of such a type, where there may be gaps between rows; it may lie on the device if the patterns are there
            autojunk, space: as for :meth:`match`

        Returns:
            ``out``, or a new array of NumPy

        >>> SequenceMatcher(["kitten", "sitting"]).score_all(["kitten", "mitten"], measure="levenshtein", value="distance")
        array([[0, 3],
               [1, 3]], dtype=int32)
        """
        try:
            name = None if dtype is None else np.dtype(dtype).name
        except (TypeError, ValueError):
            raise InvalidType(f"dtype is {dtype!r}; it must be a type of NumPy") from None
        return self._native.score_all(queries, name, score_cutoff, measure, value, autojunk, space, out)

    def __reduce__(self) -> Any:
        return _restored, (type(self), *self._native.patterns(), self._native.residency())

    def __repr__(self) -> str:
        return "<pykindred.SequenceMatcher: " + ("closed>" if self._native.is_closed() else f"{len(self)} patterns>")


class ClusterArrays(Handle, c="clusters", namespace=None, header="kindred/matcher/Clusters.hpp"):
    @of(only="c", cpp="view")
    def get(self) -> View("clusters"):
        """The arrays of clusters."""
