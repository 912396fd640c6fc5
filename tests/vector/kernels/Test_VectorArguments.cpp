// SPDX-License-Identifier: Apache-2.0
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

#include "CheckedCalls.hpp"

namespace VectorArgumentsTest {

using namespace Kindred;
using namespace Testing;
using Half = Arch::Float16;

constexpr std::uint64_t dimension = 4;

using Rows = VectorRows<HostSpace>;
using Queries = VectorQueries<HostSpace>;
using State = PrefilterState<HostSpace>;
using Lists = TileLists<HostSpace>;
using Index = std::uint32_t;
using Number = std::uint64_t;

Rows rows_of(Arguments& a, std::size_t count, bool has_norms = false) {
  Rows rows;
  rows.values = a.array<std::byte>("rows.values", count * dimension * sizeof(float), {}, 4);
  rows.dimension = dimension;
  if (has_norms) rows.norms = a.array<double>("rows.norms", count);
  return rows;
}
Rows integer_rows_of(Arguments& a, std::size_t count) {
  return {a.array<std::byte>("rows.values", count * dimension, {}, 1),
          DataType::int8,
          a.array<float>("rows.scales", count),
          a.array<double>("rows.norms", count),
          a.array<Index>("rows.ids", count),
          dimension};
}
Queries queries_of(Arguments& a, std::size_t count) {
  return {{},
          a.array<double>("queries.values", count * dimension),
          a.array<double>("queries.norms", count),
          count};
}
Queries float_queries_of(Arguments& a, std::size_t count, std::size_t length) {
  return {a.array<float>("queries.floats", count * length),
          {},
          a.array<double>("queries.norms", count),
          count};
}
/// One bitmap of one word for each of two queries, or of two words for all.
RowFilter<HostSpace> filter_of(Arguments& a, Number words_per_query = 1) {
  return {a.array<Number>("filter.words", 2), words_per_query};
}

/// Three places for each of two queries.
RankedOutput output_of(Arguments& a) {
  return {a.pointer<float>("out.scores", 6), a.number<Number>("out.score_stride", 3, 2),
          a.pointer<std::int64_t>("out.ids", 6), a.number<Number>("out.id_stride", 3, 2), 3};
}

const std::vector<CheckedCall> rows_calls{
    {"find_rows",
     [](const HostSpace& on, Arguments& a) {
       find_rows(on, {a.pointer<std::int64_t>("lists.ids", 6), 2, 3, 3},
                 {a.pointer<Index>("segment.ids", 5), 0, 5, false}, a.array<Index>("found", 6),
                 a.array<Number>("offsets", 3));
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
       average_rows_here(rows, weights, 0, a.number<Number>("end", 1, 2), out);
     }},
    {"average_rows_here",
     [](const HostSpace&, Arguments& a) {
       const std::vector<float> weights(2);
       std::vector<float> out(a.number<std::size_t>("the size of out", 4, 3));
       average_rows_here(rows_of(a, 2), weights, 0, a.number<Number>("end", 1, 2), out);
     }},
    {"count_filtered_rows",
     [](const HostSpace& on, Arguments& a) {
       count_filtered_rows<HostSpace>(on, filter_of(a, 0), 100, a.array<Index>("offsets", 3));
     }},
    {"list_filtered_rows",
     [](const HostSpace& on, Arguments& a) {
       list_filtered_rows<HostSpace>(on, filter_of(a, 0), 100, a.array<Index>("offsets", 3),
                                     a.sizing<Index>("chosen", 1));
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
                                    a.array<Rank>("lists", 6), a.array<Number>("counts", 2));
     }},
    {"unpack_ranks",
     [](const HostSpace& on, Arguments& a) {
       unpack_ranks<HostSpace>(on, Metric::ip, a.array<Rank>("ranks", 4), 2,
                               a.number<Number>("kept", 2, 4), output_of(a));
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
       score_candidates<HostSpace>(on, Metric::ip, {{}, DataType::float32, {}, {}, {}, dimension},
                                   a.array<Index>("ids", 2 * tile, no_candidate),
                                   a.sizing<Index>("work_item_queries", 2), queries_of(a, 2),
                                   a.array<Rank>("ranks", 2 * tile));
     }},
    {"score_matrix",
     [](const HostSpace& on, Arguments& a) {
       score_matrix<HostSpace>(on, Metric::cosine, {}, rows_of(a, 3), 3, queries_of(a, 2),
                               a.array<float>("out", 6),
                               {a.number<Number>("columns.stride", 3, 2)});
     }},
    {"score_matrix",
     [](const HostSpace& on, Arguments& a) {
       Rows rows;
       rows.values = bytes_of<HostSpace>(a.plain<float>(dimension));
       rows.dimension = dimension;
       score_matrix<HostSpace>(on, Metric::ip, {}, rows, 3, queries_of(a, 2),
                               a.array<float>("out", 6), {0, a.array<Index>("columns.rows", 3)});
     }},
    {"score_matrix",
     [](const HostSpace& on, Arguments& a) {
       score_matrix<HostSpace>(on, Metric::cosine, {}, rows_of(a, 3), 3, queries_of(a, 2),
                               a.array<float>("out", 8),
                               {4, {}, a.array<Index>("columns.places", 3)});
     }},
    {"score_matrix_here",
     [](const HostSpace&, Arguments& a) {
       score_matrix_here(Metric::ip, {}, rows_of(a, 3), 1, a.number<Number>("end", 3, 0),
                         queries_of(a, 2), a.pointer<float>("out", 6),
                         {a.number<Number>("columns.stride", 3, 1)});
     }},
    {"rank_unfinished",
     [](const HostSpace& on, Arguments& a) {
       Rows rows = rows_of(a, 3);
       rows.norms = a.plain<double>(3);
       Lists lists;
       lists.counts = a.array<Index>("lists.counts", 2);
       lists.not_numbers = a.array<Index>("lists.not_numbers", 1);
       const std::size_t teams = unfinished_teams(on);
       rank_unfinished<HostSpace>(
           on, Metric::ip, rows, filter_of(a), queries_of(a, 2), lists,
           a.number<std::size_t>("top", 2, unfinished_top_max + 1), a.array<Rank>("best", 4),
           {a.array<Index>("workspace.queries", 3), a.array<Rank>("workspace.partial", teams * 2),
            a.array<Index>("workspace.arrived", teams)});
     }},
    {"rank_candidates",
     [](const HostSpace& on, Arguments& a) {
       rank_candidates<HostSpace>(
           on, Metric::cosine, rows_of(a, 3, true), a.array<Number>("offsets", 3),
           a.sizing<Index>("candidates", 1), filter_of(a), queries_of(a, 2),
           {a.number<Index>("plan.chunk", 64, 65), 2, a.number<Index>("plan.keep", 2, 1)}, 2,
           a.array<Rank>("best", 4), a.array<Rank>("workspace", 8), a.array<Index>("arrived", 2),
           {3});
     }},
    {"rank_given_candidates",
     [](const HostSpace& on, Arguments& a) {
       rank_given_candidates<HostSpace>(
           on, Metric::cosine, rows_of(a, 3, true),
           {a.pointer<Index>("segment.ids", 3), 0, 3, false},
           {a.pointer<std::int64_t>("lists.ids", 4), a.number<Number>("lists.queries", 2, 1),
            a.number<Number>("lists.length", 2, 129), 2},
           filter_of(a), {a.pointer<float>("queries.values", 8), 2, dimension}, {64, 2, 4},
           a.number<std::size_t>("top", 2, 4), output_of(a), a.array<Rank>("workspace", 16),
           a.array<Index>("arrived", 2));
     },
     false},
};

