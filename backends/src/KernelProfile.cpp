// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/KernelProfile.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "KernelEvents.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <tuple>

namespace Kindred {

struct KINDRED_HIDDEN KernelProfile::State final : Impl::KernelListener {
  void on_kernel(const Impl::KernelEvent& event) override {
    const double seconds = std::chrono::duration<double>(event.end - event.begin).count();
    try {
      const std::lock_guard lock(mutex);
      KernelTime& time = times[{event.label, event.device}];
      time.label = event.label;
      time.device = event.device;
      ++time.count;
      time.seconds += seconds;
      time.longest = std::max(time.longest, seconds);
    } catch (const std::bad_alloc&) {
      return;  // the call that was observed goes on
    }
  }

  mutable std::mutex mutex;
  std::map<std::pair<std::string, bool>, KernelTime> times;
};

KernelProfile::KernelProfile() try : m_state(std::make_unique<State>()) {
  m_state->start_listening();
} catch (...) {
  Impl::rethrow_translated("Kindred::KernelProfile");
}
KernelProfile::~KernelProfile() { m_state->stop_listening(); }

std::vector<KernelTime> KernelProfile::kernels() const try {
  std::vector<KernelTime> kernels;
  {
    const std::lock_guard lock(m_state->mutex);
    for (const auto& [key, time] : m_state->times) kernels.push_back(time);
  }
  std::sort(kernels.begin(), kernels.end(), [](const KernelTime& a, const KernelTime& b) {
    return std::tie(b.seconds, a.label, a.device) < std::tie(a.seconds, b.label, b.device);
  });
  return kernels;
} catch (...) {
  Impl::rethrow_translated("Kindred::KernelProfile::kernels");
}

void KernelProfile::reset() {
  const std::lock_guard lock(m_state->mutex);
  m_state->times.clear();
}

}  // namespace Kindred
