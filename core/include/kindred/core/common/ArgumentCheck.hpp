// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_ARGUMENT_CHECK_HPP
#define KINDRED_CORE_COMMON_ARGUMENT_CHECK_HPP

#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/CheckedSize.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace Kindred::Impl {

/// Elements that no View has: stands for a product that exceeds 64 bits.
inline constexpr std::uint64_t extent_overflow = std::numeric_limits<std::uint64_t>::max();

/// The product of \p sizes, or `extent_overflow`; 0 if a size is 0.
template <class... Sizes>
constexpr std::uint64_t extent_of(Sizes... sizes) noexcept {
  if (((sizes == 0) || ...)) return 0;
  return checked_product({static_cast<std::uint64_t>(sizes)...}).value_or(extent_overflow);
}
/// The sum of two extents, or `extent_overflow`.
constexpr std::uint64_t extent_sum(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? extent_overflow : sum;
}

/// Elements from the first to the last one of \p rows rows of \p columns elements that begin \p
/// stride elements apart, or `extent_overflow`.
constexpr std::uint64_t extent_of_rows(std::uint64_t rows, std::uint64_t columns,
                                       std::uint64_t stride) noexcept {
  if (rows == 0 || columns == 0) return 0;
  return extent_sum(extent_of(rows - 1, stride), columns);
}

/// \brief Checks the arguments of a kernel before it is launched: extents, alignment and limits.
/// Only reads sizes and addresses, so a check takes about a nanosecond and reads no element.
///
/// Every public function of core that launches a kernel or reads Views begins with these checks.
/// An extent is a lower bound unless the documentation says that it is exact: callers may pass a
/// longer View. Every View must be aligned to its elements.
class ArgumentCheck {
 public:
  /// \param function its name, for the messages; a literal
  constexpr explicit ArgumentCheck(const char* function) noexcept : m_function(function) {}

  /// \p view has at least \p least elements.
  /// \throws InvalidArgument, as all functions of this class
  template <class View>
  void has(const char* name, const View& view, std::uint64_t least) const {
    if (view.size() < least) [[unlikely]]
      throw_wrong_size(name, view.size(), least, false);
    is_aligned(name, view);
  }
  /// \p view has exactly \p size elements.
  template <class View>
  void has_exactly(const char* name, const View& view, std::uint64_t size) const {
    if (view.size() != size) [[unlikely]]
      throw_wrong_size(name, view.size(), size, true);
    is_aligned(name, view);
  }
  /// \p view is empty or has at least \p least elements.
  template <class View>
  void has_if_given(const char* name, const View& view, std::uint64_t least) const {
    if (view.size() != 0) has(name, view, least);
  }

  /// \p view is aligned to its elements; it may have any size.
  template <class View>
  requires requires { typename View::value_type; }
  void is_aligned(const char* name, const View& view) const {
    is_aligned(name, view.data(), alignof(typename View::value_type));
  }
  /// \p pointer is aligned to \p bytes, a power of two.
  void is_aligned(const char* name, const void* pointer, std::size_t bytes) const {
    if (!begin_at(bytes, pointer)) [[unlikely]]
      throw_misaligned(name, pointer, bytes);
  }
  /// \p pointer is not null and aligned to \p bytes, unless \p count elements are none.
  void is_array(const char* name, const void* pointer, std::uint64_t count,
                std::size_t bytes) const {
    if (pointer == nullptr && count != 0) [[unlikely]]
      throw_null(name, count);
    is_aligned(name, pointer, bytes);
  }
  template <class T>
  void is_array(const char* name, const T* pointer, std::uint64_t count) const {
    is_array(name, pointer, count, alignof(T));
  }

  /// \p is_taken says whether the function takes elements of \p type.
  void is_type(const char* name, DataType type, bool is_taken) const {
    if (!is_taken) [[unlikely]]
      throw_wrong_type(name, type);
  }

  /// \p type is one of floats that float32 represents exactly.
  void is_float(const char* name, DataType type) const {
    is_type(name, type, widens_to_float32(type));
  }

  void is_at_least(const char* name, std::uint64_t value, std::uint64_t least) const {
    if (value < least) [[unlikely]]
      throw_wrong_number(name, value, "at least", least);
  }
  void is_at_most(const char* name, std::uint64_t value, std::uint64_t most) const {
    if (value > most) [[unlikely]]
      throw_wrong_number(name, value, "at most", most);
  }
  void is_multiple(const char* name, std::uint64_t value, std::uint64_t unit) const {
    if (value % unit != 0) [[unlikely]]
      throw_wrong_number(name, value, "a multiple of", unit);
  }

 private:
  // These build the messages, out of the way of calls that pass.
  [[noreturn]] void throw_wrong_size(const char* name, std::uint64_t size, std::uint64_t needed,
                                     bool is_exact) const;
  [[noreturn]] void throw_misaligned(const char* name, const void* pointer,
                                     std::size_t bytes) const;
  [[noreturn]] void throw_wrong_type(const char* name, DataType type) const;
  [[noreturn]] void throw_null(const char* name, std::uint64_t count) const;
  [[noreturn]] void throw_wrong_number(const char* name, std::uint64_t value, const char* needed,
                                       std::uint64_t limit) const;

  const char* m_function;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_COMMON_ARGUMENT_CHECK_HPP
