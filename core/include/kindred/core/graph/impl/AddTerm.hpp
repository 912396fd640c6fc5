// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_GRAPH_IMPL_ADD_TERM_HPP
#define KINDRED_CORE_GRAPH_IMPL_ADD_TERM_HPP

#include <kindred/core/arch/RoundedProduct.hpp>
#include <kindred/core/math/LaneTree.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Adds `value · weight`. The product of two floats is exact, so it may be fused; that of a double
/// is rounded before it is added.
KOKKOS_INLINE_FUNCTION void add_term(double& to, float value, float weight) {
  to = ::fma(static_cast<double>(value), static_cast<double>(weight), to);
}
KOKKOS_INLINE_FUNCTION void add_term(double& to, double value, float weight) {
  to += Arch::rounded_product(value, static_cast<double>(weight));
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_GRAPH_IMPL_ADD_TERM_HPP
