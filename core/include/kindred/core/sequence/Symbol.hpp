// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_SYMBOL_HPP
#define KINDRED_CORE_SEQUENCE_SYMBOL_HPP

#include <kindred/core/common/Public.hpp>

#include <cstdint>

namespace KINDRED_PUBLIC Kindred {

/// A symbol of a sequence: a word of a vocabulary, or a code point.
using Symbol = std::uint32_t;

/// Stands for a symbol outside the vocabulary. It matches nothing, including itself, and counts
/// towards the length.
inline constexpr Symbol unknown_symbol = 0xFFFFFFFFU;

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_SYMBOL_HPP
