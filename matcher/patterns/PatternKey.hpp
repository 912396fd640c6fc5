// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_PATTERNS_PATTERN_KEY_HPP
#define KINDRED_MATCHER_PATTERNS_PATTERN_KEY_HPP

#include "kit/Hash.hpp"

#include <kindred/core/common/Ragged.hpp>
#include <kindred/core/sequence/Symbol.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace Kindred::Impl {

/// The largest number of symbols of a pattern.
inline constexpr std::uint64_t pattern_length_max = (std::uint64_t{1} << 31U) - 1;

/// \brief What identifies a pattern: the ends of its events, then its symbols, in one array. The
/// same symbols in other events are another pattern.
struct PatternKey {
  std::span<const std::uint32_t> words;
  std::size_t events = 0;

  std::span<const std::uint32_t> ends() const noexcept { return words.first(events); }
  std::span<const Symbol> symbols() const noexcept { return words.subspan(events); }
};

inline std::uint64_t hash_of(const PatternKey& key) noexcept {
  return hash64(key.words.data(), key.words.size_bytes());
}
inline std::uint64_t hash_of(std::string_view name) noexcept {
  return hash64(name.data(), name.size());
}

/// The array of the key of \p events, whose offsets start at 0.
inline std::vector<std::uint32_t> key_words(RaggedSpan<Symbol> events) {
  std::vector<std::uint32_t> words;
  words.reserve(events.rows() + events.values.size());
  for (std::size_t e = 0; e < events.rows(); ++e)
    words.push_back(static_cast<std::uint32_t>(events.offsets[e + 1]));
  words.insert(words.end(), events.values.begin(), events.values.end());
  return words;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_PATTERNS_PATTERN_KEY_HPP
