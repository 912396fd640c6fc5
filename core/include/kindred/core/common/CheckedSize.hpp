// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_CHECKED_SIZE_HPP
#define KINDRED_CORE_COMMON_CHECKED_SIZE_HPP

#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Public.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <optional>
#include <span>
#include <string>

namespace KINDRED_PUBLIC Kindred {

/// \brief Checks that the host can allocate \p bytes, before a call of a library that ends the
/// process where it cannot allocate less. \throws std::bad_alloc
inline void require_host_memory(std::size_t bytes) { ::operator delete(::operator new(bytes)); }

/// \brief The sum of \p sizes, or nullopt if it exceeds 64 bits.
constexpr std::optional<std::uint64_t> checked_sum(
    std::initializer_list<std::uint64_t> sizes) noexcept {
  std::uint64_t sum = 0;
  for (const std::uint64_t size : sizes) {
    if (sum + size < sum) return {};
    sum += size;
  }
  return sum;
}

/// \brief The product of \p sizes, or nullopt if the product of the nonzero sizes exceeds 64 bits:
/// whether there is a result does not depend on their order.
constexpr std::optional<std::uint64_t> checked_product(
    std::span<const std::uint64_t> sizes) noexcept {
  std::uint64_t product = 1;
  bool is_empty = false;
  for (const std::uint64_t size : sizes) {
    if (size == 0)
      is_empty = true;
    else if (__builtin_mul_overflow(product, size, &product))
      return {};
  }
  return is_empty ? 0 : product;
}
constexpr std::optional<std::uint64_t> checked_product(
    std::initializer_list<std::uint64_t> sizes) noexcept {
  return checked_product(std::span<const std::uint64_t>(sizes.begin(), sizes.size()));
}

/// \brief Bytes from the first to the last element of \p rows rows of \p columns elements, or
/// nullopt if this number, or the bytes of one row, exceed 64 bits.
/// \param stride elements from one row to the next, ≥ columns
constexpr std::optional<std::uint64_t> checked_extent(std::uint64_t rows, std::uint64_t columns,
                                                      std::uint64_t stride,
                                                      std::uint64_t element_bytes) noexcept {
  const auto row = checked_product({stride, element_bytes});
  if (!row || rows == 0 || columns == 0) return row ? std::optional<std::uint64_t>(0) : row;
  const auto before = checked_product({rows - 1, *row});
  return before ? checked_sum({*before, columns * element_bytes}) : before;
}

/// \brief The product of \p sizes; \p what describes it in the message, as "rows × dimension".
/// \throws InvalidArgument with the sizes if the product exceeds 64 bits
inline std::uint64_t size_product(const char* what, std::initializer_list<std::uint64_t> sizes) {
  if (const auto product = checked_product(sizes)) return *product;
  std::string values;
  for (const std::uint64_t size : sizes)
    values += (values.empty() ? "" : " × ") + std::to_string(size);
  throw InvalidArgument(std::string(what) + " is " + values +
                        ", which exceeds 64 bits; use smaller sizes");
}

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_CHECKED_SIZE_HPP
