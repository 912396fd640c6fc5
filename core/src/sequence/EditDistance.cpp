// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/EditDistance.hpp>

#include <kindred/core/sequence/impl/EditDistanceKernel.hpp>
#include <kindred/core/sequence/impl/SequenceChecks.hpp>

namespace Kindred {

template <class ExecutionSpace>
std::uint64_t edit_carry_words(const PatternTiles<ExecutionSpace>& tiles, std::uint32_t queries,
                               std::uint32_t segments_max, EditKind kind) {
  if (segments_max < 2) return 0;
  const std::uint64_t rows = tiles.rows + std::uint64_t{tile_patterns} * tiles.tiles;
  return queries * ((Impl::edit_carry_bits(kind) * rows + 1) / 2);
}

template <class ExecutionSpace>
void edit_matched(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                  const QueryTables<ExecutionSpace>& queries, EditKind kind, double threshold,
                  const ArrayView<std::uint64_t, ExecutionSpace>& carry,
                  const ArrayView<std::uint32_t, ExecutionSpace>& matched) {
  const Impl::ArgumentCheck check("edit_matched");
  Impl::check_tiles(check, tiles);
  Impl::check_tables(check, queries, tiles);
  check.has("carry", carry, edit_carry_words(tiles, queries.queries, queries.segments_max, kind));
  check.has("matched", matched, Impl::pairs_of(queries, tiles));
  if (kind == EditKind::osa)
    Impl::edit_scan<EditKind::osa>(exec_space, tiles, queries, threshold, carry, matched);
  else
    Impl::edit_scan<EditKind::levenshtein>(exec_space, tiles, queries, threshold, carry, matched);
}

#define KINDRED_INSTANTIATE(ExecutionSpace)                                                   \
  template std::uint64_t edit_carry_words(const PatternTiles<ExecutionSpace>&, std::uint32_t, \
                                          std::uint32_t, EditKind);                           \
  template void edit_matched(const ExecutionSpace&, const PatternTiles<ExecutionSpace>&,      \
                             const QueryTables<ExecutionSpace>&, EditKind, double,            \
                             const ArrayView<std::uint64_t, ExecutionSpace>&,                 \
                             const ArrayView<std::uint32_t, ExecutionSpace>&);
KINDRED_FOR_EACH_SPACE(KINDRED_INSTANTIATE)

}  // namespace Kindred
