// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VOCABULARY_HPP
#define KINDRED_MATCHER_VOCABULARY_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred {

/// What a vocabulary holds.
struct VocabularyStatistics {
  std::size_t symbols = 0;
  std::uint64_t text_bytes = 0;  ///< of all texts
  std::uint64_t held_bytes = 0;  ///< of memory, tables included
};

/// \brief Text of a symbol to its number and back. Numbers are given in first-seen order, from 0; a
/// query never changes it.
///
/// A text is any bytes: the empty one and very long ones too. Any number of threads may read while
/// others insert: readers take no lock and never wait, writers take turns. What a thread has been
/// given (a number, a size) it can look up at once. Views of texts stay valid while the vocabulary
/// lives, through insertions and moves; a vocabulary that was moved from may only be assigned to or
/// destroyed.
class Vocabulary {
 public:
  Vocabulary();
  /// Text i gets the number i. \throws InvalidArgument for a text that stands twice, and for
  /// offsets that do not start at 0, fall, or end beyond the bytes
  explicit Vocabulary(RaggedSpan<char> texts);
  ~Vocabulary();
  Vocabulary(Vocabulary&&) noexcept;
  Vocabulary& operator=(Vocabulary&&) noexcept;

  /// The number of \p text, new if it was not known. \throws InvalidArgument when no number is left
  Symbol insert(std::string_view text);
  /// Numbers those of \p texts that are not known, in their order; all or, when it throws, none.
  /// \throws InvalidArgument when no numbers are left
  void insert_all(std::span<const std::string_view> texts);
  /// \brief Numbers those of \p texts that are not known in the order of their bytes, so that the
  /// numbers do not depend on the order of \p texts.
  ///
  /// All or, when it throws, none. \throws InvalidArgument when no numbers are left
  void insert_sorted(std::span<const std::string_view> texts);

  /// The number of \p text, or `unknown_symbol`, which matches nothing.
  Symbol find(std::string_view text) const noexcept;
  /// \throws NotFound for a number that was never given
  std::string_view text(Symbol symbol) const;
  /// The texts of \p symbols. \throws NotFound, with the place, for a number that was never given
  std::vector<std::string_view> decode(std::span<const Symbol> symbols) const;
  /// A copy of all texts from number \p first on, in one piece: what the constructor takes.
  Ragged<char> texts(Symbol first = 0) const;

  /// Writes it to \p path, in place of what is there; whole or not at all. \throws InvalidArgument
  /// where no file can be written; Busy while another writes it; Error
  void save(const std::string& path) const;
  /// What a file holds, with the same numbers. \throws NotFound, InvalidArgument for what is no
  /// file; CorruptFile
  static Vocabulary load(const std::string& path);

  std::size_t size() const noexcept;
  VocabularyStatistics statistics() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VOCABULARY_HPP
