// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_ARGUMENTS_HPP
#define KINDRED_C_ARGUMENTS_HPP

#include <kindred/backends/DispatchRecord.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/common/Stream.hpp>
#include <kindred/matcher/Residency.hpp>
#include <kindred/matcher/VectorSpan.hpp>

#include <kindred.h>

#include "Errors.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::C {

/// A larger `struct_size` is refused: it was not set.
inline constexpr std::size_t struct_size_max = 4096;
/// \throws InvalidArgument for a size that no struct has
void check_struct_size(std::size_t size, const char* name);

/// \brief The options of the caller, whose struct may be smaller or larger than ours.
/// \param defaults of all, and of what a smaller struct lacks
/// \throws InvalidArgument for an impossible size, and for a larger struct that sets more than is
/// known here
template <class Options>
Options options_of(const Options* given, const Options& defaults, const char* name) {
  Options out = defaults;
  out.struct_size = sizeof(Options);
  if (given == nullptr) return out;
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof(size));
  check_struct_size(size, name);
  std::memcpy(static_cast<void*>(&out), given, std::min(size, sizeof(Options)));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t i = sizeof(Options); i < size; ++i)
    KINDRED_C_REFUSE_IF(bytes[i] != 0,
                        std::string(name) + " sets an option at byte " + std::to_string(i) +
                            " that this version of the library does not know: it knows " +
                            std::to_string(sizeof(Options)) + " bytes");
  out.struct_size = sizeof(Options);
  return out;
}

/// Checks a struct that a call fills. Null is accepted if it is \p optional.
template <class Output>
void check_output(const Output* out, const char* name, bool optional = false) {
  if (out == nullptr && optional) return;
  require(out, name);
  std::size_t size = 0;
  std::memcpy(&size, out, sizeof(size));
  check_struct_size(size, name);
}
/// Fills a struct that `check_output` has accepted.
template <class Output>
void write_output(Output* out, const Output& value) {
  if (out == nullptr) return;
  std::size_t size = 0;
  std::memcpy(&size, out, sizeof(size));
  const std::size_t begin = sizeof(size);
  auto* const bytes = reinterpret_cast<unsigned char*>(out);
  std::memcpy(bytes + begin, reinterpret_cast<const unsigned char*>(&value) + begin,
              std::min(size, sizeof(Output)) - begin);
  if (size > sizeof(Output)) std::memset(bytes + sizeof(Output), 0, size - sizeof(Output));
}
template <class T>
void write_optional(T* out, T value) {
  if (out != nullptr) *out = value;
}

/// Sets the first \p size bytes of a struct, which may be smaller or larger than ours.
template <class Options>
kindred_status set_defaults(Options* options, std::size_t size, const Options& defaults,
                            const char* name) noexcept {
  return guarded([&] {
    require(options, name);
    check_struct_size(size, "the argument");
    std::memset(static_cast<void*>(options), 0, size);
    std::memcpy(static_cast<void*>(options), &defaults, std::min(size, sizeof(Options)));
    std::memcpy(static_cast<void*>(options), &size, sizeof(size));
  });
}

#define KINDRED_C_DEFAULTS(type, ...)                                             \
  kindred_status type##_init(type* options, size_t struct_size) noexcept {        \
    return set_defaults<type>(options, struct_size, type __VA_ARGS__, "options"); \
  }

/// \throws InvalidArgument if \p value is not one of the \p count values of an enumeration
template <class Enum>
Enum enum_of(std::int32_t value, std::int32_t count, const char* name) {
  KINDRED_C_REFUSE_IF(value < 0 || value >= count,
                      std::string(name) + " is " + std::to_string(value) +
                          "; it must be from 0 to " + std::to_string(count - 1));
  return static_cast<Enum>(value);
}
std::optional<Space> space_option(std::int32_t space);
/// A space that must be named.
Space space_argument(std::int32_t space);
Residency residency_option(std::int32_t residency);
/// A maximum number of threads; 0: all of the machine.
int threads_argument(std::int32_t threads);
/// \brief The stream that orders a call on tensors on a device.
/// \throws InvalidArgument for another \p has_stream than 0 and 1, and for a stream without it
std::optional<Stream> stream_option(std::int32_t has_stream, void* stream);
void check_reserved(std::int32_t reserved, const char* name);

/// \throws InvalidArgument for a null pointer to elements, or more elements than memory can hold
template <class T>
std::span<T> span_of(T* data, std::uint64_t count, const char* name) {
  KINDRED_C_REFUSE_IF(
      count > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(T),
      std::string(name) + " has " + std::to_string(count) + " elements; that exceeds the memory");
  if (count > 0) require(data, name);
  return {data, static_cast<std::size_t>(count)};
}
/// A text of any bytes.
inline std::string_view text_of(const char* data, std::size_t size, const char* name) {
  const std::span<const char> bytes = span_of(data, size, name);
  return {bytes.data(), bytes.size()};
}
std::vector<std::string_view> texts_of(const kindred_text* texts, std::size_t count,
                                       const char* name);
