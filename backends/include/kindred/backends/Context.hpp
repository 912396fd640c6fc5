// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_CONTEXT_HPP
#define KINDRED_BACKENDS_CONTEXT_HPP

#include <kindred/backends/Dispatcher.hpp>
#include <kindred/backends/Space.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/core/common/Public.hpp>
#include <kindred/memory/CallbackAdaptor.hpp>
#include <kindred/memory/MemoryResource.hpp>
#include <kindred/memory/StatisticsAdaptor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

class Context;

namespace Impl {
struct StateOfContext;
class OpenMPTeams;
/// The teams of \p context. \throws SpaceUnavailable in a forked process
OpenMPTeams& teams_of(const Context& context);
/// \see OpenMPTeams
int run_on_team(OpenMPTeams& teams, int threads, void (*call)(const void* body), const void* body);

/// \brief While it exists, notes whether its thread does what later calls need not repeat, such as
/// a copy of the data: how long such a call takes says nothing about the next one.
class OneTimeWork {
 public:
  /// \param is_done is set by `note`
  explicit OneTimeWork(bool& is_done) noexcept;
  ~OneTimeWork();
  OneTimeWork(const OneTimeWork&) = delete;
  OneTimeWork& operator=(const OneTimeWork&) = delete;

  /// Notes it for all that exist on this thread.
  static void note() noexcept;

 private:
  bool* m_is_done;
  OneTimeWork* m_outer;
};
}  // namespace Impl

enum class LogLevel : std::uint8_t { debug, info, warning };

/// \brief Options of a context. The defaults use the whole machine.
struct ContextOptions {
  int threads = 0;  ///< of the space `openmp`; at most 512. 0: as many as this process may use
                    ///< (affinity, OMP_NUM_THREADS, control group)
  /// GPU of the space `cuda`, counted from 0 among the GPUs visible to this process; contexts of
  /// one process may use different ones. Unset: that of the first context, which Kokkos selects
  /// (KOKKOS_DEVICE_ID, the local rank, otherwise the first).
  std::optional<int> device = {};
  /// Runs everything on this space; unset: the dispatcher chooses.
  std::optional<Space> space = {};
  double budget_fraction = 0.8;  ///< share of the memory that is free when the context starts, in
                                 ///< (0, 1]; `serial` and `openmp` share one budget
  std::optional<std::uint64_t> host_budget = {};    ///< bytes; overrides the fraction
  std::optional<std::uint64_t> device_budget = {};  ///< bytes; overrides the fraction
  /// Upper limit of the device budget in bytes.
  std::uint64_t device_budget_max = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t device_memory_min = 0;  ///< bytes; a device with less memory is not used
  std::string profile = {};  ///< path of the calibration file; empty: `default_profile_path()`
  bool load_profile = true;  ///< use the calibration of this machine if there is one
  Dispatcher::Options dispatcher = {};  ///< its `forced` is overwritten by `space`
  /// Receives all log messages; the library never prints.
  std::function<void(LogLevel, std::string_view)> log = {};
  /// Called after every dispatched call.
  std::function<void(const DispatchRecord&)> on_dispatch = {};
  AllocationCallback before_allocation = {};  ///< called before every allocation within a budget
};

/// \brief The object a program starts with: it owns spaces, streams, memory budgets and the
/// dispatcher.
///
/// Several contexts can coexist, on one device or on several. A call leaves the current CUDA device
/// of its thread unchanged. The first context initialises Kokkos unless the program has done so;
/// Kokkos is then finalised at exit. A program that initialises Kokkos
/// itself also finalises it, after all contexts have been destroyed. Everything created from a
/// context must be destroyed before it. Thread-safe after construction; callbacks are called from
/// any thread. Those of the options but `before_allocation` are called without locks of engines,
/// and what they throw is dropped.
/// After `fork`, the child process has neither the threads
/// nor the devices: there, every call that would compute throws `SpaceUnavailable`, and destructors
/// release nothing. A child that was forked before the first context is not affected.
class Context {
 public:
  /// \throws InvalidArgument for an option that is out of range, or a KINDRED_MAX_LEVEL or
  /// KINDRED_WITHOUT that cannot be followed
  /// \throws SpaceUnavailable if the forced space or the requested device cannot be used, if a CUDA
  /// build runs on a machine without a driver or device, or if the processor lacks instructions
  /// that the libraries are compiled for
  explicit Context(ContextOptions options = {});
  ~Context();

