// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_BULK_LEARN_HPP
#define KINDRED_MATCHER_PATTERNS_BULK_LEARN_HPP

#include "PatternCatalogue.hpp"

#include <kindred/backends/impl/HostWorkers.hpp>
#include <kindred/matcher/EventLists.hpp>
#include <kindred/matcher/PatternMemory.hpp>
#include <kindred/matcher/Vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace Kindred::Impl {

/// \brief Learns many patterns in one step, with the results of learning them one after the other.
///
/// The constructor does everything that only reads: it checks the patterns, encodes them and finds
/// those that are known. `prepare` performs the steps that can fail, and `learn` cannot fail.
/// Nobody may change the catalogue and the vocabulary between these calls, which the caller
/// ensures; other threads may read them during the constructor. Work that grows with the symbols
/// runs on \p workers.
class BulkLearn {
 public:
  /// Called with the text of every new symbol, in the order of their numbers; may throw.
  using CheckText = std::function<void(std::string_view)>;

  /// \param patterns,options must outlive this object \throws InvalidArgument naming the first
  /// pattern that is invalid or that another pattern excludes
  template <class T>
  BulkLearn(const HostWorkers& workers, const PatternCatalogue& catalogue,
            const Vocabulary& vocabulary, const EventLists<T>& patterns,
            const LearnOptions& options, const CheckText& check_text);

  /// The indices of known patterns whose frequencies will increase; repeated.
  std::vector<std::uint64_t> raised() const;
  /// \throws InvalidArgument if not enough numbers for symbols are left; std::bad_alloc. The
  /// contents of \p catalogue and \p vocabulary are then unchanged
  void prepare(PatternCatalogue& catalogue, Vocabulary& vocabulary);
  /// Adds and repeats the patterns. Returns the outcome for each, in order.
  std::vector<LearnedPattern> learn(PatternCatalogue& catalogue) noexcept;

 private:
  static constexpr std::size_t not_known = ~std::size_t{0};

  template <class T>
  void check(const EventLists<T>& lists, const PatternCatalogue& catalogue);
  /// Lays out the keys. \throws InvalidArgument for a pattern that is too long
  template <class T>
  void lay_out(const EventLists<T>& lists);
  /// Fills in the keys of the patterns [begin, end); `symbol_of(value)` may throw.
  template <class T, class SymbolOf>
  void fill(const EventLists<T>& lists, std::size_t begin, std::size_t end,
            const SymbolOf& symbol_of);
  void encode(const EventLists<std::string_view>& texts, const Vocabulary& vocabulary);
  void encode(const EventLists<Symbol>& symbols, const Vocabulary& vocabulary);
  /// The number that \p text, which the vocabulary does not contain, has if the new texts are \p
  /// texts, to which it is added.
  Symbol new_symbol(std::string_view text, Vocabulary& texts) const;
  /// Runs `body(begin, end)` for ranges of patterns, with \p nanoseconds of work per symbol.
  template <class Body>
  void for_patterns(double nanoseconds, const Body& body) const;
  /// Finds the known patterns and the repetitions.
  void find_known(const PatternCatalogue& catalogue);
  /// Makes the list of the new patterns.
  void collect(const PatternCatalogue& catalogue);
  void check_names(const PatternCatalogue& catalogue) const;

  std::size_t size() const noexcept { return m_key_begin.size() - 1; }
  PatternKey key(std::size_t p) const noexcept {
    return {{m_words.get() + m_key_begin[p], m_words.get() + m_key_begin[p + 1]}, m_events[p]};
  }
  std::uint64_t times(std::size_t p) const noexcept {
    return m_options.times.empty() ? 1 : m_options.times[p];
  }
  std::optional<std::string_view> name(std::size_t p) const noexcept {
    return m_options.names.empty() ? std::nullopt : m_options.names[p];
  }

  HostWorkers m_workers;
  const LearnOptions& m_options;
  std::size_t m_known_symbols;  ///< new symbols have numbers from here on
  Vocabulary m_new_texts;       ///< number − `m_known_symbols` → text

  // Per pattern.
  std::vector<std::uint64_t> m_key_begin{0};
  std::vector<std::uint32_t> m_events;  ///< number of its events that are not empty
  std::vector<std::uint64_t> m_hashes;
  std::vector<std::uint64_t> m_name_hashes;
  std::vector<std::size_t> m_known;  ///< index of the equal known pattern, or `not_known`
  /// The place in `m_new` of the pattern or the equal earlier one, unless it is known.
  std::vector<std::size_t> m_place;

  std::unique_ptr<std::uint32_t[]> m_words;  ///< the keys
  std::vector<NewPattern> m_new;
  std::vector<NumberedBlock> m_blocks;
  std::vector<LearnedPattern> m_learned;  ///< allocated for the results
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_BULK_LEARN_HPP
