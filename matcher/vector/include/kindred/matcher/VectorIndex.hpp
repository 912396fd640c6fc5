// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_INDEX_HPP
#define KINDRED_MATCHER_VECTOR_INDEX_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/matcher/Residency.hpp>
#include <kindred/matcher/SearchReport.hpp>
#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorSpan.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred {

/// \brief How the exact answer of a search is found. All ways give the same ids and bits.
enum class SearchPath : std::uint8_t {
  brute_force,  ///< every row is scored canonically
  quantized,    ///< shadow rows of int8 and a bound name the rows that are
  gemm          ///< a matrix product of the machine's library and a bound name them
};
/// Its name, as the command takes it.
std::string_view to_string(SearchPath path) noexcept;

/// \brief What is kept beside rows so that a search reads less.
enum class QuantizedCopy : std::uint8_t {
  automatic,  ///< int8 shadows of rows of wider elements, made by the first search that wants them
  never
};

struct VectorIndexOptions {
  Residency residency = Residency::automatic;
  QuantizedCopy quantized_copy = QuantizedCopy::automatic;
};

struct SearchOptions {
  Metric metric = Metric::cosine;
  std::size_t top = 10;  ///< of a query at most; any number: there are no more than rows
  /// A byte an id, not 0 = may be returned; empty = every row.
  std::span<const std::uint8_t> filter;
  /// The same as bits, the lowest of a word first, ⌈end_id / 64⌉ words: of all queries, or a bitmap
  /// a query one after the other. Empty = every row. Not beside `filter`.
  std::span<const std::uint64_t> filter_bits;
  std::optional<Space> space;      ///< runs there instead of where the dispatcher would
  std::optional<SearchPath> path;  ///< goes that way instead of the one predicted to be quickest
};

/// \brief The answers of `search`: `queries × top`, row-major, in total order (score, then lower
/// id; NaN last).
struct SearchResults {
  std::size_t top = 0;            ///< of a row: what was asked for, or `size()` where that is less
  std::vector<std::int64_t> ids;  ///< −1 where a filter left fewer than `top`
  std::vector<float> scores;      ///< −inf there (+inf under l2)
  SearchReport report;
  DispatchRecord record;
};

/// \brief One scored row.
struct ScoredId {
  std::int64_t id = 0;
  float score = 0;
};

/// \brief The answers of `score` and `search_at_least`: a row a query, best first.
struct ScoreResults {
  Ragged<ScoredId> results;
  SearchReport report;
  DispatchRecord record;
};

/// What an index holds. Bytes are of all copies.
struct VectorIndexInfo {
  std::uint64_t rows = 0;      ///< that can be found
  std::uint64_t removed = 0;   ///< that still take their place
  std::uint64_t segments = 0;  ///< rows lie in so many pieces
  std::uint64_t host_bytes = 0;
  std::uint64_t device_bytes = 0;
  std::uint64_t quantized_bytes = 0;  ///< of them, on both
};

/// \brief A store of vectors and its exact nearest rows, by canonical sums. Answers Engram's batch
/// cosine and candidate scoring.
///
/// A row of any element type is the float32 row that it decodes to. The scores are those of DESIGN
/// §4 ("Definitions"): double sums in canonical order, rounded to float32 once, NaN stored as
/// 0x7FC00000, a zero as +0; a query with a NaN scores NaN with every row (but 0 with one of zeros
/// under cosine), and equal scores are ranked by id. An id is the number of the row in the order of
/// insertion, never given twice. Calls may come from several threads; one that changes rows waits
/// for those that read them.
class VectorIndex {
 public:
  /// \brief Float32 rows. Complexity O(count · dimension): a copy and the norms. Fences the
  /// instances that take the rows.
  /// \param context outlives this \param rows `count × dimension`, row-major, copied
  /// \throws InvalidArgument when the size of \p rows is not a multiple of \p dimension, or
  /// dimension is 0 or above 2³² − 2; SpaceUnavailable; OutOfMemory
  VectorIndex(Context& context, std::span<const float> rows, std::size_t dimension,
              Residency residency = Residency::automatic);
  /// \brief Rows of any element type, copied. Complexity and fence as above.
  /// \throws InvalidArgument also for scales that are missing, too many, negative or not finite;
  /// the rest as above
  VectorIndex(Context& context, const VectorSpan& rows, const VectorIndexOptions& options);
  /// \brief Rows where they lie: `stored.owner` is kept, without one the memory outlives this. It
  /// is only read, and may be read-only: the first `replace` copies all of the rows. Complexity
  /// O(rows) on the host, that of a copy for a device. Fences the instances that take the rows.
  /// \throws InvalidArgument for sizes that do not go together; SpaceUnavailable, OutOfMemory
  VectorIndex(Context& context, const StoredVectors& stored, const VectorIndexOptions& options);
  /// \brief The rows of a store file, where they are mapped; what is changed is copied. Complexity
  /// O(bytes of the file), which are checked. Fences as the constructor.
  /// \param threads that check the file, at most; 0: as many as the processor has
  /// \throws NotFound, InvalidArgument, CorruptFile as `load_vectors`; SpaceUnavailable,
  /// OutOfMemory
  static VectorIndex load(Context& context, const std::string& path,
                          const VectorIndexOptions& options = {}, int threads = 0);
  ~VectorIndex();
  VectorIndex(VectorIndex&&) noexcept;
  VectorIndex& operator=(VectorIndex&&) noexcept;

