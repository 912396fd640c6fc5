// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_RAGGED_HPP
#define KINDRED_CORE_COMMON_RAGGED_HPP

#include <kindred/core/common/Public.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief A non-owning view of rows of different lengths: row i is `values[offsets[i] … offsets[i +
/// 1])`.
template <class T>
struct RaggedSpan {
  /// Rows + 1, starting at 0, never decreasing; empty: no rows.
  std::span<const std::uint64_t> offsets;
  std::span<const T> values;

  std::size_t rows() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::size_t length(std::size_t row) const noexcept { return offsets[row + 1] - offsets[row]; }
  std::span<const T> operator[](std::size_t row) const noexcept {
    return values.subspan(offsets[row], length(row));
  }
};

/// \brief Owned rows of different lengths, built row by row.
template <class T>
struct Ragged {
  std::vector<std::uint64_t> offsets{0};
  std::vector<T> values;

  std::size_t rows() const noexcept { return offsets.size() - 1; }
  std::span<const T> operator[](std::size_t row) const noexcept {
    return RaggedSpan<T>(*this)[row];
  }
  void push_row(std::span<const T> row) {
    values.insert(values.end(), row.begin(), row.end());
    close_row();
  }
  /// Ends the row whose values were appended to `values`.
  void close_row() { offsets.push_back(values.size()); }
  operator RaggedSpan<T>() const noexcept {
    return {offsets, values};
  }  // NOLINT(google-explicit-constructor): a view of itself
};

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_RAGGED_HPP
