// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_GRAPH_GRAPH_WORKSPACE_HPP
#define KINDRED_MATCHER_GRAPH_GRAPH_WORKSPACE_HPP

#include "FrontierWorkspace.hpp"
#include "GraphSnapshot.hpp"
#include "HopBins.hpp"
#include "PageRankWorkspace.hpp"
#include "SpreadingWorkspace.hpp"
#include "kit/CallOrder.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace Kindred::Impl {

/// The part of a workspace in a sum of bytes, until it is destroyed.
class KeptBytes {
 public:
  KeptBytes() = default;
  ~KeptBytes() { clear(); }
  KeptBytes(const KeptBytes&) = delete;
  KeptBytes& operator=(const KeptBytes&) = delete;

  /// \param sum must outlive this
  void set(std::atomic<std::uint64_t>& sum, std::uint64_t bytes) {
    if (m_sum == &sum && m_bytes == bytes) return;
    clear();
    m_sum = &sum;
    m_bytes = bytes;
    sum += bytes;
  }

 private:
  void clear() {
    if (m_sum != nullptr) *m_sum -= m_bytes;
  }

  std::atomic<std::uint64_t>* m_sum = nullptr;
  std::uint64_t m_bytes = 0;
};

/// What the calls over a graph use on one space, one after the other. \see WorkspaceCalls
template <class ExecutionSpace>
struct GraphWorkspace {
  using memory_space = typename ExecutionSpace::memory_space;

  GraphWorkspace(MemoryResource& memory, int threads)
      : slots(Arch::is_device<ExecutionSpace> ? 8 : static_cast<std::size_t>(threads)),
        whole(memory),
        frontier(memory),
        page_rank(memory),
        bins(memory) {}

  std::uint64_t kept_bytes() const { return whole.kept_bytes() + bins.bytes(); }
  /// Releases memory that whole hops can do without. Returns whether there was any.
  bool give_back() {
    const bool had_any = !frontier.is_empty();
    frontier.release();
    return bins.drop() || had_any;
  }
  /// The bins of the rows as built, once \p hops more have amortised them; on a device. \see
  /// HopBins
  BinnedEdges<memory_space> bins_of([[maybe_unused]] const ExecutionSpace& exec_space,
                                    [[maybe_unused]] const GraphSnapshot& graph,
                                    [[maybe_unused]] std::size_t hops) {
    if constexpr (!Arch::is_device<ExecutionSpace>) {
      return {};
    } else {
      const auto host = graph.host().in.built.offsets;
      return bins.after(exec_space, hops, graph.base(), graph.view(exec_space).in.built,
                        {host.data(), host.extent(0)});
    }
  }

  const std::size_t slots;  ///< small queries processed concurrently; further ones wait
  SpreadingWorkspace<ExecutionSpace> whole;
  FrontierWorkspace<ExecutionSpace> frontier;
  PageRankWorkspace<ExecutionSpace> page_rank;
  HopBins<ExecutionSpace> bins;
  KeptBytes kept;
  CallOrder<ExecutionSpace> on_streams;  ///< destroyed first: they use the members above
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_GRAPH_GRAPH_WORKSPACE_HPP
