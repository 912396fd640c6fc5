// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEQUENCE_SCAN_WORKSPACE_HPP
#define KINDRED_MATCHER_SEQUENCE_SCAN_WORKSPACE_HPP

#include "HostPatterns.hpp"
#include "QueryBuffers.hpp"

#include <kindred/core/numeric/Rank.hpp>
#include <kindred/core/select/WideRank.hpp>
#include <kindred/core/sequence/Postings.hpp>
#include <kindred/core/sequence/SymbolTable.hpp>
#include <kindred/memory/Buffer.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace Kindred::Impl {

struct EndStreamUse {
  void operator()(std::atomic<bool>* is_used) const noexcept { *is_used = false; }
};
/// The use of the stream of the context by one workspace at a time; null: it has its own.
using StreamUse = std::unique_ptr<std::atomic<bool>, EndStreamUse>;

/// \brief What a scan of the patterns of a space works with, used by one call at a time: the
/// instance, and buffers that are kept. \see ScanBatch
template <class ExecutionSpace>
struct ScanWorkspace {
  using memory_space = typename ExecutionSpace::memory_space;
  static constexpr bool is_host = std::is_same_v<memory_space, Kokkos::HostSpace>;
  template <class T>
  using buffer_type = Buffer<T, memory_space>;

  /// Buffers that depend on the type of the keys.
  template <class Key>
  struct Selection {
    MemoryResource& memory;
    buffer_type<Key> keys{memory, "Kindred::SequenceMatcher::keys", 0};
    buffer_type<Key> best{memory, "Kindred::SequenceMatcher::best", 0};
    buffer_type<Key> workspace{memory, "Kindred::SequenceMatcher::top_k_workspace", 0};
    std::vector<Key> answer = {};
  };

  /// \param threads host threads of any call; 0 on a device
  ScanWorkspace(const ExecutionSpace& instance, MemoryResource& resource,
                std::shared_ptr<const TileBuffers<ExecutionSpace>> scanned, int threads,
                StreamUse use)
      : stream_use(std::move(use)),
        kept_instance(instance),
        memory(resource),
        patterns(std::move(scanned)),
        threads_max(threads) {}

  static const ExecutionSpace& instance_of(const ScanWorkspace& workspace) noexcept {
    return workspace.exec_space();
  }
  /// Begins a call on \p given, the instance of a host space: the team of the last call may have
  /// had another size. On a device, each workspace has an instance of its own.
  void begin([[maybe_unused]] const ExecutionSpace& given) {
    if constexpr (is_host) kept_instance = given;
  }
  const ExecutionSpace& exec_space() const noexcept { return *kept_instance; }

  template <class Key>
  Selection<Key>& selection() noexcept {
    if constexpr (std::is_same_v<Key, Rank>) {
      return narrow;
    } else {
      return wide;
    }
  }

  StreamUse stream_use;  // ends last
  KeptInstance<ExecutionSpace> kept_instance;
  MemoryResource& memory;
  std::shared_ptr<const TileBuffers<ExecutionSpace>> patterns;
  int threads_max;  ///< of any call; 0 on a device
  QueryBuffers<ExecutionSpace> queries{memory};
  PopularSymbols<ExecutionSpace> popular{memory};
  PlacedValues<std::uint32_t, ExecutionSpace> index_limits{
      memory, "Kindred::SequenceMatcher::index_limits"};
  buffer_type<std::uint32_t> matched{memory, "Kindred::SequenceMatcher::matched", 0};
  buffer_type<std::uint32_t> sampled{memory, "Kindred::SequenceMatcher::sampled", 0};
  buffer_type<Rank> bounds{memory, "Kindred::SequenceMatcher::bounds", 0};
  buffer_type<std::uint64_t> carry{memory, "Kindred::SequenceMatcher::carry", 0};
  buffer_type<std::uint32_t> survivors{memory, "Kindred::SequenceMatcher::survivors", 0};
  buffer_type<std::uint32_t> counters{memory, "Kindred::SequenceMatcher::counters", 0};
  buffer_type<std::uint64_t> runs{memory, "Kindred::SequenceMatcher::runs", 0};
  // Of a query that uses postings.
  PlacedValues<PostingList, ExecutionSpace> posting_lists{
      memory, "Kindred::SequenceMatcher::posting_lists"};
  PlacedValues<Symbol, ExecutionSpace> listed_symbols{memory,
                                                      "Kindred::SequenceMatcher::listed_symbols"};
  PlacedValues<std::uint64_t, ExecutionSpace> listed_masks{
      memory, "Kindred::SequenceMatcher::listed_masks"};
  Selection<Rank> narrow{memory};
  Selection<WideRank> wide{memory};
  // Of a matrix of values.
  PlacedValues<std::uint64_t, ExecutionSpace> row_begins{memory,
                                                         "Kindred::SequenceMatcher::row_begins"};
  buffer_type<std::byte> values{memory, "Kindred::SequenceMatcher::values",
                                0};  ///< not yet in the
                                     ///< order, or the memory, of the caller
  SymbolCounts distinct;
  std::vector<std::uint32_t> lane_symbols;
  std::vector<std::uint64_t> lane_begins;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEQUENCE_SCAN_WORKSPACE_HPP
