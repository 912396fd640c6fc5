// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_CHECK_OFFSETS_HPP
#define KINDRED_CORE_COMMON_CHECK_OFFSETS_HPP

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Ragged.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace Kindred {

/// \brief Checks that the offsets of \p rows start at 0, never decrease and stay within its values.
/// O(rows).
/// \param what what a row is, for the message \param values what its elements are, in the plural
/// \throws InvalidArgument naming the first offset that is wrong
template <class T>
void check_offsets(RaggedSpan<T> rows, const char* what, const char* values) {
  for (std::size_t row = 0; row < rows.offsets.size(); ++row) {
    const std::uint64_t begin = row == 0 ? 0 : rows.offsets[row - 1];
    const std::uint64_t end = rows.offsets[row];
    KINDRED_THROW_IF((row == 0 && end != 0) || end < begin || end > rows.values.size(),
                     std::string(what) + " offset " + std::to_string(row) + " is " +
                         std::to_string(end) +
                         "; offsets must start at 0, never decrease and stay within " +
                         std::to_string(rows.values.size()) + " " + values);
  }
}

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_CHECK_OFFSETS_HPP
