// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VOCABULARY_HPP
#define KINDRED_MATCHER_VOCABULARY_HPP

#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>
#include <kindred/matcher/FileSource.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// Size of a vocabulary.
struct VocabularyStatistics {
  std::size_t symbols = 0;
  std::uint64_t text_bytes = 0;  ///< of all texts
  std::uint64_t held_bytes = 0;  ///< of memory, including the hash tables
};

/// \brief Bidirectional mapping between the texts of symbols and their numbers. Numbers are
/// assigned in first-seen order, from 0. Queries never add texts.
///
/// A text is any byte string, including the empty one. Thread-safe: readers take no lock and never
/// wait, even while other threads add texts; writers are serialized. A number or size that a thread
/// has obtained is valid for its lookups immediately. Views of texts stay valid for the life of the
/// vocabulary, through additions and moves; a moved-from vocabulary may only be assigned to or
/// destroyed.
class Vocabulary {
 public:
  Vocabulary();
  /// Assigns the number i to text i. \throws InvalidArgument for duplicate texts, and for offsets
  /// that do not start at 0, decrease, or end beyond the bytes
  explicit Vocabulary(RaggedSpan<char> texts);

  /// The number of \p text, which is added if it is new. \throws InvalidArgument if no number is
  /// left
  Symbol add(std::string_view text);
  /// Adds the new ones of \p texts, in their order; adds none if it throws.
  /// \throws InvalidArgument if not enough numbers are left
  void add_all(std::span<const std::string_view> texts);
  /// \brief Adds the new ones of \p texts in bytewise lexicographic order, so that their numbers do
  /// not depend on the order of \p texts.
  ///
  /// Adds none if it throws. \throws InvalidArgument if not enough numbers are left
  void add_sorted(std::span<const std::string_view> texts);

  /// The number of \p text, or `unknown_symbol`, which matches nothing.
  Symbol find(std::string_view text) const noexcept;
  /// \throws NotFound for a number that was never assigned
  std::string_view text(Symbol symbol) const;
  /// The texts of \p symbols. \throws NotFound, with the position, for a number that was never
  /// assigned
  std::vector<std::string_view> decode(std::span<const Symbol> symbols) const;
  /// A copy of all texts from number \p first on, in one block, as the constructor accepts it.
  Ragged<char> texts(Symbol first = 0) const;

  /// Writes the vocabulary to \p path atomically, replacing an existing file. \throws
  /// InvalidArgument for a path that cannot be written; Busy while another process writes it; Error
  /// for failed writes
  void save(const std::string& path) const;
  /// The bytes that `save` writes to a file.
  std::vector<std::byte> to_bytes() const;
  /// Reads a saved vocabulary, with the same numbers. \throws NotFound; InvalidArgument if the path
  /// is not a regular file; CorruptFile; OutOfMemory
  static Vocabulary load(const FileSource& source);

  std::size_t size() const noexcept;
  VocabularyStatistics statistics() const noexcept;

 private:
  struct State;
  Impl::HostState<State> m_state;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VOCABULARY_HPP
