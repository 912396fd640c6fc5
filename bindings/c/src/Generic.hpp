// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_GENERIC_HPP
#define KINDRED_C_GENERIC_HPP

#include "Handle.hpp"

#include <cstdint>
#include <initializer_list>

// What the functions of all kinds of handles need, which bindings/interface writes.
namespace Kindred::C {

template <class Handle>
Handle* handle_to(const void* handle) noexcept {
  return static_cast<Handle*>(const_cast<void*>(handle));
}
/// `destroyed` for null.
Kind kind_of(const void* handle) noexcept;
/// Refuses a handle whose kind is none of \p kinds, which have the function.
kindred_status refuse_kind(const void* handle, std::initializer_list<Kind> kinds) noexcept;

/// An id of 32 bits; a greater number becomes the greatest one, which nothing has.
constexpr std::uint32_t narrowed(std::uint64_t id) noexcept {
  return id < UINT32_MAX ? static_cast<std::uint32_t>(id) : UINT32_MAX;
}

/// Whether \p name is that of a struct; null is none.
bool is_named(const char* name, const char* of_struct) noexcept;
/// Refuses null, and a name of no struct that has defaults.
kindred_status refuse_struct(const char* name, const void* options) noexcept;

}  // namespace Kindred::C

#endif  // KINDRED_C_GENERIC_HPP
