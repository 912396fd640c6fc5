// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_MATCH_KEYS_KERNEL_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_MATCH_KEYS_KERNEL_HPP

#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/sequence/Lcs.hpp>
#include <kindred/core/sequence/MatchKeys.hpp>
#include <kindred/core/sequence/Similarity.hpp>
#include <kindred/core/sequence/impl/MatchKey.hpp>

namespace Kindred::Impl {

template <class ExecutionSpace, class Key, SimilarityScale scale>
struct MatchKeysKernel {
  using member_type = Launch::Member<ExecutionSpace>;
  static constexpr std::uint32_t slots_per_team = 1024;

  PatternTiles<ExecutionSpace> tiles;
  QueryTables<ExecutionSpace> queries;
  ArrayView<const std::uint32_t, ExecutionSpace> matched;
  ArrayView<Key, ExecutionSpace> keys;
  double threshold;
  std::uint32_t stride;
  std::uint32_t teams_per_query;

  KOKKOS_INLINE_FUNCTION void operator()(const member_type& team) const {
    const auto league = static_cast<std::uint32_t>(team.league_rank());
    const std::uint32_t query = league / teams_per_query;
    const std::uint32_t begin = league % teams_per_query * slots_per_team;
    const std::uint32_t slots = sampled_tiles(tiles.tiles, stride) * tile_patterns;
    const std::uint32_t own_slots = slots - begin < slots_per_team ? slots - begin : slots_per_team;
    const double query_length = queries.lengths(query);
    const double least = threshold;
    const std::uint32_t limit = queries.index_limit(query);
    const std::uint64_t row = std::uint64_t{query} * slots + begin;
    const std::uint32_t* own_matched = matched.data() + row;
    const std::uint32_t* lengths = tiles.lengths.data() + begin;
    const std::uint32_t* indices = tiles.indices.data() + begin;
    Key* own_keys = keys.data() + row;
    const auto key_of = [=](std::uint32_t count, std::uint32_t length, std::uint32_t index) {
      const double value = similarity(count, length, query_length);
      const bool listed = (index < limit) & (value >= least);
      return listed ? match_key<Key>(value, index) : key_none<Key>();
    };
    if (stride > 1) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, own_slots), [&](const std::uint32_t i) {
        const std::uint32_t at = begin + i;
        const std::uint32_t slot =
            at / tile_patterns * (tile_patterns * stride) + at % tile_patterns;
        own_keys[i] = key_of(own_matched[i], tiles.lengths(slot), tiles.indices(slot));
      });
      return;
    }
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, own_slots), [&](const std::uint32_t i) {
      own_keys[i] = key_of(own_matched[i], lengths[i], indices[i]);
    });
  }

  /// As `Kindred::similarity`, with doubles, which loops over patterns turn into vectors.
  KOKKOS_INLINE_FUNCTION static double similarity(std::uint32_t matched, std::uint32_t length,
                                                  double query_length) {
    if constexpr (scale == SimilarityScale::total) return 2.0 * matched / (length + query_length);
    const double longest = length < query_length ? query_length : length;
    return 1.0 - (longest - matched) / longest;
  }
};

/// Computes one key of a list.
template <class ExecutionSpace, class Key>
struct ListKeysKernel {
  PatternTiles<ExecutionSpace> tiles;
  ArrayView<const std::uint32_t, ExecutionSpace> list;
  ArrayView<const std::uint32_t, ExecutionSpace> counters;
  ArrayView<const std::uint32_t, ExecutionSpace> matched;
  ArrayView<Key, ExecutionSpace> keys;
  ArrayView<const std::uint32_t, ExecutionSpace> query_lengths;
  std::uint32_t query;
  double threshold;

  KOKKOS_INLINE_FUNCTION void operator()(const std::uint32_t i) const {
    Key key = key_none<Key>();
    if (i < counters(0)) {
      const std::uint32_t slot = list(i);
      const double value =
          similarity(matched(slot), std::uint64_t{tiles.lengths(slot)} + query_lengths(query));
      if (value >= threshold) key = match_key<Key>(value, tiles.indices(slot));
    }
    keys(i) = key;
  }
};

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_MATCH_KEYS_KERNEL_HPP
