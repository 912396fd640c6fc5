// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_CUDA_GRAPH_HPP
#define KINDRED_BACKENDS_IMPL_CUDA_GRAPH_HPP

#include <kindred/core/arch/Spaces.hpp>

#include <functional>
#include <memory>

namespace Kindred::Impl {

/// \brief Launches that are made once and repeated: on a device one call to its driver, whatever
/// they were; on the host the launches themselves.
///
/// What they read and write must stay where it is.
template <class ExecutionSpace>
class CudaGraph {
 public:
  /// \brief Runs \p launches once and records them. Fences \p exec_space.
  /// \param launches makes kernels and nothing else on \p exec_space, and does not fence
  ///
  /// Where a device cannot record them they are made anew by every `replay`. \throws DeviceLost
  void capture(const ExecutionSpace& exec_space, std::function<void()> launches);
  /// Does not fence.
  void replay(const ExecutionSpace& exec_space) const;
  bool is_captured() const noexcept { return m_launches != nullptr; }

 private:
  std::function<void()> m_launches;
  std::shared_ptr<void> m_graph;  // of a device
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_CUDA_GRAPH_HPP
