// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SRC_MEMORY_SAVED_STATE_HPP
#define KINDRED_MATCHER_SRC_MEMORY_SAVED_STATE_HPP

#include "files/SectionFormat.hpp"

#include <bit>
#include <cstdint>
#include <vector>

namespace Kindred::Impl {

/// \brief What the file of a memory holds of it, and which of that has changed since.
struct SavedState {
  SavedState() = default;
  explicit SavedState(std::uint64_t row_count)
      : rows(row_count), m_changed(row_count / 64 + 1, 0) {}

  /// The frequency of \p row is another one now, or 0. Later rows are new to the file anyway.
  void mark(std::uint64_t row) noexcept {
    if (row < rows) m_changed[row / 64] |= std::uint64_t{1} << row % 64;
  }
  std::vector<std::uint64_t> changed() const {
    std::vector<std::uint64_t> found;
    for (std::uint64_t word = 0; word < m_changed.size(); ++word) {
      for (std::uint64_t bits = m_changed[word]; bits != 0; bits &= bits - 1)
        found.push_back(64 * word + static_cast<std::uint64_t>(std::countr_zero(bits)));
    }
    return found;
  }

  FileRevision revision;
  std::uint64_t rows = 0;
  std::uint64_t symbols = 0;

 private:
  std::vector<std::uint64_t> m_changed;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SRC_MEMORY_SAVED_STATE_HPP
