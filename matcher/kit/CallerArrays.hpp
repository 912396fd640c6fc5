// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_CALLER_ARRAYS_HPP
#define KINDRED_MATCHER_KIT_CALLER_ARRAYS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/common/Stream.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace Kindred::Impl {

/// An array that the caller of an engine gave, and the name of the argument.
struct NamedArray {
  const char* name;
  ConstArray array;
};

/// Stands for any extent in a required shape.
inline constexpr std::int64_t any_extent = -1;

/// \brief Requires that \p data begins at a multiple of the \p bytes of its elements. This is all
/// that an array of a caller needs: what accesses several elements together checks that it may,
/// \see begin_at.
/// \throws InvalidArgument with \p name
void require_aligned(std::string_view name, const void* data, std::size_t bytes);

/// \brief Requires that elements from \p data on can be accessed on \p space: memory of the device
/// for `cuda`. The device of the context must be the current one. \throws InvalidArgument with
/// \p name
void require_memory(std::string_view name, const void* data, Space space);

/// The types that an array may have, for messages: "int32 or int64".
std::string text_of(std::initializer_list<DataType> types);

/// \brief Requires an aligned array of \p type and \p shape without gaps within the last dimension.
/// \throws InvalidArgument with the name, what the array is and what is required
void require_array(const NamedArray& given, DataType type,
                   std::initializer_list<std::int64_t> shape);

/// For a call whose arrays, \p what, lie in host memory. \throws InvalidArgument if there is a
/// stream
void require_no_stream(const std::optional<Stream>& stream, std::string_view what = "the arrays");
/// For a call on the requested \p space. \throws InvalidArgument if there is a stream and the space
/// is not `cuda`
void require_no_stream(const std::optional<Stream>& stream, Space space);

/// \throws InvalidArgument for an array with elements on a device
void require_host(const NamedArray& given);
/// The offsets of rows, int64 in host memory. \throws InvalidArgument for another array, or a
/// negative offset
std::span<const std::uint64_t> host_offsets(const NamedArray& given);

/// \brief Elements from one row of a matrix to the next.
/// \throws InvalidArgument for rows that overlap or go backwards
std::uint64_t row_stride(const NamedArray& given);

/// \brief Bytes from the first to the last element of a matrix, or of an array without gaps.
/// \throws InvalidArgument as `row_stride`, and for more than 64 bits
std::uint64_t checked_bytes(const NamedArray& given);
/// \throws InvalidArgument if \p read and \p written, an output, share memory, gaps between their
/// rows included
void require_apart(const NamedArray& read, const NamedArray& written);
/// \brief Rows of \p values that \p offsets (int64) delimit, both in host memory. Copies nothing;
/// the call that takes the rows checks that the offsets ascend. \throws InvalidArgument for arrays
/// on a device, of another type or of more than one dimension, and for a negative offset
template <class T>
RaggedSpan<T> host_rows(const NamedArray& values, const NamedArray& offsets) {
  const std::span<const std::uint64_t> ends = host_offsets(offsets);
  require_host(values);
  require_array(values, data_type_of<T>, {any_extent});
  return {ends, values.array.template host_values<T>()};
}

/// \brief Where a call on the arrays of a caller runs: no value if all lie in host memory, `cuda`
/// if all lie on the device of \p context. An array without elements lies nowhere, unless none has
/// any. \throws InvalidArgument if some lie on a device and others do not; SpaceUnavailable for a
/// device that the context does not use
std::optional<Space> space_of(const Context& context, std::span<const NamedArray> arrays);
inline std::optional<Space> space_of(const Context& context,
                                     std::initializer_list<NamedArray> arrays) {
  return space_of(context, std::span<const NamedArray>(arrays.begin(), arrays.size()));
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_CALLER_ARRAYS_HPP
