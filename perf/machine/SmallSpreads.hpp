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

/// \brief Small spreads by the kernel that the engine answers them with, over a graph that is where
/// it runs, one after the other before anybody waits: what one takes without its caller.
class SmallSpreads {
 public:
  virtual ~SmallSpreads() = default;
  /// All of them. Waits.
  virtual void run() = 0;
  /// Whether the last run was one: a device without clusters has no such kernel.
  virtual bool is_usable() const = 0;
  /// What the last run found from source \p call; nothing where that has outgrown the kernel.
  virtual std::vector<Activation> answer(std::size_t call) const = 0;
};

/// \param sources of a spread each \param options `mode`, `hops`, `decay`, `threshold` and `top`
/// count
std::unique_ptr<SmallSpreads> small_spreads(const Context& context, Space space, std::size_t nodes,
                                            std::span<const Edge> edges,
                                            std::span<const Activation> sources,
                                            const SpreadOptions& options);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_MACHINE_SMALL_SPREADS_HPP
