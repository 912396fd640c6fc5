// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/MatchKeys.hpp>

#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/sequence/impl/MatchKeysKernel.hpp>
#include <kindred/core/sequence/impl/SequenceChecks.hpp>
#include <kindred/core/sequence/impl/WithConstant.hpp>

namespace Kindred {

template <class ExecutionSpace, class Key>
void match_keys(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                const QueryTables<ExecutionSpace>& queries, SimilarityScale scale, double threshold,
                const ArrayView<const std::uint32_t, ExecutionSpace>& matched,
                const ArrayView<Key, ExecutionSpace>& keys, std::uint32_t stride) {
  const Impl::ArgumentCheck check("match_keys");
  Impl::check_tiles(check, tiles);
  Impl::check_tables(check, queries, tiles);
  check.is_at_least("stride", stride, 1);
  const std::uint64_t places =
      Impl::extent_of(queries.queries, sampled_tiles(tiles.tiles, stride), tile_patterns);
  check.has("matched", matched, places);
  check.has("keys", keys, places);
  if (tiles.tiles == 0 || queries.queries == 0) return;
  using enum SimilarityScale;
  Impl::with_constant<longest, total>(scale, [&](auto chosen) {
    using kernel_type = Impl::MatchKeysKernel<ExecutionSpace, Key, chosen()>;
    const std::uint32_t slots = sampled_tiles(tiles.tiles, stride) * tile_patterns;
    const std::uint32_t teams = quotient_up(slots, kernel_type::slots_per_team);
    Launch::for_each_team(exec_space, "Kindred::Sequence::match_keys::rank",
                          {.count = std::uint64_t{teams} * queries.queries},
                          kernel_type{tiles, queries, matched, keys, threshold, stride, teams});
  });
}

template <class ExecutionSpace, class Key>
void list_keys(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
               const QueryTables<ExecutionSpace>& queries, std::uint32_t query, double threshold,
               const ArrayView<const std::uint32_t, ExecutionSpace>& list,
               const ArrayView<const std::uint32_t, ExecutionSpace>& counters,
               const ArrayView<const std::uint32_t, ExecutionSpace>& matched,
               const ArrayView<Key, ExecutionSpace>& keys) {
  const Impl::ArgumentCheck check("list_keys");
  Impl::check_tiles(check, tiles);
  check.has("queries.lengths", queries.lengths, query + 1ULL);
  check.is_aligned("list", list);
  check.has("counters", counters, 1);
  check.has("matched", matched, tiles.slots());
  check.is_aligned("keys", keys);
  Launch::for_each_index<Launch::Fine, std::uint32_t>(
      exec_space, "Kindred::Sequence::list_keys::rank", keys.size(),
      Impl::ListKeysKernel<ExecutionSpace, Key>{tiles, list, counters, matched, keys,
                                                queries.lengths, query, threshold});
}

KINDRED_INSTANTIATE_FOR_SPACES(match_keys, Rank);
KINDRED_INSTANTIATE_FOR_SPACES(match_keys, WideRank);
KINDRED_INSTANTIATE_FOR_SPACES(list_keys, Rank);
KINDRED_INSTANTIATE_FOR_SPACES(list_keys, WideRank);

}  // namespace Kindred
