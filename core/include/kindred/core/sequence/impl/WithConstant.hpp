// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_WITH_CONSTANT_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_WITH_CONSTANT_HPP

#include <type_traits>

namespace Kindred::Impl {

/// \brief Calls `function(constant)` with the integral constant that equals \p value: one of those
/// listed, or the last one if none of them does. Only these are compiled.
template <auto first, auto... others, class Function>
auto with_constant(decltype(first) value, const Function& function) {
  if constexpr (sizeof...(others) > 0) {
    if (value != first) return with_constant<others...>(value, function);
  }
  return function(std::integral_constant<decltype(first), first>());
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_WITH_CONSTANT_HPP
