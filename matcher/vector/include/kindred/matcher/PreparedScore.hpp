// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PREPARED_SCORE_HPP
#define KINDRED_MATCHER_PREPARED_SCORE_HPP

#include <kindred/matcher/VectorIndex.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace Kindred {

/// \brief `VectorIndex::score` of one query after the other where every microsecond counts: what a
/// call needs is made before, and a call makes one launch and allocates nothing.
///
/// The answers are those of `VectorIndex::score`, under a filter too. The first call, and the first
/// after a change of the index, prepares anew. An index of several segments, or one whose device
/// holds no rows of aligned elements, is asked as `VectorIndex::score` asks it. One call at a time;
/// several objects may serve one index.
class PreparedScore {
 public:
  /// \brief Reserves what calls need: O(longest + dimension) bytes. Waits
  /// for the answer; what was launched may end a little later.
  /// \param index outlives this \param longest candidates of a call at most \param options metric,
  /// top, filter (copied) and space; without a space it is the device's where the index is on it,
  /// else the host's
  /// \throws InvalidArgument for longest = 0 or above 2³² − 1, top = 0 or a filter of another size;
  /// SpaceUnavailable; OutOfMemory
  PreparedScore(const VectorIndex& index, std::size_t longest, const SearchOptions& options = {});
  ~PreparedScore();
  PreparedScore(PreparedScore&&) noexcept;
  PreparedScore& operator=(PreparedScore&&) noexcept;

  /// \brief The best `top` of the rows that \p candidates names, each once, best first; fewer where
  /// there are fewer. Complexity O(candidates · dimension). Fences its own instance.
  /// \return valid until the next call \throws InvalidArgument for a query of another dimension,
  /// more candidates than `longest`, an id that is no row's, a filter that has not as many ids as
  /// the index by now; the object is then as it was
  std::span<const ScoredId> score(std::span<const float> query,
                                  std::span<const std::uint64_t> candidates);

  /// Where it scores.
  Space space() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_PREPARED_SCORE_HPP
