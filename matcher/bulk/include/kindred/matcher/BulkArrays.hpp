// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_ARRAYS_HPP
#define KINDRED_MATCHER_BULK_ARRAYS_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Public.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>
#include <type_traits>

namespace KINDRED_PUBLIC Kindred {

/// \brief The arrays of an operation: one array or a list of arrays, from none to thousands.
/// Non-owning, for the duration of a call.
///
/// One array: a `ConstArray` or `Array`, or a span or vector of numbers in host memory. A list: a
/// span or vector of any of these but vectors. As an input also a number: an array of one element.
/// \tparam Void `const void` for input, `void` for output. Use `BulkArrays` and `BulkResults`.
template <class Void>
class BasicBulkArrays {
 public:
  /// No arrays.
  BasicBulkArrays() = default;
  template <class Given>
  requires(!std::same_as<std::remove_cvref_t<Given>, BasicBulkArrays> &&
           (std::convertible_to<Given, BasicArray<Void>> || std::ranges::contiguous_range<Given>))
      // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): constrained
      BasicBulkArrays(Given&& given) {
    m_size = 1;
    if constexpr (!std::ranges::contiguous_range<Given>) {
      m_one = given;
    } else if constexpr (std::is_arithmetic_v<std::ranges::range_value_t<Given>>) {
      m_one = std::span(std::ranges::data(given), std::ranges::size(given));
    } else {
      m_size = std::ranges::size(given);
      m_list = std::ranges::data(given);
      m_at = [](const void* list, std::size_t i) -> BasicArray<Void> {
        return static_cast<const std::ranges::range_value_t<Given>*>(list)[i];
      };
    }
  }
  /// A number, which is kept here.
  template <class Number>
  requires(ArrayElement<Number>&& std::is_const_v<Void>)
      BasicBulkArrays(Number number)  // NOLINT(google-explicit-constructor): one element
      : m_one(std::span<const Number>()), m_size(1), m_is_number(true) {
    std::memcpy(m_number.data(), &number, sizeof(Number));
  }

  std::size_t size() const noexcept { return m_size; }
  /// Whether a list was given, even if it has one array.
  bool is_list() const noexcept { return m_at != nullptr; }
  bool is_number() const noexcept { return m_is_number; }
  /// Array \p i; a number is one element in this object.
  BasicArray<Void> operator[](std::size_t i) const {
    if (m_at != nullptr) return m_at(m_list, i);
    if constexpr (std::is_const_v<Void>) {
      constexpr std::array<std::int64_t, 1> one{1};
      if (m_is_number) return {m_number.data(), m_one.type(), one};
    }
    return m_one;
  }

 private:
  BasicArray<Void> m_one;
  alignas(8) std::array<std::byte, 8> m_number{};
  const void* m_list = nullptr;
  std::size_t m_size = 0;
  bool m_is_number = false;
  BasicArray<Void> (*m_at)(const void* list, std::size_t i) = nullptr;
};

using BulkArrays = BasicBulkArrays<const void>;
/// \brief Outputs, one per input array and of its type and shape. An output may be one of its own
/// inputs (in place) and must not overlap any other array of the call.
using BulkResults = BasicBulkArrays<void>;

}  // namespace Kindred

#endif  // KINDRED_MATCHER_BULK_ARRAYS_HPP
