// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_IMPL_SCRATCH_SORT_HPP
#define KINDRED_CORE_SELECT_IMPL_SCRATCH_SORT_HPP

#include <kindred/core/arch/simd/Lanes.hpp>
#include <kindred/core/select/WideRank.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// Calls `call(i)` for i < \p count, each by one thread of the team, which is a member of a team
/// policy or a `ThreadGroup`. Does not synchronise.
template <class Team, class Call>
KOKKOS_INLINE_FUNCTION void for_each_of_team(const Team& team, std::uint32_t count,
                                             const Call& call) {
  if constexpr (requires { team.league_rank(); }) {
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), call);
  } else {
    for (std::uint32_t i = team.thread(); i < count; i += Team::team_threads) call(i);
  }
}

/// \brief Sorts keys in the scratch of a team, ascending.
///
/// A bitonic network that performs up to three stages at a time in the registers of a thread, so
/// that keys pass through scratch a third as often.
template <class Key>
struct ScratchSort {
  /// One position is left free after every eight keys, so that strided accesses use different
  /// banks.
  KOKKOS_INLINE_FUNCTION static std::uint32_t place(std::uint32_t i) { return i + i / 8; }
  /// Keys of scratch needed to sort \p size keys; \p size must be `padded`.
  KOKKOS_INLINE_FUNCTION static constexpr std::size_t places(std::size_t size) {
    return size + size / 8;
  }
  /// The number of keys that are sorted for \p count: a power of two, at least 8.
  KOKKOS_INLINE_FUNCTION static std::uint32_t padded(std::uint32_t count) {
    std::uint32_t size = 8;
    while (size < count) size *= 2;
    return size;
  }

  /// Sorts key i at `place(i)`, for i < \p count; there is scratch for `padded(count)` keys. Begins
  /// and ends with a barrier.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void run_padded(const Team& team, Key* keys, std::uint32_t count) {
    const std::uint32_t size = padded(count);
    for_each_of_team(team, size - count,
                     [&](std::uint32_t i) { keys[place(count + i)] = key_none<Key>(); });
    team.team_barrier();
    run(team, keys, size);
  }

  /// Sorts the same and calls `write(i, key)` for i < \p places with the first \p top keys, padded
  /// with `key_none`.
  template <class Team, class Write>
  KOKKOS_INLINE_FUNCTION static void write_least(const Team& team, Key* keys, std::uint32_t count,
                                                 std::uint32_t top, std::uint32_t places,
                                                 const Write& write) {
    run_padded(team, keys, count);
    for_each_of_team(team, places, [&](std::uint32_t i) {
      write(i, i < count && i < top ? keys[place(i)] : key_none<Key>());
    });
  }

  /// Sorts key i at `place(i)`, for i < \p size, which must be `padded`. The caller has
  /// synchronised the team; ends with a barrier.
  template <class Team>
  KOKKOS_INLINE_FUNCTION static void run(const Team& team, Key* keys, std::uint32_t size) {
    // Runs of eight.
    for_each_of_team(team, size / 8, [&](std::uint32_t i) {
      Key own[8];
      KINDRED_UNROLL
      for (std::uint32_t e = 0; e < 8; ++e) own[e] = keys[place(8 * i + e)];
      KINDRED_UNROLL
      for (std::uint32_t e = 0; e < 8; e += 2) merge<2>(own + e, (e & 2U) == 0);
      KINDRED_UNROLL
      for (std::uint32_t e = 0; e < 8; e += 4) merge<4>(own + e, (e & 4U) == 0);
      merge<8>(own, (i & 1U) == 0);
      KINDRED_UNROLL
      for (std::uint32_t e = 0; e < 8; ++e) keys[place(8 * i + e)] = own[e];
    });
    team.team_barrier();
    std::uint32_t stages = 4;
    for (std::uint32_t run = 16; run <= size; run *= 2, ++stages) {
      std::uint32_t left = stages;
      if (left % 3 == 1) {
        pass<2>(team, keys, size, run, 1U << (left - 1));
        left -= 1;
      } else if (left % 3 == 2) {
        pass<4>(team, keys, size, run, 1U << (left - 1));
        left -= 2;
      }
      for (; left > 0; left -= 3) pass<8>(team, keys, size, run, 1U << (left - 1));
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION static void order(Key& a, Key& b, bool ascending) {
    if ((b < a) == ascending) {
      const Key other = a;
      a = b;
      b = other;
    }
  }

  /// The stages of strides 4, 2 and 1 times the step between the keys of \p own, or the last of
  /// them.
  template <std::uint32_t Count>
  KOKKOS_INLINE_FUNCTION static void merge(Key* own, bool ascending) {
    KINDRED_UNROLL
    for (std::uint32_t e = 0; e < Count / 2; ++e) order(own[e], own[e + Count / 2], ascending);
    if constexpr (Count > 2) {
      merge<Count / 2>(own, ascending);
      merge<Count / 2>(own + Count / 2, ascending);
    }
  }

  /// Stages of the merge into runs of \p run keys, from \p stride downwards.
  template <std::uint32_t Count, class Team>
  KOKKOS_INLINE_FUNCTION static void pass(const Team& team, Key* keys, std::uint32_t size,
                                          std::uint32_t run, std::uint32_t stride) {
    const std::uint32_t step = stride / (Count / 2);  // a power of two
    for_each_of_team(team, size / Count, [&](std::uint32_t i) {
      const std::uint32_t within = i & (step - 1);
      const std::uint32_t first = (i - within) * Count + within;
      Key own[Count];
      KINDRED_UNROLL
      for (std::uint32_t e = 0; e < Count; ++e) own[e] = keys[place(first + e * step)];
      merge<Count>(own, (first & run) == 0);
      KINDRED_UNROLL
      for (std::uint32_t e = 0; e < Count; ++e) keys[place(first + e * step)] = own[e];
    });
    team.team_barrier();
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SELECT_IMPL_SCRATCH_SORT_HPP
