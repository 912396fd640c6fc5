// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_CHANGES_SINCE_SAVE_HPP
#define KINDRED_MATCHER_PATTERNS_CHANGES_SINCE_SAVE_HPP

#include "IndexSet.hpp"
#include "storage/SectionFormat.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief Which rows of a memory have changed since its file was written, and what that file
/// contains.
struct ChangesSinceSave {
  ChangesSinceSave() = default;
  explicit ChangesSinceSave(std::uint64_t row_count) : rows(row_count) {}

  /// Records that the frequency of \p row changes. Ignores later rows, which the next commit writes
  /// anyway. \throws std::bad_alloc
  void mark(std::uint64_t row) {
    if (row < rows) m_changed.insert(row);
  }
  /// Records that the frequency of \p row becomes lower, but not 0. \throws as `mark`
  void mark_lower(std::uint64_t row) {
    mark(row);
    has_lower = has_lower || row < rows;
  }
  /// The rows of \p live (ascending) and those that were cleared before. \throws std::bad_alloc
  std::vector<std::uint64_t> cleared_with(const std::vector<std::uint64_t>& live) const {
    std::vector<std::uint64_t> all;
    std::set_union(m_cleared.begin(), m_cleared.end(), live.begin(),
                   std::lower_bound(live.begin(), live.end(), rows), std::back_inserter(all));
    return all;
  }
  /// Records that all patterns are forgotten. \param all from `cleared_with` these patterns
  void clear(std::vector<std::uint64_t> all) noexcept { m_cleared = std::move(all); }
  /// The changed rows, ascending.
  std::vector<std::uint64_t> changed() const {
    std::vector<std::uint64_t> marked;
    m_changed.for_each(0, rows, [&](std::uint64_t row) { marked.push_back(row); });
    std::vector<std::uint64_t> all;
    std::set_union(m_cleared.begin(), m_cleared.end(), marked.begin(), marked.end(),
                   std::back_inserter(all));
    return all;
  }

  FileRevision revision;
  std::uint64_t rows = 0;
  std::uint64_t symbols = 0;
  bool has_lower = false;  ///< whether a frequency became lower

 private:
  IndexSet m_changed;
  std::vector<std::uint64_t> m_cleared;  ///< ascending; a vector, because they may be all rows
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_CHANGES_SINCE_SAVE_HPP
