// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_CHANGES_SINCE_SAVE_HPP
#define KINDRED_MATCHER_PATTERNS_CHANGES_SINCE_SAVE_HPP

#include "IndexSet.hpp"
#include "storage/SectionFormat.hpp"

#include <cstdint>
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
  std::vector<std::uint64_t> changed() const {
    std::vector<std::uint64_t> found;
    m_changed.for_each(0, rows, [&](std::uint64_t row) { found.push_back(row); });
    return found;
  }

  FileRevision revision;
  std::uint64_t rows = 0;
  std::uint64_t symbols = 0;

 private:
  IndexSet m_changed;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_CHANGES_SINCE_SAVE_HPP
