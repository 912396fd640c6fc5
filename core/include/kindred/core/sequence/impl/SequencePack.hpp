// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_SEQUENCE_PACK_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_SEQUENCE_PACK_HPP

#include <kindred/core/arch/Special.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/sequence/impl/HostPack.hpp>
#include <kindred/core/sequence/special/WarpPack.hpp>

#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// \brief The patterns that one work item of a sequence kernel advances together.
///
/// On the host a thread carries two tiles (64 patterns) and 128 rows at a time; on a device a lane
/// carries one pattern of its warp's tile, eight rows at a time. The host reads the tables of a
/// query segment in place through its caches; a device team keeps a copy in scratch.
template <class ExecutionSpace>
using SequencePack = Special::type_of<Special::Form::warp_pack, ExecutionSpace, WarpPack, HostPack>;

/// \brief Launches \p kernel for one segment of every query; a team processes a run of \p tiles
/// tiles of one query. Does not fence.
///
/// \tparam Words maximum per segment \tparam Kernel bounds its registers so that enough warps are
/// resident to hide the loads
template <class SymbolType, unsigned Words, class ExecutionSpace, class Kernel>
void launch_segment(const char* label, const ExecutionSpace& exec_space, std::uint32_t tiles,
                    Kernel kernel) {
  using pack = SequencePack<ExecutionSpace>;
  const std::uint32_t queries = kernel.queries.queries;
  kernel.tiles_per_team = pack::tiles_per_team(exec_space, tiles, queries);
  const std::uint32_t teams = quotient_up(tiles, kernel.tiles_per_team);
  Launch::for_each_team<Launch::Dynamic>(
      exec_space, label,
      {.count = std::uint64_t{teams} * queries,
       .scratch_bytes = pack::template scratch_bytes<SymbolType, Words>(kernel.queries,
                                                                        kernel.tiles.vocabulary)},
      kernel);
}

/// Calls `launch(words, segment)` for the segments in turn, where the integral constant `words` is
/// the fewest per segment that suffice of those for which kernels are compiled.
template <class ExecutionSpace, class Body>
void launch_segments(const QueryTables<ExecutionSpace>& queries, const Body& launch) {
  const std::uint32_t segments = queries.segments_max > 0 ? queries.segments_max : 1;
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    // On the host the kernel's size does not matter: one instance suffices.
    if constexpr (Arch::is_device<ExecutionSpace>) {
      const bool near_hash = queries.hash_bits_max <= SequencePack<ExecutionSpace>::near_bits_max;
      if (near_hash && queries.words_max <= 1) {
        launch(std::integral_constant<unsigned, 1>(), segment);
        continue;
      }
      if (near_hash && queries.words_max == 2) {
        launch(std::integral_constant<unsigned, 2>(), segment);
        continue;
      }
    }
    launch(std::integral_constant<unsigned, segment_words>(), segment);
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_CORE_SEQUENCE_IMPL_SEQUENCE_PACK_HPP
