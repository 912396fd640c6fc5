// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_SYMBOL_ENCODER_HPP
#define KINDRED_TOOLS_IO_SYMBOL_ENCODER_HPP

#include "io/TextFolding.hpp"
#include "program/Errors.hpp"

#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/CodePoints.hpp>
#include <kindred/matcher/Vocabulary.hpp>

namespace Kindred::Tools {

/// Whether new texts are added to the vocabulary or treated as unknown.
enum class Learning : bool { off, on };

/// \brief Converts the strings of records to symbols.
class SymbolEncoder {
 public:
  /// \param folding of texts at character level
  explicit SymbolEncoder(Level level, TextFolding folding = {})
      : m_level(level), m_folding(folding) {}

  Level level() const noexcept { return m_level; }
  /// \brief Appends the symbols of \p text, which is string \p position (from 0) of its record.
  /// \throws RecordError for invalid UTF-8 at character level
  void append(std::string_view text, std::size_t position, Learning learning,
              std::vector<Symbol>& out) {
    if (m_level == Level::token) {
      out.push_back(token(text, learning));
      return;
    }
    if (position > 0) out.push_back(U' ');
    with_errors_as<RecordError>({}, [&] { append_folded(text, m_folding, out); });
  }
  /// The symbol of \p text as a token, regardless of the level.
  Symbol token(std::string_view text, Learning learning) {
    return learning == Learning::on ? m_tokens.add(text) : m_tokens.find(text);
  }
  /// The vocabulary of tokens.
  const Vocabulary& tokens() const noexcept { return m_tokens; }

 private:
  Level m_level;
  TextFolding m_folding;
  Vocabulary m_tokens;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_SYMBOL_ENCODER_HPP
