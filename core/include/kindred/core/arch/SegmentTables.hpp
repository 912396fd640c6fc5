// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_SEGMENT_TABLES_HPP
#define KINDRED_CORE_ARCH_SEGMENT_TABLES_HPP

#include <kindred/core/arch/SequencePack.hpp>
#include <kindred/core/sequence/QueryTables.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Kindred::Arch {

/// \brief Brings the tables of a query segment where a pack looks masks up: the caches of a host
/// thread read them in place, a device team keeps its own copy in scratch.
template <class ExecutionSpace>
struct SegmentTables;

template <>
struct SegmentTables<HostSpace> {
  template <class Member>
  static SequencePack<HostSpace>::Tables make(const Member&, const QueryTables<HostSpace>& queries,
                                              const QuerySegment& segment,
                                              const std::uint8_t* codes, std::uint32_t) {
    return {queries.columns.data() + segment.first_columns, segment.columns, codes};
  }
  static std::size_t scratch_bytes(std::uint32_t, std::uint32_t) { return 0; }
  /// Few enough that threads share the work evenly, many enough that a task outweighs its start.
  static std::uint32_t tiles_per_team(const HostSpace&, std::uint32_t, std::uint32_t) { return 32; }
};

#if KINDRED_HAS_DEVICE
template <>
struct SegmentTables<DeviceSpace> {
  /// Masks that a team may keep.
  static constexpr std::uint32_t masks_max = 4160;

  KOKKOS_INLINE_FUNCTION static bool symbols_are_codes(std::uint32_t words,
                                                       std::uint32_t vocabulary) {
    return words * (std::uint64_t{vocabulary} + 1) <= masks_max;
  }
  KOKKOS_INLINE_FUNCTION static bool keeps_codes(std::uint32_t words, std::uint32_t vocabulary) {
    return words * 256ULL * 8 + vocabulary + 1 <= masks_max * 8ULL;
  }

  /// Fills the scratch of \p team and waits for it.
  template <class Member>
  KOKKOS_INLINE_FUNCTION static SequencePack<DeviceSpace>::Tables make(
      const Member& team, const QueryTables<DeviceSpace>& queries, const QuerySegment& segment,
      const std::uint8_t* codes, std::uint32_t vocabulary) {
    const std::uint32_t words = segment.words;
    const WordTable* word = queries.words.data() + segment.first_word;
    SequencePack<DeviceSpace>::Tables tables{nullptr, nullptr, 256};
    const bool direct = symbols_are_codes(words, vocabulary);
    const bool near_codes = !direct && keeps_codes(words, vocabulary);
    if (direct) tables.stride = vocabulary + 1;
    const std::uint32_t entries = words * tables.stride;
    auto* masks = static_cast<std::uint64_t*>(team.team_scratch(0).get_shmem_aligned(
        entries * sizeof(std::uint64_t) + (near_codes ? vocabulary + 1 : 0), 8));
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, entries), [&](const std::uint32_t i) {
      const std::uint32_t at = i % tables.stride;
      masks[i] = word[i / tables.stride].mask(direct ? codes[at] : static_cast<std::uint8_t>(at));
    });
    if (near_codes) {
      auto* kept = reinterpret_cast<std::uint8_t*>(masks + entries);
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, vocabulary + 1),
                           [&](const std::uint32_t i) { kept[i] = codes[i]; });
      tables.codes = kept;
    } else if (!direct) {
      tables.codes = codes;
    }
    tables.masks = masks;
    team.team_barrier();
    return tables;
  }
  static std::size_t scratch_bytes(std::uint32_t words, std::uint32_t vocabulary) {
    if (symbols_are_codes(words, vocabulary)) return words * (std::size_t{vocabulary} + 1) * 8 + 16;
    return words * std::size_t{256} * 8 + (keeps_codes(words, vocabulary) ? vocabulary + 1 : 0) +
           16;
  }
  /// Tiles of a team: many, so that filling its tables costs little, few enough to fill the device.
  static std::uint32_t tiles_per_team(const DeviceSpace& exec_space, std::uint32_t tiles,
                                      std::uint32_t queries) {
    const auto units = static_cast<std::uint64_t>(exec_space.concurrency()) / 32;
    const std::uint64_t share =
        std::uint64_t{tiles} * queries / std::max<std::uint64_t>(units / 2, 1);
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>((share + 7) / 8 * 8, 8, 1024));
  }
};
#endif

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_SEGMENT_TABLES_HPP
