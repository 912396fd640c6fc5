// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_AUTOJUNK_HPP
#define KINDRED_CORE_SEQUENCE_AUTOJUNK_HPP

#include <kindred/core/sequence/Symbol.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace Kindred {

/// Query length from which Python's difflib looks for popular symbols.
inline constexpr std::size_t autojunk_length = 200;

/// \brief The query with each popular symbol replaced by `unknown_symbol`; empty if it has no
/// popular symbol.
///
/// Python's default heuristic: in a query of n ≥ `autojunk_length` symbols, a symbol that occurs
/// more than n / 100 + 1 times is popular. No run of equal symbols starts with or contains a
/// popular symbol, but a run that was found is extended over popular symbols.
std::vector<Symbol> without_popular(std::span<const Symbol> query);

}  // namespace Kindred

#endif  // KINDRED_CORE_SEQUENCE_AUTOJUNK_HPP
