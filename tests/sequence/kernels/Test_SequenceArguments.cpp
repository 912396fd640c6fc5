// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <kindred/core/sequence/CollectSurvivors.hpp>
#include <kindred/core/sequence/CommonEnds.hpp>
#include <kindred/core/sequence/EditDistance.hpp>
#include <kindred/core/sequence/LaneValues.hpp>
#include <kindred/core/sequence/Lcs.hpp>
#include <kindred/core/sequence/MatchKeys.hpp>
#include <kindred/core/sequence/PairScores.hpp>
#include <kindred/core/sequence/PairValues.hpp>
#include <kindred/core/sequence/Postings.hpp>
#include <kindred/core/sequence/RatcliffObershelp.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "CheckedCalls.hpp"

namespace SequenceArgumentsTest {

using namespace Kindred;
using Testing::Arguments;

constexpr std::size_t slots = 32;
constexpr std::uint32_t vocabulary = 2;

ArrayView<std::uint32_t, HostSpace> numbers(Arguments& a, const char* name, std::size_t size,
                                            std::uint32_t value = 0) {
  return a.array<std::uint32_t>(name, size, value);
}

ArrayView<std::uint32_t, HostSpace> matched(Arguments& a) {
  return numbers(a, "matched", 2 * slots);
}

/// Which arrays of patterns and queries a call checks.
enum class Checked : std::uint8_t { yes, no };

template <class T>
ArrayView<T, HostSpace> given(Arguments& a, Checked checked, const char* name, std::size_t size,
                              T value = T()) {
  return checked == Checked::yes ? a.array<T>(name, size, value) : a.plain<T>(size, value);
}

/// One tile of patterns of one symbol each, in slots that hold no pattern.
PatternTiles<HostSpace> tiles_of(Arguments& a, Checked checked = Checked::yes) {
  PatternTiles<HostSpace> tiles;
  tiles.bytes = given<std::uint8_t>(a, checked, "tiles.bytes", slots, vocabulary);
  tiles.offsets = given<std::uint64_t>(a, checked, "tiles.offsets", 2);
  tiles.lengths = given<std::uint32_t>(a, checked, "tiles.lengths", slots);
  tiles.indices = given<std::uint32_t>(a, checked, "tiles.indices", slots, no_pattern);
  tiles.tiles = 1;
  tiles.vocabulary = vocabulary;
  tiles.rows = 1;
  return tiles;
}

/// A query without symbols, twice; unchecked ones as of two segments.
QueryTables<HostSpace> tables_of(Arguments& a, Checked checked = Checked::yes) {
  QueryTables<HostSpace> tables;
  tables.lengths = given<std::uint32_t>(a, checked, "queries.lengths", 2);
  tables.first_segment = given<std::uint32_t>(a, checked, "queries.first_segment", 3);
  tables.segments = a.plain<QuerySegment>(1, QuerySegment{0, 0, 0});
  tables.codes = a.plain<std::uint8_t>(4, no_code);
  tables.words = a.plain<WordTable>(1);
  tables.columns = a.plain<QueryColumns>(1);
  tables.code_stride = vocabulary + 1;
  tables.queries = 2;
  if (checked == Checked::no) {
    tables.segments_max = 2;
    return tables;
  }
  tables.index_limits = numbers(a, "queries.index_limits", 2);
  tables.code_stride = a.number<std::uint64_t>("queries.code_stride", vocabulary + 1, vocabulary);
  return tables;
}
PairValues<HostSpace> values_of(Arguments& a) {
  return {a.pointer<double>("values.data", 2 * slots),
          a.number<DataType>("values.type", DataType::float64, DataType::float16),
          a.array<std::uint64_t>("values.rows", 2)};
}

TEST(SequenceArguments, AreCheckedBeforeALaunch) {
  const auto& check = Testing::expect_checked;
  check({"lcs_lengths", [](const HostSpace& on, Arguments& a) {
           lcs_lengths<HostSpace>(on, tiles_of(a), tables_of(a), 0.0, {}, matched(a),
                                  a.number<std::uint32_t>("stride", 1, 0));
         }});
  check({"lcs_lengths", [](const HostSpace& on, Arguments& a) {
           const auto tables = tables_of(a, Checked::no);
           const auto tiles = tiles_of(a, Checked::no);
           lcs_lengths<HostSpace>(on, tiles, tables, 0.0,
                                  a.array<std::uint64_t>("carry", lcs_carry_words(tiles, 2, 2)),
                                  matched(a), a.number<std::uint32_t>("stride", 1, 2));
         }});
  check({"lcs_candidates", [](const HostSpace& on, Arguments& a) {
           LcsCandidates<HostSpace> candidates;
           candidates.bounds = a.array<Rank>("candidates.bounds", 2 * 3, rank_none);
           candidates.bound_stride = a.number<std::uint32_t>("candidates.bound_stride", 3, 0);
           candidates.keys = a.array<Rank>("candidates.keys", 2 * slots);
           candidates.capacity = slots;
           candidates.counters = a.array<Rank>("candidates.counters", 2, rank_none);
           lcs_candidates<HostSpace>(on, tiles_of(a), tables_of(a), 0.5, candidates);
         }});
  check({"edit_matched", [](const HostSpace& on, Arguments& a) {
           edit_matched<HostSpace>(on, tiles_of(a), tables_of(a), EditKind::osa, 0.0, {},
                                   matched(a));
         }});
  check({"edit_matched", [](const HostSpace& on, Arguments& a) {
           const auto tables = tables_of(a, Checked::no);
           const auto tiles = tiles_of(a, Checked::no);
           const std::uint64_t words = edit_carry_words(tiles, 2, 2, EditKind::levenshtein);
           edit_matched<HostSpace>(on, tiles, tables, EditKind::levenshtein, 0.0,
                                   a.array<std::uint64_t>("carry", words), matched(a));
         }});
  check({"common_ends", [](const HostSpace& on, Arguments& a) {
           common_ends<HostSpace>(on, tiles_of(a), tables_of(a), SequenceEnd::prefix, matched(a));
         }});
  check({"pair_score_keys", [](const HostSpace& on, Arguments& a) {
           pair_score_keys<HostSpace>(on, tiles_of(a), tables_of(a), PairScore::jaro_winkler, 0,
                                      0.0, {}, a.array<WideRank>("keys", 2 * slots));
         }});
  check({"pair_score_keys", [](const HostSpace& on, Arguments& a) {
           const auto tables = tables_of(a, Checked::no);
           const auto tiles = tiles_of(a, Checked::no);
           pair_score_keys<HostSpace>(
               on, tiles, tables, PairScore::jaro_winkler, 0, 0.0,
               a.array<std::uint64_t>("workspace", pair_score_workspace(on, tiles, 2, 2)),
               a.array<WideRank>("keys", 2 * slots));
         }});
  check({"write_pair_values", [](const HostSpace& on, Arguments& a) {
           write_pair_values<HostSpace>(on, tiles_of(a), tables_of(a), {},
                                        ArrayView<const std::uint32_t, HostSpace>(matched(a)),
                                        values_of(a));
         }});
  check({"write_pair_values", [](const HostSpace& on, Arguments& a) {
           write_pair_values<HostSpace>(
               on, tiles_of(a), tables_of(a), {},
               ArrayView<const WideRank, HostSpace>(a.array<WideRank>("keys", 2 * slots)),
               values_of(a));
         }});
  check({"short_pair_values", [](const HostSpace& on, Arguments& a) {
           const auto tiles = tiles_of(a);
           const std::uint64_t bytes = short_pair_workspace(on, tiles, 2, DataType::float64);
           const auto patterns = a.number<std::size_t>("the size of slot_of", 0, slots + 1);
           short_pair_values(on, tiles, tables_of(a), ShortRecurrence::lcs, {},
                             a.sizing<std::uint32_t>("slot_of", patterns),
                             a.array<std::byte>("workspace", bytes, {}, 8), values_of(a));
         }});
  check({"lane_pair_values", [](const HostSpace& on, Arguments& a) {
           const auto tiles = tiles_of(a);
           LaneQueries queries;
           queries.symbols = a.sizing<std::uint32_t>("queries.symbols", 1);
           queries.begins = a.plain<std::uint64_t>(3);
           const auto wrong = ShortRecurrence::jaro_winkler;
           const auto recurrence =
               a.number<ShortRecurrence>("recurrence", ShortRecurrence::lcs, wrong);
           const std::uint64_t bytes = lane_pair_workspace(on, tiles, 1, ShortRecurrence::lcs);
           const auto patterns = a.number<std::size_t>("the size of slot_of", 0, slots + 1);
           lane_pair_values(on, tiles, 1, queries, recurrence, {},
                            a.sizing<std::uint32_t>("slot_of", patterns),
                            a.array<std::byte>("workspace", bytes, {}, 1), values_of(a));
         }});
  check({"count_postings", [](const HostSpace& on, Arguments& a) {
           PostingsBound bound;
           bound.threshold = 0.5;
           count_postings<HostSpace>(on, tiles_of(a), a.sizing<std::uint32_t>("slots", 1),
                                     a.sizing<PostingList>("lists", 1, PostingList{0, 0}), bound,
                                     numbers(a, "list", slots), numbers(a, "counters", 1));
         }});
  check({"lcs_of_list", [](const HostSpace& on, Arguments& a) {
           ListedQuery<HostSpace> query;
           query.symbols = a.sizing<std::uint32_t>("query.symbols", 2);
           query.masks = a.array<std::uint64_t>("query.masks", 2);
           query.words = a.number<std::uint32_t>("query.words", 1, listed_words_max + 1);
           lcs_of_list<HostSpace>(on, tiles_of(a), query, numbers(a, "list", 1), 1,
                                  numbers(a, "matched", slots));
         }});
  check({"collect_survivors", [](const HostSpace& on, Arguments& a) {
           const auto bounds = a.number<std::size_t>("the size of bound", 1, 2);
           collect_survivors<HostSpace>(
               on, tiles_of(a), 1, 1, 0.5, no_pattern, matched(a), a.sizing<Rank>("bound", bounds),
               a.sizing<std::uint32_t>("list", slots), numbers(a, "counters", 2));
         }});
  check({"match_keys", [](const HostSpace& on, Arguments& a) {
           match_keys<HostSpace, Rank>(on, tiles_of(a), tables_of(a), SimilarityScale::total, 0.5,
                                       matched(a), a.array<Rank>("keys", 2 * slots),
                                       a.number<std::uint32_t>("stride", 1, 0));
         }});
  check({"list_keys", [](const HostSpace& on, Arguments& a) {
           QueryTables<HostSpace> tables;
           tables.lengths = numbers(a, "queries.lengths", 2);
           tables.queries = 2;
           list_keys<HostSpace, Rank>(
               on, tiles_of(a), tables, 1, 0.5, a.sizing<std::uint32_t>("list", slots),
               numbers(a, "counters", 1), numbers(a, "matched", slots), a.sizing<Rank>("keys", 1));
         }});
  check({"ratcliff_obershelp", [](const HostSpace& on, Arguments& a) {
           RunsShape<HostSpace> shape;
           shape.slot_end = a.number<std::uint32_t>("shape.slot_end", slots, slots + 1);
           shape.words = 1;
           shape.rows = 1;
           shape.workers = a.number<std::uint32_t>("shape.workers", 1, 0);
           RunsShape<HostSpace> usual = shape;
           usual.workers = 1;
           ratcliff_obershelp<HostSpace>(
               on, tiles_of(a), tables_of(a), shape, a.sizing<std::uint32_t>("list", slots),
               numbers(a, "counters", 2),
               a.array<std::uint64_t>("workspace", usual.workspace_words()),
               numbers(a, "matched", slots));
         }});
}

}  // namespace SequenceArgumentsTest
