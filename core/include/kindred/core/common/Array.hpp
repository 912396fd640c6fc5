// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_ARRAY_HPP
#define KINDRED_CORE_COMMON_ARRAY_HPP

#include <kindred/core/common/Public.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace KINDRED_PUBLIC Kindred {

/// \brief Element type of an array. The first four are those of rows that are compared as vectors,
/// whose scores are those of the float32 row to which a row decodes; files contain their numbers.
enum class DataType : std::uint8_t {
  float32,
  float16,   ///< IEEE binary16; widens exactly
  bfloat16,  ///< the upper half of a float32; widens exactly
  int8,      ///< as an element of a row of scale s, v stands for float32(s · v), rounded once
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float64,
  boolean  ///< one byte, 0 or 1
};
inline constexpr std::size_t data_type_count = 13;

/// The name that NumPy uses, such as `float32`; `bool` and `bfloat16` for those.
std::string_view to_string(DataType type) noexcept;

/// Whether rows of vectors may have elements of \p type.
constexpr bool is_vector_element(DataType type) noexcept { return type <= DataType::int8; }
/// Whether \p type is float32, float16 or bfloat16, which float32 represents exactly.
constexpr bool widens_to_float32(DataType type) noexcept { return type <= DataType::bfloat16; }

/// Bytes per element; 1 for a number that is no type.
constexpr std::size_t size_of(DataType type) noexcept {
  constexpr std::array<std::uint8_t, data_type_count> bytes{4, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 8, 1};
  const auto number = static_cast<std::size_t>(type);
  return number < data_type_count ? bytes[number] : 1;
}

/// A type of C++ that is the element type of an array: bool, an integer of at most 8 bytes that is
/// no character, float or double.
template <class T>
concept ArrayElement = std::is_arithmetic_v<T> && sizeof(T) <= 8 && !std::is_same_v<T, char> &&
                       !std::is_same_v<T, wchar_t> && !std::is_same_v<T, char8_t> &&
                       !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;

/// The element type that corresponds to \p T.
template <ArrayElement T>
inline constexpr DataType data_type_of = [] {
  if constexpr (std::is_same_v<T, bool>) return DataType::boolean;
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? DataType::float32 : DataType::float64;
  constexpr auto first = std::is_signed_v<T> ? DataType::int8 : DataType::uint8;
  constexpr int exponent = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return static_cast<DataType>(static_cast<int>(first) + exponent);
}();

/// Where the elements of an array are stored.
enum class ArrayMemory : std::uint8_t {
  host,  ///< memory that the processor can access, page-locked memory included
  device
};

/// \brief A non-owning array of the caller: a pointer with an element type, a shape, strides and
/// the memory that it points into. The C++ counterpart of a `DLTensor`.
///
/// \tparam Void `const void` for input, `void` for output. Use `ConstArray` and `Array`.
template <class Void>
class BasicArray {
 public:
  static constexpr std::size_t rank_max = 4;
  using extents_type = std::array<std::int64_t, rank_max>;

