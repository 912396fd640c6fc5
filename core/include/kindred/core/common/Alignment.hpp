// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_ALIGNMENT_HPP
#define KINDRED_CORE_COMMON_ALIGNMENT_HPP

#include <Kokkos_Macros.hpp>

#include <cstddef>
#include <cstdint>

/// Arrays of a caller begin at any element. What accesses several elements together asks here first
/// and otherwise takes them one by one: a device fails at a misaligned address and is then lost.
namespace Kindred {

/// Bytes that a thread of a device accesses together at most.
inline constexpr std::size_t access_bytes_max = 16;

/// Whether all of \p data begin at a multiple of \p bytes, a power of two, as null pointers do.
template <class... T>
KOKKOS_INLINE_FUNCTION bool begin_at(std::size_t bytes, const T*... data) {
  return ((reinterpret_cast<std::uintptr_t>(data) | ...) & (bytes - 1)) == 0;
}

/// Whether all rows of a matrix do. \param stride elements from one row to the next
template <class Element>
KOKKOS_INLINE_FUNCTION bool rows_begin_at(std::size_t bytes, const Element* data,
                                          std::uint64_t stride) {
  return begin_at(bytes, data) && stride * sizeof(Element) % bytes == 0;
}

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_ALIGNMENT_HPP
