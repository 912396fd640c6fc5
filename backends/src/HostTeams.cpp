// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/backends/impl/HostResources.hpp>
#include <kindred/backends/impl/HostTeams.hpp>
#include <kindred/backends/impl/TeamSizes.hpp>
#include <kindred/backends/impl/ThreadChoice.hpp>
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/common/Cancellation.hpp>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace Kindred::Impl {

namespace {

/// The team that this thread works for.
struct TeamHere {
  const HostTeams* owner = nullptr;
  const HostSpace* instance = nullptr;
};
thread_local TeamHere team_here;

/// Binds thread \p i of a team to its part of the processors.
struct KeepApart {
  int threads;
  void operator()(int i) const { keep_thread_to_part(i, threads); }
};

bool in_parallel_region() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return omp_get_level() > 0;
#else
  return false;
#endif
}

}  // namespace

class HostTeams::Team {
 public:
  Team(const HostTeams& owner, const HostSpace& instance, int threads)
      : m_owner(&owner), m_instance(instance), m_threads(threads) {}
  ~Team() {
    if (!m_thread.joinable()) return;
    {
      const std::lock_guard lock(m_mutex);
      m_stopping = true;
    }
    m_changed.notify_one();
    m_thread.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int threads() const noexcept { return m_threads; }

  /// Returns false if the team is busy or its thread cannot be started.
  bool run(Call call, const void* body) {
    if (m_threads == 1) {
      run_here(call, body);
      return true;
    }
    const std::unique_lock busy(m_busy, std::try_to_lock);
    if (!busy.owns_lock()) return false;
    try {
      if (!m_thread.joinable()) m_thread = std::thread([this] { loop(); });
    } catch (const std::system_error&) {
      return false;
    }
    std::exception_ptr failure;
    {
      std::unique_lock lock(m_mutex);
      m_call = call;
      m_body = body;
      m_changed.notify_one();
      const CancelPoint point;
      m_point = point;
      m_delay = CallbackDelay::present();
      const auto has_ended = [&] { return m_call == nullptr; };
      if (!point.is_needed()) {
        m_changed.wait(lock, has_ended);
      } else {
        // The check of the caller may take as long as it likes.
        while (!m_changed.wait_for(lock, cancel_interval, has_ended)) {
          lock.unlock();
          (void)point.is_cancelled();
          lock.lock();
        }
      }
      failure = std::exchange(m_failure, nullptr);
    }
    if (failure) std::rethrow_exception(failure);
    return true;
  }

 private:
  void run_here(Call call, const void* body) {
    struct Restore {
      TeamHere before = team_here;
      ~Restore() { team_here = before; }
    };
    const Restore restore;
    team_here = {m_owner, &m_instance};
    call(body);
  }

  void loop() {
#if defined(KOKKOS_ENABLE_OPENMP)
    omp_set_num_threads(m_threads);  // only for regions of this thread
    start_all_threads();
    // The system may wake a thread of the team on a processor where another one runs, and takes
    // milliseconds to move it. A binding set by the user is kept.
    if (omp_get_proc_bind() == omp_proc_bind_false) {
      Kokkos::parallel_for("Kindred::HostTeams::keep_apart",
                           Kokkos::RangePolicy<HostSpace>(m_instance, 0, m_threads),
                           KeepApart{m_threads});
    }
#endif
    std::unique_lock lock(m_mutex);
    while (true) {
      m_changed.wait(lock, [&] { return m_stopping || m_call != nullptr; });
      if (m_stopping) return;
      lock.unlock();
      std::exception_ptr failure;
      try {
        const CancelPoint::Part part(m_point);
        const CallbackDelay::Part delayed(m_delay);
        run_here(m_call, m_body);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      m_failure = std::exchange(failure, nullptr);
      m_call = nullptr;
      m_changed.notify_one();
    }
  }

  const HostTeams* m_owner;
  const HostSpace m_instance;
  const int m_threads;
  std::mutex m_busy;  ///< one call at a time
  std::thread m_thread;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  Call m_call = nullptr;
  const void* m_body = nullptr;
  CancelPoint m_point;               ///< of the caller
  CallbackDelay* m_delay = nullptr;  ///< likewise
  std::exception_ptr m_failure;
  bool m_stopping = false;
};

HostTeams::HostTeams(int threads, const HostSpace& all) : m_all(all) {
  const auto new_instance = [this](int size) -> const HostSpace& {
    return m_instances.emplace_back(std::make_unique<HostInstance>(size))->get();
  };
  if (threads > 1) m_teams.push_back(std::make_unique<Team>(*this, new_instance(1), 1));
  for (const int size : team_sizes(threads)) {
    const HostSpace& instance = size == threads ? all : new_instance(size);
    m_teams.push_back(std::make_unique<Team>(*this, instance, size));
  }
}

HostTeams::~HostTeams() = default;

int HostTeams::run(int threads, Call call, const void* body) {
  const HostSpace* const mine = here();
  if (mine == nullptr && !in_parallel_region()) {
    for (const auto& team : m_teams)
      if (team->threads() >= threads && team->run(call, body)) return team->threads();
  }
  call(body);
  return Arch::concurrency(mine != nullptr ? *mine : m_all);
}

const HostSpace* HostTeams::here() const noexcept {
  return team_here.owner == this ? team_here.instance : nullptr;
}

}  // namespace Kindred::Impl
