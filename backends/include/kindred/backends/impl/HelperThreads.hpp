// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_HELPER_THREADS_HPP
#define KINDRED_BACKENDS_IMPL_HELPER_THREADS_HPP

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace Kindred::Impl {

/// \brief Threads that sleep until a caller has work to share.
///
/// The caller works too, and waits only for helpers that have joined, so a helper that wakes late
/// delays nobody. Threads are started when first needed. Thread-safe; jobs can be nested.
class HelperThreads {
 public:
  HelperThreads() = default;
  ~HelperThreads();
  HelperThreads(const HelperThreads&) = delete;
  HelperThreads& operator=(const HelperThreads&) = delete;

  /// \brief Runs `work(0)` on the calling thread and `work(worker)` on up to \p workers − 1
  /// helpers, each worker number at most once. Returns when all that have started have finished.
  /// \param workers maximum number of threads
  /// \param work must not throw
  template <class Work>
  void run(std::size_t workers, const Work& work) {
    Job job{
        [](const void* given, std::size_t worker) { (*static_cast<const Work*>(given))(worker); },
        &work, workers};
    open(job);
    work(0);
    close(job);
  }

 private:
  struct Job {
    void (*call)(const void* work, std::size_t worker);
    const void* work;
    std::size_t workers;
    std::size_t next_worker = 1;
    std::size_t running = 0;
    std::condition_variable ended = {};
  };

  void open(Job& job);
  void close(Job& job);
  void loop();

  std::mutex m_mutex;
  std::condition_variable m_opened;
  std::vector<Job*> m_open;  ///< jobs that helpers can still join
  std::vector<std::thread> m_threads;
  bool m_stopping = false;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_HELPER_THREADS_HPP
