// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_HNSW_INDEX_HPP
#define KINDRED_MATCHER_HNSW_INDEX_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/vector/Metric.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred {

/// What the graph is walked by. Scores that are returned are canonical ones of the rows, always.
enum class HnswTraversal : std::uint8_t {
  automatic,  ///< bytes, unless a sample of the first rows says that they are too coarse
  bytes,      ///< a byte a dimension, with a scale a row
  floats      ///< the rows themselves, in float32
};
/// Its name, as the command takes it.
std::string_view to_string(HnswTraversal traversal) noexcept;

/// \brief What an index is made with; it stays so.
struct HnswSettings {
  Metric metric = Metric::cosine;
  std::size_t m = 16;  ///< links a node chooses, 2 … 512; twice as many at most on level 0
  std::size_t ef_construction = 200;  ///< candidates of a new node, m … 65536
  std::uint64_t seed = 1;             ///< of the levels
  HnswTraversal traversal = HnswTraversal::automatic;
};

struct HnswSearchOptions {
  std::size_t top = 10;  ///< of a query at most; any number: there are no more than rows
  static constexpr std::size_t ef_default = 64;
  /// Candidates of a query, at least `top`: more find more. 0: the greater of the default and
  /// `top`.
  std::size_t ef = 0;
  std::span<const std::uint8_t> filter;        ///< a byte an id below `end_id()`, not 0 = may be
                                               ///< returned; empty = every row
  std::span<const std::uint64_t> filter_bits;  ///< the same as bits, the lowest of a word first
  std::optional<Space> space;  ///< serial or openmp; nothing: one thread a query, all for many
};

/// \brief The answers of `HnswIndex::search`: `queries × top`, row-major, in total order (score,
/// then lower id).
struct HnswResults {
  std::size_t top = 0;            ///< of a row: what was asked for, or `size()` where that is less
  std::vector<std::int64_t> ids;  ///< −1 where a filter left fewer than `top`
  std::vector<float> scores;      ///< −inf there (+inf under l2)
  std::uint64_t visited = 0;      ///< rows whose distance was taken, all queries together
  std::uint64_t scanned = 0;  ///< queries that were answered by scoring every row they may return
};

struct HnswStatistics {
  std::size_t dimension = 0;
  HnswSettings settings;          ///< `traversal` as it was chosen
  std::uint64_t rows = 0;         ///< that can be found
  std::uint64_t removed = 0;      ///< that are walked over until `repair`
  std::uint64_t end_id = 0;       ///< ids below it were given
  std::uint64_t levels = 0;       ///< of the graph, 0 for an empty one
  std::uint64_t links = 0;        ///< on all levels
  std::uint64_t unreachable = 0;  ///< rows that no walk on level 0 comes to
  std::uint64_t bytes = 0;        ///< of memory, without what is mapped from a file
};

/// \brief Approximately nearest rows, by a hierarchical graph (Malkov and Yashunin 2018).
///
/// What is returned is scored canonically (DESIGN §4) and in total order; what is not returned may
/// be nearer: recall follows `ef`. The same rows, settings and seed make the same graph, and a
/// graph and a query the same answer, on any number of threads and any instruction set: nodes are
/// inserted in rounds whose size depends on the number of nodes alone and search the graph of the
/// rounds before, links are applied in the order (node, distance, node), and distances of the walk
/// are integer sums (bytes) or float32 sums of one order (floats).
///
/// Runs on the host. `search` may be called from several threads; what changes the index may not
/// run beside anything else.
class HnswIndex {
 public:
  /// \brief An empty index. Complexity O(1). \param context outlives this
  /// \throws InvalidArgument for a dimension of 0 or above 2³² − 1, m or ef_construction out of
  /// range
  HnswIndex(Context& context, std::size_t dimension, const HnswSettings& settings = {});
  ~HnswIndex();
  HnswIndex(HnswIndex&&) noexcept;
  HnswIndex& operator=(HnswIndex&&) noexcept;

  /// \brief The index of \p rows, whose ids are 0, 1, …; nodes that are walked together lie
  /// together. Complexity and fence as `add`.
  /// \param rows `count × dimension`, row-major, finite; copied \throws as the constructor and
  /// `add`
  static HnswIndex build(Context& context, std::span<const float> rows, std::size_t dimension,
                         const HnswSettings& settings = {});

