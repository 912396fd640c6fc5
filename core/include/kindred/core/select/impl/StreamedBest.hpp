// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SELECT_IMPL_STREAMED_BEST_HPP
#define KINDRED_CORE_SELECT_IMPL_STREAMED_BEST_HPP

#include <kindred/core/select/impl/ScratchSort.hpp>

#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// \brief The best of any number of keys that the threads of a team offer, in scratch.
///
/// Keys are collected until the next step may not fit; then they are sorted, and those behind the
/// best are dropped. From then on, only keys that precede the last of the best are collected.
template <class Key>
class StreamedBest {
 public:
  using sort = ScratchSort<Key>;

  /// The number of keys in scratch for the best \p top of steps of at most \p step keys.
  KOKKOS_INLINE_FUNCTION static std::uint32_t size_for(std::uint32_t top, std::uint32_t step) {
    return sort::padded(2 * top + step);
  }

  /// \param keys scratch for `sort::places(size)` keys \param counter scratch \param size of
  /// `size_for`
  KOKKOS_INLINE_FUNCTION StreamedBest(Key* keys, std::uint32_t* counter, std::uint32_t size,
                                      std::uint32_t top)
      : m_keys(keys), m_count(counter), m_size(size), m_top(top) {}

  /// Forgets all keys. Ends with a barrier.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void clear(const Team& team) {
    m_bound = key_none<Key>();
    set_count(team, 0);
  }
  /// Offers a key, by one thread.
  KOKKOS_INLINE_FUNCTION void add(Key key) const {
    if (key < m_bound) m_keys[sort::place(Kokkos::atomic_fetch_add(m_count, 1U))] = key;
  }
  /// Ends a step, before another one of at most \p step keys.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void end_step(const Team& team, std::uint32_t step) {
    const std::uint32_t count = collected(team);
    if (count + step > m_size) reduce(team, count);
  }
  /// Calls `write(i, key)` for i < `top` with the best keys, ascending and padded with `key_none`.
  /// Begins and ends with a barrier. Nothing is added afterwards before `clear`.
  template <class Team, class Write>
  KOKKOS_INLINE_FUNCTION void write(const Team& team, const Write& write) {
    sort::write_least(team, m_keys, collected(team), m_top, m_top, write);
    team.team_barrier();
  }

 private:
  template <class Team>
  KOKKOS_INLINE_FUNCTION void set_count(const Team& team, std::uint32_t count) const {
    for_each_of_team(team, 1, [&](std::uint32_t) { *m_count = count; });
    team.team_barrier();
  }
  template <class Team>
  KOKKOS_INLINE_FUNCTION std::uint32_t collected(const Team& team) const {
    team.team_barrier();
    const std::uint32_t count = *m_count;
    team.team_barrier();  // nobody adds before all have read
    return count;
  }
  /// Sorts the keys and drops those behind the best.
  template <class Team>
  KOKKOS_INLINE_FUNCTION void reduce(const Team& team, std::uint32_t count) {
    sort::run_padded(team, m_keys, count);
    if (count >= m_top) m_bound = m_keys[sort::place(m_top - 1)];
    set_count(team, count < m_top ? count : m_top);
  }

  Key* m_keys;
  std::uint32_t* m_count;
  std::uint32_t m_size;
  std::uint32_t m_top;
  Key m_bound = key_none<Key>();
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SELECT_IMPL_STREAMED_BEST_HPP
