// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PREPARED_SCORE_HPP
#define KINDRED_MATCHER_PREPARED_SCORE_HPP

#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/matcher/VectorIndex.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace KINDRED_PUBLIC Kindred {

/// \brief Low-latency form of `VectorIndex::score` for single queries: everything a call needs is
/// prepared in advance, so a call makes one launch and allocates nothing.
///
/// Results equal those of `VectorIndex::score`, with or without a filter. The first call, and the
/// first one whose rows are in another segment of the index, repeats the preparation. If the rows
/// of a list are in several segments, or the device copy holds no aligned rows, calls take the path
/// of `VectorIndex::score`. Not thread-safe; several objects may use one index concurrently.
class PreparedScore {
 public:
  /// \brief Reserves the workspace of the calls: O(longest + dimension) bytes.
  /// \param index must outlive this object
  /// \param longest maximum number of candidates per call
  /// \param options metric, top, filter (copied) and space; if no space is given, the device is
  /// used if the index is resident there, otherwise the host
  /// \throws InvalidArgument for longest = 0 or above 2³² − 1, top = 0 or a filter of the wrong
  /// size; SpaceUnavailable; OutOfMemory
  PreparedScore(const VectorIndex& index, std::size_t longest, const SearchOptions& options = {});

  /// \brief Scores the rows named by \p candidates (duplicates count once) and returns the best
  /// `top`, best first, or fewer if there are fewer candidates. Complexity O(candidates ·
  /// dimension). Waits for the result on its own instance; a kernel's epilogue may end slightly
  /// later.
  /// \return valid until the next call
  /// \throws InvalidArgument for a query of the wrong dimension, more candidates than `longest`, an
  /// id without a row, or a filter whose size no longer matches the index; SpaceUnavailable in a
  /// forked process; the object is then unchanged
  std::span<const ScoredId> score(std::span<const float> query,
                                  std::span<const std::uint64_t> candidates);

  /// The space on which calls run.
  Space space() const noexcept;

 private:
  struct State;
  Impl::OwnedState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_PREPARED_SCORE_HPP
