// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_COMMON_REPRODUCIBLE_BLOCK_HPP
#define KINDRED_CORE_COMMON_REPRODUCIBLE_BLOCK_HPP

#include <cstdint>

namespace Kindred {

/// Elements per block of a reproducible sum.
inline constexpr std::uint64_t reproducible_block = 4096;

}  // namespace Kindred

#endif  // KINDRED_CORE_COMMON_REPRODUCIBLE_BLOCK_HPP
