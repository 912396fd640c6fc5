// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/sequence/PairValues.hpp>

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Special.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/sequence/impl/SequenceChecks.hpp>
#include <kindred/core/sequence/impl/WithConstant.hpp>
#include <kindred/core/sequence/special/ShortValues.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>

namespace Kindred {

namespace Impl {

namespace {

/// The slot of pattern i is i + `unused_slots` if all patterns have the same length.
[[maybe_unused]] bool keeps_order(const PatternTiles<HostSpace>& tiles, std::uint32_t unused) {
  return tiles.lengths(unused) == tiles.lengths(tiles.slots() - 1);
}

template <class Element, ShortRecurrence recurrence>
void scan_short(const HostSpace& exec_space, const ShortValuesKernel<Element, recurrence>& kernel,
                const ArrayView<const std::uint32_t, HostSpace>& slot_of,
                const ArrayView<std::byte, HostSpace>& workspace,
                const PairValues<HostSpace>& values) {
  const std::uint32_t slots = kernel.tiles.slots();
  const std::uint32_t pairs = kernel.pairs();
  const auto patterns = static_cast<std::uint32_t>(slot_of.size());
  const std::uint32_t unused = unused_slots(patterns);
  const bool ordered = keeps_order(kernel.tiles, unused);
  const std::uint32_t queries = kernel.queries.queries;
  const auto workers = static_cast<std::uint32_t>(std::max(Arch::concurrency(exec_space), 1));
  auto* const rows = reinterpret_cast<Element*>(workspace.data());
  const auto out_row = [=](std::uint32_t q) {
    return static_cast<Element*>(values.data) + values.rows(q);
  };
  const auto move = [=](const Element* from, Element* to, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) to[i] = from[slot_of(i)];
  };
  const CancelPoint point;
  if (queries >= 4 * workers) {
    // A thread processes whole queries.
    Launch::for_each_index<Launch::Coarse, std::uint32_t>(
        exec_space, "Kindred::Sequence::short_pair_values::scan_queries", workers,
        [=](const std::uint32_t worker) {
          Element* const own = rows + std::size_t{worker} * slots;
          for (std::uint32_t q = worker; q < queries; q += workers) {
            if (point.is_cancelled()) return;
            if (ordered) {
              kernel.scan(q, 0, pairs, unused, out_row(q));
            } else {
              kernel.scan(q, 0, pairs, 0, own);
              move(own, out_row(q), 0, patterns);
            }
          }
        });
    return;
  }
  // Threads share the patterns of a query.
  const std::uint32_t parts = std::min(pairs, 8 * workers);
  const auto part_of = [=](std::uint32_t part, std::uint64_t all) {
    return static_cast<std::uint32_t>(all * part / parts);
  };
  for (std::uint32_t first = 0; first < queries; first += workers) {
    const std::uint32_t count = std::min(queries - first, workers);
    const std::uint64_t items = std::uint64_t{count} * parts;
    Launch::for_each_index<Launch::Dynamic, std::uint32_t>(
        exec_space, "Kindred::Sequence::short_pair_values::scan_parts", items,
        [=](const std::uint32_t item) {
          const std::uint32_t q = item / parts;
          const std::uint32_t part = item % parts;
          kernel.scan(first + q, part_of(part, pairs), part_of(part + 1, pairs),
                      ordered ? unused : 0,
                      ordered ? out_row(first + q) : rows + std::size_t{q} * slots);
        });
    if (ordered) continue;
    Launch::for_each_index<Launch::Dynamic, std::uint32_t>(
        exec_space, "Kindred::Sequence::short_pair_values::move", items,
        [=](const std::uint32_t item) {
          const std::uint32_t q = item / parts;
          const std::uint32_t part = item % parts;
          move(rows + std::size_t{q} * slots, out_row(first + q), part_of(part, patterns),
               part_of(part + 1, patterns));
        });
  }
}

}  // namespace

}  // namespace Impl

template <class ExecutionSpace, class Source>
void write_pair_values(const ExecutionSpace& exec_space, const PatternTiles<ExecutionSpace>& tiles,
                       const QueryTables<ExecutionSpace>& queries, const PairRule& rule,
                       const ArrayView<const Source, ExecutionSpace>& sources,
                       const PairValues<ExecutionSpace>& values) {
  const Impl::ArgumentCheck check("write_pair_values");
  Impl::check_tiles(check, tiles);
  Impl::check_tables(check, queries, tiles);
  check.has(std::is_same_v<Source, WideRank> ? "keys" : "matched", sources,
            Impl::pairs_of(queries, tiles));
  Impl::check_values(check, values, queries.queries);
  if (tiles.tiles == 0 || queries.queries == 0) return;
  Launch::for_each_index(exec_space, "Kindred::Sequence::write_pair_values::write",
                         std::uint64_t{queries.queries} * tiles.slots(),
                         Impl::PairValuesKernel<ExecutionSpace, Source>{
                             tiles, queries.lengths, sources, values, rule, tiles.slots()});
}

std::uint32_t short_query_max() {
  return Special::is_used<Special::Form::short_values, HostSpace>()
             ? Impl::short_planes_max * plane_symbols
             : 0;
}

std::uint64_t short_pair_workspace(const HostSpace& exec_space,
                                   const PatternTiles<HostSpace>& tiles, std::uint32_t queries,
                                   DataType type) {
  const auto workers = static_cast<std::uint32_t>(std::max(Arch::concurrency(exec_space), 1));
  return std::uint64_t{std::min(workers, queries)} * tiles.slots() * size_of(type);
}

void short_pair_values(const HostSpace& exec_space, const PatternTiles<HostSpace>& tiles,
                       const QueryTables<HostSpace>& queries, ShortRecurrence recurrence,
                       const PairRule& rule,
                       const ArrayView<const std::uint32_t, HostSpace>& slot_of,
                       const ArrayView<std::byte, HostSpace>& workspace,
                       const PairValues<HostSpace>& values) {
  const Impl::ArgumentCheck check("short_pair_values");
  Impl::check_tiles(check, tiles);
  Impl::check_tables(check, queries, tiles);
  check.is_aligned("slot_of", slot_of);
  check.is_at_most("the size of slot_of", slot_of.size(), tiles.slots());
  check.has("workspace", workspace,
            short_pair_workspace(exec_space, tiles, queries.queries, values.type));
  check.is_aligned("workspace", workspace.data(), size_of(values.type));
  Impl::check_values(check, values, queries.queries);
  if (slot_of.size() == 0 || queries.queries == 0) return;
  if constexpr (Special::is_compiled<Special::Form::short_values, HostSpace>) {
    using enum ShortRecurrence;
    Impl::with_constant<lcs, levenshtein, osa, jaro_winkler>(recurrence, [&](auto chosen) {
      Impl::with_value_type(values.type, [&](auto element) {
        Impl::scan_short(exec_space,
                         Impl::ShortValuesKernel<decltype(element), decltype(chosen)::value>{
                             tiles, queries, rule},
                         slot_of, workspace, values);
      });
    });
  }
}

KINDRED_INSTANTIATE_FOR_SPACES(write_pair_values, std::uint32_t);
KINDRED_INSTANTIATE_FOR_SPACES(write_pair_values, WideRank);

}  // namespace Kindred
