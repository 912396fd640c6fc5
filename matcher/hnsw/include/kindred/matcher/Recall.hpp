// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_RECALL_HPP
#define KINDRED_MATCHER_RECALL_HPP

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Public.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace KINDRED_PUBLIC Kindred {

/// \brief The number of true neighbours that were found, and the number of all true neighbours;
/// the recall of a search is the share of those found.
struct Recall {
  std::uint64_t found = 0;
  std::uint64_t all = 0;

  /// found / all, or 1 if there are no true neighbours.
  double share() const noexcept {
    return all == 0 ? 1.0 : static_cast<double>(found) / static_cast<double>(all);
  }
};

/// \brief Compares results row by row. An id of −1 marks an empty slot. Complexity O(queries ·
/// top²).
/// \param found,truth `queries × top`, row-major; the ids of a row are distinct
/// \param top the `top` of both results, which may be less than the requested number
/// \throws InvalidArgument for arrays of different sizes or whose size is not a multiple of \p top
inline Recall recall_of(std::span<const std::int64_t> found, std::span<const std::int64_t> truth,
                        std::size_t top) {
  KINDRED_THROW_IF(
      found.size() != truth.size() || found.size() % std::max<std::size_t>(top, 1) != 0,
      std::to_string(found.size()) + " ids and " + std::to_string(truth.size()) +
          " true ones; both must be rows of " + std::to_string(top));
  Recall out;
  if (top == 0) return out;
  for (std::size_t begin = 0; begin < truth.size(); begin += top) {
    const auto expected = truth.subspan(begin, top);
    const auto row = found.subspan(begin, top);
    for (const std::int64_t id : expected) {
      if (id < 0) continue;
      ++out.all;
      if (std::find(row.begin(), row.end(), id) != row.end()) ++out.found;
    }
  }
  return out;
}

}  // namespace Kindred

#endif  // KINDRED_MATCHER_RECALL_HPP
