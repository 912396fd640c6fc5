// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_HOST_LEVEL_HPP
#define KINDRED_CORE_ARCH_HOST_LEVEL_HPP

/// \file
/// What the processor of the host can execute. Declarations only: the source is compiled for the
/// oldest x86-64, so that it can be called on a processor on which nothing else can.

namespace Kindred::Arch {

/// What some processors of level x86-64-v4 have in addition.
struct HostAdditions {
  bool byte_lookups;   ///< AVX-512 VBMI and BITALG, GFNI
  bool byte_products;  ///< AVX-512 VNNI
  bool bfloat16;       ///< AVX-512 BF16
};

/// A level of x86-64 and additions to it.
struct HostLevel {
  int level;  ///< 1 … 4: x86-64, x86-64-v2, x86-64-v3, x86-64-v4; 0: another architecture
  HostAdditions additions;
};

/// What the processor has and the operating system saves. Reads no environment variable.
HostLevel processor_level() noexcept;

/// \brief Why code that needs \p level and additions to it cannot run on \p processor; null if it
/// can. The text is overwritten by the next call. Takes no structures, which callers might copy
/// with instructions that the processor lacks.
const char* why_cannot_run(int level, bool byte_lookups, bool byte_products, bool bfloat16,
                           const HostLevel& processor) noexcept;

/// The name of a level: `x86-64-v4`.
const char* level_name(int level) noexcept;

/// The value of the environment variable KINDRED_MAX_LEVEL, which names the highest level that may
/// be used, without additions to it; null if it is not set or empty.
const char* max_level_text() noexcept;
/// The level that \p name means, or 0.
int level_of_name(const char* name) noexcept;

/// The additions that this process may use: those of the processor, unless KINDRED_MAX_LEVEL is
/// set. None before this variable is initialised, which is correct, but slower.
extern const HostAdditions usable_additions;

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_HOST_LEVEL_HPP
