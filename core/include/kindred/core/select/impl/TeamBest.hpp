// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_IMPL_TEAM_BEST_HPP
#define KINDRED_CORE_SELECT_IMPL_TEAM_BEST_HPP

#include <kindred/core/common/QuotientUp.hpp>
#include <kindred/core/select/impl/BestByCounting.hpp>
#include <kindred/core/select/impl/StreamedBest.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief The best of any number of keys that the threads of a team compute, of a `ThreadGroup`: a
/// few are chosen by counting, many are sorted.
template <class Threads>
class TeamBest {
  using counting = BestByCounting<Threads>;
  using streamed = StreamedBest<Rank>;
  static constexpr std::uint32_t keys_max = 2048;  ///< that are ordered together

 public:
  /// Maximum number of keys that are collected before the best of them are chosen.
  static constexpr unsigned step_max = keys_max - counting::top_max;
  /// Ranks of scratch, besides `Memory`.
  static constexpr std::size_t scratch = 2 * keys_max;
  static_assert(streamed::sort::places(keys_max) <= scratch);

  /// What the threads of a team share.
  struct Memory {
    Rank chosen[counting::top_max];
    typename counting::Memory counts;
  };

  /// Writes the best \p top of the keys `key(i)`, i < \p count, that are share \p share of \p
  /// shares to \p to, ascending and padded with `rank_none`.
  template <class Key>
  KOKKOS_INLINE_FUNCTION static void write(const Threads& threads, Memory& memory, Rank* keys,
                                           unsigned share, unsigned shares, std::uint32_t count,
                                           std::uint32_t top, Rank* to, const Key& key) {
    constexpr unsigned team_threads = Threads::team_threads;
    const unsigned thread = threads.thread();
    if (top > counting::top_max) {
      streamed best(keys, &memory.counts.count, keys_max, top);
      best.clear(threads);
      for (std::uint32_t first = share * team_threads; first < count;
           first += shares * team_threads) {
        if (first + thread < count) best.add(key(first + thread));
        best.end_step(threads, team_threads);
      }
      return best.write(threads, [=](std::uint32_t i, Rank rank) { to[i] = rank; });
    }
    std::uint32_t part = quotient_up(count, shares);
    if (part > step_max) part = step_max;
    std::uint32_t kept = 0;
    for (std::uint32_t first = share * part; first < count; first += shares * part) {
      if (thread < kept) keys[thread] = memory.chosen[thread];
      if (thread == 0) memory.counts.count = kept;
      threads.team_barrier();
      const std::uint32_t end = first + part < count ? first + part : count;
      for (std::uint32_t i = first + thread; i < end; i += team_threads) {
        const Rank own = key(i);
        if (own != rank_none) keys[Threads::add(&memory.counts.count, 1U)] = own;
      }
      threads.team_barrier();
      kept = memory.counts.count < top ? memory.counts.count : top;
      counting::choose(threads, memory.counts, keys, keys + keys_max, top, memory.chosen);
    }
    for (std::uint32_t i = thread; i < top; i += team_threads)
      to[i] = i < kept ? memory.chosen[i] : rank_none;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SELECT_IMPL_TEAM_BEST_HPP
