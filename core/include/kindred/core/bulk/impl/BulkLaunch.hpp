// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_BULK_IMPL_BULK_LAUNCH_HPP
#define KINDRED_CORE_BULK_IMPL_BULK_LAUNCH_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/bulk/BulkList.hpp>
#include <kindred/core/common/ContainingEntry.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>

#include <cstdint>

namespace Kindred::Impl {

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

/// Threads of a device team that processes chunks.
inline constexpr int bulk_team = 256;

/// Runs one chunk per device team, or per host index. \tparam Body has `device(chunk, thread)` and
/// `host(chunk)`
template <class ExecutionSpace, class Body, unsigned Teams>
struct ChunkKernel {
  static constexpr unsigned threads_max = bulk_team;
  static constexpr unsigned teams_at_once = Teams;

  Body body;

  KOKKOS_INLINE_FUNCTION void operator()(const Launch::Member<ExecutionSpace>& member) const {
    body.device(static_cast<std::uint64_t>(member.league_rank()),
                static_cast<std::uint32_t>(member.team_rank()));
  }
};
template <class Body, unsigned Teams>
struct ChunkKernel<HostSpace, Body, Teams> {
  Body body;
  void operator()(std::uint64_t chunk) const { body.host(chunk); }
};

/// Launches \p body over \p chunks. Does not fence. \tparam Teams resident per multiprocessor
template <unsigned Teams = 4, class ExecutionSpace, class Body>
void for_each_chunk(const ExecutionSpace& exec_space, const char* label, std::uint64_t chunks,
                    const Body& body) {
  const ChunkKernel<ExecutionSpace, Body, Teams> kernel{body};
  if constexpr (Arch::is_device<ExecutionSpace>) {
    Launch::for_each_team(exec_space, label, {.count = chunks, .size = bulk_team, .lanes = 1},
                          kernel);
  } else {
    Launch::for_each_index<Launch::Coarse>(exec_space, label, chunks, kernel);
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_BULK_IMPL_BULK_LAUNCH_HPP
