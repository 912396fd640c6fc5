// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/CallbackDelay.hpp>
#include <kindred/backends/impl/OpenMPTeams.hpp>
#include <kindred/backends/impl/StartThreads.hpp>
#include <kindred/backends/impl/ThreadCount.hpp>
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace Kindred::Impl {

namespace {

/// The team that this thread works for.
struct TeamHere {
  const OpenMPTeams* owner = nullptr;
  const HostSpace* instance = nullptr;
};
thread_local TeamHere team_here;

/// While it exists, this thread works for a team.
class OnTeam {
 public:
  explicit OnTeam(TeamHere here) noexcept : m_before(std::exchange(team_here, here)) {}
  ~OnTeam() { team_here = m_before; }
  OnTeam(const OnTeam&) = delete;
  OnTeam& operator=(const OnTeam&) = delete;

 private:
  TeamHere m_before;
};

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

class OpenMPTeams::Team {
 public:
  Team(const OpenMPTeams& owner, const HostSpace& instance, int threads)
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

  /// Reserves the team for one call; no value if it is busy.
  std::optional<std::unique_lock<std::mutex>> reserve() {
    std::unique_lock lock(m_busy, std::try_to_lock);
    if (!lock.owns_lock()) return {};
    return lock;
  }

  /// Starts the threads of the reserved team if they do not run yet. \throws SpaceUnavailable
  void start() {
    if (m_thread.joinable()) return;
    try {
      m_thread = start_thread("the first thread of a team", [this] { loop(); });
    } catch (const Error& error) {
      throw SpaceUnavailable(error.what());
    }
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_has_started || m_failure != nullptr; });
    if (m_has_started) return;
    const std::exception_ptr failure = std::exchange(m_failure, nullptr);
    lock.unlock();
    m_thread.join();
    std::rethrow_exception(failure);
  }

  /// Runs a call on the team, which is reserved and has started.
  void run(Call call, const void* body) {
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
        // The team looks for the request itself and ends; the check of the caller may take as long
        // as it likes.
        while (!m_changed.wait_for(lock, cancel_interval, has_ended)) {
          lock.unlock();
          (void)point.is_cancelled();
          lock.lock();
        }
      }
      failure = std::exchange(m_failure, nullptr);
    }
    if (failure) std::rethrow_exception(failure);
  }

 private:
  void start_regions() {
#if defined(KOKKOS_ENABLE_OPENMP)
    set_region_threads(m_threads);
    start_team(m_threads);
    // The system may wake a thread of the team on a processor where another one runs, and takes
    // milliseconds to move it. A binding set by the user is kept.
    if (omp_get_proc_bind() == omp_proc_bind_false) {
      try {
        Kokkos::parallel_for("Kindred::OpenMPTeams::keep_apart",
                             Arch::range<int>(m_instance, static_cast<std::uint64_t>(m_threads)),
                             KeepApart{m_threads});
      } catch (const std::exception&) {
        // no memory: the threads are not bound, and may be moved
      }
    }
#endif
  }

  void loop() {
    std::exception_ptr not_started;
    try {
      start_regions();
    } catch (...) {
      not_started = std::current_exception();
    }
    std::unique_lock lock(m_mutex);
    m_has_started = not_started == nullptr;
    m_failure = not_started;
    m_changed.notify_one();
    if (not_started) return;
    while (true) {
      m_changed.wait(lock, [&] { return m_stopping || m_call != nullptr; });
      if (m_stopping) return;
      lock.unlock();
      std::exception_ptr failure;
      try {
        const CancelPoint::Part part(m_point);
        const CallbackDelay::Part delayed(m_delay);
        const OnTeam here({m_owner, &m_instance});
        m_call(m_body);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      m_failure = std::exchange(failure, nullptr);
      m_call = nullptr;
      m_changed.notify_one();
    }
  }

  const OpenMPTeams* m_owner;
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
  bool m_has_started = false;
  bool m_stopping = false;
};

OpenMPTeams::OpenMPTeams(int threads, const HostSpace& all, LeasePool<HostInstance>& single)
    : m_single(single) {
  const auto new_instance = [this](int size) -> const HostSpace& {
    return m_instances.emplace_back(std::make_unique<HostInstance>(size))->get();
  };
  for (const int size : team_sizes(threads)) {
    if (size == 1) continue;  // the calling thread
    const HostSpace& instance = size == threads ? all : new_instance(size);
    m_teams.push_back(std::make_unique<Team>(*this, instance, size));
  }
}

OpenMPTeams::~OpenMPTeams() = default;

int run_on_team(OpenMPTeams& teams, int threads, OpenMPTeams::Call call, const void* body) {
  if (const HostSpace* const mine = teams.here()) {
    call(body);
    return Arch::concurrency(*mine);
  }
  std::exception_ptr not_started;
  const auto runs_on = [&](OpenMPTeams::Team& team) {
    const auto reserved = team.reserve();
    if (!reserved) return false;
    try {
      team.start();
    } catch (const SpaceUnavailable&) {
      if (!not_started) not_started = std::current_exception();
      return false;  // another team may run already
    }
    team.run(call, body);
    return true;
  };
  if (threads > 1 && !in_parallel_region()) {
    for (const auto& team : teams.m_teams)
      if (team->threads() >= threads && runs_on(*team)) return team->threads();
    for (auto team = teams.m_teams.rbegin(); team != teams.m_teams.rend(); ++team)
      if ((*team)->threads() < threads && runs_on(**team)) return (*team)->threads();
    if (not_started) std::rethrow_exception(not_started);
  }
  const auto single = teams.m_single.take([] { return std::make_unique<HostInstance>(1); });
  const OnTeam here({&teams, &single->get()});
  call(body);
  return 1;
}

const HostSpace* OpenMPTeams::here() const noexcept {
  return team_here.owner == this ? team_here.instance : nullptr;
}

}  // namespace Kindred::Impl
