// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/LaneValues.hpp>

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/sequence/WordTable.hpp>
#include <kindred/core/sequence/impl/SequenceChecks.hpp>
#include <kindred/core/sequence/impl/WithConstant.hpp>
#include <kindred/core/sequence/special/LaneValues.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <functional>

namespace Kindred {

namespace Impl {

namespace {

/// Calls \p function with the recurrence as a constant; Jaro-Winkler has none in lanes.
template <class Function>
auto with_lane_recurrence(ShortRecurrence recurrence, const Function& function) {
  using enum ShortRecurrence;
  return with_constant<lcs, osa, levenshtein>(recurrence, function);
}

/// The items of a call: a block of patterns and a part of the queries each.
struct LaneItems {
  std::uint32_t blocks;
  std::uint32_t parts;
  std::uint32_t queries;
  std::uint32_t patterns;

  LaneItems(std::uint32_t query_count, std::uint32_t pattern_count, std::uint32_t workers)
      : blocks((pattern_count + lane_block - 1) / lane_block),
        parts((query_count + lane_queries_max - 1) / lane_queries_max),
        queries(query_count),
        patterns(pattern_count) {
    // Few blocks are divided further, as far as parts repay their masks.
    const std::uint32_t target = workers > 1 ? (4 * workers + blocks - 1) / blocks : 1;
    const std::uint32_t most = std::max(query_count / lane_queries_min, 1U);
    parts = std::max(parts, std::min(target, most));
  }
  std::uint32_t count() const { return blocks * parts; }
  std::uint32_t part_begin(std::uint32_t part) const {
    return static_cast<std::uint32_t>(std::uint64_t{queries} * part / parts);
  }
};

/// `LaneRows` of any type, since they are called once per item.
using WriteLaneRows = std::function<void(const LaneBlock&, std::uint32_t begin, std::uint32_t end,
                                         const std::uint16_t* counts)>;

template <ShortRecurrence recurrence, class Symbol>
void scan_lanes(const HostSpace& exec_space, const LanePairCounts<recurrence, Symbol>& counts,
                const WriteLaneRows& rows, std::uint32_t longest, std::uint32_t patterns,
                const ArrayView<std::byte, HostSpace>& workspace) {
  const auto workers = static_cast<std::uint32_t>(std::max(Arch::concurrency(exec_space), 1));
  const LaneItems items(counts.queries.count(), patterns, workers);
  const std::size_t own_bytes = LaneWorkspace::bytes<recurrence>(counts.tiles.vocabulary, longest);
  const CancelPoint point;
  const auto scan = [=, &counts, &rows](const std::uint32_t worker) {
    const LaneWorkspace own = LaneWorkspace::of<recurrence>(workspace.data() + worker * own_bytes,
                                                            counts.tiles.vocabulary, longest);
    LaneBlock block;
    for (std::uint32_t item = worker; item < items.count(); item += workers) {
      const std::uint32_t part = item % items.parts;
      block.first = item / items.parts * lane_block;
      block.patterns = std::min(patterns - block.first, lane_block);
      for (std::uint32_t i = 0; i < block.patterns; ++i)
        block.lengths[i] = counts.tiles.lengths(counts.slot_of[block.first + i]);
      block.template sort<recurrence>();
      const std::uint32_t begin = items.part_begin(part);
      const std::uint32_t end = items.part_begin(part + 1);
      counts(block, begin, end, own, point);
      if (point.is_cancelled()) return;
      rows(block, begin, end, own.counts);
    }
  };
  Launch::for_each_index<Launch::Coarse, std::uint32_t>(
      exec_space, "Kindred::Sequence::lane_pair_values::scan", workers, scan);
}

}  // namespace

}  // namespace Impl

bool suits_lanes(ShortRecurrence recurrence, std::uint32_t longest) {
  if (!Special::is_used<Special::Form::lane_values, HostSpace>()) return false;
  // Where lookups have 64 entries, byte planes take less time than several words.
  if (Special::has_machine<Special::Machine::byte_lookups>() && longest > word_symbols)
    return false;
  return recurrence != ShortRecurrence::jaro_winkler &&
         Impl::with_lane_recurrence(recurrence, [&](auto chosen) {
           return longest <= Impl::LaneClasses<decltype(chosen)::value>::longest;
         });
}

std::uint64_t lane_pair_workspace(const HostSpace& exec_space, const PatternTiles<HostSpace>& tiles,
                                  std::uint32_t longest, ShortRecurrence recurrence) {
  const auto workers = static_cast<std::uint32_t>(std::max(Arch::concurrency(exec_space), 1));
  return workers * Impl::with_lane_recurrence(recurrence, [&](auto chosen) {
           return Impl::LaneWorkspace::bytes<decltype(chosen)::value>(tiles.vocabulary, longest);
         });
}

void lane_pair_values(const HostSpace& exec_space, const PatternTiles<HostSpace>& tiles,
                      std::uint32_t longest, const LaneQueries& queries, ShortRecurrence recurrence,
                      const PairRule& rule,
                      const ArrayView<const std::uint32_t, HostSpace>& slot_of,
                      const ArrayView<std::byte, HostSpace>& workspace,
                      const PairValues<HostSpace>& values) {
  const Impl::ArgumentCheck check("lane_pair_values");
  Impl::check_tiles(check, tiles);
  check.has("queries.begins", queries.begins, 1);
  check.is_aligned("queries.symbols", queries.symbols);
  check.is_at_most("recurrence", static_cast<std::uint64_t>(recurrence),
                   static_cast<std::uint64_t>(ShortRecurrence::osa));
  check.is_aligned("slot_of", slot_of);
  check.is_at_most("the size of slot_of", slot_of.size(), tiles.slots());
  check.has("workspace", workspace, lane_pair_workspace(exec_space, tiles, longest, recurrence));
  Impl::check_values(check, values, queries.count());
  const auto patterns = static_cast<std::uint32_t>(slot_of.size());
  if (patterns == 0 || queries.count() == 0) return;
  Impl::with_element_type(values.type, [&](auto element) {
    using Element = decltype(element);
    const Impl::PairValueTable<Element> table(tiles, unused_slots(patterns), longest, queries,
                                              rule);
    const Impl::LaneRows<Element> rows{table, queries, rule, values};
    Impl::with_lane_recurrence(recurrence, [&](auto chosen) {
      with_symbol_type(tiles, [&](auto symbol) {
        Impl::scan_lanes(exec_space,
                         Impl::LanePairCounts<decltype(chosen)::value, decltype(symbol)>{
                             tiles, queries, slot_of.data()},
                         std::cref(rows), longest, patterns, workspace);
      });
    });
  });
}

}  // namespace Kindred
