# SPDX-License-Identifier: Apache-2.0
"""HnswIndex: approximate nearest neighbours, on the host"""


class HnswTraversal(Enum, c="KINDRED_TRAVERSAL_", values="automatic bytes floats"):
    """The codes from which a traversal computes distances."""


class HnswSettings(Options, c="hnsw_settings", noun="settings"):
    """Settings of a graph."""
    m: Count(0) = 16  # links per new node, 2 ... 512
    ef_construction: Count(0) = 200  # candidate list size during insertion, m ... 65536
    seed: Count(0) = 1  # for the random levels of the nodes
    metric: Metric = "cosine"
    traversal: HnswTraversal = "automatic"


class HnswSearchOptions(Options, c="hnsw_search_options"):
    """Options of a search."""
    top: Count(1) = 10  # maximum number of results per query
    ef: Count(0) = 0  # candidate list size, at least `top`; 0: the greater of 64 and `top`
    filter: Filter = None  # as of a search in an index; bits are for all queries
    space: Space = None  # serial or openmp


class HnswStatistics(Statistics, c="hnsw_statistics"):
    """The contents of a graph."""
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
    """Approximate search in vectors with a graph (HNSW). Scores are exact, but a row that is not returned may be nearer."""

    def create(context: Context, dimension: Count(1), settings: HnswSettings) -> New:
        """Creates an empty graph of rows of `dimension` elements."""

    def build(context: Context, rows: NewRows, settings: HnswSettings, progress: Progress) -> New:
        """Builds a graph of rows, which are copied.

        Args:
            rows: float32 [count, dimension], finite
            progress: receives the number of rows inserted so far
        """

    def load(context: Context, path: Path) -> New:
        """Maps a file that `save` has written."""

    def from_bytes(context: Context, bytes: Bytes) -> New:
        """The same from the bytes of such a file, which are copied."""

    def import_hnswlib(context: Context, path: Path, metric: Metric, dimension: Count(1)) -> New:
        """Reads an index of hnswlib, whose file has neither the metric nor the dimension."""

    @changes
    def add(self, rows: HostRows) -> FirstId:
        """Adds rows of float32. On an exception the graph is unchanged."""

    @changes
    def remove(self, ids: Ids):
        """Removes rows; their ids are not reused."""

    @changes
    def repair(self):
        """Connects rows that removals have cut off."""

    def size(self) -> Size:
        """Number of rows that can be found."""

    def end_id(self) -> U64:
        """All ids below it have been assigned."""

    def dimension(self) -> Size:
        """Number of elements of a row."""

    @c("settings_of")
    def settings(self) -> HnswSettings:
        """The settings of the graph."""

    def row(self, id: Id) -> RowCopy:
        """The row of an id, as float32."""

    def contains(self, id: Id) -> Bool:
        """Whether a row has the id."""

    def statistics(self) -> HnswStatistics:
        """Sizes and counts."""

    @hand("c")
    def search(self, queries: Queries, options: HnswSearchOptions, out: Ranked) -> Visited | Record:
        """The best rows of every query that the graph leads to."""

    def save(self, path: Path):
        """Writes the graph to a file, atomically."""

    def to_bytes(self) -> ByteText:
        """The bytes of the file that `save` writes."""

    def export_hnswlib(self, path: Path):
        """Writes the graph as a file of hnswlib."""
