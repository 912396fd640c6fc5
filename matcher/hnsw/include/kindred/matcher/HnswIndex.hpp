// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_INDEX_HPP
#define KINDRED_MATCHER_HNSW_INDEX_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/matcher/FileSource.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// The codes from which a graph traversal computes distances. Returned scores are always the exact,
/// reproducible scores of the rows.
enum class HnswTraversal : std::uint8_t {
  automatic,  ///< `bytes`, unless a sample of the first rows shows that they are too coarse
  bytes,      ///< one byte per dimension, with one scale per row
  floats      ///< the rows themselves, in float32
};
template <>
inline constexpr auto enum_names<HnswTraversal> =
    std::to_array<std::string_view>({"automatic", "bytes", "floats"});

/// \brief Build parameters of an index; they never change.
struct HnswSettings {
  Metric metric = Metric::cosine;
  std::size_t m = 16;  ///< links per new node, 2 … 512; a node has at most twice as many on level 0
  std::size_t ef_construction = 200;  ///< candidate list size during insertion, m … 65536
  std::uint64_t seed = 1;             ///< for the random levels of the nodes
  HnswTraversal traversal = HnswTraversal::automatic;
};

struct HnswSearchOptions {
  std::size_t top = 10;  ///< maximum number of results per query; may exceed the number of rows
  static constexpr std::size_t ef_default = 64;
  /// Candidate list size of a query, at least `top`; larger values increase recall. 0 means the
  /// greater of `ef_default` and `top`.
  std::size_t ef = 0;
  std::span<const std::uint8_t> filter = {};  ///< one byte per id below `end_id()`: a row may be
                                              ///< returned if its byte is nonzero; empty: every row
  /// The same as bits, the least significant bit of a word first.
  std::span<const std::uint64_t> filter_bits = {};
  /// `serial` or `openmp`; by default one thread for a single query, all threads for many.
  std::optional<Space> space = {};
};

/// \brief Arrays of the caller for the results of a search, of `queries × top` without gaps. Beyond
/// what was found, ids are −1 and scores −inf (+inf under l2).
struct HnswOutput {
  std::span<float> scores = {};
  std::span<std::int64_t> ids = {};
};

/// \brief The results of `HnswIndex::search`: `queries × top`, row-major, in total order (score,
/// then lower id). Without ids and scores if they were written to arrays of the caller.
struct HnswResults {
  std::size_t top = 0;  ///< results per row: the requested number, or `size()` if that is smaller
  std::vector<std::int64_t> ids;  ///< −1 in slots that a filter left empty
  std::vector<float> scores;      ///< −inf in those slots (+inf under l2)
  std::uint64_t visited = 0;      ///< rows whose distance was computed, over all queries
  std::uint64_t scanned = 0;      ///< queries that scored every row allowed by the filter instead
  /// The space, its threads and the time. The dispatcher is not asked, because an index has no form
  /// for a device: nothing is predicted or learned, and `ContextOptions::on_dispatch` is not
  /// called.
  DispatchRecord record;
};

struct HnswStatistics {
  std::size_t dimension = 0;
  HnswSettings settings;          ///< with the `traversal` that was chosen
  std::uint64_t rows = 0;         ///< that can be found
  std::uint64_t removed = 0;      ///< removed rows that stay in the graph until `repair`
  std::uint64_t end_id = 0;       ///< all ids below it have been assigned
  std::uint64_t levels = 0;       ///< of the graph; 0 if it is empty
  std::uint64_t links = 0;        ///< on all levels
  std::uint64_t unreachable = 0;  ///< rows that no traversal of level 0 reaches
  std::uint64_t bytes = 0;        ///< of memory, not counting a mapped file
};

/// \brief Approximate nearest-neighbour search with a hierarchical navigable small-world graph
/// (Malkov and Yashunin 2018).
///
/// Results carry exact scores and are in total order, but a row that is not returned
/// may be nearer: recall grows with `ef`. The same rows, settings and seed build the same graph,
/// and the same graph and query give the same results, for any number of threads and any
/// instruction set: nodes are inserted in rounds whose size depends only on the number of nodes,
/// each round searches the graph of the rounds before it, links are applied in the order (node,
/// distance, node), and traversal distances are integer sums (`bytes`) or float32 sums in a fixed
/// order (`floats`).
///
/// Runs on the host. Thread-safe: a call that changes the index waits for the calls that run, and
/// later calls wait for it; the numbers of `size`, `end_id` and `settings` are read at any time.
class HnswIndex {
 public:
  /// \brief Builds an empty index. Complexity O(1).
  /// \param context must outlive this object
  /// \throws InvalidArgument for a dimension of 0 or above 2³² − 1, m or ef_construction out of
  /// range
  HnswIndex(Context& context, std::size_t dimension, const HnswSettings& settings = {});

  /// \brief Builds an index of \p rows with the ids 0, 1, …, and stores nodes that are traversed
  /// together close to each other in memory. Complexity and fences as `add`.
  /// \param rows `count × dimension`, row-major, finite; copied
  /// \param progress called by the calling thread with the number of rows inserted so far, at most
  /// 4096 rows apart; reordering them in memory follows the last call
  /// \throws as the constructor, `add` and \p progress
  static HnswIndex build(Context& context, std::span<const float> rows, std::size_t dimension,
                         const HnswSettings& settings = {},
                         const std::function<void(std::uint64_t)>& progress = {});

