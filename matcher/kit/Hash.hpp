// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_KIT_HASH_HPP
#define KINDRED_MATCHER_KIT_HASH_HPP

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// XXH3, 64 bits. Identical on every machine, so hashes may be stored in files.
std::uint64_t hash64(const void* data, std::size_t bytes) noexcept;

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_KIT_HASH_HPP
