// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_SEQUENCE_IMPL_QUERY_SEGMENT_TABLES_HPP
#define KINDRED_CORE_SEQUENCE_IMPL_QUERY_SEGMENT_TABLES_HPP

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/launch/ForEachTeam.hpp>
#include <kindred/core/sequence/QueryTables.hpp>
#include <kindred/core/sequence/impl/SequencePack.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace Kindred::Impl {

/// \brief Makes the tables of a query segment available where a pack looks up masks: a host thread
/// reads them in place through its caches, a device team keeps a copy in scratch.
template <class ExecutionSpace>
struct QuerySegmentTables;

template <>
struct QuerySegmentTables<HostSpace> {
  static constexpr std::uint32_t near_bits_max = 32;

  template <class SymbolType, unsigned Words, class Member, class Queries>
  static SequencePack<HostSpace>::Tables make(const Member&, const Queries& queries,
                                              std::uint32_t segment, const QuerySegment& s,
                                              std::uint32_t) {
    return {queries.columns.data() + s.first_columns, s.columns,
            queries.codes.data() + segment * queries.code_stride};
  }
  template <class SymbolType, unsigned Words, class Queries>
  static std::size_t scratch_bytes(const Queries&, std::uint32_t) {
    return 0;
  }
  /// Few enough that threads share the work evenly, enough that a task outweighs its overhead.
  static std::uint32_t tiles_per_team(const HostSpace&, std::uint32_t, std::uint32_t) { return 32; }
};

template <>
struct QuerySegmentTables<DeviceSpace> {
  using pack = SequencePack<DeviceSpace>;
  using Lookup = pack::Lookup;
  /// A larger hash does not fit next to the masks of two words.
  static constexpr std::uint32_t near_bits_max = 12;

  /// Fills the scratch of \p team and synchronises the team.
  template <class SymbolType, unsigned Words, class Member, class Queries>
  KOKKOS_INLINE_FUNCTION static pack::Tables make(const Member& team, const Queries& queries,
                                                  std::uint32_t, const QuerySegment& s,
                                                  std::uint32_t vocabulary) {
    constexpr Lookup from = pack::lookup<SymbolType, Words>;
    constexpr std::uint32_t row_words = pack::mask_bytes / sizeof(std::uint64_t);
    const WordTable* word = queries.words.data() + s.first_word;
    const SymbolHash hash = queries.symbol_hash(s);
    const std::uint32_t copy_words = s.words == 3 ? 4 : s.words == 0 ? 1 : s.words;
    const std::uint32_t rows = (from == Lookup::symbol ? vocabulary : s.codes) + 1;
    const std::uint32_t entries = from == Lookup::near_hash && s.words > 0 ? 1U << hash.bits : 0;
    auto* masks = static_cast<std::uint64_t*>(team.team_scratch(0).get_shmem_aligned(
        rows * pack::mask_bytes + entries * sizeof(std::uint32_t), pack::mask_bytes));
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(team, rows * row_words), [&](const std::uint32_t i) {
          const std::uint32_t at = i / row_words;
          const std::uint32_t w = i % copy_words;
          std::uint32_t code = no_code;
          if constexpr (from == Lookup::symbol) {
            if (s.words > 0) code = hash.code(at, no_code);
          } else if (at < s.codes) {
            code = at;
          }
          masks[i] = w < s.words ? word[w].mask(static_cast<std::uint8_t>(code)) : 0;
        });
    pack::Tables tables;
    tables.masks = reinterpret_cast<pack::Address>(masks);
    if constexpr (from == Lookup::near_hash) {
      auto* kept = reinterpret_cast<std::uint32_t*>(masks + rows * row_words);
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, entries),
                           [&](const std::uint32_t i) { kept[i] = hash.entries[i]; });
      tables.near_hash = reinterpret_cast<pack::Address>(kept);
    }
    tables.hash = hash;
    tables.none = s.codes;
    tables.padding = vocabulary;
    tables.copy_bytes = copy_words * sizeof(std::uint64_t);
    team.team_barrier();
    return tables;
  }
  template <class SymbolType, unsigned Words, class Queries>
  static std::size_t scratch_bytes(const Queries& queries, std::uint32_t vocabulary) {
    constexpr Lookup from = pack::lookup<SymbolType, Words>;
    const std::size_t rows = (from == Lookup::symbol ? vocabulary : queries.codes_max) + 2ULL;
    const std::size_t entries =
        from == Lookup::near_hash ? std::size_t{1} << queries.hash_bits_max : 0;
    return rows * pack::mask_bytes + entries * sizeof(std::uint32_t);
  }
  /// Tiles per team: enough that filling its tables costs little, few enough to fill the device.
  static std::uint32_t tiles_per_team(const DeviceSpace& exec_space, std::uint32_t tiles,
                                      std::uint32_t queries) {
    const auto work_items = static_cast<std::uint64_t>(Arch::concurrency(exec_space)) / 32;
    const std::uint64_t share =
        std::uint64_t{tiles} * queries / std::max<std::uint64_t>(work_items, 1);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>((share + 7) / 8 * 8, 8, 1024));
  }
};

/// \brief Launches \p kernel for one segment of every query; a team processes a run of \p tiles
/// tiles of one query. Does not fence.
///
/// \tparam Words maximum per segment \tparam Kernel bounds its registers so that enough warps are
/// resident to hide the loads
template <class SymbolType, unsigned Words, class ExecutionSpace, class Kernel>
void launch_segment(const char* label, const ExecutionSpace& exec_space, std::uint32_t tiles,
                    Kernel kernel) {
  using tables = QuerySegmentTables<ExecutionSpace>;
  const std::uint32_t queries = kernel.queries.queries;
  kernel.tiles_per_team = tables::tiles_per_team(exec_space, tiles, queries);
  const std::uint32_t teams = (tiles + kernel.tiles_per_team - 1) / kernel.tiles_per_team;
  Launch::for_each_team<Launch::Dynamic>(
      exec_space, label,
      {.count = std::uint64_t{teams} * queries,
       .scratch_bytes = tables::template scratch_bytes<SymbolType, Words>(kernel.queries,
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
      const bool near_hash =
          queries.hash_bits_max <= QuerySegmentTables<ExecutionSpace>::near_bits_max;
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

#endif  // KINDRED_CORE_SEQUENCE_IMPL_QUERY_SEGMENT_TABLES_HPP