  /// No elements, rank 1.
  BasicArray() = default;
  /// \param data the element with all indices 0; may be null if there are no elements
  /// \param shape number of elements along each dimension
  /// \param strides elements from one index to the next along each dimension; empty: the last index
  /// is the fastest and there are no gaps
  /// \param device index of the device among those that this process sees; for device memory
  /// \throws InvalidArgument for more than 4 dimensions, another number of strides than dimensions,
  /// a negative extent, a null pointer to elements, or a size that exceeds 63 bits
  BasicArray(Void* data, DataType type, std::span<const std::int64_t> shape,
             std::span<const std::int64_t> strides = {}, ArrayMemory memory = ArrayMemory::host,
             int device = 0);
  /// A one-dimensional array in host memory: a span, or a vector or what else a span can be made of
  /// that outlives the array. A temporary vector would not.
  template <std::ranges::borrowed_range Range,
            class T = typename decltype(std::span(std::declval<Range&>()))::element_type>
  requires(ArrayElement<std::remove_const_t<T>> && (std::is_const_v<Void> || !std::is_const_v<T>))
      // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): arrays are no ranges
      BasicArray(Range&& values)
      : m_data(std::data(values)), m_type(data_type_of<std::remove_const_t<T>>) {
    m_shape[0] = static_cast<std::int64_t>(std::size(values));
    m_strides[0] = 1;
  }
  /// An output is also an input.
  template <class Other>
  requires(std::is_const_v<Void> && !std::is_const_v<Other>)
      BasicArray(const BasicArray<Other>& other)  // NOLINT(google-explicit-constructor): likewise
      : m_data(other.m_data),
        m_type(other.m_type),
        m_memory(other.m_memory),
        m_device(other.m_device),
        m_rank(other.m_rank),
        m_shape(other.m_shape),
        m_strides(other.m_strides) {}

  Void* data() const noexcept { return m_data; }
  DataType type() const noexcept { return m_type; }
  ArrayMemory memory() const noexcept { return m_memory; }
  bool on_device() const noexcept { return m_memory == ArrayMemory::device; }
  /// Index of the device; 0 for host memory.
  int device() const noexcept { return m_device; }
  std::size_t rank() const noexcept { return m_rank; }
  /// \param dimension below `rank()`
  std::int64_t extent(std::size_t dimension) const noexcept { return m_shape[dimension]; }
  /// In elements. \param dimension below `rank()`
  std::int64_t stride(std::size_t dimension) const noexcept { return m_strides[dimension]; }
  std::span<const std::int64_t> shape() const noexcept { return {m_shape.data(), m_rank}; }
  /// Number of elements.
  std::uint64_t size() const noexcept;
  /// Whether the last index is the fastest and there are no gaps.
  bool is_contiguous() const noexcept;
  /// The elements as T. \throws InvalidArgument for another type, memory on a device or gaps
  template <class T>
  std::span<std::conditional_t<std::is_const_v<Void>, const T, T>> host_values() const {
    require_host_values(data_type_of<T>);
    return {static_cast<std::conditional_t<std::is_const_v<Void>, const T, T>*>(m_data),
            static_cast<std::size_t>(size())};
  }

 private:
  template <class Other>
  friend class BasicArray;
  void require_host_values(DataType type) const;

  Void* m_data = nullptr;
  DataType m_type = DataType::float32;
  ArrayMemory m_memory = ArrayMemory::host;
  int m_device = 0;
  std::size_t m_rank = 1;
  extents_type m_shape{};
  extents_type m_strides{1, 0, 0, 0};
};

extern template class BasicArray<void>;
extern template class BasicArray<const void>;

using Array = BasicArray<void>;             ///< for output
using ConstArray = BasicArray<const void>;  ///< for input

/// `float32 [1024, 768] on device 0`, for messages.
std::string to_string(const ConstArray& array);

namespace Impl {

/// \throws InvalidArgument if \p array has more than \p count elements
void require_elements(const ConstArray& array, std::size_t count);

}  // namespace Impl

/// \brief A row-major matrix without gaps in host memory.
/// \param values a span, or what else a span can be made of that outlives the matrix
/// \throws InvalidArgument for fewer values than rows × columns
template <std::ranges::borrowed_range Range,
          class T = typename decltype(std::span(std::declval<Range&>()))::element_type>
requires(ArrayElement<std::remove_const_t<T>>) auto matrix_array(Range&& values, std::size_t rows,
                                                                 std::size_t columns) {
  const std::array shape{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
  using array_type = std::conditional_t<std::is_const_v<T>, ConstArray, Array>;
  const array_type matrix(std::data(values), data_type_of<std::remove_const_t<T>>, shape);
  Impl::require_elements(matrix, std::size(values));
  return matrix;
}

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_ARRAY_HPP
