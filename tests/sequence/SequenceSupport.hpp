// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SEQUENCE_SEQUENCE_SUPPORT_HPP
#define KINDRED_TESTS_SEQUENCE_SEQUENCE_SUPPORT_HPP

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/matcher/SequenceMatcher.hpp>
#include <kindred/matcher/Similarity.hpp>
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "RaggedRows.hpp"
#include "RefusedCalls.hpp"
#include "Support.hpp"

namespace Kindred::Testing {

using Symbols = std::vector<Symbol>;
using SymbolRows = std::vector<Symbols>;

inline constexpr std::size_t all_of_them = std::numeric_limits<std::size_t>::max();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

inline const std::vector<Measure> with_blocks{Measure::lcs, Measure::difflib};
inline const std::vector<Measure> of_words{Measure::token_sort, Measure::token_set};
/// The measures that take any symbols.
inline const std::vector<Measure> of_symbols{
    Measure::lcs,    Measure::difflib, Measure::levenshtein, Measure::osa,
    Measure::prefix, Measure::postfix, Measure::jaro_winkler};

inline std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

inline Symbols letters(std::string_view text) { return {text.begin(), text.end()}; }

/// Symbols of a vocabulary that begins with \p first.
inline Symbols random_sequence(std::mt19937_64& generator, std::size_t length, Symbol vocabulary,
                               Symbol first = 0) {
  Symbols sequence(length);
  for (Symbol& symbol : sequence) symbol = first + static_cast<Symbol>(generator() % vocabulary);
  return sequence;
}

/// \p count sequences of \p least to \p most symbols.
inline SymbolRows random_sequences(std::mt19937_64& generator, std::size_t count, std::size_t least,
                                   std::size_t most, Symbol vocabulary) {
  SymbolRows rows;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t length = least + generator() % (most - least + 1);
    rows.push_back(random_sequence(generator, length, vocabulary));
  }
  return rows;
}

/// Letters, of \p kinds kinds, and spaces between them.
inline Symbols random_text(std::mt19937_64& generator, std::size_t length, Symbol kinds) {
  Symbols text = random_sequence(generator, length, kinds, 'a');
  for (Symbol& symbol : text)
    if (generator() % 5 == 0) symbol = ' ';
  return text;
}

/// \p source with about \p percent of its symbols replaced.
inline Symbols noisy(std::mt19937_64& generator, Symbols source, Symbol vocabulary,
                     unsigned percent = 30) {
  for (Symbol& symbol : source)
    if (generator() % 100 < percent) symbol = static_cast<Symbol>(generator() % vocabulary);
  return source;
}

/// \p source with a few edits: symbols replaced, inserted, erased, or exchanged with the next.
inline Symbols edited(std::mt19937_64& generator, Symbols source, std::size_t edits,
                      Symbol vocabulary) {
  for (std::size_t i = 0; i < edits && !source.empty(); ++i) {
    const std::size_t at = generator() % source.size();
    const auto symbol = static_cast<Symbol>(generator() % vocabulary);
    const auto place = source.begin() + static_cast<std::ptrdiff_t>(at);
    const auto edit = generator() % 4;
    if (edit == 0) source[at] = symbol;
    if (edit == 1) source.insert(place, symbol);
    if (edit == 2) source.erase(place);
    if (edit == 3 && at + 1 < source.size()) std::swap(source[at], source[at + 1]);
  }
  return source;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SEQUENCE_SEQUENCE_SUPPORT_HPP
