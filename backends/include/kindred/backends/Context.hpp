// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_CONTEXT_HPP
#define KINDRED_BACKENDS_CONTEXT_HPP

#include <kindred/backends/Dispatcher.hpp>
#include <kindred/backends/Space.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/CallbackAdaptor.hpp>
#include <kindred/memory/MemoryResource.hpp>
#include <kindred/memory/StatisticsAdaptor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred {

enum class LogLevel : std::uint8_t { debug, info, warning };

/// \brief How a context starts. The defaults use the whole machine.
struct ContextOptions {
  int threads = 0;  ///< of the space `openmp` at most, at most 512; 0: as many as the machine lets
                    ///< this process use (affinity, OMP_NUM_THREADS, control group)
  std::optional<int> device;     ///< GPU of the space `cuda`, counted from 0 among those that this
                                 ///< process sees; nothing: the one Kokkos takes (KOKKOS_DEVICE_ID,
                                 ///< the local rank, else the first). One per process.
  std::optional<Space> space;    ///< mode `force(space)` of the dispatcher; nothing: `automatic`
  double budget_fraction = 0.8;  ///< of the memory that is free to this process when the context
                                 ///< starts, in (0, 1]; `serial` and `openmp` share one budget
  std::optional<std::uint64_t> host_budget;    ///< bytes, in place of the fraction
  std::optional<std::uint64_t> device_budget;  ///< bytes, in place of the fraction
  std::uint64_t device_budget_max =
      std::numeric_limits<std::uint64_t>::max();  ///< bytes, whatever the two above give
  std::uint64_t device_memory_min = 0;            ///< bytes; a device that has less is not used
  std::string profile;             ///< file of the calibration; empty: `default_profile_path()`
  bool load_profile = true;        ///< use the calibration of this machine if there is one
  Dispatcher::Options dispatcher;  ///< its `forced` is set from `space`
  std::function<void(LogLevel, std::string_view)> log;     ///< the library never prints
  std::function<void(const DispatchRecord&)> on_dispatch;  ///< after every dispatched call
  AllocationCallback before_allocation;  ///< of memory of any space, within the budget
};

/// \brief The one thing a program makes: spaces, streams, memory budgets, dispatcher, callbacks.
///
/// Two contexts can live side by side. The first one initialises Kokkos unless the program has;
/// Kokkos is then finalised at exit; a program that initialises Kokkos itself finalises it itself,
/// after its contexts are gone. Everything made from a context must go before it. Thread-safe after
/// construction; the callbacks of its options are called from any thread. A child process that was
/// forked has neither its threads nor its devices: there, nothing made from a context may be used.
class Context {
 public:
  /// \throws InvalidArgument for an option out of range
  /// \throws SpaceUnavailable when the forced space or the device asked for cannot be used here; a
  /// CUDA build on a machine without a driver or device
  explicit Context(ContextOptions options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// All spaces, usable or not, in the order of `all_spaces`.
  const std::vector<SpaceInfo>& spaces() const noexcept;
  const SpaceInfo& info(Space space) const noexcept;
  SpaceSet usable() const noexcept;
  bool is_usable(Space space) const noexcept { return usable().contains(space); }
  int threads() const noexcept;

  Dispatcher& dispatcher() noexcept;
  const Dispatcher& dispatcher() const noexcept;

  /// Budgeted memory that work on \p space uses.
  MemoryResource& memory(Space space);
  /// \brief Memory of the host that a device reads itself and copies at full speed; without a
  /// device any. It is within the host's budget and counted there.
  MemoryResource& pinned_memory();
  MemoryStatistics memory_statistics(Space space) const;
  /// Bytes of that memory which are free now, as the operating system or the driver says.
  std::uint64_t free_memory(Space space) const;

  void log(LogLevel level, std::string_view message) const;

  /// \brief Chooses a space for \p workload, runs `body(space)` there, measures it, reports it.
  ///
  /// On `openmp` as many threads run it as the work is worth, and \p body is called by the thread
  /// of their team, for which the caller waits. Where the space runs out of memory, cannot run \p
  /// body or is lost, the next best one runs \p body from its start (not when forced); the time of
  /// the failed attempt counts for no space. \throws OutOfMemory, SpaceUnavailable or DeviceLost
  /// when no space is left, also where \p body let a `std::bad_alloc` or an error of Kokkos of that
  /// meaning through; what \p body throws
  /// otherwise
  template <class Body>
  DispatchRecord run(const Workload& workload, std::optional<Space> forced, const Body& body);

  /// Where the calibration of this machine is kept: `$KINDRED_PROFILE`, else under
  /// `$XDG_CACHE_HOME` or `~/.cache`.
  static std::string default_profile_path();
  /// Writes the dispatcher's calibration (to a temporary, synced, then renamed); other machines'
  /// in the same file stay. \throws Error when it cannot be written
  void save_profile() const;
  const std::string& profile_path() const noexcept;

  struct State;
  /// For the libraries of Kindred. \see backends/impl/Instances.hpp
  State& state() const noexcept { return *m_state; }

 private:
  /// Whether \p workload is the first of its size on \p space. \see CallHistory
  bool is_first(const Workload& workload, Space space) const noexcept;
  void report(const DispatchRecord& record) const;
  /// `call(body)` on a team of so many threads, or of more; returns how many.
  int run_on_team(int threads, void (*call)(const void* body), const void* body);
  /// In a handler: the next attempt after the exception under way, which it throws on (typed) where
  /// there is none.
  DispatchRecord recover(const Workload& workload, const DispatchRecord& failed, SpaceSet& tried);

  std::unique_ptr<State> m_state;
};

template <class Body>
DispatchRecord Context::run(const Workload& workload, std::optional<Space> forced,
                            const Body& body) {
  DispatchRecord record = dispatcher().decide(workload, forced);
  SpaceSet tried;
  while (true) {
    try {
      record.first = is_first(workload, record.chosen);
      const auto start = std::chrono::steady_clock::now();
      if (record.chosen == Space::openmp) {
        const auto on_openmp = [&body] { body(Space::openmp); };
        using Call = decltype(on_openmp);
        record.threads = run_on_team(
            record.threads, [](const void* call) { (*static_cast<const Call*>(call))(); },
            &on_openmp);
      } else {
        record.threads = 1;
        body(record.chosen);
      }
      record.taken =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      break;
    } catch (...) {
      record = recover(workload, record, tried);
    }
  }
  if (workload.waits) {
    dispatcher().observe(record);
  } else {
    dispatcher().observe_success(record.operation, record.chosen);
  }
  report(record);
  return record;
}

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_CONTEXT_HPP
