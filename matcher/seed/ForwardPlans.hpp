// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_FORWARD_PLANS_HPP
#define KINDRED_MATCHER_SEED_FORWARD_PLANS_HPP

#include <kindred/backends/Space.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/common/ArrayView.hpp>
#include <kindred/core/common/Stream.hpp>
#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/memory/Buffer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// Calls that follow each other: of a host space, which may have different numbers of threads, or
/// of a stream of a device.
struct ForwardQueue {
  Space space = Space::serial;
  std::optional<Stream> stream = {};

  friend bool operator==(const ForwardQueue&, const ForwardQueue&) = default;
};

/// \brief The plan for calls of one shape on one queue, and the workspace that they share.
template <class ExecutionSpace>
struct ForwardPlan {
  SeedForwardShape shape;
  ForwardQueue queue;
  SeedForwardPlan plan;
  Buffer<std::byte, typename ExecutionSpace::memory_space> workspace;

  /// \param threads on the host: the most threads of a call; the workspace suffices for any fewer
  /// \throws OutOfMemory. Fences \p exec_space.
  ForwardPlan(const ExecutionSpace& exec_space, MemoryResource& memory,
              const SeedForwardShape& shape_, const ForwardQueue& queue_, int threads)
      : shape(shape_),
        queue(queue_),
        plan(seed_forward_plan(exec_space, shape_)),
        workspace(memory, "Kindred::SeedLayer::workspace", workspace_size(threads)) {
    if (workspace.size() == 0) return;
    Arch::start_fill(exec_space, workspace.view(), std::byte{0});
    Arch::fence(exec_space, "Kindred::SeedLayer::workspace");
  }
  bool serves(const SeedForwardShape& requested, const ForwardQueue& on) const {
    return shape.chunks == requested.chunks && shape.rows == requested.rows &&
           shape.input == requested.input && shape.telemetry == requested.telemetry && queue == on;
  }
  /// Plans for the threads of \p exec_space.
  void follow(const ExecutionSpace& exec_space) {
    if constexpr (!Arch::is_device<ExecutionSpace>) plan = seed_forward_plan(exec_space, shape);
  }

 private:
  std::size_t workspace_size(int threads) const {
    std::size_t size = plan.workspace;
    if constexpr (!Arch::is_device<ExecutionSpace>)
      for (int fewer = 1; fewer <= threads; ++fewer)
        size = std::max(size,
                        seed_forward_host_plan(shape, static_cast<std::uint32_t>(fewer)).workspace);
    return size;
  }
};

/// \brief The plans of the most recently called shapes.
template <class ExecutionSpace>
class ForwardPlans {
 public:
  /// \param threads on the host: the most threads of a call \throws OutOfMemory
  const ForwardPlan<ExecutionSpace>& get(const ExecutionSpace& exec_space, MemoryResource& memory,
                                         const SeedForwardShape& shape, const ForwardQueue& queue,
                                         int threads) {
    const auto found = std::find_if(m_plans.begin(), m_plans.end(),
                                    [&](const auto& plan) { return plan->serves(shape, queue); });
    if (found != m_plans.end()) {
      std::rotate(m_plans.begin(), found, found + 1);
      m_plans.front()->follow(exec_space);
      return *m_plans.front();
    }
    auto plan =
        std::make_unique<ForwardPlan<ExecutionSpace>>(exec_space, memory, shape, queue, threads);
    m_plans.reserve(plans_max + 1);
    m_plans.insert(m_plans.begin(), std::move(plan));
    // Freeing the workspace of a plan waits for the device.
    if (m_plans.size() > plans_max) m_plans.pop_back();
    return *m_plans.front();
  }

 private:
  static constexpr std::size_t plans_max = 16;
  std::vector<std::unique_ptr<ForwardPlan<ExecutionSpace>>> m_plans;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_FORWARD_PLANS_HPP
