// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCES_HPP
#define KINDRED_MATCHER_SEQUENCES_HPP

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief A sequence as an argument: symbols, or a text at character level, whose symbols are its
/// Unicode code points. Refers to memory of the caller.
class Sequence {
 public:
  // The constructors convert, so that a call takes what the caller has.
  template <class Symbols>
  requires(std::convertible_to<const Symbols&, std::span<const Symbol>>)
      Sequence(const Symbols& symbols)  // NOLINT(google-explicit-constructor)
      : m_symbols(symbols) {}
  /// A call that is given text that is not valid UTF-8 throws InvalidArgument with the byte offset.
  template <class Text>
  requires(std::convertible_to<const Text&, std::string_view>)
      Sequence(const Text& text)  // NOLINT(google-explicit-constructor)
      : m_is_text(true), m_text(text) {}

  /// The symbols, in place; those of a text are written to \p points. \param what a text is called
  /// in the message \throws InvalidArgument for text that is not valid UTF-8
  std::span<const Symbol> symbols(const char* what, std::vector<Symbol>& points) const;

 private:
  bool m_is_text = false;
  std::span<const Symbol> m_symbols;
  std::string_view m_text;
};

/// \brief Several sequences as an argument: rows of symbols, arrays of them, or texts at character
/// level. Refers to memory of the caller, except for the code points of texts.
class Sequences {
 public:
  template <std::convertible_to<RaggedSpan<Symbol>> Rows>
  Sequences(const Rows& rows)  // NOLINT(google-explicit-constructor): converts, as above
      : m_given(rows) {}
  /// A vector or span of `std::string_view` or `std::string`. \throws InvalidArgument for text that
  /// is not valid UTF-8, with its index and the byte offset; OutOfMemory
  template <class Texts>
  requires(std::convertible_to<const Texts&, std::span<const std::string_view>> ||
           std::convertible_to<const Texts&, std::span<const std::string>>)
      Sequences(const Texts& texts)  // NOLINT(google-explicit-constructor)
      : m_points(points_of(std::span(texts))) {}
  /// \param symbols uint32 [n] \param offsets int64 [rows + 1]: row r consists of the symbols
  /// `offsets[r] … offsets[r + 1]` (exclusive). Both in host memory. The call that is given them
  /// checks that the offsets start at 0 and never decrease
  /// \throws InvalidArgument for other arrays
  Sequences(const ConstArray& symbols, const ConstArray& offsets);

  RaggedSpan<Symbol> rows() const noexcept { return m_points ? *m_points : m_given; }

 private:
  static Ragged<Symbol> points_of(std::span<const std::string_view> texts);
  static Ragged<Symbol> points_of(std::span<const std::string> texts);

  RaggedSpan<Symbol> m_given;
  std::optional<Ragged<Symbol>> m_points;
};

/// \brief A text in memory of the caller, as one unsigned integer per symbol: the bytes of ASCII or
/// Latin-1, the code points of UCS-2 or UCS-4. Strings of Python lie in memory in this way.
struct TextSpan {
  const void* data = nullptr;      ///< aligned to the integers
  std::uint32_t size = 0;          ///< symbols, < 2^31
  std::uint32_t symbol_bytes = 1;  ///< 1, 2 or 4

  /// Calls \p function with a pointer to the first symbol, of the type of the symbols.
  template <class Function>
  auto visit(const Function& function) const {
    if (symbol_bytes == 1) return function(static_cast<const std::uint8_t*>(data));
    if (symbol_bytes == 2) return function(static_cast<const std::uint16_t*>(data));
    return function(static_cast<const std::uint32_t*>(data));
  }
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEQUENCES_HPP
