// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/HelperThreads.hpp>
#include <kindred/backends/impl/StartThreads.hpp>

#include <exception>

namespace Kindred::Impl {

HelperThreads::~HelperThreads() {
  {
    const std::lock_guard lock(m_mutex);
    m_stopping = true;
  }
  m_opened.notify_all();
  for (std::thread& thread : m_threads) thread.join();
}

void HelperThreads::open(Job& job) {
  {
    const std::lock_guard lock(m_mutex);
    try {
      m_open.reserve(m_open.size() + 1);
      m_threads.reserve(job.workers);  // a thread that has started must have its place
      while (m_threads.size() + 1 < job.workers)
        m_threads.push_back(start_thread("a helper thread", [this] { loop(); }));
    } catch (const std::exception&) {
      // fewer threads do the same work
    }
    if (m_open.capacity() == m_open.size()) return;
    m_open.push_back(&job);
  }
  m_opened.notify_one();
}

void HelperThreads::close(Job& job) {
  std::unique_lock lock(m_mutex);
  std::erase(m_open, &job);
  job.ended.wait(lock, [&] { return job.running == 0; });
}

void HelperThreads::loop() {
  std::unique_lock lock(m_mutex);
  while (true) {
    m_opened.wait(lock, [&] { return m_stopping || !m_open.empty(); });
    if (m_stopping) return;
    Job& job = *m_open.back();
    const std::size_t worker = job.next_worker++;
    ++job.running;
    if (job.next_worker >= job.workers) std::erase(m_open, &job);
    const bool more = !m_open.empty();
    lock.unlock();
    // Each thread wakes two others, so that the caller does not pay for waking all of them.
    if (more) {
      m_opened.notify_one();
      m_opened.notify_one();
    }
    job.call(job.work, worker);
    lock.lock();
    if (--job.running == 0) job.ended.notify_one();
  }
}

}  // namespace Kindred::Impl