  /// Rows that may be found. This and what follows, up to `info`: O(segments), no fence.
  std::size_t size() const noexcept;
  /// Ids below it were given.
  std::uint64_t end_id() const noexcept;
  std::size_t dimension() const noexcept;
  VectorElement element() const noexcept;
  /// What the index holds.
  VectorIndexInfo info() const;
  /// Bytes held where \p space computes, 0 if the rows are not there.
  std::uint64_t bytes(Space space) const noexcept;

  /// \brief Adds rows of the same element type and dimension; the next call finds them. Returns the
  /// id of the first. Amortised O(log rows) copies a row. Fences the instances that take the rows.
  /// \throws InvalidArgument for another element type or dimension, scales as above, or ids beyond
  /// 2³² − 2; OutOfMemory; the index is then as it was
  std::uint64_t append(const VectorSpan& rows);
  /// \brief Takes rows out; their ids stay unused. Complexity O(ids · segments · log rows), and
  /// of a copy where more than a quarter of a segment is gone. Fences the instances that copy.
  /// \throws NotFound for an id that was never given, was removed before or is named twice; nothing
  /// is then removed
  void remove(std::span<const std::uint64_t> ids);
  /// \brief Another row in the place of \p id. Complexity O(segments · log rows + dimension), and
  /// O(bytes) the first time where the index was made of `StoredVectors`. Fences the instances that
  /// have the row. \param row one, of the same element type and dimension
  /// \throws NotFound, InvalidArgument, OutOfMemory; the row is then as it was
  void replace(std::uint64_t id, const VectorSpan& row);

  /// \brief Writes all rows and ids to a file, which appears whole or not at all; with their shadow
  /// where the host has it. Complexity O(bytes). Does not fence. \throws as `save_vectors`
  void save(const std::string& path) const;

  /// \brief The exact top-k rows of every query. Fences the instance it ran on.
  ///
  /// Takes at most 64 MiB beside the answer. Complexity O(queries · rows · dimension), the bytes
  /// read by path; the k best in O(log k) a row that enters them. Checks come before anything is
  /// allocated or launched. \param queries `count × dimension`, row-major
  /// \throws InvalidArgument for top = 0, a wrong dimension or filter size, a path that is not
  /// available; SpaceUnavailable; OutOfMemory
  SearchResults search(std::span<const float> queries, const SearchOptions& options = {}) const;

  /// \brief All rows whose score is \p score or better (at most \p score under l2); a NaN is never.
  /// `options.top` is not read. Complexity as `search`, and O(results · log results). Fences the
  /// instance it ran on.
  /// \throws InvalidArgument for a NaN \p score, and as `search`
  ScoreResults search_at_least(std::span<const float> queries, float score,
                               const SearchOptions& options = {}) const;

  /// \brief Scores for each query the rows that its list names, each once, and keeps the best
  /// `top`.
  ///
  /// A list with fewer than `top` distinct rows gives what exists. `options.path` is not read.
  /// Complexity O(candidates · dimension). Fences the instance it ran on.
  /// \param candidates row i belongs to query i
  /// \throws InvalidArgument for an id that is no row's (checked before launch), a wrong number of
  /// lists, top = 0, a wrong dimension or filter size; SpaceUnavailable; OutOfMemory
  ScoreResults score(std::span<const float> queries, RaggedSpan<std::uint64_t> candidates,
                     const SearchOptions& options = {}) const;

 private:
  friend class PreparedScore;
  struct Parts;
  Parts parts() const noexcept;
  struct State;
  explicit VectorIndex(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VECTOR_INDEX_HPP
