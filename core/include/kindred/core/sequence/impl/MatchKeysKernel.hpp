// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_MATCH_KEYS_KERNEL_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_MATCH_KEYS_KERNEL_HPP

#include <kindred/core/select/WideRank.hpp>
#include <kindred/core/sequence/MatchKeys.hpp>
#include <kindred/core/sequence/Similarity.hpp>

#include <Kokkos_BitManipulation.hpp>

#include <type_traits>

namespace Kindred::Impl {

/// The key of a similarity in [0, 1]; for `Rank` the bits of `rank_descending`, without its cases.
template <class Key>
KOKKOS_INLINE_FUNCTION Key match_key(double value, std::uint32_t index) {
  if constexpr (std::is_same_v<Key, WideRank>) {
    return {~Kokkos::bit_cast<std::uint64_t>(value), index};
  } else {
    const auto bits = Kokkos::bit_cast<std::uint32_t>(static_cast<float>(value));
    return (Rank{0x7FFFFFFEU - bits} << 32U) | index;
  }
}

template <class ExecutionSpace, class Key>
struct MatchKeysKernel {
  using member_type = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
  static constexpr std::uint32_t slots_per_team = 1024;

  PatternTiles<ExecutionSpace> tiles;
  QueryTables<ExecutionSpace> queries;
  ArrayView<const std::uint32_t, ExecutionSpace> matched;
  ArrayView<Key, ExecutionSpace> keys;
  double threshold;
  std::uint32_t teams_per_query;

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const auto league = static_cast<std::uint32_t>(team.league_rank());
    const std::uint32_t query = league / teams_per_query;
    const std::uint32_t begin = league % teams_per_query * slots_per_team;
    const std::uint32_t slots = tiles.tiles * tile_patterns;
    const std::uint32_t count = slots - begin < slots_per_team ? slots - begin : slots_per_team;
    const double query_length = queries.lengths(query);
    const double least = threshold;
    const std::uint32_t limit =
        queries.index_limits.size() > 0 ? queries.index_limits(query) : no_pattern;
    const std::uint64_t row = std::uint64_t{query} * slots + begin;
    const std::uint32_t* own_matched = matched.data() + row;
    const std::uint32_t* lengths = tiles.lengths.data() + begin;
    const std::uint32_t* indices = tiles.indices.data() + begin;
    Key* own_keys = keys.data() + row;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](const std::uint32_t i) {
      const double value = 2.0 * own_matched[i] / (lengths[i] + query_length);
      const bool listed = (indices[i] < limit) & (value >= least);
      own_keys[i] = listed ? match_key<Key>(value, indices[i]) : key_none<Key>();
    });
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_MATCH_KEYS_KERNEL_HPP
