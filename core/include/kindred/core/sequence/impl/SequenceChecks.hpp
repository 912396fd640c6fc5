// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_SEQUENCE_CHECKS_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_SEQUENCE_CHECKS_HPP

#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/sequence/PairValues.hpp>
#include <kindred/core/sequence/PatternTiles.hpp>
#include <kindred/core/sequence/QueryTables.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \p tiles has all of its tiles.
template <class ExecutionSpace>
void check_tiles(const ArgumentCheck& check, const PatternTiles<ExecutionSpace>& tiles) {
  constexpr std::uint32_t tiles_max = 0xFFFFFFFFU / tile_patterns;
  check.is_at_most("tiles.tiles", tiles.tiles, tiles_max);
  check.has("tiles.offsets", tiles.offsets, tiles.tiles == 0 ? 0 : tiles.tiles + 1ULL);
  check.has("tiles.lengths", tiles.lengths, tiles.slots());
  check.has("tiles.indices", tiles.indices, tiles.slots());
  const std::uint64_t symbols = extent_of(tiles.rows, tile_patterns);
  if (tiles.wide.size() != 0) {
    check.has("tiles.wide", tiles.wide, symbols);
  } else if (tiles.narrow.size() != 0) {
    check.has("tiles.narrow", tiles.narrow, symbols);
  } else {
    check.has("tiles.bytes", tiles.bytes, symbols);
  }
}

/// \p queries has all of its queries, and codes for the symbols of \p tiles.
template <class ExecutionSpace>
void check_tables(const ArgumentCheck& check, const QueryTables<ExecutionSpace>& queries,
                  const PatternTiles<ExecutionSpace>& tiles) {
  const std::uint64_t count = queries.queries;
  if (count == 0) return;
  check.has("queries.lengths", queries.lengths, count);
  check.has("queries.first_segment", queries.first_segment, count + 1);
  check.has_if_given("queries.index_limits", queries.index_limits, count);
  check.is_aligned("queries.segments", queries.segments);
  check.is_aligned("queries.hash", queries.hash);
  check.is_aligned("queries.words", queries.words);
  check.is_aligned("queries.columns", queries.columns);
  if (queries.codes.size() != 0)
    check.is_at_least("queries.code_stride", queries.code_stride, tiles.vocabulary + 1ULL);
}

/// Counts or keys of all pairs.
template <class ExecutionSpace>
std::uint64_t pairs_of(const QueryTables<ExecutionSpace>& queries,
                       const PatternTiles<ExecutionSpace>& tiles) {
  return std::uint64_t{queries.queries} * tiles.slots();
}

/// \p values has a row for each of \p queries queries.
template <class ExecutionSpace>
void check_values(const ArgumentCheck& check, const PairValues<ExecutionSpace>& values,
                  std::uint64_t queries) {
  check.has("values.rows", values.rows, queries);
  check.is_type("values.type", values.type,
                values.type == DataType::float32 || values.type == DataType::float64 ||
                    values.type == DataType::int32 || values.type == DataType::uint8);
  check.is_array("values.data", values.data, queries, size_of(values.type));
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_SEQUENCE_CHECKS_HPP
