// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SPECIAL_HPP
#define KINDRED_CORE_ARCH_SPECIAL_HPP

/// \file
/// The trait that chooses between the portable body of a kernel and a special form. Packs of
/// `arch/simd`, which have one interface for all instruction sets, and a few lines that differ
/// between hosts and devices within one body are not special forms.

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/SpecialForms.hpp>
#include <kindred/core/arch/simd/HostExtensions.hpp>

#include <type_traits>

namespace Kindred::Special {

/// Whether the code that is being compiled may contain forms for \p machine in host code.
constexpr bool is_host_compiled_for(Machine machine) {
  constexpr bool looks_up = Arch::ByteLookups::use != Arch::ExtensionUse::never;
  switch (machine) {
    case Machine::host:
      return true;
    case Machine::narrow_lookups:
      return KINDRED_HAS_AVX2_FMA != 0;
    case Machine::byte_lookups:
      return looks_up;
    case Machine::byte_lookups_of_64:
      return looks_up && Arch::ByteLookups::holds_64;
    case Machine::byte_products:
      return Arch::ByteProducts::use != Arch::ExtensionUse::never;
    case Machine::bfloat16:
      return Arch::Bfloat16Rounding::use != Arch::ExtensionUse::never;
    case Machine::device:
    case Machine::clusters:
      break;
  }
  return false;
}

constexpr bool is_for_devices(Machine machine) {
  return machine == Machine::device || machine == Machine::clusters;
}

/// \brief Whether \p form is compiled for \p ExecutionSpace. With `Kindred_ENABLE_SPECIALIZED=OFF`
/// only those that have no portable body beside them are.
template <Form form, class ExecutionSpace>
inline constexpr bool is_compiled = (KINDRED_ENABLE_SPECIALIZED != 0 ||
                                     record_of(form).alone != nullptr) &&
                                    (Arch::is_device<ExecutionSpace>
                                         ? is_for_devices(record_of(form).machine)
                                         : is_host_compiled_for(record_of(form).machine));

/// Whether this process has the instructions for \p machine.
template <Machine machine>
bool has_machine() {
  using enum Machine;
  if constexpr (machine == byte_lookups || machine == byte_lookups_of_64)
    return Arch::has_extension<Arch::ByteLookups>();
  else if constexpr (machine == byte_products)
    return Arch::has_extension<Arch::ByteProducts>();
  else if constexpr (machine == bfloat16)
    return Arch::has_extension<Arch::Bfloat16Rounding>();
  return true;
}

/// \brief Whether kernels on \p ExecutionSpace use \p form: it is compiled, the host has its
/// instructions, and it is not switched off. Whether a device has clusters is left to
/// `Arch::can_launch`.
template <Form form, class ExecutionSpace>
bool is_used() {
  if constexpr (!is_compiled<form, ExecutionSpace>)
    return false;
  else
    return has_machine<record_of(form).machine>() && !is_switched_off(form);
}

/// Calls `function(std::true_type())` if \p form is used, else `function(std::false_type())`.
template <Form form, class ExecutionSpace, class Function>
auto choose(const Function& function) {
  if constexpr (is_compiled<form, ExecutionSpace>) {
    if (is_used<form, ExecutionSpace>()) return function(std::true_type());
  }
  return function(std::false_type());
}

/// The type of a form that has no portable body beside it, where it is compiled, and \p Portable
/// elsewhere.
template <Form form, class ExecutionSpace, class Special, class Portable>
using type_of = std::conditional_t<is_compiled<form, ExecutionSpace>, Special, Portable>;

}  // namespace Kindred::Special

#endif  // KINDRED_CORE_ARCH_SPECIAL_HPP
