// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/PairScores.hpp>

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/sequence/impl/PairScoresKernel.hpp>
#include <kindred/core/sequence/impl/SequenceChecks.hpp>
#include <kindred/core/sequence/impl/WithConstant.hpp>

#include <algorithm>

namespace Kindred {

namespace Impl {

/// Words of a query of some segments, at most.
constexpr std::uint32_t longest_words(std::uint32_t segments) { return segments * segment_words; }

/// Number of workers that have a workspace of their own: as many as fill the space, but on a device
/// no more than share a limited workspace.
template <class ExecutionSpace>
std::uint64_t far_workers(const ExecutionSpace& exec_space,
                          const PatternTiles<ExecutionSpace>& tiles, std::uint32_t queries,
                          std::uint32_t segments_max) {
  constexpr std::uint64_t words_max = 1ULL << 25U;
  const auto all = static_cast<std::uint64_t>(std::max(Arch::concurrency(exec_space), 1));
  std::uint64_t workers = all;
  if constexpr (Arch::is_device<ExecutionSpace>)
    workers = std::min(all / 4, words_max / (2 * longest_words(segments_max)));
  return std::clamp<std::uint64_t>(workers, 1, std::uint64_t{queries} * tiles.slots());
}

}  // namespace Impl

template <class ExecutionSpace>
std::uint64_t pair_score_workspace(const ExecutionSpace& exec_space,
                                   const PatternTiles<ExecutionSpace>& tiles, std::uint32_t queries,
                                   std::uint32_t segments_max) {
  if (segments_max <= 1 || tiles.tiles == 0 || queries == 0) return 0;
  return std::uint64_t{2} * Impl::longest_words(segments_max) *
         Impl::far_workers(exec_space, tiles, queries, segments_max);
}

template <class ExecutionSpace>
void pair_score_keys(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                     const QueryTables<ExecutionSpace>& queries, PairScore score,
                     std::uint32_t separator, double threshold,
                     const ArrayView<std::uint64_t, ExecutionSpace>& workspace,
                     const ArrayView<WideRank, ExecutionSpace>& keys) {
  const Impl::ArgumentCheck check("pair_score_keys");
  Impl::check_tiles(check, tiles);
  Impl::check_tables(check, queries, tiles);
  check.has("workspace", workspace,
            pair_score_workspace(exec_space, tiles, queries.queries, queries.segments_max));
  check.has("keys", keys, Impl::pairs_of(queries, tiles));
  if (tiles.tiles == 0 || queries.queries == 0) return;
  const bool are_near = queries.segments_max <= 1;
  const auto scan = [&](auto chosen, auto symbol) {
    const auto launch = [&](auto words, std::uint64_t workers) {
      Launch::for_each_index<Launch::Coarse>(
          exec_space, "Kindred::Sequence::pair_score_keys::score", workers,
          Impl::PairScoresKernel<ExecutionSpace, decltype(symbol), decltype(chosen)::value,
                                 words()>{tiles, queries, workspace, keys, threshold, separator,
                                          tiles.slots(), Impl::longest_words(queries.segments_max),
                                          workers});
    };
    using enum Special::Form;
    if constexpr (chosen() == PairScore::jaro_winkler &&
                  Special::is_compiled<jaro_winkler_columns, ExecutionSpace>) {
      if (are_near && Special::is_used<jaro_winkler_columns, ExecutionSpace>()) {
        Impl::for_each_tile_pair<decltype(symbol)>(
            "Kindred::Sequence::pair_score_keys::score_tiles", exec_space, tiles, queries.queries,
            Impl::JaroWinklerTilesKernel<decltype(symbol)>{
                {tiles, queries, workspace, keys, threshold, separator, tiles.slots(), 0, 1}});
        return;
      }
    }
    const std::uint64_t pairs = std::uint64_t{queries.queries} * tiles.slots();
    if (!are_near) {
      launch(std::integral_constant<std::uint32_t, 0>(),
             Impl::far_workers(exec_space, tiles, queries.queries, queries.segments_max));
    } else if (queries.words_max <= 1) {
      launch(std::integral_constant<std::uint32_t, 1>(), pairs);
    } else {
      launch(std::integral_constant<std::uint32_t, Impl::near_words_max>(), pairs);
    }
  };
  with_symbol_type(tiles, [&](auto symbol) {
    Impl::with_constant<PairScore::jaro_winkler, PairScore::token_set>(
        score, [&](auto chosen) { scan(chosen, symbol); });
  });
}

KINDRED_INSTANTIATE_FOR_SPACES(pair_score_workspace);
KINDRED_INSTANTIATE_FOR_SPACES(pair_score_keys);

}  // namespace Kindred
