// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_EVENT_LISTS_HPP
#define KINDRED_MATCHER_EVENT_LISTS_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/core/common/Ragged.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace KINDRED_PUBLIC Kindred {

/// \brief A non-owning view of the events of many patterns, in two levels of rows: pattern p
/// consists of the rows `patterns[p] … patterns[p + 1]` (exclusive) of `events`.
/// \tparam T a symbol: its text (`std::string_view`) or its number (`Symbol`)
template <class T>
struct EventLists {
  /// Patterns + 1, starting at 0, never decreasing; empty: no patterns.
  std::span<const std::uint64_t> patterns;
  RaggedSpan<T> events;  ///< one row of symbols per event

  std::size_t size() const noexcept { return patterns.empty() ? 0 : patterns.size() - 1; }
};

/// \brief What `PatternMemory::learn_all` stores with the patterns. `names` and `times` are empty
/// or have one element per pattern.
struct LearnOptions {
  /// As the name that `learn` takes; empty: no pattern gets a name.
  std::span<const std::optional<std::string_view>> names = {};
  /// Occurrences of the patterns, ≥ 1; empty: one each.
  std::span<const std::uint64_t> times = {};
  /// Of patterns of numbers: symbol s stands for `dictionary[s]`, whatever its number in the
  /// vocabulary is. Texts that no pattern contains are not added. No value: the symbols are those
  /// of the vocabulary of the memory.
  std::optional<std::span<const std::string_view>> dictionary = {};
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_EVENT_LISTS_HPP
