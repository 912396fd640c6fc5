// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SEQUENCE_SEQUENCE_SUPPORT_HPP
#define KINDRED_TESTS_SEQUENCE_SEQUENCE_SUPPORT_HPP

#include <kindred/matcher/SequenceMatcher.hpp>

#include <cstddef>
#include <random>
#include <vector>

namespace Kindred::Testing {

/// Symbols of a vocabulary that begins with \p first.
inline std::vector<Symbol> random_sequence(std::mt19937_64& generator, std::size_t length,
                                           Symbol vocabulary, Symbol first = 0) {
  std::vector<Symbol> sequence(length);
  for (Symbol& symbol : sequence) symbol = first + static_cast<Symbol>(generator() % vocabulary);
  return sequence;
}

inline MatchOptions options(Measure measure, double threshold, std::size_t top) {
  MatchOptions result;
  result.measure = measure;
  result.threshold = threshold;
  result.top = top;
  return result;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SEQUENCE_SEQUENCE_SUPPORT_HPP
