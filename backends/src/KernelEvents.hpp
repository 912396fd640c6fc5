// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_KERNEL_EVENTS_HPP
#define KINDRED_BACKENDS_SRC_KERNEL_EVENTS_HPP

#include <chrono>
#include <string>

namespace Kindred::Impl {

/// A kernel that has ended.
struct KernelEvent {
  std::string label;
  bool device = false;
  std::chrono::steady_clock::time_point begin;
  std::chrono::steady_clock::time_point end;
};

/// Observes every kernel of the process between construction and destruction. `on_kernel` is called
/// by the launching thread, one call at a time.
class KernelListener {
 public:
  KernelListener() = default;
  KernelListener(const KernelListener&) = delete;
  KernelListener& operator=(const KernelListener&) = delete;
  virtual ~KernelListener() = default;
  virtual void on_kernel(const KernelEvent& event) = 0;

  void start_listening();
  /// No call of `on_kernel` is in progress when it returns.
  void stop_listening() noexcept;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_SRC_KERNEL_EVENTS_HPP