  /// All spaces in the order of `all_spaces`, including those that cannot be used.
  const std::vector<SpaceInfo>& spaces() const noexcept;
  /// \throws InvalidArgument if \p space is none of `all_spaces`
  const SpaceInfo& info(Space space) const;
  SpaceSet usable() const noexcept;
  bool is_usable(Space space) const noexcept { return usable().contains(space); }
  int threads() const noexcept;

  Dispatcher& dispatcher() noexcept;
  const Dispatcher& dispatcher() const noexcept;

  /// The memory resource, limited by the budget, of work on \p space.
  MemoryResource& memory(Space space);
  /// \brief Page-locked host memory, which a device can access directly and copy at full speed;
  /// without a device, ordinary host memory. Counted in the host budget.
  MemoryResource& pinned_memory();
  MemoryStatistics memory_statistics(Space space) const;
  /// Bytes of the memory of \p space that the operating system or the driver reports as free now.
  std::uint64_t free_memory(Space space) const;

  void log(LogLevel level, std::string_view message) const;

  /// \brief Chooses a space for \p workload, runs `body(space)` there, measures and reports it.
  ///
  /// On `openmp`, the number of threads follows the amount of work; a thread of that team calls \p
  /// body while the caller waits. If the space runs out of memory, cannot run \p body or is lost,
  /// and the space is not forced, \p body is run again from the start on the next best space; the
  /// failed attempt is not counted in any cost.
  /// \throws OutOfMemory, SpaceUnavailable, DeviceLost if no space is left; a `std::bad_alloc` or a
  /// Kokkos error with that meaning that \p body throws is converted to these types. Any other
  /// exception of \p body is passed on
  template <class Body>
  DispatchRecord run(const Workload& workload, std::optional<Space> forced, const Body& body);

  /// The path of the calibration file: `$KINDRED_PROFILE`, otherwise a file under `$XDG_CACHE_HOME`
  /// or `~/.cache`. Empty if none of the variables has a value.
  static std::string default_profile_path();
  /// Writes the dispatcher's calibration atomically; calibrations of other machines in the same
  /// file are kept. \throws Error if it cannot be written
  void save_profile() const;
  const std::string& profile_path() const noexcept;

 private:
  struct State;
  friend struct Impl::StateOfContext;

  /// Whether \p workload is the first one of its size on \p space. \see CallHistory
  bool is_first(const Workload& workload, Space space) const noexcept;
  /// \throws SpaceUnavailable with the reason if \p forced cannot be used
  DispatchRecord decide(const Workload& workload, std::optional<Space> forced);
  void report(const DispatchRecord& record) const;
  template <class Body>
  static void run_on_openmp(const void* body) {
    (*static_cast<const Body*>(body))(Space::openmp);
  }
  /// Called in an exception handler: returns the next attempt, or rethrows the current exception as
  /// a typed error if there is none.
  DispatchRecord recover(const Workload& workload, const DispatchRecord& failed, SpaceSet& tried);

  /// Counts the contexts that exist, while they are constructed and destroyed too: the end of the
  /// process finalises Kokkos only without any.
  struct Count {
    Count() noexcept;
    ~Count();
  };
  Count m_count;
  Impl::OwnedState<State> m_state;
};

template <class Body>
DispatchRecord Context::run(const Workload& workload, std::optional<Space> forced,
                            const Body& body) {
  DispatchRecord record = decide(workload, forced);
  SpaceSet tried;
  bool has_one_time_work = false;
  const auto noted = [&](Space space) {
    const Impl::OneTimeWork work(has_one_time_work);
    body(space);
  };
  while (true) {
    try {
      has_one_time_work = false;
      record.first = is_first(workload, record.chosen);
      const auto start = std::chrono::steady_clock::now();
      if (record.chosen == Space::openmp) {
        record.threads = Impl::run_on_team(Impl::teams_of(*this), record.threads,
                                           run_on_openmp<decltype(noted)>, &noted);
      } else {
        record.threads = 1;
        noted(record.chosen);
      }
      record.taken =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      break;
    } catch (...) {
      record = recover(workload, record, tried);
    }
  }
  record.first = record.first || has_one_time_work;
  if (workload.waits && !has_one_time_work) {
    dispatcher().observe(record);
  } else {
    dispatcher().observe_success(record.operation, record.chosen);
  }
  report(record);
  return record;
}

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_CONTEXT_HPP
