# SPDX-License-Identifier: Apache-2.0
"""Keys of the caller instead of ids"""
C_INCLUDES = ("Keys.hpp", "Vector.hpp")
PYTHON_INCLUDES = ("KeyArguments.hpp", "VectorArguments.hpp")


class NewKeys(Kind):
    """Keys that decide the kind of an index."""
    c = ("const kindred_key_span* {n}",)
    c_lines = ('const KeyArgument {n}_given({n}, "{n}");',)
    c_value = "{n}_given"
    python = ("{n}: Any",)
    lines = ('const Keys {n}_given({n}, "{n}", KeyKind::integer);',)
    value = "{n}_given.span()"


class Keys(NewKeys):
    lines = ('const Keys {n}_given({n}, "{n}", object.key_kind());',)


class KeyLists(Candidates):
    """A list of keys per query, of which all are returned if `top` is None."""
    c = ("const kindred_key_span* {n}", "const uint64_t* offsets!")
    c_lines = NewKeys.c_lines
    c_value = "lists_of({n}_given, offsets, rows)"
    python = ("{n}: list[Any]",)
    lines = ("const KeyLists {n}_given({n}, object.key_kind());",
             'options_given.options.top = top.is_none() ? {n}_given.longest() : static_cast<std::size_t>(integer_of(top, "top", 1));')
    value = "{n}_given.spans()"


class NewKeyRows(Rows):
    """Rows that decide the dimension of an index."""
    lines = ('const VectorRows {n}_given({n}, scales, "{n}", Layout::dense);', "{n}_given.input().require_rank(2, 2);", "{n}_given.require_elements();")
    value = "{n}_given.span()"


class KeyRows(NewKeyRows):
    lines = (*NewKeyRows.lines[:2], "{n}_given.input().require_columns(object.dimension());")


class KeyQueries(HostQueries):
    value = "{n}_given.input().array()"


class KeyRanking(Kind):
    """Arrays of Python for a search."""
    c_value = "{}"
    lines = ("const RankedOutputs {n}_arrays(*shared->context, queries, queries_given.input(), nb::none(), {top});",)
    value = "{n}_arrays.arrays()"


class FoundIds(Result):
    c = ("int64_t* ids",)
    c_check = "// An empty list of keys needs no array."
    c_write = 'copy_values({found}, span_of(ids, keys_given.size(), "ids"));'
    python = "NDArray[np.int64]"
    value = "array_of(std::span<const std::int64_t>(found))"


class Added(Result):
    c = ("uint64_t* added?",)
    c_write = "write_optional(added, {found});"
    python = "UpsertCounts"
    value = "nb::make_tuple(found.added, found.replaced)"
    wrap = "UpsertCounts(*{call})"


class Replaced(Result):
    c = ("uint64_t* replaced?",)
    c_write = "write_optional(replaced, {found});"


class RankedKeys(Result):
    c = ("kindred_results** results",)
    c_write = "*results = make_handle_of<kindred_results>(results_of({found}, rows));"
    python = "KeyedResults"
    before = ("keep_record(found.record);",)
    value = "ranking_of(out_arrays, found.keys)"
    wrap = "KeyedResults(*{call})"


class RaggedKeys(RankedKeys):
    python = "KeyedRagged"
    value = "ragged_of(found)"
    wrap = "KeyedRagged(*{call})"


class KeyKindField(Field):
    members = ("int32_t kind",)
    comments = ("KINDRED_KEYS_...",)
    c_out = ("out.kind = static_cast<std::int32_t>({value});",)
    python_out = ('out["{n}"] = std::string(to_string({value}));',)


class KeyKind(EnumName):
    """Of the keys of an index."""


class UpsertCounts(NamedTuple):
    """What :meth:`KeyedVectorIndex.upsert` did.

    >>> KeyedVectorIndex([7], np.float32([[1, 0]])).upsert([7, 8], np.float32([[0, 1], [1, 1]])).replaced
    1
    """

    added: int  #: rows of new keys
    replaced: int  #: rows of keys that were there


