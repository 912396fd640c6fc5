// SPDX-License-Identifier: Apache-2.0
#include "Hash.hpp"

// GCC 12 warns about its own AVX-512 intrinsics.
#pragma GCC diagnostic ignored "-Wuninitialized"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace Kindred::Impl {

std::uint64_t hash64(const void* data, std::size_t bytes) noexcept {
  return XXH3_64bits(data, bytes);
}

}  // namespace Kindred::Impl
