// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_IMPL_BEST_BY_COUNTING_HPP
#define KINDRED_CORE_SELECT_IMPL_BEST_BY_COUNTING_HPP

#include <kindred/core/arch/Unroll.hpp>
#include <kindred/core/arch/launch/Warp.hpp>
#include <kindred/core/numeric/Rank.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \brief The place of a key in the order of \p count keys: how many of them, `key(i)`, are less
/// than \p own. Each aligned group of \p Sharing lanes counts for one key; the whole warp calls.
template <class Warp, unsigned Sharing, class Key>
KOKKOS_INLINE_FUNCTION std::uint32_t place_by_counting(std::uint32_t count, const Key& key,
                                                       Rank own) {
  std::uint32_t less = 0;
  KINDRED_UNROLL_4
  for (std::uint32_t i = Warp::lane() % Sharing; i < count; i += Sharing)
    less += key(i) < own ? 1U : 0U;
  return Warp::template sum_of_group<Sharing>(less);
}

/// \brief Writes the best \p top of \p count keys, `key(i)`, to \p out, ascending and padded with
/// `rank_none`, by one warp. Equal keys stay in their order. \param size the maximum of both
/// numbers
template <class Warp, class Key>
KOKKOS_INLINE_FUNCTION void write_by_counting(std::uint32_t count, const Key& key,
                                              std::uint32_t top, std::uint32_t size, Rank* out) {
  for (std::uint32_t i = Warp::lane(); i < size; i += Warp::lanes) {
    const Rank own = i < count ? key(i) : rank_none;
    std::uint32_t at = i;  // of those beyond the end
    if (i < count) {
      at = 0;
      KINDRED_UNROLL_4
      for (std::uint32_t j = 0; j < count; ++j) {
        const Rank other = key(j);
        at += (other < own) | ((other == own) & (j < i)) ? 1U : 0U;
      }
    }
    if (at < top) out[at] = own;
  }
}

/// \brief The best of a few thousand keys in scratch, by a team of \p Threads, a `ThreadGroup` or a
/// `TeamCluster`: few barriers, and nothing is sorted.
///
/// The keys form parts. The `top`-th least of the minima of the parts is a bound: at least `top`
/// keys do not exceed it. The keys that do not are few, and each counts those that are less.
template <class Threads>
class BestByCounting {
  using warp_type = typename Threads::warp_type;
  static constexpr unsigned lanes = Threads::lanes;
  static constexpr unsigned sharing = lanes > 1 ? 8 : 1;  // lanes that count for a key
  static constexpr unsigned parts = Threads::team_threads / sharing;

 public:
  /// Maximum number of best keys, on a device.
  static constexpr std::uint32_t top_max = parts;

  /// What the threads of a team share.
  struct Memory {
    Rank minima[parts];
    Rank bound;
    std::uint32_t count;  ///< of the keys
  };

  /// \brief Writes the best \p top of `memory.count` keys to \p chosen, ascending and padded with
  /// `rank_none`. Starts after a barrier and ends with one.
  /// \param keys distinct, none of them `rank_none` \param few memory for as many keys
  KOKKOS_INLINE_FUNCTION static void choose(const Threads& threads, Memory& memory,
                                            const Rank* keys, Rank* few, std::uint32_t top,
                                            Rank* chosen) {
    constexpr unsigned team_threads = Threads::team_threads;
    const unsigned thread = threads.thread();
    const unsigned own = thread % sharing;
    const unsigned part = thread / sharing;
    std::uint32_t count = memory.count;
    // One thread alone has one part, and thus no bound.
    if (lanes > 1 && count > 2 * parts) {
      Rank key = rank_none;
      for (std::uint32_t i = part + own * parts; i < count; i += team_threads)
        key = keys[i] < key ? keys[i] : key;
      key = warp_type::template least_of_group<sharing>(key);
      if (own == 0) memory.minima[part] = key;
      threads.team_barrier();
      if (thread == 0) memory.count = 0;
      if (place(memory.minima, parts, key) == top - 1) memory.bound = key;
      threads.team_barrier();
      for (std::uint32_t i = thread; i < count; i += team_threads)
        if (keys[i] <= memory.bound) few[Threads::add(&memory.count, 1U)] = keys[i];
      threads.team_barrier();
      keys = few;
      count = memory.count;
    }
    constexpr unsigned together = lanes / sharing;  // keys per warp
    for (std::uint32_t first = thread / lanes * together; first < count; first += parts) {
      const std::uint32_t i = first + thread % lanes / sharing;
      const Rank key = i < count ? keys[i] : rank_none;
      const std::uint32_t at = place(keys, count, key);
      if (own == 0 && at < top && i < count) chosen[at] = key;
    }
    for (std::uint32_t i = count + thread; i < top; i += team_threads) chosen[i] = rank_none;
    threads.team_barrier();
  }

 private:
  KOKKOS_INLINE_FUNCTION static std::uint32_t place(const Rank* keys, std::uint32_t count,
                                                    Rank own) {
    return place_by_counting<warp_type, sharing>(
        count, [=](std::uint32_t i) { return keys[i]; }, own);
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SELECT_IMPL_BEST_BY_COUNTING_HPP
