// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/vector/AverageRows.hpp>
#include <kindred/core/vector/Candidates.hpp>
#include <kindred/core/vector/FilteredRows.hpp>
#include <kindred/core/vector/Prefilter.hpp>
#include <kindred/core/vector/RankUnfinished.hpp>
#include <kindred/core/vector/RanksWithin.hpp>
#include <kindred/core/vector/ScoreMatrix.hpp>
#include <kindred/core/vector/TileSelect.hpp>
#include <kindred/core/vector/UnpackRanks.hpp>
#include <kindred/core/vector/VectorScores.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "CheckedCalls.hpp"

namespace VectorArgumentsTest {

using namespace Kindred;
using namespace Testing;
using Half = Arch::Float16;

constexpr std::uint64_t dimension = 4;

VectorRows<HostSpace> rows_of(Arguments& a, std::size_t count, bool has_norms = false) {
  VectorRows<HostSpace> rows;
  rows.values = a.array<std::byte>("rows.values", count * dimension * sizeof(float), {}, 4);
  rows.dimension = dimension;
  if (has_norms) rows.norms = a.array<double>("rows.norms", count);
  return rows;
}
VectorRows<HostSpace> integer_rows_of(Arguments& a, std::size_t count) {
  VectorRows<HostSpace> rows;
  rows.values = a.array<std::byte>("rows.values", count * dimension, {}, 1);
  rows.element = DataType::int8;
  rows.scales = a.array<float>("rows.scales", count);
  rows.norms = a.array<double>("rows.norms", count);
  rows.ids = a.array<std::uint32_t>("rows.ids", count);
  rows.dimension = dimension;
  return rows;
}
VectorQueries<HostSpace> queries_of(Arguments& a, std::size_t count) {
  VectorQueries<HostSpace> queries;
  queries.values = a.array<double>("queries.values", count * dimension);
  queries.norms = a.array<double>("queries.norms", count);
  queries.count = count;
  return queries;
}
VectorQueries<HostSpace> float_queries_of(Arguments& a, std::size_t count, std::size_t length) {
  VectorQueries<HostSpace> queries;
  queries.floats = a.array<float>("queries.floats", count * length);
  queries.norms = a.array<double>("queries.norms", count);
  queries.count = count;
  return queries;
}
/// One bitmap of one word for each of two queries.
RowFilter<HostSpace> filter_of(Arguments& a) {
  return {a.array<std::uint64_t>("filter.words", 2), 1};
}

/// Three places for each of two queries.
RankedOutput output_of(Arguments& a) {
  RankedOutput out;
  out.scores = a.pointer<float>("out.scores", 6);
  out.score_stride = a.number<std::uint64_t>("out.score_stride", 3, 2);
  out.ids = a.pointer<std::int64_t>("out.ids", 6);
  out.id_stride = a.number<std::uint64_t>("out.id_stride", 3, 2);
  out.top = 3;
  return out;
}

const std::vector<CheckedCall> rows_calls{
    {"find_rows",
     [](const HostSpace& on, Arguments& a) {
       const IdLists lists{a.pointer<std::int64_t>("lists.ids", 6), 2, 3, 3};
       const SegmentIds segment{a.pointer<std::uint32_t>("segment.ids", 5), 0, 5, false};
       find_rows(on, lists, segment, a.array<std::uint32_t>("found", 6),
                 a.array<std::uint64_t>("offsets", 3));
     }},
    {"average_rows",
     [](const HostSpace& on, Arguments& a) {
       average_rows<HostSpace>(on, rows_of(a, 3), a.sizing<float>("weights", 3),
                               a.array<float>("out", dimension));
     }},
    {"average_rows_here",
     [](const HostSpace&, Arguments& a) {
       const std::vector<float> row(dimension);
       const std::vector<const float*> rows(a.number<std::size_t>("the size of rows", 2, 1),
                                            row.data());
       const std::vector<float> weights(2);
       std::vector<float> out(dimension);
       average_rows_here(rows, weights, 0, a.number<std::uint64_t>("end", 1, 2), out);
     }},
    {"average_rows_here",
     [](const HostSpace&, Arguments& a) {
       const std::vector<float> weights(2);
       std::vector<float> out(a.number<std::size_t>("the size of out", 4, 3));
       average_rows_here(rows_of(a, 2), weights, 0, a.number<std::uint64_t>("end", 1, 2), out);
     }},
    {"count_filtered_rows",
     [](const HostSpace& on, Arguments& a) {
       count_filtered_rows<HostSpace>(on, {a.array<std::uint64_t>("filter.words", 2), 0}, 100,
                                      a.array<std::uint32_t>("offsets", 3));
     }},
    {"list_filtered_rows",
     [](const HostSpace& on, Arguments& a) {
       list_filtered_rows<HostSpace>(on, {a.array<std::uint64_t>("filter.words", 2), 0}, 100,
                                     a.array<std::uint32_t>("offsets", 3),
                                     a.sizing<std::uint32_t>("chosen", 1));
     }},
    {"quantize_rows",
     [](const HostSpace& on, Arguments& a) {
       quantize_rows<HostSpace>(on, rows_of(a, 3), a.array<std::int8_t>("values", 3 * 16, 0, 16),
                                a.sizing<float>("scales", 3), a.array<float>("errors", 3),
                                a.array<float>("norms", 3));
     }},
    {"list_ranks_within",
     [](const HostSpace& on, Arguments& a) {
       const auto size = a.number<std::size_t>("the size of ranks", 6, 5);
       list_ranks_within<HostSpace>(on, a.sizing<Rank>("ranks", size), a.sizing<Rank>("bounds", 2),
                                    a.array<Rank>("lists", 6), a.array<std::uint64_t>("counts", 2));
     }},
    {"unpack_ranks",
     [](const HostSpace& on, Arguments& a) {
       const RankedOutput out = output_of(a);
       unpack_ranks<HostSpace>(on, Metric::ip, a.array<Rank>("ranks", 4), 2,
                               a.number<std::uint64_t>("kept", 2, 4), out);
     }},
    {"vector_norms",
     [](const HostSpace& on, Arguments& a) {
       vector_norms<HostSpace>(on, rows_of(a, 3), a.sizing<double>("norms", 3));
     }},
    {"decode_rows",
     [](const HostSpace& on, Arguments& a) {
       decode_rows<HostSpace>(on, rows_of(a, 3), 1, 2, a.array<float>("out", 2 * dimension));
     }},
    {"prepare_queries",
     [](const HostSpace& on, Arguments& a) {
       prepare_queries<HostSpace>(on, a.array<float>("values", 8), dimension,
                                  a.array<double>("wide", 8), a.sizing<double>("norms", 2));
     }},
    {"prepare_queries_here",
     [](const HostSpace&, Arguments& a) {
       prepare_queries_here(a.array<float>("values", 8), dimension, a.array<double>("wide", 8),
                            a.sizing<double>("norms", 2));
     }},
};

const std::vector<CheckedCall> score_calls{
    {"score_rows",
     [](const HostSpace& on, Arguments& a) {
       score_rows<HostSpace>(on, Metric::cosine, integer_rows_of(a, 3), 1, 2,
                             a.array<float>("tile", 2 * dimension), filter_of(a), queries_of(a, 2),
                             a.array<Rank>("ranks", 4));
     }},
    {"score_candidates",
     [](const HostSpace& on, Arguments& a) {
       const auto tile = static_cast<std::size_t>(candidate_tile<HostSpace>());
       VectorRows<HostSpace> rows;
       rows.dimension = dimension;
       score_candidates<HostSpace>(on, Metric::ip, rows,
                                   a.array<std::uint32_t>("ids", 2 * tile, no_candidate),
                                   a.sizing<std::uint32_t>("work_item_queries", 2),
                                   queries_of(a, 2), a.array<Rank>("ranks", 2 * tile));
     }},
    {"score_matrix",
     [](const HostSpace& on, Arguments& a) {
       ScoreColumns<HostSpace> columns;
       columns.stride = a.number<std::uint64_t>("columns.stride", 3, 2);
       score_matrix<HostSpace>(on, Metric::cosine, {}, rows_of(a, 3), 3, queries_of(a, 2),
                               a.array<float>("out", 6), columns);
     }},
    {"score_matrix",
     [](const HostSpace& on, Arguments& a) {
       VectorRows<HostSpace> rows;
       rows.values = bytes_of<HostSpace>(a.plain<float>(dimension));
       rows.dimension = dimension;
       ScoreColumns<HostSpace> columns;
       columns.rows = a.array<std::uint32_t>("columns.rows", 3);
       score_matrix<HostSpace>(on, Metric::ip, {}, rows, 3, queries_of(a, 2),
                               a.array<float>("out", 6), columns);
     }},
    {"score_matrix",
     [](const HostSpace& on, Arguments& a) {
       ScoreColumns<HostSpace> columns;
       columns.stride = 4;
       columns.places = a.array<std::uint32_t>("columns.places", 3);
       score_matrix<HostSpace>(on, Metric::cosine, {}, rows_of(a, 3), 3, queries_of(a, 2),
                               a.array<float>("out", 8), columns);
     }},
    {"score_matrix_here",
     [](const HostSpace&, Arguments& a) {
       ScoreColumns<HostSpace> columns;
       columns.stride = a.number<std::uint64_t>("columns.stride", 3, 1);
       score_matrix_here(Metric::ip, {}, rows_of(a, 3), 1, a.number<std::uint64_t>("end", 3, 0),
                         queries_of(a, 2), a.pointer<float>("out", 6), columns);
     }},
    {"rank_unfinished",
     [](const HostSpace& on, Arguments& a) {
       VectorRows<HostSpace> rows = rows_of(a, 3);
       rows.norms = a.plain<double>(3);
       TileLists<HostSpace> lists;
       lists.counts = a.array<std::uint32_t>("lists.counts", 2);
       lists.not_numbers = a.array<std::uint32_t>("lists.not_numbers", 1);
       const std::size_t teams = unfinished_teams(on);
       const UnfinishedWorkspace<HostSpace> workspace{
           a.array<std::uint32_t>("workspace.queries", 3),
           a.array<Rank>("workspace.partial", teams * 2),
           a.array<std::uint32_t>("workspace.arrived", teams)};
       rank_unfinished<HostSpace>(on, Metric::ip, rows, filter_of(a), queries_of(a, 2), lists,
                                  a.number<std::size_t>("top", 2, unfinished_top_max + 1),
                                  a.array<Rank>("best", 4), workspace);
     }},
    {"rank_candidates",
     [](const HostSpace& on, Arguments& a) {
       const CandidatePlan plan{a.number<std::uint32_t>("plan.chunk", 64, 65), 2,
                                a.number<std::uint32_t>("plan.keep", 2, 1)};
       CandidateCheck<HostSpace> check;
       check.rows = 3;
       rank_candidates<HostSpace>(
           on, Metric::cosine, rows_of(a, 3, true), a.array<std::uint64_t>("offsets", 3),
           a.sizing<std::uint32_t>("candidates", 1), filter_of(a), queries_of(a, 2), plan, 2,
           a.array<Rank>("best", 4), a.array<Rank>("workspace", 8),
           a.array<std::uint32_t>("arrived", 2), check);
     }},
    {"rank_given_candidates",
     [](const HostSpace& on, Arguments& a) {
       const CandidatePlan plan{64, 2, 4};
       const SegmentIds segment{a.pointer<std::uint32_t>("segment.ids", 3), 0, 3, false};
       const IdLists lists{a.pointer<std::int64_t>("lists.ids", 4),
                           a.number<std::uint64_t>("lists.queries", 2, 1),
                           a.number<std::uint64_t>("lists.length", 2, 129), 2};
       const GivenQueries queries{a.pointer<float>("queries.values", 8), 2, dimension};
       const RankedOutput out = output_of(a);
       rank_given_candidates<HostSpace>(
           on, Metric::cosine, rows_of(a, 3, true), segment, lists, filter_of(a), queries, plan,
           a.number<std::size_t>("top", 2, 4), out, a.array<Rank>("workspace", 16),
           a.array<std::uint32_t>("arrived", 2));
     },
     false},
};

PrefilterState<HostSpace> lists_of(Arguments& a, std::size_t queries) {
  PrefilterState<HostSpace> state;
  state.rows = a.array<std::uint32_t>("state.rows", queries * 4);
  state.capacity = 4;
  return state;
}
QuantizedRows<HostSpace> quantized_of(Arguments& a) {
  return {a.array<std::int8_t>("quantized.values", 128 * 16),
          a.sizing<float>("quantized.scales", 128), a.array<float>("quantized.errors", 128),
          a.array<float>("quantized.norms", 128), 16};
}

const std::vector<CheckedCall> prefilter_calls{
    {"prepare_prefilter",
     [](const HostSpace& on, Arguments& a) {
       PrefilterState<HostSpace> state = lists_of(a, 2);
       state.counts = a.sizing<std::uint32_t>("state.counts", 2);
       state.slots = a.array<std::uint32_t>("state.slots", 2 * 4);
       state.groups = 4;
       prepare_prefilter<HostSpace>(on, float_queries_of(a, 2, 8), 8,
                                    a.array<std::int8_t>("planes", 2 * 2 * 64),
                                    a.array<PrefilterQuery>("bounds", 2), state);
     }},
    {"clear_survivors",
     [](const HostSpace& on, Arguments& a) {
       PrefilterState<HostSpace> state = lists_of(a, 2);
       state.counts = a.sizing<std::uint32_t>("state.counts", 2);
       clear_survivors<HostSpace>(on, state);
     }},
    {"prefilter_rows",
     [](const HostSpace& on, Arguments& a) {
       PrefilterState<HostSpace> state;
       state.slots = a.array<std::uint32_t>("state.slots", 4);
       state.groups = 4;
       state.uppers = a.array<float>("state.uppers", 128);
       state.chunk = a.number<std::uint64_t>("count", 128, 64) == 128 ? 128 : 64;
       const PrefilterQueries<HostSpace> queries{a.array<std::int8_t>("queries.planes", 2 * 64),
                                                 a.sizing<PrefilterQuery>("queries.bounds", 1),
                                                 a.number<std::uint64_t>("queries.stride", 64, 8)};
       prefilter_rows<HostSpace>(on, Metric::l2, quantized_of(a), 8, a.array<double>("norms", 128),
                                 0, a.number<std::uint64_t>("begin + count", 128, 129),
                                 {a.array<std::uint64_t>("filter.words", 2), 0}, queries, false,
                                 state);
     }},
    {"prefilter_rows",
     [](const HostSpace& on, Arguments& a) {
       PrefilterState<HostSpace> state = lists_of(a, 1);
       state.counts = a.array<std::uint32_t>("state.counts", 1);
       state.thresholds = a.array<float>("state.thresholds", 1);
       const PrefilterQueries<HostSpace> queries{a.array<std::int8_t>("queries.planes", 2 * 64),
                                                 a.sizing<PrefilterQuery>("queries.bounds", 1), 64};
       prefilter_rows<HostSpace>(on, Metric::ip, quantized_of(a), 8, {}, 0, 128, {}, queries, true,
                                 state);
     }},
    {"prefilter_thresholds",
     [](const HostSpace& on, Arguments& a) {
       PrefilterState<HostSpace> state;
       state.slots = a.array<std::uint32_t>("state.slots", 2 * 4);
       state.thresholds = a.sizing<float>("state.thresholds", 2);
       state.groups = 4;
       prefilter_thresholds<HostSpace>(on, 1, state);
     }},
    {"prefilter_survivors",
     [](const HostSpace& on, Arguments& a) {
       PrefilterState<HostSpace> state = lists_of(a, 2);
       state.counts = a.array<std::uint32_t>("state.counts", 2);
       state.uppers = a.array<float>("state.uppers", 2 * 64);
       state.thresholds = a.sizing<float>("state.thresholds", 2);
       state.chunk = 64;
       prefilter_survivors<HostSpace>(on, 0, a.number<std::uint64_t>("count", 64, 65), state);
     }},
};

TileLists<HostSpace> tile_lists_of(Arguments& a, std::size_t queries) {
  TileLists<HostSpace> lists;
  lists.rows = a.array<std::uint32_t>("lists.rows", queries * 4);
  lists.uppers = a.array<std::uint32_t>("lists.uppers", queries * 4);
  lists.counts = a.array<std::uint32_t>("lists.counts", queries);
  lists.thresholds = a.array<float>("lists.thresholds", queries);
  lists.widths = a.array<std::uint32_t>("lists.widths", queries);
  lists.capacity = 4;
  return lists;
}
TileBounds bounds_of(Arguments& a, std::size_t count) {
  return {a.pointer<float>("bounds.scales", count), a.pointer<float>("bounds.errors", count),
          a.pointer<float>("bounds.shifts", count), a.pointer<std::uint32_t>("bounds.rows", count)};
}
constexpr TileLayout layout{16, false};

const std::vector<CheckedCall> tile_calls{
    {"begin_tile_queries",
     [](const HostSpace& on, Arguments& a) {
       TileQueries<HostSpace, Half> tile;
       tile.residuals = a.array<float>("tile.residuals", 1);
       TileLists<HostSpace> lists;
       lists.not_numbers = a.array<std::uint32_t>("lists.not_numbers", 1);
       begin_tile_queries(on, tile, lists);
     }},
    {"prepare_tile_queries",
     [](const HostSpace& on, Arguments& a) {
       const TileQueries<HostSpace, Half> tile{a.array<Half>("tile.values", 4 * 16),
                                               a.plain<float>(2), a.array<float>("tile.slacks", 2),
                                               a.array<float>("tile.residuals", 1), layout};
       TileLists<HostSpace> lists;
       lists.counts = a.array<std::uint32_t>("lists.counts", 2);
       lists.thresholds = a.array<float>("lists.thresholds", 2);
       lists.widths = a.array<std::uint32_t>("lists.widths", 2);
       prepare_tile_queries<HostSpace, Half>(on, Metric::ip, float_queries_of(a, 2, dimension),
                                             dimension, 2, a.array<float>("initial", 2), tile,
                                             lists);
     }},
    {"prepare_tile_rows",
     [](const HostSpace& on, Arguments& a) {
       const TileRows<HostSpace, Half> tile{
           a.array<Half>("values", 8 * 16, {}, 8),
           bounds_of(a, 8),
           8,
           {a.number<std::uint64_t>("layout.stride", 16, 2), false}};
       prepare_tile_rows<HostSpace, Half>(
           on, Metric::ip, {}, rows_of(a, 8, true), TileOrder<HostSpace>::of(8), 0,
           a.array<float>("query_residual", 1), tile, a.array<std::uint32_t>("not_numbers", 1));
     }},
    {"round_tile_rows",
     [](const HostSpace& on, Arguments& a) {
       round_tile_rows<HostSpace, Half>(on, rows_of(a, 8, true), TileOrder<HostSpace>::of(8),
                                        a.number<std::uint64_t>("begin", 0, 5), layout,
                                        a.array<Half>("values", 8 * 16, {}, 8),
                                        a.sizing<float>("squares", 8));
     }},
    {"bound_tile_rows",
     [](const HostSpace& on, Arguments& a) {
       VectorRows<HostSpace> rows;
       rows.norms = a.array<double>("rows.norms", 8);
       rows.dimension = dimension;
       bound_tile_rows<HostSpace>(on, Metric::ip, {}, rows, TileOrder<HostSpace>::of(8), 0,
                                  a.sizing<float>("squares", 8),
                                  a.array<float>("query_residual", 1), bounds_of(a, 8),
                                  a.array<std::uint32_t>("not_numbers", 1));
     }},
    {"prepare_tile_rows_here",
     [](const HostSpace&, Arguments& a) {
       const TileRows<HostSpace, float> tile{
           a.array<float>("tile.values", 8 * 16),
           bounds_of(a, 8),
           8,
           {a.number<std::uint64_t>("tile.layout.stride", 16, 2), false}};
       prepare_tile_rows_here<float>(Metric::ip, {}, rows_of(a, 8, true),
                                     TileOrder<HostSpace>::of(8), 0, 0.0F, tile,
                                     a.pointer<std::uint32_t>("not_numbers", 1));
     }},
    {"select_tile",
     [](const HostSpace& on, Arguments& a) {
       TileProducts<HostSpace, Half> products;
       products.values = a.pointer<Half>("products.values", 16);
       products.count = 8;
       products.last = a.number<std::uint64_t>("products.last", 8, 16);
       products.queries = 2;
       select_tile<HostSpace, Half>(on, Metric::l2, {}, products, bounds_of(a, 8),
                                    a.array<float>("weights", 2), {}, tile_lists_of(a, 2));
     }},
    {"select_tile_here",
     [](const HostSpace&, Arguments& a) {
       TileProducts<HostSpace, float> products;
       products.values = a.pointer<float>("products.values", 8 * 16);
       products.count = 8;
       products.last = a.number<std::uint64_t>("products.last", 8, 9);
       products.queries = a.number<std::uint64_t>("products.queries", 16, 15);
       TileLists<HostSpace> lists;
       lists.thresholds = a.array<float>("lists.thresholds", 16, __builtin_inff());
       select_tile_here(Metric::ip, {}, products, bounds_of(a, 8), a.array<float>("weights", 16),
                        {}, lists);
     }},
    {"raise_thresholds",
     [](const HostSpace& on, Arguments& a) {
       raise_thresholds<HostSpace>(on, 0, 2, 1, 0, a.array<float>("slacks", 2),
                                   tile_lists_of(a, 2));
     }},
    {"list_survivors",
     [](const HostSpace& on, Arguments& a) {
       const auto tile = static_cast<std::size_t>(candidate_tile<HostSpace>());
       list_survivors<HostSpace>(on, tile_lists_of(a, 2), 0, 2, tile,
                                 a.array<std::uint32_t>("ids", 2 * tile));
     }},
};

TEST(VectorArguments, AreCheckedBeforeALaunch) {
  for (const auto* calls : {&rows_calls, &score_calls, &prefilter_calls, &tile_calls})
    for (const CheckedCall& call : *calls) expect_checked(call);
}

}  // namespace VectorArgumentsTest
