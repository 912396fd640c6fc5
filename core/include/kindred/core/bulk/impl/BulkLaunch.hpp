// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_IMPL_BULK_LAUNCH_HPP
#define KINDRED_CORE_BULK_IMPL_BULK_LAUNCH_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/bulk/BulkList.hpp>
#include <kindred/core/common/ArgumentCheck.hpp>
#include <kindred/core/common/ContainingEntry.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// \p items are planned, and arrays that have no table exist. A table is not read: it may be on a
/// device.
template <class T>
void check_items(const ArgumentCheck& check, const BulkPlan& plan, const BulkItems<T>& items,
                 bool reads, bool writes) {
  if (plan.chunks == 0) return;
  check.is_at_least("items.count", items.count, 1);
  if (items.table != nullptr) return check.is_aligned("items.table", items.table, 8);
  check.is_at_least("items.chunks_each", items.chunks_each,
                    items.first.count / bulk_chunk<T> + (items.first.count % bulk_chunk<T> != 0));
  check.is_at_most("plan.chunks", plan.chunks, extent_of(items.count, items.chunks_each));
  if (reads) check.is_array("items.first.input", items.first.input, items.first.count);
  if (writes) check.is_array("items.first.output", items.first.output, items.first.count);
  check.is_aligned("items.first.other", items.first.other, alignof(T));
}

/// The elements `begin … begin + count` of item `index`.
struct BulkPart {
  std::uint32_t index;
  std::uint64_t begin;
  std::uint32_t count;
};
template <class T>
KOKKOS_INLINE_FUNCTION BulkPart part_of(const BulkItems<T>& items, std::uint64_t chunk) {
  std::uint32_t index = 0;
  if (items.table != nullptr) {
    index = containing_entry<&BulkItem<T>::first_chunk>(items.table, items.count, chunk);
  } else if (items.count > 1) {
    index = static_cast<std::uint32_t>(chunk / items.chunks_each);
  }
  const BulkItem<T> item = items[index];
  const std::uint64_t begin = (chunk - item.first_chunk) * bulk_chunk<T>;
  const std::uint64_t rest = item.count - begin;
  return {index, begin, static_cast<std::uint32_t>(rest < bulk_chunk<T> ? rest : bulk_chunk<T>)};
}

/// Threads that process a chunk together: those of a device team, or one of a host.
template <class ExecutionSpace>
inline constexpr std::uint32_t bulk_team = Arch::is_device<ExecutionSpace> ? 256 : 1;

/// The chunks of a device. \see for_each_chunk
template <class ExecutionSpace, class Body, unsigned Teams>
struct ChunkKernel {
  static constexpr unsigned threads_max = bulk_team<ExecutionSpace>;
  static constexpr unsigned teams_at_once = Teams;

  Body body;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member) const {
    body(static_cast<std::uint64_t>(member.league_rank()),
         static_cast<std::uint32_t>(member.team_rank()));
  }
};

/// Runs `body(chunk, thread)` for the chunks below \p chunks in `bulk_team` threads each. Does not
/// fence. \tparam Teams resident per multiprocessor
template <unsigned Teams = 4, class ExecutionSpace, class Body>
void for_each_chunk(const ExecutionSpace& exec_space, const char* label, std::uint64_t chunks,
                    const Body& body) {
  if constexpr (Arch::is_device<ExecutionSpace>) {
    Launch::for_each_team(exec_space, label,
                          {.count = chunks, .size = bulk_team<ExecutionSpace>, .lanes = 1},
                          ChunkKernel<ExecutionSpace, Body, Teams>{body});
  } else {
    Launch::for_each_index<Launch::Coarse>(exec_space, label, chunks,
                                           [=](std::uint64_t chunk) { body(chunk, 0); });
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_BULK_IMPL_BULK_LAUNCH_HPP
