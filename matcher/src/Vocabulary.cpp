// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Vocabulary.hpp>

#include <kindred/core/common/Error.hpp>

namespace Kindred {

Symbol Vocabulary::insert(std::string_view text) {
  if (const auto known = m_symbols.find(text); known != m_symbols.end()) return known->second;
  KINDRED_THROW_IF(m_texts.size() >= unknown_symbol,
                   "the vocabulary holds 4294967295 symbols, its limit");
  const auto symbol = static_cast<Symbol>(m_texts.size());
  const std::string& kept = m_texts.emplace_back(text);
  try {
    m_symbols.emplace(kept, symbol);
  } catch (...) {
    m_texts.pop_back();
    throw;
  }
  return symbol;
}

Symbol Vocabulary::find(std::string_view text) const {
  const auto known = m_symbols.find(text);
  return known == m_symbols.end() ? unknown_symbol : known->second;
}

std::string_view Vocabulary::text(Symbol symbol) const {
  if (symbol >= m_texts.size()) {
    throw NotFound("symbol " + std::to_string(symbol) + " is not in the vocabulary of " +
                   std::to_string(m_texts.size()));
  }
  return m_texts[symbol];
}

}  // namespace Kindred
