// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_OVERLAP_HPP
#define KINDRED_MATCHER_KIT_OVERLAP_HPP

#include <kindred/core/common/Array.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// The bytes from the first element of an array to its last, and the name of the argument.
struct ByteRange {
  ByteRange(const void* data, std::uint64_t bytes, const char* name_ = "")
      : begin(reinterpret_cast<std::uintptr_t>(data)), end(begin + bytes), name(name_) {}
  /// \param array its strides must not be negative
  explicit ByteRange(const ConstArray& array, const char* name_ = "")
      : ByteRange(array.data(), 0, name_) {
    if (array.size() == 0) return;
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < array.rank(); ++i)
      last += static_cast<std::uint64_t>(array.extent(i) - 1) *
              static_cast<std::uint64_t>(array.stride(i));
    end = begin + (last + 1) * size_of(array.type());
  }

  std::uintptr_t begin;
  std::uintptr_t end;
  const char* name;
};

/// Whether \p a and \p b share bytes; nothing overlaps an empty range.
inline bool overlap(const ByteRange& a, const ByteRange& b) {
  return std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_OVERLAP_HPP
