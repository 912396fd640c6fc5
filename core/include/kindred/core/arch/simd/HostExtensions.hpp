// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SIMD_HOST_EXTENSIONS_HPP
#define KINDRED_CORE_ARCH_SIMD_HOST_EXTENSIONS_HPP

/// \file
/// Instructions that only some processors of level x86-64-v4 have. A build for such a processor
/// uses them everywhere. A build for x86-64-v4 uses them in the functions that an extension calls,
/// after a check when the program starts. Both forms are types of their own, so that no function
/// has two definitions. A build for aarch64 uses what corresponds to them wherever its compiler
/// may.

#include <kindred/core/arch/HostLevel.hpp>
#include <kindred/core/arch/simd/InstructionSets.hpp>

namespace Kindred::Arch {

enum class ExtensionUse {
  never,    ///< its forms are not compiled
  checked,  ///< where the processor has it
  always,   ///< the program is compiled for processors that have it
};

/// Lookups in tables of 64 bytes.
struct ByteLookups {
  static constexpr auto use = static_cast<ExtensionUse>(KINDRED_USE_BYTE_LOOKUPS);
  static bool is_usable() { return usable_additions.byte_lookups; }
  /// Whether one register holds 64 bytes; on aarch64, four do.
  static constexpr bool holds_64 = KINDRED_HAS_NEON == 0;

  /// Calls \p function, which is inlined and may use the extension. It is a copy, which no store
  /// through another pointer can change: what it captured by value stays in registers.
  template <class Function>
  KINDRED_WITH_BYTE_LOOKUPS static auto call(Function function) {
    return function();
  }
};

/// Dot products of bytes.
struct ByteProducts {
  static constexpr auto use = static_cast<ExtensionUse>(KINDRED_USE_BYTE_PRODUCTS);
  static bool is_usable() { return usable_additions.byte_products; }

  template <class Function>
  KINDRED_WITH_BYTE_PRODUCTS static auto call(Function function) {
    return function();
  }
};

/// Conversions of packs to bfloat16.
struct Bfloat16Rounding {
  static constexpr auto use = static_cast<ExtensionUse>(KINDRED_USE_BFLOAT16);
  static bool is_usable() { return usable_additions.bfloat16; }

  template <class Function>
  KINDRED_WITH_BFLOAT16 static auto call(Function function) {
    return function();
  }
};

/// Whether forms of \p Extension are called in this process.
template <class Extension>
bool has_extension() {
  return Extension::use == ExtensionUse::always ||
         (Extension::use == ExtensionUse::checked && Extension::is_usable());
}

/// Whether a processor of level x86-64-v4 runs this program only if it has \p Extension.
template <class Extension>
inline constexpr bool is_required = Extension::use == ExtensionUse::always&& compiled_level > 0;

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SIMD_HOST_EXTENSIONS_HPP
