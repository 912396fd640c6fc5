// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SEQUENCE_QUERY_COLUMNS_SUPPORT_HPP
#define KINDRED_TESTS_SEQUENCE_QUERY_COLUMNS_SUPPORT_HPP

#include <gtest/gtest.h>
#include <kindred/core/sequence/QueryColumns.hpp>
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "Generator.hpp"

namespace Kindred::Testing {

/// A query of \p length symbols from \p vocabulary codes, numbered by first appearance, some
/// unknown.
inline std::vector<std::uint8_t> random_codes(std::mt19937_64& generator, std::size_t length,
                                              unsigned vocabulary) {
  std::vector<std::uint8_t> code_of(vocabulary, no_code);
  std::vector<std::uint8_t> codes;
  std::uint8_t next = 0;
  for (std::size_t j = 0; j < length; ++j) {
    if (generator() % 16 == 0) {
      codes.push_back(no_code);
      continue;
    }
    std::uint8_t& code = code_of[generator() % vocabulary];
    if (code == no_code) code = next++;
    codes.push_back(code);
  }
  return codes;
}

/// The number of known symbols among \p codes.
inline std::uint32_t distinct(const std::vector<std::uint8_t>& codes) {
  std::set<std::uint8_t> seen(codes.begin(), codes.end());
  seen.erase(no_code);
  return static_cast<std::uint32_t>(seen.size());
}

/// The columns of a query of one segment.
inline std::vector<QueryColumns> columns_of(const std::vector<std::uint8_t>& codes) {
  std::vector<QueryColumns> columns;
  append_columns(columns, codes, distinct(codes));
  return columns;
}

/// The symbols of the first \p length of \p codes, for the oracle.
inline std::vector<Symbol> symbols_of(const std::vector<std::uint8_t>& codes, std::size_t length) {
  std::vector<Symbol> symbols(codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(length));
  std::replace(symbols.begin(), symbols.end(), Symbol{no_code}, unknown_symbol);
  return symbols;
}

/// Calls `check(generator, length, vocabulary)` for queries of all lengths and vocabularies.
template <class Check>
void for_each_query(const std::string& name, const std::vector<std::size_t>& lengths,
                    const std::vector<unsigned>& vocabularies, const Check& check) {
  for (const std::size_t length : lengths) {
    for (const unsigned vocabulary : vocabularies) {
      SCOPED_TRACE(std::to_string(length) + " of " + std::to_string(vocabulary));
      auto random = generator(name + std::to_string(1000 * length + vocabulary));
      check(random, length, vocabulary);
    }
  }
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SEQUENCE_QUERY_COLUMNS_SUPPORT_HPP
