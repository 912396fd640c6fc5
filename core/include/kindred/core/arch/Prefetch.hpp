// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_PREFETCH_HPP
#define KINDRED_CORE_ARCH_PREFETCH_HPP

namespace Kindred::Arch {

/// Host: asks for the cache line of \p data, which is read soon.
inline void prefetch([[maybe_unused]] const void* data) {
#if defined(__GNUC__)
  __builtin_prefetch(data);
#endif
}
/// The same of a line that is written soon.
inline void prefetch_to_write([[maybe_unused]] const void* data) {
#if defined(__GNUC__)
  __builtin_prefetch(data, 1);
#endif
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_PREFETCH_HPP
