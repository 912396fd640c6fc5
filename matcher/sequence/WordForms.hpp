// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_WORD_FORMS_HPP
#define KINDRED_MATCHER_SEQUENCE_WORD_FORMS_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/Measure.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace Kindred::Impl {

inline constexpr Symbol code_points_end = 0x110000;

/// The symbol that separates words.
inline constexpr Symbol word_separator = 0x20;

/// As Python's `str.isspace()`.
constexpr bool is_white_space(Symbol point) {
  if (point < 0x80) return (point >= 0x1C && point <= 0x20) || (point >= 0x09 && point <= 0x0D);
  return point == 0x85 || point == 0xA0 || point == 0x1680 ||
         (point >= 0x2000 && point <= 0x200A) || point == 0x2028 || point == 0x2029 ||
         point == 0x202F || point == 0x205F || point == 0x3000;
}

/// \brief Puts texts into the form in which a measure of words compares them.
///
/// `token_sort`: the words in ascending order, joined by spaces. `token_set`: the different words
/// in ascending order, each as `TokenSetScore` reads it. A text without words becomes one symbol
/// that no text contains. Thread-safe except for `add`.
class WordForms {
 public:
  explicit WordForms(Measure measure) : m_measure(measure) {}

  /// Appends the form of \p text to \p out, as one row, and knows its words from now on.
  /// \param what,row what an error calls the text \throws InvalidArgument for a symbol that is no
  /// code point
  void add(std::span<const Symbol> text, const char* what, std::size_t row, Ragged<Symbol>& out);
  /// Appends the form of \p text, whose words may be unknown. `unknown_symbol` is a character that
  /// no other text contains. \throws as above
  void append(std::span<const Symbol> text, const char* what, std::size_t row,
              Ragged<Symbol>& out) const;

  /// Bytes of the known words.
  std::uint64_t bytes() const noexcept { return m_words.statistics().held_bytes; }

  /// Whether a text may have \p symbol: a code point, or the unknown symbol.
  static bool is_code_point(Symbol symbol) {
    return symbol < code_points_end || symbol == unknown_symbol;
  }
  /// The form of a text without words is this symbol.
  static constexpr Symbol blank = code_points_end;

 private:
  template <class NumberOf>
  void append(std::span<const Symbol> text, const char* what, std::size_t row, Ragged<Symbol>& out,
              const NumberOf& number_of) const;

  Measure m_measure;
  Vocabulary m_words;  ///< their numbers, by the bytes of their symbols; used by `token_set`
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_WORD_FORMS_HPP