class KeyedResults(NamedTuple):
    """The best rows of every query, ``[queries, top]``, or ``[top]`` for one query.

    >>> scores, keys, ids = KeyedVectorIndex([70, 80], np.float32([[1, 0], [0, 2]])).search(np.float32([1, 1]), top=3, metric="ip")
    >>> scores, keys, ids
    (array([  2.,   1., -inf], dtype=float32), array([80, 70,  0], dtype=uint64), array([ 1,  0, -1]))
    """

    scores: NDArray[np.float32]  #: −inf (+inf under ``"l2"``) where there is no row
    keys: NDArray[Any]  #: uint64, or objects of type bytes; 0 or b"" where there is no row
    ids: NDArray[np.int64]  #: −1 where there is no row


class KeyedIndexStatistics(Statistics, c="keyed_index_statistics", cpp="VectorStatistics"):
    """The contents of an index with keys."""
    keys: U64 = "object.size()"  # each has one row
    key_bytes: U64 = "object.key_bytes()"  # of memory
    end_id: U64 = "object.vectors().end_id()"  # all ids below it have been assigned
    dimension: U64 = "object.dimension()"
    removed: U64  # rows that were removed or replaced and still occupy memory
    segments: U64
    host_bytes: U64  # of the rows, as the following
    device_bytes: U64
    quantized_bytes: U64
    element: Element = "object.element()"
    key_kind: KeyKind = "object.key_kind()"


