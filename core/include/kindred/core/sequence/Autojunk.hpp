// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_AUTOJUNK_HPP
#define KINDRED_CORE_SEQUENCE_AUTOJUNK_HPP

#include <kindred/core/sequence/Symbol.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace Kindred {

/// Symbols that a query needs before Python's difflib looks for popular ones.
inline constexpr std::size_t autojunk_length = 200;

/// \brief The query without its popular symbols, each replaced by `unknown_symbol`; empty where it
/// has none.
///
/// Python's default heuristic: in a query of n ≥ `autojunk_length` symbols, one that stands more
/// than n / 100 + 1 times is popular. No run of equal symbols begins with or holds it, but a run
/// that was found grows over it.
std::vector<Symbol> without_popular(std::span<const Symbol> query);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_AUTOJUNK_HPP
