// SPDX-License-Identifier: Apache-2.0
#include "WordForms.hpp"

#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace Kindred::Impl {

namespace {

/// Word i stands for itself as this symbol plus i.
constexpr Symbol first_word = code_points_end + 1;

using Word = std::span<const Symbol>;

/// The words of \p text in ascending order.
std::vector<Word> sorted_words(std::span<const Symbol> text) {
  std::vector<Word> words;
  for (auto at = text.begin();;) {
    const auto begin = std::find_if_not(at, text.end(), is_white_space);
    if (begin == text.end()) break;
    at = std::find_if(begin, text.end(), is_white_space);
    words.emplace_back(begin, at);
  }
  std::sort(words.begin(), words.end(), [](Word a, Word b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  return words;
}

std::string_view bytes_of(Word word) {
  return {reinterpret_cast<const char*>(word.data()), word.size_bytes()};
}

}  // namespace

template <class NumberOf>
void WordForms::append(std::span<const Symbol> text, const char* what, std::size_t row,
                       Ragged<Symbol>& out, const NumberOf& number_of) const {
  const auto bad = std::find_if_not(text.begin(), text.end(), WordForms::is_code_point);
  KINDRED_THROW_IF(bad != text.end(), std::string(to_string(m_measure)) +
                                          " compares the words of texts, but symbol " +
                                          std::to_string(bad - text.begin()) + " of " + what + " " +
                                          std::to_string(row) + " is " + std::to_string(*bad) +
                                          ", which is no code point");
  const std::vector<Word> words = sorted_words(text);
  std::vector<Symbol>& symbols = out.values;
  const std::size_t begin = symbols.size();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word word = words[i];
    if (m_measure == Measure::token_set) {
      if (i > 0 && std::equal(word.begin(), word.end(), words[i - 1].begin(), words[i - 1].end()))
        continue;
      const Symbol number = number_of(bytes_of(word));
      symbols.push_back(word_separator);
      symbols.push_back(number == unknown_symbol ? unknown_symbol : first_word + number);
    } else if (i > 0) {
      symbols.push_back(word_separator);
    }
    symbols.insert(symbols.end(), word.begin(), word.end());
  }
  if (symbols.size() == begin) symbols.push_back(blank);
  out.close_row();
}

void WordForms::add(std::span<const Symbol> text, const char* what, std::size_t row,
                    Ragged<Symbol>& out) {
  append(text, what, row, out, [&](std::string_view word) { return m_words.add(word); });
}

void WordForms::append(std::span<const Symbol> text, const char* what, std::size_t row,
                       Ragged<Symbol>& out) const {
  append(text, what, row, out, [&](std::string_view word) { return m_words.find(word); });
}

}  // namespace Kindred::Impl