  /// \brief Inserts rows, assigns them consecutive ids from `end_id()` on, and returns the first
  /// id.
  ///
  /// The first rows determine an `automatic` traversal. Complexity O(count · ef_construction · m ·
  /// log n) distances, on all host threads. Fences the instance it ran on.
  /// \param rows `count × dimension`, row-major, finite; copied
  /// \throws InvalidArgument for a size that is not a multiple of the dimension, a non-finite
  /// number, or more than 2³¹ − 2 rows; OutOfMemory. On an exception the index is unchanged.
  std::uint64_t add(std::span<const float> rows);

  /// \brief Removes rows from future results; traversals still pass over them until `repair`. Does
  /// not fence. Complexity O(ids · log n), plus O(n · log n) for the first lookup of an id after
  /// rows were added.
  /// \throws NotFound for an id that does not exist or is listed twice; nothing is removed then
  void remove(std::span<const std::uint64_t> ids);

  /// \brief Deletes the removed rows from the graph: their neighbours are linked with each other,
  /// on all host threads, and memory is released. Ids do not change. Complexity O(n · m) for the
  /// copy, plus O(m²) distances for every link list that lost a link. Fences the instance it ran
  /// on.
  /// \throws OutOfMemory; the index is then unchanged
  void repair();

  std::size_t size() const noexcept;  ///< rows that can be found
  std::size_t dimension() const noexcept;
  std::uint64_t end_id() const noexcept;   ///< all ids below it have been assigned
  HnswSettings settings() const noexcept;  ///< with the `traversal` that was chosen
  /// Whether a row with \p id can be found. Complexity as `remove` of one id.
  bool contains(std::uint64_t id) const;
  /// \brief Copies the rows of these ids, as they were added. Complexity as `contains`, for each.
  /// \param ids may be repeated \param out `ids.size() × dimension()`, row-major
  /// \throws InvalidArgument for another size of \p out; NotFound for an id without a row; \p out
  /// is then unchanged
  void rows(std::span<const std::uint64_t> ids, std::span<float> out) const;
  /// The contents of the index. Traverses the graph once: complexity O(n · m). Does not fence.
  HnswStatistics statistics() const;

  /// \brief The rows nearest to each query, approximately. Fences the instance it ran on.
  ///
  /// If it is no more work (few rows, a selective filter, an `ef` as large as the index), or if the
  /// traversal finds fewer than `top` rows, all rows allowed by the filter are scored: the result
  /// is then exact, and has fewer than `top` rows only if the filter allows no more. Complexity per
  /// query: about ef · m · log n distances, or one for each allowed row; the set bits of a filter
  /// are counted once per call, O(n). The workspace of O(n) bytes per thread is kept for later
  /// calls.
  /// \param queries `count × dimension`, row-major, finite
  /// \param out arrays for the results, which then own none
  /// \throws InvalidArgument for top = 0, a nonzero `ef` below `top`, a wrong dimension or filter
  /// size, a non-finite number, or arrays of another size or that share memory; SpaceUnavailable
  /// for a device; OutOfMemory
  HnswResults search(std::span<const float> queries, const HnswSearchOptions& options = {},
                     const HnswOutput& out = {}) const;

  /// \brief Writes the index (docs/internals/file-format.md, kind `hnsw`); the file is written
  /// atomically. Complexity O(bytes). Does not fence.
  /// \throws InvalidArgument for a path that cannot be written; Busy while another process writes
  /// it; Error for failed writes
  void save(const std::string& path) const;
  /// \brief Maps a file written by `save` and validates every byte and every link, on all host
  /// threads. Complexity O(bytes). Does not fence.
  /// \throws NotFound; InvalidArgument; CorruptFile with the byte offset and the reason;
  /// OutOfMemory
  static HnswIndex load(Context& context, const FileSource& source);
  /// \brief The bytes of the file that `save` writes. Complexity O(bytes). Does not fence.
  /// \throws OutOfMemory
  std::vector<std::byte> to_bytes() const;

  /// \brief Reads a graph of float32 rows written by hnswlib's `saveIndex`; labels become ids.
  ///
  /// hnswlib's `l2` and `ip` are `Metric::l2` and `Metric::ip`; its Python space `cosine`, which
  /// stores normalised rows, is `Metric::cosine`. Complexity O(bytes). Fences the instance that
  /// encodes the rows.
  /// \param dimension of its rows, which the file does not record
  /// \throws NotFound; InvalidArgument if the file cannot be opened; CorruptFile with the byte
  /// offset and the reason for any inconsistency, including a wrong dimension; OutOfMemory
  static HnswIndex import_hnswlib(Context& context, const std::string& path, Metric metric,
                                  std::size_t dimension);
  /// \brief Writes the index in hnswlib's format (for `load_index` of a space `l2` or `ip`; under
  /// cosine the rows are normalised, as hnswlib's Python space `cosine` stores them). Removed rows
  /// are marked as deleted. Complexity O(bytes). Does not fence. \throws as `save`
  void export_hnswlib(const std::string& path) const;

 private:
  struct State;
  explicit HnswIndex(std::unique_ptr<State> state);
  Impl::OwnedState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_HNSW_INDEX_HPP