State lists_of(Arguments& a, std::size_t queries) {
  State state;
  state.rows = a.array<Index>("state.rows", queries * 4);
  state.capacity = 4;
  return state;
}
State counted_lists_of(Arguments& a) {
  State state = lists_of(a, 2);
  state.counts = a.sizing<Index>("state.counts", 2);
  return state;
}
PrefilterQueries<HostSpace> planes_of(Arguments& a, Number stride) {
  return {a.array<std::int8_t>("queries.planes", 2 * 64),
          a.sizing<PrefilterQuery>("queries.bounds", 1), stride};
}
QuantizedRows<HostSpace> quantized_of(Arguments& a) {
  return {a.array<std::int8_t>("quantized.values", 128 * 16),
          a.sizing<float>("quantized.scales", 128), a.array<float>("quantized.errors", 128),
          a.array<float>("quantized.norms", 128), 16};
}

const std::vector<CheckedCall> prefilter_calls{
    {"prepare_prefilter",
     [](const HostSpace& on, Arguments& a) {
       State state = counted_lists_of(a);
       state.slots = a.array<Index>("state.slots", 2 * 4);
       state.groups = 4;
       prepare_prefilter<HostSpace>(on, float_queries_of(a, 2, 8), 8,
                                    a.array<std::int8_t>("planes", 2 * 2 * 64),
                                    a.array<PrefilterQuery>("bounds", 2), state);
     }},
    {"clear_survivors", [](const HostSpace& on,
                           Arguments& a) { clear_survivors<HostSpace>(on, counted_lists_of(a)); }},
    {"prefilter_rows",
     [](const HostSpace& on, Arguments& a) {
       State state;
       state.slots = a.array<Index>("state.slots", 4);
       state.groups = 4;
       state.uppers = a.array<float>("state.uppers", 128);
       state.chunk = a.number<Number>("count", 128, 64) == 128 ? 128 : 64;
       prefilter_rows<HostSpace>(on, Metric::l2, quantized_of(a), 8, a.array<double>("norms", 128),
                                 0, a.number<Number>("begin + count", 128, 129), filter_of(a, 0),
                                 planes_of(a, a.number<Number>("queries.stride", 64, 8)), false,
                                 state);
     }},
    {"prefilter_rows",
     [](const HostSpace& on, Arguments& a) {
       State state = lists_of(a, 1);
       state.counts = a.array<Index>("state.counts", 1);
       state.thresholds = a.array<float>("state.thresholds", 1);
       prefilter_rows<HostSpace>(on, Metric::ip, quantized_of(a), 8, {}, 0, 128, {},
                                 planes_of(a, 64), true, state);
     }},
    {"prefilter_thresholds",
     [](const HostSpace& on, Arguments& a) {
       State state;
       state.slots = a.array<Index>("state.slots", 2 * 4);
       state.thresholds = a.sizing<float>("state.thresholds", 2);
       state.groups = 4;
       prefilter_thresholds<HostSpace>(on, 1, state);
     }},
    {"prefilter_survivors",
     [](const HostSpace& on, Arguments& a) {
       State state = lists_of(a, 2);
       state.counts = a.array<Index>("state.counts", 2);
       state.uppers = a.array<float>("state.uppers", 2 * 64);
       state.thresholds = a.sizing<float>("state.thresholds", 2);
       state.chunk = 64;
       prefilter_survivors<HostSpace>(on, 0, a.number<Number>("count", 64, 65), state);
     }},
};

