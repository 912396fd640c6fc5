// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_CUDA_GRAPH_HPP
#define KINDRED_BACKENDS_IMPL_CUDA_GRAPH_HPP

#include <kindred/core/arch/Spaces.hpp>

#include <functional>
#include <memory>

namespace Kindred::Impl {

/// \brief A sequence of launches that is recorded once and replayed: as a CUDA graph with one
/// driver call on a device, by repeating the launches on the host.
///
/// The memory that the launches read and write must not move. Not thread-safe.
template <class ExecutionSpace>
class CudaGraph {
 public:
  /// \brief Runs \p launches once and records them. Fences \p exec_space.
  /// \param exec_space where the launches run
  /// \param launches must only launch kernels on \p exec_space, and must not fence
  ///
  /// If the device cannot record the launches, every `replay` repeats them. \throws DeviceLost
  void capture(const ExecutionSpace& exec_space, std::function<void()> launches);
  /// Runs the recorded launches again. Does not fence.
  void replay(const ExecutionSpace& exec_space) const;
  bool is_captured() const noexcept { return m_launches != nullptr; }
  /// Whether a replay is one driver call instead of repeated launches.
  bool is_recorded() const noexcept { return m_graph != nullptr; }

 private:
  std::function<void()> m_launches;
  std::shared_ptr<void> m_graph;  // CUDA graph; null if not recorded
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_CUDA_GRAPH_HPP