  /// \brief Inserts rows; they get the ids from `end_id()` on, the first of which is returned.
  ///
  /// The first rows decide about the traversal. Complexity O(count · ef_construction · m · log n)
  /// elements' worth of distances, in all threads of the host. Fences the instance it ran on.
  /// \param rows `count × dimension`, row-major, finite; copied \throws InvalidArgument for a size
  /// that is no multiple of the dimension, a number that is not finite, more than 2³¹ − 2 rows;
  /// OutOfMemory; the index is then as it was
  std::uint64_t add(std::span<const float> rows);

  /// \brief Rows with these ids are not found any more; the graph is walked over them until
  /// `repair`. Does not fence. Complexity O(ids · log n), and O(n · log n) at the first look-up of
  /// an id after rows were added. \throws NotFound for an id that is not there, or named twice;
  /// nothing is removed then
  void remove(std::span<const std::uint64_t> ids);

  /// \brief Takes the removed rows out: their neighbours are linked with one another, in all
  /// threads; memory is given back. Ids stay. Complexity O(n · m) for the copy, and the choice of a
  /// list's links, O(m²) distances, for each that lost one. Fences the instance it ran on.
  /// \throws OutOfMemory; the index is then as it was
  void repair();

  std::size_t size() const noexcept;  ///< rows that can be found
  std::size_t dimension() const noexcept;
  std::uint64_t end_id() const noexcept;  ///< ids below it were given
  const HnswSettings& settings() const noexcept;
  /// What the graph is walked by, as it was chosen.
  HnswTraversal traversal() const noexcept;
  /// Whether a row that can be found has \p id. Complexity as `remove` of one.
  bool contains(std::uint64_t id) const;
  /// The row with \p id, as it was given. Complexity as `contains`. \throws NotFound
  std::vector<float> row(std::uint64_t id) const;
  /// What the index holds. Walks the graph once: complexity O(n · m). Does not fence.
  HnswStatistics statistics() const;

  /// \brief The rows nearest to each query, approximately. Fences the instance it ran on.
  ///
  /// Where that is no more work (few rows, a filter that few pass, an ef as large as the index), or
  /// the walk finds fewer than `top`, all rows that may be returned are scored: the answer is then
  /// exact, and fewer than `top` are returned only where a filter leaves fewer. Complexity of a
  /// query: about ef · m · log n distances, or one for each row that may be returned; a filter is
  /// counted once a call, O(n). Takes O(n) bytes a thread, which are kept for later calls.
  /// \param queries `count × dimension`, row-major, finite
  /// \throws InvalidArgument for top = 0, an ef that is given and less than top, a wrong dimension
  /// or filter size, a number that is not finite; SpaceUnavailable for a device; OutOfMemory
  HnswResults search(std::span<const float> queries, const HnswSearchOptions& options = {}) const;

  /// \brief Writes the index (docs/internals/file-format.md, kind `hnsw`); it appears whole or not
  /// at all. Complexity O(bytes). Does not fence. \throws InvalidArgument for a place that cannot
  /// be written; Busy when another writes it; Error
  void save(const std::string& path) const;
  /// \brief Maps what `save` wrote; every byte and every link is checked, by all threads.
  /// Complexity O(bytes). Does not fence.
  /// \throws NotFound; InvalidArgument; CorruptFile with the byte and the reason; OutOfMemory
  static HnswIndex load(Context& context, const std::string& path);

  /// \brief Reads the graph that hnswlib's `saveIndex` wrote, of float32 rows; labels become ids.
  ///
  /// hnswlib's `l2` is l2, its `ip` ip; its Python `cosine` stores normalised rows: cosine.
  /// Complexity O(bytes). Fences the instance that codes the rows. \param dimension of its rows,
  /// which the file does not say
  /// \throws NotFound; InvalidArgument when it cannot be opened; CorruptFile with the byte and the
  /// reason for everything that does not fit, also the dimension; OutOfMemory
  static HnswIndex import_hnswlib(Context& context, const std::string& path, Metric metric,
                                  std::size_t dimension);
  /// \brief Writes the index as hnswlib reads it (`load_index` of a space l2 or ip; under cosine
  /// rows are normalised, as its Python `cosine` has them). Removed rows are marked so. Complexity
  /// O(bytes). Does not fence. \throws as `save`
  void export_hnswlib(const std::string& path) const;

 private:
  struct State;
  explicit HnswIndex(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_HNSW_INDEX_HPP
