// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_COMMON_CALLER_ARRAYS_HPP
#define KINDRED_MATCHER_COMMON_CALLER_ARRAYS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Array.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace Kindred::Impl {

/// An array that the caller of an engine gave, and the name of the argument.
struct NamedArray {
  const char* name;
  ConstArray array;
};

/// Stands for any extent in a required shape.
inline constexpr std::int64_t any_extent = -1;

/// \brief Requires an array of \p type and \p shape without gaps within the last dimension.
/// \throws InvalidArgument with the name, what the array is and what is required
void require_array(const NamedArray& given, DataType type,
                   std::initializer_list<std::int64_t> shape);

/// \brief Elements from one row of a matrix to the next.
/// \throws InvalidArgument for rows that overlap or go backwards
std::uint64_t row_stride(const NamedArray& given);

/// \brief Bytes from the first to the last element of a matrix, or of an array without gaps.
/// \throws InvalidArgument as `row_stride`, and for more than 64 bits
std::uint64_t checked_bytes(const NamedArray& given);

/// \brief Where a call on the arrays of a caller runs: no value if all lie in host memory, `cuda`
/// if all lie on the device of \p context. \throws InvalidArgument if some lie on a device and
/// others do not; SpaceUnavailable for a device that the context does not use
std::optional<Space> space_of(const Context& context, std::span<const NamedArray> arrays);
inline std::optional<Space> space_of(const Context& context,
                                     std::initializer_list<NamedArray> arrays) {
  return space_of(context, std::span<const NamedArray>(arrays.begin(), arrays.size()));
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_COMMON_CALLER_ARRAYS_HPP