/// \throws InvalidArgument for a null or empty path
std::string path_of(const char* path, const char* name = "path");

/// Checks offsets that start at 0 and never decrease. Returns the number of values.
std::uint64_t check_row_offsets(const std::uint64_t* offsets, std::size_t rows,
                                const char* name = "offsets");
/// Rows of different lengths. \param name of the parameter with the values
template <class T>
RaggedSpan<T> ragged_of(const T* values, const std::uint64_t* offsets, std::size_t rows,
                        const char* name) {
  if (rows == 0) return {};
  const std::uint64_t size = check_row_offsets(offsets, rows);
  return {{offsets, rows + 1}, span_of(values, size, name)};
}

/// A tensor of the caller. \throws InvalidArgument
ConstArray array_of(const DLTensor* tensor, const char* name);
Array output_array_of(const DLTensor* tensor, const char* name);
/// The rows of \p array have one element per result. \throws InvalidArgument
void check_columns(const Array& array, const char* name, std::size_t top);
/// A tensor that may be missing.
std::optional<ConstArray> optional_array_of(const DLTensor* tensor, const char* name);
std::optional<Array> optional_output_array_of(const DLTensor* tensor, const char* name);
/// The tensors of a list. \throws InvalidArgument
std::vector<ConstArray> arrays_of(const DLTensor* const* tensors, std::size_t count,
                                  const char* name);
std::vector<Array> output_arrays_of(DLTensor* const* tensors, std::size_t count, const char* name);
/// \brief The elements of a contiguous tensor on the host.
/// \param rows,columns of the matrix that they must be; a tensor of one dimension is one row
template <class T>
std::span<const T> matrix_of(const DLTensor* tensor, const char* name, std::uint64_t columns,
                             std::uint64_t* rows = nullptr);
/// The same for a tensor of one row, with one dimension or two.
template <class T>
std::span<const T> row_of(const DLTensor* tensor, const char* name, std::uint64_t columns);
/// The same as `matrix_of` for output, of which the number of rows is known.
template <class T>
std::span<T> output_matrix_of(const DLTensor* tensor, const char* name, std::uint64_t rows,
                              std::uint64_t columns);
/// Rows of any element type. \param scales null except for int8
VectorSpan rows_of(const DLTensor* rows, const DLTensor* scales, const char* name);
/// Rows of any element type for output.
struct OutputRows {
  DataType element = DataType::float32;
  std::span<std::byte> values;
  std::span<float> scales;
};
/// \param scales required for int8, null otherwise
OutputRows output_rows_of(const DLTensor* rows, const DLTensor* scales, const char* name,
                          std::uint64_t count, std::uint64_t columns);

/// Copies an array to the caller's. \throws InvalidArgument if it does not fit
template <class T>
void write_array(std::span<const T> values, T* out, std::size_t capacity, const char* name) {
  KINDRED_C_REFUSE_IF(values.size() > capacity, std::string(name) + " has a capacity of " +
                                                    std::to_string(capacity) + " elements; " +
                                                    std::to_string(values.size()) + " are needed");
  std::copy(values.begin(), values.end(), out);
}

/// Copies a list to the caller's array, and sets its size in any case.
template <class T>
void write_list(const std::vector<T>& values, T* out, std::size_t capacity, std::size_t* count,
                const char* name) {
  span_of(out, capacity, name);
  *count = values.size();
  write_array(std::span<const T>(values), out, capacity, name);
}

/// -1 for none.
template <class T>
std::int64_t number_or_none(const std::optional<T>& number) {
  return number ? static_cast<std::int64_t>(*number) : -1;
}
inline kindred_text view_of(std::string_view text) { return {text.data(), text.size()}; }
/// A callback as a function of C++, which throws Cancelled; no function for null.
std::function<void(std::uint64_t)> progress_of(kindred_progress_callback progress, void* user);
template <class T>
void copy_values(const std::vector<T>& values, std::span<T> out) {
  std::copy(values.begin(), values.end(), out.begin());
}

kindred_record record_of(const DispatchRecord& record);
/// Checks and fills a record that the caller may leave out.
inline void check_record(const kindred_record* record) { check_output(record, "record", true); }
inline void write_record(kindred_record* record, const DispatchRecord& found) {
  write_output(record, record_of(found));
}
/// Copies a text, which is cut if it is too long.
template <std::size_t size>
void copy_text(char (&to)[size], std::string_view text) {
  const std::size_t length = std::min(text.size(), size - 1);
  std::copy_n(text.begin(), length, to);
  to[length] = '\0';
}

}  // namespace Kindred::C

#endif  // KINDRED_C_ARGUMENTS_HPP