Lists tile_lists_of(Arguments& a, std::size_t queries) {
  return {a.array<Index>("lists.rows", queries * 4),
          a.array<Index>("lists.uppers", queries * 4),
          a.array<Index>("lists.counts", queries),
          a.array<float>("lists.thresholds", queries),
          a.array<Index>("lists.widths", queries),
          {},
          4};
}
TileBounds bounds_of(Arguments& a, std::size_t count) {
  return {a.pointer<float>("bounds.scales", count), a.pointer<float>("bounds.errors", count),
          a.pointer<float>("bounds.shifts", count), a.pointer<Index>("bounds.rows", count)};
}
constexpr TileLayout layout{16, false};
const auto order = TileOrder<HostSpace>::of(8);

const std::vector<CheckedCall> tile_calls{
    {"begin_tile_queries",
     [](const HostSpace& on, Arguments& a) {
       begin_tile_queries<HostSpace, Half>(
           on, {{}, {}, {}, a.array<float>("tile.residuals", 1), {}},
           {{}, {}, {}, {}, {}, a.array<Index>("lists.not_numbers", 1)});
     }},
    {"prepare_tile_queries",
     [](const HostSpace& on, Arguments& a) {
       prepare_tile_queries<HostSpace, Half>(
           on, Metric::ip, float_queries_of(a, 2, dimension), dimension, 2,
           a.array<float>("initial", 2),
           {a.array<Half>("tile.values", 4 * 16), a.plain<float>(2),
            a.array<float>("tile.slacks", 2), a.array<float>("tile.residuals", 1), layout},
           {{},
            {},
            a.array<Index>("lists.counts", 2),
            a.array<float>("lists.thresholds", 2),
            a.array<Index>("lists.widths", 2),
            {}});
     }},
    {"prepare_tile_rows",
     [](const HostSpace& on, Arguments& a) {
       prepare_tile_rows<HostSpace, Half>(on, Metric::ip, {}, rows_of(a, 8, true), order, 0,
                                          a.array<float>("query_residual", 1),
                                          {a.array<Half>("values", 8 * 16, {}, 8),
                                           bounds_of(a, 8),
                                           8,
                                           {a.number<Number>("layout.stride", 16, 2), false}},
                                          a.array<Index>("not_numbers", 1));
     }},
    {"round_tile_rows",
     [](const HostSpace& on, Arguments& a) {
       round_tile_rows<HostSpace, Half>(
           on, rows_of(a, 8, true), order, a.number<Number>("begin", 0, 5), layout,
           a.array<Half>("values", 8 * 16, {}, 8), a.sizing<float>("squares", 8));
     }},
    {"bound_tile_rows",
     [](const HostSpace& on, Arguments& a) {
       const Rows rows{{}, DataType::float32, {}, a.array<double>("rows.norms", 8), {}, dimension};
       bound_tile_rows<HostSpace>(on, Metric::ip, {}, rows, order, 0, a.sizing<float>("squares", 8),
                                  a.array<float>("query_residual", 1), bounds_of(a, 8),
                                  a.array<Index>("not_numbers", 1));
     }},
    {"prepare_tile_rows_here",
     [](const HostSpace&, Arguments& a) {
       prepare_tile_rows_here<float>(Metric::ip, {}, rows_of(a, 8, true), order, 0, 0.0F,
                                     {a.array<float>("tile.values", 8 * 16),
                                      bounds_of(a, 8),
                                      8,
                                      {a.number<Number>("tile.layout.stride", 16, 2), false}},
                                     a.pointer<Index>("not_numbers", 1));
     }},
    {"select_tile",
     [](const HostSpace& on, Arguments& a) {
       const TileProducts<HostSpace, Half> products{a.pointer<Half>("products.values", 16),   8, 0,
                                                    a.number<Number>("products.last", 8, 16), 0, 2};
       select_tile<HostSpace, Half>(on, Metric::l2, {}, products, bounds_of(a, 8),
                                    a.array<float>("weights", 2), {}, tile_lists_of(a, 2));
     }},
    {"select_tile_here",
     [](const HostSpace&, Arguments& a) {
       const TileProducts<HostSpace, float> products{a.pointer<float>("products.values", 8 * 16),
                                                     8,
                                                     0,
                                                     a.number<Number>("products.last", 8, 9),
                                                     0,
                                                     a.number<Number>("products.queries", 16, 15)};
       Lists lists;
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
                                 a.array<Index>("ids", 2 * tile));
     }},
};

TEST(VectorArguments, AreCheckedBeforeALaunch) {
  for (const auto* calls : {&rows_calls, &score_calls, &prefilter_calls, &tile_calls})
    for (const CheckedCall& call : *calls) expect_checked(call);
}

}  // namespace VectorArgumentsTest
