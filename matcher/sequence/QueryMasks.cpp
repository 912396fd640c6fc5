// SPDX-License-Identifier: Apache-2.0
#include "QueryMasks.hpp"

#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/sequence/WordTable.hpp>
#include <kindred/core/sequence/impl/EditState.hpp>
#include <kindred/core/sequence/impl/JaroWinklerScore.hpp>
#include <kindred/core/sequence/impl/TokenSetScore.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace Kindred::Impl {

namespace {

/// Symbols below this are looked up in a table, others by binary search.
constexpr Symbol table_max = 1U << 12U;

/// Rows between two looks at whether to end early.
constexpr std::size_t rows_between_checks = 64;

/// Up to this number of words, no memory is allocated.
constexpr std::size_t near_words = 16;

}  // namespace

QueryMasks::QueryMasks(std::span<const Symbol> query)
    : m_length(query.size()),
      m_words(quotient_up(query.size(), word_symbols)),
      m_symbols(query.begin(), query.end()) {
  std::sort(m_symbols.begin(), m_symbols.end());
  m_symbols.erase(std::unique(m_symbols.begin(), m_symbols.end()), m_symbols.end());
  if (!m_symbols.empty() && m_symbols.back() == unknown_symbol) m_symbols.pop_back();
  const auto small = std::lower_bound(m_symbols.begin(), m_symbols.end(), table_max);
  if (small != m_symbols.begin()) m_places.assign(*(small - 1) + std::size_t{1}, 0);
  for (auto at = m_symbols.begin(); at != small; ++at) {
    m_places[*at] = static_cast<std::uint32_t>(at - m_symbols.begin()) + 1;
  }
  m_masks.assign(m_symbols.size() * m_words, 0);
  for (std::size_t j = 0; j < query.size(); ++j) {
    if (query[j] == unknown_symbol) continue;
    const auto place =
        std::lower_bound(m_symbols.begin(), m_symbols.end(), query[j]) - m_symbols.begin();
    m_masks[static_cast<std::size_t>(place) * m_words + j / word_symbols] |= std::uint64_t{1}
                                                                             << (j % word_symbols);
  }
}

const std::uint64_t* QueryMasks::masks(Symbol symbol) const {
  if (symbol < table_max) {
    const std::uint32_t place = symbol < m_places.size() ? m_places[symbol] : 0;
    return place == 0 ? nullptr : m_masks.data() + (place - 1) * m_words;
  }
  const auto at = std::lower_bound(m_symbols.begin(), m_symbols.end(), symbol);
  if (at == m_symbols.end() || *at != symbol) return nullptr;
  return m_masks.data() + static_cast<std::size_t>(at - m_symbols.begin()) * m_words;
}

std::uint32_t QueryMasks::lcs(std::span<const Symbol> pattern, std::uint64_t least) const {
  std::array<std::uint64_t, near_words> near;
  std::vector<std::uint64_t> far(m_words > near_words ? m_words : 0);
  const std::span<std::uint64_t> state =
      far.empty() ? std::span(near).first(m_words) : std::span<std::uint64_t>(far);
  std::fill(state.begin(), state.end(), ~std::uint64_t{0});
  const auto zeros = [&] {
    std::uint32_t count = 0;
    for (const std::uint64_t word : state)
      count += static_cast<std::uint32_t>(std::popcount(~word));
    return count;
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::uint64_t* const mask = masks(pattern[i]);
    if (mask != nullptr) {
      std::uint64_t carry = 0;
      for (std::size_t w = 0; w < m_words; ++w) {
        const std::uint64_t before = state[w];
        const std::uint64_t both = before & mask[w];
        const std::uint64_t half = before + both;
        const std::uint64_t sum = half + carry;
        carry = static_cast<std::uint64_t>(half < before) | static_cast<std::uint64_t>(sum < half);
        state[w] = sum | (before & ~mask[w]);
      }
    }
    if (i % rows_between_checks == rows_between_checks - 1) {
      CancelPoint().check();
      if (least > 0 && zeros() + (pattern.size() - 1 - i) < least) break;
    }
  }
  return zeros();
}

std::uint32_t QueryMasks::edit_matched(EditKind kind, std::span<const Symbol> pattern) const {
  return kind == EditKind::osa ? edit_matched<EditKind::osa>(pattern)
                               : edit_matched<EditKind::levenshtein>(pattern);
}

template <EditKind kind>
std::uint32_t QueryMasks::edit_matched(std::span<const Symbol> pattern) const {
  using state_type = EditState<kind, 1>;
  std::array<state_type, near_words> near;
  std::vector<state_type> far(m_words > near_words ? m_words : 0);
  const std::span<state_type> states =
      far.empty() ? std::span(near).first(m_words) : std::span<state_type>(far);
  constexpr std::uint64_t absent = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::uint64_t* const mask = masks(pattern[i]);
    EditCarry carry;
    for (std::size_t w = 0; w < m_words; ++w)
      states[w].step(mask == nullptr ? &absent : mask + w, carry);
    if (i % rows_between_checks == rows_between_checks - 1) CancelPoint().check();
  }
  auto distance = static_cast<std::int64_t>(pattern.size());
  for (std::size_t w = 0; w < m_words; ++w) {
    distance += states[w].height(
        static_cast<std::uint32_t>(std::min<std::size_t>(m_length - w * word_symbols, 64)));
  }
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::max(pattern.size(), m_length)) -
                                    distance);
}

PairResult QueryMasks::score(PairScore score, std::span<const Symbol> pattern,
                             Symbol separator) const {
  struct Masks {
    const std::uint64_t* find(Symbol symbol) const { return query.masks(symbol); }
    static std::uint64_t word(const std::uint64_t* found, std::uint32_t w) {
      return found == nullptr ? 0 : found[w];
    }
    const QueryMasks& query;
  };
  std::array<std::uint64_t, 2 * near_words> near;
  std::vector<std::uint64_t> far(m_words > near_words ? 2 * m_words : 0);
  const FarWords words(far.empty() ? near.data() : far.data(), static_cast<std::uint32_t>(m_words));
  const auto symbol_at = [&](std::uint32_t j) { return pattern[j]; };
  const auto length = static_cast<std::uint32_t>(pattern.size());
  const auto query_length = static_cast<std::uint32_t>(m_length);
  return score == PairScore::jaro_winkler
             ? JaroWinklerScore<FarWords>(words)(symbol_at, length, Masks{*this}, query_length)
             : TokenSetScore<FarWords>(words, separator)(symbol_at, length, Masks{*this},
                                                         query_length);
}

}  // namespace Kindred::Impl
