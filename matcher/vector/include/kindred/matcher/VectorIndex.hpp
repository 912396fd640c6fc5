// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_INDEX_HPP
#define KINDRED_MATCHER_VECTOR_INDEX_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Names.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/common/Stream.hpp>
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
#include <type_traits>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief The algorithm of an exact search. All return the same ids and bitwise identical scores.
enum class SearchPath : std::uint8_t {
  brute_force,  ///< every row is scored
  quantized,    ///< an int8-quantized copy and an error bound select the rows to score
  gemm          ///< a GEMM of the vendor's library and an error bound select them
};
template <>
inline constexpr auto enum_names<SearchPath> =
    std::to_array<std::string_view>({"brute_force", "quantized", "gemm"});

/// \brief Whether quantized copies of the rows are kept so that a search reads fewer bytes.
enum class QuantizedCopy : std::uint8_t {
  automatic,  ///< of rows of wider elements, built by the first search that uses it: an
              ///< int8-quantized copy for `SearchPath::quantized`; on a device, a copy rounded to
              ///< float16 for `SearchPath::gemm`, if half of the memory budget suffices for all
  never
};

struct VectorIndexOptions {
  Residency residency = Residency::automatic;
  QuantizedCopy quantized_copy = QuantizedCopy::automatic;
};

struct SearchOptions {
  Metric metric = Metric::cosine;
  std::size_t top = 10;  ///< maximum number of results per query; may exceed the number of rows
  /// One byte per id: a row may be returned if its byte is nonzero. Empty means that every row may
  /// be returned.
  std::span<const std::uint8_t> filter = {};
  /// The same as bits, the least significant bit of a word first, ⌈end_id / 64⌉ words: one bitmap
  /// for all queries, or one bitmap per query, concatenated. Empty means that every row may be
  /// returned. Must not be combined with `filter`.
  std::span<const std::uint64_t> filter_bits = {};
  std::optional<Space> space = {};  ///< overrides the dispatcher's choice
  /// Overrides the choice of the path predicted to be fastest.
  std::optional<SearchPath> path = {};
  /// Orders a call on arrays that lie on a device; must outlive the index.
  std::optional<Stream> stream = {};
};

/// Options of `VectorIndex::score_all`.
struct ScoreOptions {
  Metric metric = Metric::cosine;
  std::optional<Space> space = {};    ///< overrides the dispatcher's choice
  std::optional<Stream> stream = {};  ///< as in `SearchOptions`
};

/// \brief Arrays of the caller for the results of a call: for every query the best first. `top` of
/// the options is ignored then: it is the extent of `scores`. Beyond what was found, ids are −1 and
/// scores −inf (+inf under l2).
struct SearchOutput {
  Array scores;  ///< float32 [queries, top], or [top] for one query of one dimension
  Array ids;     ///< int64, of the same shape
};

/// \brief Lists of ids, one per query, in which an id may occur several times.
struct CandidateLists {
  /// \param lists of different lengths, of ids that all have rows: `Ragged` or `RaggedSpan` of
  /// uint64; or an array, int64 [queries, length] or of one dimension like the queries, where an id
  /// without a row, such as −1, is skipped
  template <class Lists>
  CandidateLists(const Lists& lists) {  // NOLINT(google-explicit-constructor): a view
    if constexpr (std::is_convertible_v<const Lists&, RaggedSpan<std::uint64_t>>) {
      ragged = lists;
    } else {
      array = lists;
    }
  }

  RaggedSpan<std::uint64_t> ragged;
  std::optional<ConstArray> array;  ///< instead of `ragged`
};

/// \brief The results of `search`: `queries × top`, row-major, in total order (score, then lower
/// id; NaN last). Without ids and scores if they were written to arrays of the caller.
struct SearchResults {
  std::size_t top = 0;  ///< results per row: the requested number, or `size()` if that is smaller
  std::vector<std::int64_t> ids;  ///< −1 in slots that a filter left empty
  std::vector<float> scores;      ///< −inf in those slots (+inf under l2)
  SearchReport report;
  DispatchRecord record;
};

/// \brief One scored row.
struct ScoredId {
  std::int64_t id = 0;
  float score = 0;
};

/// \brief The results of `score` and `search_at_least`: one row per query, best first; without rows
/// if they were written to arrays of the caller.
struct ScoreResults {
  Ragged<ScoredId> results;
  SearchReport report;
  DispatchRecord record;
};

/// The contents of an index. Byte counts include all copies.
struct VectorStatistics {
  std::uint64_t rows = 0;      ///< that can be found
  std::uint64_t removed = 0;   ///< rows that were removed or replaced and still occupy memory
  std::uint64_t segments = 0;  ///< number of segments that hold the rows
  std::uint64_t host_bytes = 0;
  std::uint64_t device_bytes = 0;
  std::uint64_t quantized_bytes = 0;  ///< of the above, quantized copies
};

