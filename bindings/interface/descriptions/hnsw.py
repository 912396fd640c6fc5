# SPDX-License-Identifier: Apache-2.0
"""HnswIndex: approximate nearest neighbours, on the host"""


class HnswTraversal(Enum, c="KINDRED_TRAVERSAL_", values="automatic bytes floats"):
    """The codes from which a traversal computes distances."""


class HnswSettings(Options, c="hnsw_settings", noun="settings"):
    """Settings of an index, which never change."""
    m: Count(0) = 16  # links per new node, 2 ... 512
    ef_construction: Count(0) = 200  # candidate list size during insertion, m ... 65536
    seed: Count(0) = 1  # for the random levels of the nodes
    metric: Metric = "cosine"
    traversal: HnswTraversal = "automatic"


class HnswSearchOptions(Options, c="hnsw_search_options"):
    """Options of a search."""
    top: Count(1) = 10  # maximum number of results per query
    ef: Count(0) = 0  # candidate list size, at least `top`; 0: the greater of 64 and `top`
    filter: Filter = None  # as of kindred_search_options; bits are for all queries
    space: Space = None  # serial or openmp


class HnswStatistics(Statistics, c="hnsw_statistics"):
    """The contents of an index."""
    rows: U64
    removed: U64
    end_id: U64
    dimension: U64
    levels: U64
    links: U64
    unreachable: U64  # rows that no traversal reaches
    bytes: U64
    traversal: HnswTraversal = "object.settings().traversal"  # the one that was chosen


class HnswIndex(Handle, c="hnsw", namespace="Graphs", header="kindred/matcher/HnswIndex.hpp"):
    """Approximate search in vectors with a graph (HNSW). Scores are exact, but a row that is not returned may be nearer.

    C: A call that changes a kindred_hnsw must not run concurrently with others.
    """

    def create(context: Context, dimension: Count(1), settings: HnswSettings) -> New:
        """Creates an empty index of rows of `dimension` elements."""

    def build(context: Context, rows: NewRows, settings: HnswSettings, progress: Progress) -> New:
        """Builds an index of rows, which are copied, with the ids 0, 1, ...; faster to search than one that rows were added to.

        Args:
            rows: float32 [count, dimension], finite
            progress: receives the number of rows inserted so far
        """

    def load(context: Context, path: Path) -> New:
        """Maps a file that `save` has written, and validates every byte."""

    def from_bytes(context: Context, bytes: Bytes) -> New:
        """The same from the bytes of such a file, which are copied.

        Raises:
            CorruptFile: the bytes are damaged; nothing of them is used
        """

    def import_hnswlib(context: Context, path: Path, metric: Metric, dimension: Count(1)) -> New:
        """Reads a graph of float32 rows that hnswlib has saved, whose file has neither the metric nor the dimension."""

    @changes
    def add(self, rows: HostRows) -> FirstId:
        """Adds rows of float32. If it fails, the index is unchanged.

        Args:
            first_id: of the first one
        """

    @changes
    def remove(self, ids: Ids):
        """Removes rows from future results; their ids are not reused."""

    @changes
    def repair(self):
        """Deletes the removed rows from the graph."""

    def size(self) -> Size:
        """Number of rows that can be found."""

    def end_id(self) -> U64:
        """All ids below it have been assigned; filters have as many elements."""

    def dimension(self) -> Size:
        """Number of elements of a row."""

    @c("settings_of")
    def settings(self) -> HnswSettings:
        """The settings with which it was created."""

    def row(self, id: Id) -> RowCopy:
        """The row of an id, as it was added.

        Args:
            row: float32 [dimension]
        """

    def contains(self, id: Id) -> Bool:
        """Whether a row can be found."""

    def statistics(self) -> HnswStatistics:
        """Sizes and counts."""

    @hand("c")
    def search(self, queries: Queries, options: HnswSearchOptions, out: Ranked) -> Visited | Record:
        """The rows nearest to each query, approximately.

        Args:
            queries: float32 [queries, dimension], on the host without gaps

        C Args:
            scores: float32 [queries, top]; -inf (+inf under KINDRED_L2) where there is no result
            ids: int64 [queries, top]; -1 where there is no result
            visited: rows whose distance was computed, over all queries
            scanned: queries that scored every row that the filter allows instead
        """

    def save(self, path: Path):
        """Writes the index to a file, atomically."""

    def to_bytes(self) -> ByteText:
        """The bytes of the file that `save` writes."""

    def export_hnswlib(self, path: Path):
        """Writes the index in hnswlib's format."""
