// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_INDEX_HPP
#define KINDRED_MATCHER_VECTOR_INDEX_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/vector/Metric.hpp>
#include <kindred/matcher/Residency.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace Kindred {

struct SearchOptions {
  Metric metric = Metric::cosine;
  std::size_t top = 10;
  std::span<const std::uint8_t>
      filter;                  ///< a byte a row, not 0 = may be returned; empty = every row
  std::optional<Space> space;  ///< runs there instead of where the dispatcher would
};

/// \brief The answers of `search`: `queries × top`, row-major, in total order (score, then lower
/// id; NaN last).
struct SearchResults {
  std::size_t top = 0;
  std::vector<std::int64_t> ids;  ///< −1 where a filter left fewer than `top`
  std::vector<float> scores;      ///< −inf there (+inf under l2)
  DispatchRecord record;
};

/// \brief One scored candidate.
struct ScoredId {
  std::int64_t id = 0;
  float score = 0;
};

/// \brief The answers of `score`: a row a query, best first.
struct ScoreResults {
  Ragged<ScoredId> results;
  DispatchRecord record;
};

/// \brief Exact nearest rows of a matrix of float32, by canonical sums. Answers Engram's batch
/// cosine and candidate scoring.
///
/// The scores are those of DESIGN §4 ("Definitions"): double sums in canonical order, rounded to
/// float32 once, NaN stored as 0x7FC00000, a zero as +0. `search` and `score` may be called from
/// several threads.
class VectorIndex {
 public:
  /// \param context outlives this \param rows `count × dimension`, row-major, copied
  /// \throws InvalidArgument when the size of \p rows is not a multiple of \p dimension, or
  /// dimension is 0; OutOfMemory
  VectorIndex(Context& context, std::span<const float> rows, std::size_t dimension,
              Residency residency = Residency::automatic);
  ~VectorIndex();
  VectorIndex(VectorIndex&&) noexcept;
  VectorIndex& operator=(VectorIndex&&) noexcept;

  std::size_t size() const noexcept;
  std::size_t dimension() const noexcept;
  /// Bytes held where \p space computes, 0 if the rows are not there.
  std::uint64_t bytes(Space space) const noexcept;

  /// \brief The exact top-k rows of every query. Fences the instance it ran on.
  /// \param queries `count × dimension`, row-major
  /// \throws InvalidArgument for top = 0 or top > size(), a wrong dimension or filter size;
  /// SpaceUnavailable; OutOfMemory
  SearchResults search(std::span<const float> queries, const SearchOptions& options = {}) const;

  /// \brief Scores for each query the rows that its list names, each once, and keeps the best
  /// `top`.
  ///
  /// A list with fewer than `top` distinct rows gives what exists. Fences the instance it ran on.
  /// \param candidates row i belongs to query i
  /// \throws InvalidArgument for an id ≥ size() (checked before launch), a wrong number of lists,
  /// top = 0
  ScoreResults score(std::span<const float> queries, RaggedSpan<std::uint64_t> candidates,
                     const SearchOptions& options = {}) const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VECTOR_INDEX_HPP
