// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_MACHINE_SMALL_SPREADS_HPP
#define KINDRED_PERF_MACHINE_SMALL_SPREADS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/matcher/SpreadingEngine.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace Kindred::Perf {

/// \brief Runs small spreads with the engine's kernels on a resident graph, all enqueued before one
/// fence: the time per spread without the overhead of its caller. Without thread block clusters, or
/// without the special form for them, these are the kernels for frontiers of any size.
class SmallSpreads {
 public:
  virtual ~SmallSpreads() = default;
  /// Runs all spreads. Fences.
  virtual void run() = 0;
  /// The nodes that the last run found from source \p call; empty if it exceeded the capacity of
  /// the kernel.
  virtual std::vector<Activation> answer(std::size_t call) const = 0;
};

/// \param sources per spread
/// \param options uses `mode`, `hops`, `decay`, `threshold` and `top`
std::unique_ptr<SmallSpreads> small_spreads(const Context& context, Space space, std::size_t nodes,
                                            std::span<const Edge> edges,
                                            std::span<const Activation> sources,
                                            const SpreadOptions& options);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_MACHINE_SMALL_SPREADS_HPP