/// \brief A store of vectors with exact nearest-neighbour search, scored by reproducible sums.
/// Equivalent to Engram's batch cosine and candidate re-ranking.
///
/// A row of any element type stands for the float32 row that it decodes to. Scores are
/// double sums in a fixed order, rounded to float32 once, with NaN stored as 0x7FC00000 and zero as
/// +0 (docs/internals/exactness.md). A query with a NaN scores NaN with every row (but 0 with a
/// row of zeros under cosine). Equal scores are ranked by id. The id of a row is its number in the
/// order of insertion and is never reused. Thread-safe: a call reads the rows as of one change, and
/// does not wait for changes, nor they for it; changes follow one another. The memory of rows that
/// were changed is released after the last call that reads them.
class VectorIndex {
 public:
  /// \brief Builds an index of float32 rows. Complexity O(count · dimension) for the copy and the
  /// norms. Fences the instances that copy the rows.
  /// \param context must outlive this object
  /// \param rows `count × dimension`, row-major, copied
  /// \throws InvalidArgument if the size of \p rows is not a multiple of \p dimension, or \p
  /// dimension is 0 or above 2³² − 2; SpaceUnavailable; OutOfMemory
  VectorIndex(Context& context, std::span<const float> rows, std::size_t dimension,
              Residency residency = Residency::automatic);
  /// \brief Builds an index of rows of any element type, which are copied. Complexity and fences as
  /// above.
  /// \throws InvalidArgument also for a wrong number of scales and for negative or non-finite
  /// scales; otherwise as above
  VectorIndex(Context& context, const VectorSpan& rows, const VectorIndexOptions& options);
  /// \brief Builds an index that uses the rows in place. `stored.owner` is kept alive; without an
  /// owner the memory must outlive this object. The memory is only read. Complexity O(rows) on the
  /// host; on a device also a copy of the rows. Fences the instances that copy the rows.
  /// \throws InvalidArgument for what `StoredVectors::save` rejects: inconsistent sizes, ids that
  /// do not ascend or are not below `end_id`, negative scales or norms; SpaceUnavailable;
  /// OutOfMemory
  VectorIndex(Context& context, const StoredVectors& stored, const VectorIndexOptions& options);
  /// \brief Maps a store file, which is only read. Complexity O(bytes of the
  /// file), all of which are validated. Fences as the constructor.
  /// \param threads maximum number of threads that validate the file; 0: the number of hardware
  /// threads
  /// \throws NotFound, InvalidArgument, CorruptFile as `StoredVectors::load`; SpaceUnavailable,
  /// OutOfMemory
  static VectorIndex load(Context& context, const FileSource& source,
                          const VectorIndexOptions& options = {}, int threads = 0);

  /// Number of rows that can be found. This and the following functions up to `bytes` are
  /// O(segments) and do not fence.
  std::size_t size() const noexcept;
  /// All ids below it have been assigned.
  std::uint64_t end_id() const noexcept;
  /// \brief Grows with every change of the rows. If it is read before `size` and is still the same
  /// after a call that followed, the call saw as many rows as `size` said.
  std::uint64_t changes() const noexcept;
  std::size_t dimension() const noexcept;
  DataType element() const noexcept;
  /// The ids of all rows that can be found, ascending. O(rows). \throws OutOfMemory
  std::vector<std::uint64_t> ids() const;
  /// \brief Copies the rows of these ids, as the float32 rows that they decode to. Complexity O(ids
  /// · (segments · log rows + dimension)). Does not fence.
  /// \param ids may be repeated \param out `ids.size() × dimension()`, row-major
  /// \throws InvalidArgument for another size of \p out; NotFound for an id without a row; \p out
  /// is then unchanged
  void rows(std::span<const std::uint64_t> ids, std::span<float> out) const;
  /// The contents of the index.
  VectorStatistics statistics() const;
  /// Bytes in the memory of \p space; 0 if the rows are not resident there.
  std::uint64_t bytes(Space space) const;