class KeyedVectorIndex(Handle, c="keyed_index", namespace="KeyedVectors", noun="index", alone=True, header="kindred/matcher/KeyedVectorIndex.hpp",
                  shows="{len(self)} rows of {self.dimension} {self.element}, keys: {self.key_kind}"):
    """A :class:`VectorIndex` whose rows have keys: rows are added, replaced, removed and found by key.

    Keys are of one kind: integers from 0 to 2⁶⁴ − 1, as an array of uint64 or int64 or a list of ints; or byte strings, as a list of str (their
    UTF-8) and bytes, or as uint8 ``[count, width]``, such as 16 bytes per UUID. Results have the keys as uint64, or as objects of type bytes.

    Scores and orders are those of :class:`VectorIndex`; equal scores are ranked by id, that is, in the order in which keys were added.
    Thread-safe; a call reads what was there when it began, and does not wait for changes. Arrays lie on the host.

    >>> index = KeyedVectorIndex(["apple", "pear", "plum"], np.float32([[1, 0], [0, 1], [1, 1]]))
    >>> index.upsert(["pear", "fig"], np.float32([[2, 1], [0, 3]]))
    UpsertCounts(added=1, replaced=1)
    >>> index.search(np.float32([1, 0.5]), top=2).keys
    array([b'pear', b'plum'], dtype=object)
    >>> "plum" in index, "quince" in index
    (True, False)
    """

    def create(context: Context, keys: NewKeys, rows: NewKeyRows, options: IndexOptions) -> New:
        """Builds an index of rows with keys, as `upsert` into an empty one. Equal scores are ranked by the order in which keys were added.

        Args:
            keys: one per row; its kind is that of the index, also without keys
            rows: [count, dimension] of float32, float16, bfloat16, or int8 with `scales`; count may be 0
            scales: float32 [count], for int8 only

        Python Args:
            keys: one per row; an empty array or list decides the kind of an empty index (a list: integers)
            rows: ``[count, dimension]`` of float32, float16, bfloat16, or int8 with ``scales``; copied. If a key occurs several times, its last
                row counts.
            scales: float32 ``[count]``, for int8: element v of a row of scale s is float32(s · v)

        Raises:
            InvalidType: keys or rows have elements of another type, or keys are of both kinds
            InvalidArgument: there are not as many keys as rows, a shape or an option does not fit, or an integer is not a key
            SpaceUnavailable: the context cannot use the memory of ``residency``
        """

    def load(context: Context, path: Path, options: IndexOptions, threads: Threads) -> New:
        """Maps a file of `save`, and validates every byte.

        C: KINDRED_INVALID: it has vectors without keys.

        Python: Rows are copied only when they change.

        Python Args:
            threads: that validate the file; 0: all

        Raises:
            NotFound: there is no such file
            CorruptFile: it is damaged; nothing of it is used
            InvalidArgument: it has vectors without keys

        >>> KeyedVectorIndex(["apple"], np.float32([[3, 4]])).save("fruits.kindred")
        >>> KeyedVectorIndex.load("fruits.kindred")
        <pykindred.KeyedVectorIndex: 1 rows of 2 float32, keys: bytes>
        """

    @cpp(name="load")
    def from_bytes(context: Context, bytes: Bytes, options: IndexOptions, threads: Threads) -> New:
        """An index of the bytes of `to_bytes`, or of a file of `save`, which are copied.

        C: KINDRED_INVALID: they have vectors without keys.

        Raises:
            CorruptFile: the bytes are damaged; nothing of them is used
            InvalidArgument: they have vectors without keys

        >>> KeyedVectorIndex.from_bytes(KeyedVectorIndex(["apple"], np.float32([[3, 4]])).to_bytes())
        <pykindred.KeyedVectorIndex: 1 rows of 2 float32, keys: bytes>
        """

    @changes
    def upsert(self, keys: Keys, rows: KeyRows) -> Added | Replaced:
        """Adds the rows of new keys, and replaces those of the others under their ids. If it fails, the index is unchanged.

        New keys get ids in the order in which they first occur. If a key occurs several times, its last row counts.

        C: KINDRED_INVALID: keys of another kind or number, or rows of another type or dimension.

        Args:
            keys: one per row, of the kind of the index
            rows: [count, dimension] of the element type of the index
            scales: float32 [count], of rows of int8

        C Args:
            added: number of new keys
            replaced: number of keys that were there

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: keys of the other kind, another number of keys than rows, or a shape that does not fit

        >>> index = KeyedVectorIndex([7, 8], np.float32([[1, 0], [0, 1]]))
        >>> index.upsert([8, 9], np.float32([[1, 1], [2, 2]]))
        UpsertCounts(added=1, replaced=1)
        """

    @changes
    def remove(self, keys: Keys):
        """Removes keys with their rows, whose ids are not reused.

        Args:
            keys: of the kind of the index

        Raises:
            NotFound: a key is not there, or is listed twice; nothing is removed then
            InvalidArgument: keys of the other kind

        >>> index = KeyedVectorIndex(["apple", "pear"], np.float32([[1, 0], [0, 1]]))
        >>> index.remove(["apple"])
        >>> len(index), index.end_id
        (1, 2)
        """

    def find(self, keys: Keys) -> FoundIds:
        """The ids of keys, for filters, which are by id.

        Args:
            keys: of the kind of the index

        C Args:
            ids: one per key; -1 for a key that is not there

        Returns:
            int64 ``[count]``; −1 for a key that is not there

        Raises:
            InvalidArgument: keys of the other kind

        >>> KeyedVectorIndex(["apple", "pear"], np.float32([[1, 0], [0, 1]])).find(["pear", "fig"])
        array([ 1, -1])
        """

    @gil("atomic")
    @only("python")
    @python("__len__")
    def size(self) -> Size:
        """The number of keys."""

    def __contains__(self, key: Any) -> bool:
        """Whether the index has a key. One of the other kind raises InvalidArgument."""
        return bool(self._native.find([key])[0] >= 0)

    @getter("constant")
    def dimension(self) -> Size:
        """The number of elements of a row."""

    @getter("constant")
    def element(self) -> Element:
        """How rows are stored: ``float32``, ``float16``, ``bfloat16`` or ``int8``."""

    @getter("constant")
    def key_kind(self) -> KeyKind:
        """``integer`` or ``bytes``."""

    @getter("atomic")
    @cpp(name="vectors().end_id")
    def end_id(self) -> Size:
        """All ids below it have been assigned: the length of filters."""

    @cpp(name="vectors().statistics")
    def statistics(self) -> KeyedIndexStatistics:
        """Sizes and counts of what the index holds, with the bytes of all copies."""

    def save(self, path: Path):
        """Writes rows, ids and keys to a file, atomically: the file at `path` is the old or the new one.

        C: kindred_index_load reads it too, without the keys. KINDRED_BUSY: another process writes it.

        Python: `VectorIndex.load` reads it too, without the keys.
        """

    def to_bytes(self) -> ByteText:
        """The bytes of the file that `save` writes."""

    def search(self, queries: KeyQueries, options: SearchOptions, out: KeyRanking) -> RankedKeys:
        """The exact best `top` rows of every query.

        C: At most `top` per query, with their ids, scores and keys (kindred_results_get). KINDRED_INVALID: the options have a stream.

        Args:
            queries: float32 [queries, dimension], or [dimension] for one query, on the host

        Python Args:
            filter: rows that may be returned, by id, as for `VectorIndex.search`; ids are found by `find`

        Returns:
            scores, keys and ids, ``[queries, top]``, or ``[top]`` for one query, best first

        Raises:
            InvalidType: an array has elements of another type
            InvalidArgument: a shape or an option does not fit
            SpaceUnavailable: the call cannot run in ``space``

        >>> index = KeyedVectorIndex(["apple", "pear", "plum"], np.float32([[1, 0], [0, 1], [1, 1]]))
        >>> allowed = np.zeros(index.end_id, bool)
        >>> allowed[index.find(["apple", "plum"])] = True
        >>> index.search(np.float32([[0, 1], [1, 0]]), top=1, filter=allowed).keys
        array([[b'plum'],
               [b'apple']], dtype=object)
        """

    @without("top")
    def search_at_least(self, queries: KeyQueries, score: Float, options: SearchOptions) -> RaggedKeys:
        """All rows whose score is `score` or better, best first. Options as of `search`.

        C: Under KINDRED_L2, a score is better if it is smaller. `top` has no effect.

        Python: Under ``"l2"``, a score is better if it is smaller.

        Args:
            queries: float32 [queries, dimension], or [dimension] for one query, on the host

        Returns:
            a :class:`KeyedRagged`, one row per query: int64 ``ids``, float32 ``scores`` and ``keys``

        >>> index = KeyedVectorIndex(["apple", "pear", "plum"], np.float32([[1, 0], [0, 1], [1, 1]]))
        >>> index.search_at_least(np.float32([2, 1]), 2, metric="ip")[0]
        (array([3., 2.], dtype=float32), array([b'plum', b'apple'], dtype=object))
        """

    @without("filter", "path", "stream")
    @python(top="int | None = None")
    def score(self, queries: KeyQueries, candidates: KeyLists, options: SearchOptions) -> RaggedKeys:
        """Re-ranks candidates: the best `top` of each list. Repeated candidates count once.

        C: The candidates of query i are the keys offsets[i] ... offsets[i + 1]. KINDRED_INVALID: a key is not there.

        Args:
            queries: float32 [queries, dimension], or [dimension] for one query, on the host

        C Args:
            candidates: the keys of all queries

        Python Args:
            candidates: a list of keys per query, all of which are in the index
            top: number of results; None: all

        Returns:
            a :class:`KeyedRagged`, one row per query

        Raises:
            InvalidArgument: as `search`; or a candidate is not in the index

        >>> index = KeyedVectorIndex(["apple", "pear", "plum"], np.float32([[1, 0], [0, 1], [1, 1]]))
        >>> index.score(np.float32([2, 1]), [["pear", "apple", "pear"]], metric="ip").keys
        array([b'apple', b'pear'], dtype=object)
        """
