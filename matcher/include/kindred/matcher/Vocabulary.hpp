// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VOCABULARY_HPP
#define KINDRED_MATCHER_VOCABULARY_HPP

#include <kindred/core/sequence/Symbol.hpp>

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace Kindred {

/// \brief Text of a symbol to its number and back. Numbers are given in first-seen order; a query
/// never changes it.
class Vocabulary {
 public:
  /// The number of \p text, new if it was not known. \throws InvalidArgument when no number is left
  Symbol insert(std::string_view text);
  /// The number of \p text, or `unknown_symbol`, which matches nothing.
  Symbol find(std::string_view text) const;
  /// \throws NotFound for a number that was never given
  std::string_view text(Symbol symbol) const;
  std::size_t size() const noexcept { return m_texts.size(); }

 private:
  std::deque<std::string> m_texts;
  std::unordered_map<std::string_view, Symbol> m_symbols;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VOCABULARY_HPP