  /// \brief Adds rows of the same element type and dimension and returns the id of the first.
  /// The next call finds them. Amortised O(log rows) copies per row. Fences the instances that copy
  /// the rows. What wrote an array on a device must have ended: the index keeps a copy of its rows
  /// on the host.
  /// \throws InvalidArgument for another element type, dimension or shape, scales as above, an
  /// array for an index of int8, or ids beyond 2³² − 2; SpaceUnavailable; OutOfMemory. On an
  /// exception the index is unchanged.
  std::uint64_t add(const RowArray& rows);
  /// \brief Removes rows; their ids are not reused. Complexity O(ids · segments · log rows), plus a
  /// copy of a block of bits per 131,072 rows that lose one, and of each segment of which more than
  /// a quarter is removed. Fences the instances that copy.
  /// \throws NotFound for an id that was never assigned, was already removed or is listed twice;
  /// nothing is removed then
  void remove(std::span<const std::uint64_t> ids);
  /// \brief Replaces the row \p id. Complexity as `remove` and `add` of one row together. Fences
  /// the instances that copy rows. \param row a single row of the same element type and dimension
  /// \throws NotFound, InvalidArgument, OutOfMemory; the row is then unchanged
  void replace(std::uint64_t id, const VectorSpan& row);

  /// \brief Atomically writes all rows and ids to a file, with the quantized copy if the host has
  /// it. Complexity O(bytes). Does not fence. \throws as `StoredVectors::save`
  void save(const std::string& path) const;
  /// \brief The bytes of the file that `save` writes. Complexity O(bytes). Does not fence.
  /// \throws OutOfMemory
  std::vector<std::byte> to_bytes() const;

  // Queries are float32 [queries, dimension], or of one dimension: then they follow one another,
  // and so do the rows of the other arrays of the call, which have one dimension too.
  //
  // The arrays of a call all lie on the host, or all on the device of the context; there may be
  // gaps between rows. Calls on the host fence the instance that they ran on. On a device:
  // - Results are written there, and nothing is brought to the host. Given `options.stream`, the
  //   call is ordered by it and does not fence; otherwise, what wrote the arrays must have ended,
  //   and the call fences.
  // - The rows of the index must be resident there. `search` uses `brute_force` or, for up to 1024
  //   results per query, `gemm`; the others score all rows.
  // - All calls share a workspace, so that calls on several streams run one after the other. The
  //   first call of a size, and the first call and the first `score_all` after a change of the
  //   rows, may wait for the device. The rows that a queued call reads live until it has ended, and
  //   a later call on such arrays notices that. A call must not be captured in a CUDA graph.
  //
  // Arguments are checked before anything is allocated or launched. All calls throw InvalidArgument
  // for another type, shape or dimension, arrays in different memory, a stream for arrays on the
  // host, another space than that of arrays on a device, a wrong size of a filter, a filter for
  // arrays on a device, results that share memory with another array of the call, and top = 0;
  // SpaceUnavailable, also if the rows are not on the device of the arrays; OutOfMemory.

  /// \brief The exact top-k rows of every query.
  ///
  /// The workspace is at most 64 MiB, not counting the results. Complexity O(queries · rows ·
  /// dimension), where the path decides how many bytes are read, plus O(log k) for each row that
  /// enters the k best.
  /// \param out arrays for the results, which then own none: \see SearchOutput. Queries of one
  /// dimension are then one query
  /// \throws InvalidArgument also for a path that is not available
  SearchResults search(const ConstArray& queries, const SearchOptions& options = {},
                       const SearchOutput& out = {}) const;

  /// \brief All rows whose score is \p score or better (at most \p score under l2); rows that score
  /// NaN are never returned. `options.top` is ignored. Complexity as `search`, and O(results · log
  /// results).
  /// \param queries on the host
  /// \throws InvalidArgument also for a NaN \p score
  ScoreResults search_at_least(const ConstArray& queries, float score,
                               const SearchOptions& options = {}) const;

  /// \brief Re-ranks candidates: scores for each query the rows in its list (duplicates count once)
  /// and keeps the best `top`.
  ///
  /// A list with fewer than `top` distinct rows yields fewer results. `options.path` is ignored.
  /// Complexity O(candidates · dimension).
  /// \param out as of `search`; on a device, it must be given
  /// \throws InvalidArgument also for a wrong number of lists, an id without a row in lists of
  /// different lengths and, on a device, lists that one launch cannot rank
  /// (docs/guide/vectors.md)
  ScoreResults score(const ConstArray& queries, const CandidateLists& candidates,
                     const SearchOptions& options = {}, const SearchOutput& out = {}) const;

  /// \brief The scores of all rows for every query, in ascending order of their ids (\see ids):
  /// those that `search` and `score` give. Complexity O(queries · rows · dimension).
  /// \param out float32 [queries, size()]
  /// \return where the call ran
  DispatchRecord score_all(const ConstArray& queries, const Array& out,
                           const ScoreOptions& options = {}) const;

 private:
  friend class KeyedVectorIndex;
  friend class PreparedScore;
  struct State;
  Impl::OwnedState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VECTOR_INDEX_HPP
