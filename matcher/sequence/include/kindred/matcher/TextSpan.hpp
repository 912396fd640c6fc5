// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_TEXT_SPAN_HPP
#define KINDRED_MATCHER_TEXT_SPAN_HPP

#include <kindred/core/common/Public.hpp>

#include <cstdint>

namespace KINDRED_PUBLIC Kindred {

/// \brief A text in memory of the caller, as one unsigned integer per symbol: the bytes of ASCII or
/// Latin-1, the code points of UCS-2 or UCS-4. Strings of Python lie in memory in this way.
struct TextSpan {
  const void* data = nullptr;      ///< aligned to the integers
  std::uint32_t size = 0;          ///< symbols, < 2^31
  std::uint32_t symbol_bytes = 1;  ///< 1, 2 or 4

  /// Calls \p function with a pointer to the first symbol, of the type of the symbols.
  template <class Function>
  auto visit(const Function& function) const {
    if (symbol_bytes == 1) return function(static_cast<const std::uint8_t*>(data));
    if (symbol_bytes == 2) return function(static_cast<const std::uint16_t*>(data));
    return function(static_cast<const std::uint32_t*>(data));
  }
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_TEXT_SPAN_HPP
