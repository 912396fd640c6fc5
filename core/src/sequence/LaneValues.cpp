// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/LaneValues.hpp>

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Special.hpp>
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

}  // namespace

template decltype(scan_lanes<ShortRecurrence::lcs>) scan_lanes<ShortRecurrence::lcs>;

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
  Impl::with_value_type(values.type, [&](auto element) {
    using Element = decltype(element);
    const Impl::PairValueTable<Element> table(tiles, unused_slots(patterns), longest, queries,
                                              rule);
    const Impl::LaneRows<Element> rows{table, queries, rule, values};
    Impl::with_lane_recurrence(recurrence, [&](auto chosen) {
      Impl::scan_lanes<decltype(chosen)::value>(exec_space, tiles, queries, slot_of,
                                                std::cref(rows), longest, workspace);
    });
  });
}

}  // namespace Kindred
