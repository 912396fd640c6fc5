// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAYERS_IMPL_STORE_ELEMENT_HPP
#define KINDRED_CORE_LAYERS_IMPL_STORE_ELEMENT_HPP

#include <kindred/core/arch/simd/StoreElements.hpp>
#include <kindred/core/common/Array.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Calls `function(E())` with the type E of \p element, which must not be int8.
template <class Function>
KOKKOS_INLINE_FUNCTION void with_float_type(DataType element, const Function& function) {
  if (element == DataType::float16) return function(Arch::Float16());
  if (element == DataType::bfloat16) return function(Arch::BFloat16());
  function(float());
}

/// The same for functions that exist on the host only, such as launches.
template <class Function>
void with_float_type_here(DataType element, const Function& function) {
  if (element == DataType::float16) return function(Arch::Float16());
  if (element == DataType::bfloat16) return function(Arch::BFloat16());
  function(float());
}

/// Rounds \p value to \p element and writes it to index \p i of \p out.
KOKKOS_INLINE_FUNCTION void store_as(DataType element, std::byte* out, std::uint64_t i,
                                     float value) {
  with_float_type(element, [&](auto type) {
    using type_ = decltype(type);
    reinterpret_cast<type_*>(out)[i] = Arch::round_canonical<type_>(value);
  });
}

/// `store_as` for adjacent values, aligned to 16 bytes or to their total size.
template <int Count>
KOKKOS_INLINE_FUNCTION void store_neighbours_as(DataType element, std::byte* out, std::uint64_t i,
                                                const float (&values)[Count]) {
  with_float_type(element, [&](auto type) {
    Arch::store_neighbours(reinterpret_cast<decltype(type)*>(out) + i, values);
  });
}

/// Stores the first \p count of 32, on the host.
inline void store_lanes_as(DataType element, std::byte* out, std::uint64_t i,
                           const float (&values)[32], int count) {
  with_float_type(element, [&](auto type) {
    Arch::store_lanes(reinterpret_cast<decltype(type)*>(out) + i, values, count);
  });
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_LAYERS_IMPL_STORE_ELEMENT_HPP
