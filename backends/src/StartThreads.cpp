// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/StartThreads.hpp>
#include <kindred/backends/impl/ThreadCount.hpp>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace Kindred::Impl {

namespace {

/// A thread that waits until the gate is opened.
struct Waiting {
  std::mutex* gate = nullptr;
  pthread_t thread{};
  std::atomic<pid_t> id{0};

  static void* wait(void* given) {
    auto& self = *static_cast<Waiting*>(given);
    self.id = ::gettid();
    const std::lock_guard opened(*self.gate);
    return nullptr;
  }
};

class StackAttributes {
 public:
  StackAttributes() {
    pthread_attr_init(&m_attributes);
    const std::size_t bytes =
        openmp_stack_bytes([](const char* name) -> const char* { return std::getenv(name); });
    if (bytes > 0) pthread_attr_setstacksize(&m_attributes, bytes);
  }
  ~StackAttributes() { pthread_attr_destroy(&m_attributes); }
  StackAttributes(const StackAttributes&) = delete;
  StackAttributes& operator=(const StackAttributes&) = delete;
  const pthread_attr_t* get() const { return &m_attributes; }

 private:
  pthread_attr_t m_attributes{};
};

/// Waits until the system no longer counts thread \p id, which has been joined, among the threads
/// of the process, but no longer than until \p end: another thread may have got the same id.
void wait_until_released(pid_t id, std::chrono::steady_clock::time_point end) {
  while (::tgkill(::getpid(), id, 0) == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::yield();
}

}  // namespace

std::string cannot_be_started(const std::string& what, const std::string& reason) {
  return what + " cannot be started: " + reason +
         "; allow the process more threads, address space or memory (ulimit -u, ulimit -v, its "
         "control group)";
}

std::string why_threads_cannot_start(int count) {
  if (count <= 0) return {};
  const StackAttributes attributes;
  std::vector<Waiting> threads(static_cast<std::size_t>(count));
  std::size_t started = 0;
  int failure = 0;
  std::mutex gate;
  {
    const std::lock_guard closed(gate);
    for (; started < threads.size(); ++started) {
      Waiting& next = threads[started];
      next.gate = &gate;
      failure = pthread_create(&next.thread, attributes.get(), &Waiting::wait, &next);
      if (failure != 0) break;
    }
  }
  for (std::size_t i = 0; i < started; ++i) pthread_join(threads[i].thread, nullptr);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  for (std::size_t i = 0; i < started; ++i) wait_until_released(threads[i].id, end);
  if (failure == 0) return {};
  return cannot_be_started(std::to_string(count) + (count == 1 ? " thread" : " threads"),
                           std::generic_category().message(failure));
}

void start_team([[maybe_unused]] int threads) {
#if defined(_OPENMP)
  thread_local int threads_here = 1;
  if (threads <= 1 || threads == threads_here || omp_get_level() > 0) return;
  const std::string why_not = why_threads_cannot_start(threads - 1);
  if (!why_not.empty()) throw SpaceUnavailable(why_not);
  start_all_threads();
#pragma omp parallel num_threads(threads)
  { asm volatile(""); }  // the compiler removes a region without any effect
  threads_here = threads;
#endif
}

}  // namespace Kindred::Impl
