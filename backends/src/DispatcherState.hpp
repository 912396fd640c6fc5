// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_SRC_DISPATCHER_STATE_HPP
#define KINDRED_BACKENDS_SRC_DISPATCHER_STATE_HPP

#include <kindred/backends/Dispatcher.hpp>

#include "CalibrationProfile.hpp"
#include "CircuitBreaker.hpp"
#include "CostCurve.hpp"
#include "ObservationWindow.hpp"
#include "Published.hpp"

#include <kindred/backends/impl/ThreadCount.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/core/common/ThreadSlots.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <vector>

namespace Kindred {

/// The state of a dispatcher: costs and observations per operation and space, and the predictions
/// derived from them.
struct KINDRED_HIDDEN Dispatcher::State {
  using Time = std::chrono::steady_clock::time_point;

  static constexpr double hysteresis = 0.10;     ///< a switch requires a time lower by this share
  static constexpr double probe_cost_max = 4.0;  ///< times the best time, predicted for a probe
  static constexpr double probe_share = 0.05;  ///< of the time of calls since the last probe: what
                                               ///< a probe may lose
  /// A space with an alarm is probed this many times as often. The first probe may lose this share
  /// of the time since then, and every further one half as much.
  static constexpr int alarm_probes = 50;
  static constexpr double alarm_share = 0.5;

  /// A team of `openmp` and the predicted time of a call on it without observations.
  struct TeamCost {
    int threads = 1;
    double seconds = std::numeric_limits<double>::infinity();
  };

  /// What is known about calls of one size class.
  struct Class {
    bool seen = false;
    std::array<Time, space_count> last{};  ///< when the space was last chosen
    /// Seconds that calls have taken on other spaces since then.
    std::array<double, space_count> since{};
  };

  /// \brief Records that a call of a known kind took several times as long as predicted: other
  /// programs occupy the processors.
  struct Alarm {
    float ratio = 0;         ///< measured time / prediction without observations; 0: no alarm
    std::uint8_t count = 0;  ///< number of consecutive calls that raised it

    void raise(double taken_to_base) noexcept {
      ratio = static_cast<float>(taken_to_base);
      count = static_cast<std::uint8_t>(std::min(count + 1, 16));
    }
  };

  struct Cell {
    std::vector<Impl::CostCurve> curves;  ///< one per team of `openmp`; one for every other space
    std::array<Impl::ObservationWindow, Impl::size_class_count> windows;
    std::array<Alarm, Impl::size_class_count> alarms{};

    Cell() noexcept { ratios.fill(1); }
    /// Current ratio of the time of a call of size class \p k to its curve.
    double ratio(std::size_t k) const noexcept { return ratios[k]; }
    /// Called after the window or the alarm of size class \p k has changed.
    void publish_ratio(std::size_t k) noexcept {
      ratios[k] = std::max(windows[k].ratio(), static_cast<double>(alarms[k].ratio));
    }
    /// Called after the curve has changed, to which all observations are relative.
    void forget_observations() noexcept {
      windows = {};
      alarms = {};
      ratios.fill(1);
    }

   private:
    std::array<Impl::Published<double>, Impl::size_class_count> ratios;
  };

  /// Part of the sums of \ref Regret, of some threads.
  struct RegretPart {
    std::atomic<double> seconds{0};
    std::atomic<double> taken{0};
    std::atomic<std::uint64_t> decisions{0};
    /// Calls that succeeded and of which the breakers do not know yet.
    std::array<std::atomic<std::uint32_t>, space_count> successes{};
  };

  /// \brief What is known about an operation.
  ///
  /// Predictions read curves, ratios and incumbents without the lock. Who changes something holds
  /// it. Calls learn what they can without waiting for each other.
  struct PerOperation {
    static Impl::CircuitBreaker breaker(const Options& options) {
      return {options.window, options.breaker_interval};
    }
    PerOperation(Operation op, const Options& options)
        : operation(op), breakers{breaker(options), breaker(options), breaker(options)} {}
    const Operation operation;
    std::atomic<std::uint64_t> batch_bytes = 0;  ///< 0: not measured
    std::array<Cell, space_count> cells;
    /// The spaces that hysteresis favours, elements of `all_spaces`; null: none yet.
    std::array<Impl::Published<const Space*>, Impl::size_class_count> incumbents;
    alignas(Impl::apart_bytes) mutable Impl::Mutex mutex;
    std::array<Class, Impl::size_class_count> classes;
    std::array<Impl::CircuitBreaker, space_count> breakers;
    Impl::ThreadSlots<RegretPart> regret;

    /// \brief The lock, or none: then the call changes nothing but the regret.
    ///
    /// What a call changes moves to the processor of its thread, which takes about a microsecond.
    /// While several threads call, one of their calls in 50 µs therefore gets the lock; a thread
    /// that calls alone always does. While a breaker is open, every call waits for it.
    template <class Now>
    std::unique_lock<Impl::Mutex> try_lock(const Now& now) {
      if (m_has_open_breaker) return std::unique_lock(mutex);
      const std::size_t me = Impl::thread_number() + 1;
      if (m_last_thread == me && !m_has_others) return std::unique_lock(mutex, std::try_to_lock);
      constexpr std::chrono::microseconds pause{50};
      const Time time = now();
      if (m_last_thread != 0 && time - Time(Time::duration(m_last_time)) < pause) {
        if (m_last_thread != me) m_has_others = true;
        return std::unique_lock(mutex, std::defer_lock);
      }
      std::unique_lock lock(mutex, std::try_to_lock);
      if (lock) {
        m_last_thread = me;
        m_last_time = time.time_since_epoch().count();
        m_has_others = false;
      }
      return lock;
    }
    /// Called by calls without the lock, so that the breakers see all successes beside failures.
    void note_success(Space space) noexcept {
      regret.here().successes[space_index(space)].fetch_add(1, std::memory_order_relaxed);
    }
    /// Tells the breakers about these calls. Requires the lock.
    void count_successes() noexcept {
      constexpr std::uint32_t most = 1000;  // more than a breaker keeps
      for (const Space space : all_spaces) {
        std::uint32_t successes = 0;
        regret.for_each([&](RegretPart& part) {
          successes += std::min(part.successes[space_index(space)].exchange(0), most);
        });
        Impl::CircuitBreaker& breaker = breakers[space_index(space)];
        for (std::uint32_t i = 0; i < std::min(successes, most) && !breaker.open(); ++i)
          breaker.succeeded();
      }
    }
    /// Called after a breaker has changed.
    void publish_breakers() noexcept {
      bool any = false;
      for (const Impl::CircuitBreaker& breaker : breakers) any = any || breaker.open();
      if (any != m_has_open_breaker) m_has_open_breaker = any;
    }

   private:
    alignas(Impl::apart_bytes) Impl::Published<bool> m_has_open_breaker = false;
    /// The thread that had the lock last, its number plus one, when it got it, in ticks of the
    /// clock, and whether others have called since.
    Impl::Published<std::size_t> m_last_thread = 0;
    Impl::Published<std::int64_t> m_last_time = 0;
    Impl::Published<bool> m_has_others = false;
  };

  State(SpaceSet usable_spaces, int thread_count, Options given)
      : usable(usable_spaces),
        threads(thread_count),
        teams(Impl::team_sizes(thread_count)),
        options(std::move(given)) {
    for (const Space space : all_spaces)
      start_seconds[space_index(space)] = std::vector<std::atomic<double>>(teams_of(space).size());
    reset_starts();
  }

  /// \brief The entry of \p operation, which is added if this is its first call. References stay
  /// valid.
  /// \throws InvalidArgument for no operation, or for too many
  PerOperation& of(Operation operation) {
    PerOperation* known = find(operation);
    return known != nullptr ? *known : add(operation);
  }
  PerOperation* find(Operation operation) const noexcept {
    const std::size_t count = operation_count.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i)
      if (infos[i] == operation.info()) return operations[i].get();
    for (std::size_t i = 0; i < count; ++i)
      if (operations[i]->operation == operation) return operations[i].get();
    return nullptr;
  }
  PerOperation& add(Operation operation) {
    KINDRED_THROW_IF(operation.name().empty(), "the workload names no operation");
    const std::lock_guard lock(adding);
    if (PerOperation* known = find(operation)) return *known;
    const std::size_t count = operation_count.load(std::memory_order_relaxed);
    KINDRED_THROW_IF(count == operations_max, "a dispatcher knows " +
                                                  std::to_string(operations_max) +
                                                  " operations; there is no place for \"" +
                                                  std::string(operation.name()) + "\"");
    auto added = std::make_unique<PerOperation>(operation, options);
    reset(*added);
    operations[count] = std::move(added);
    infos[count] = operation.info();
    operation_count.store(count + 1, std::memory_order_release);
    return *operations[count];
  }
  /// Calls `function(known)` for every operation added so far.
  template <class Function>
  void for_each_operation(const Function& function) const {
    const std::size_t count = operation_count.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < count; ++i) function(*operations[i]);
  }
  Time now() const { return options.clock ? options.clock() : std::chrono::steady_clock::now(); }

  /// The team sizes of \p space; one thread if it is not `openmp`.
  std::span<const int> teams_of(Space space) const noexcept {
    static constexpr int one_thread = 1;
    return space == Space::openmp ? std::span(teams) : std::span(&one_thread, 1);
  }
  /// Index of the smallest team of at least \p requested threads; 0 requests all threads.
  std::size_t variant(Space space, int requested) const noexcept {
    if (space != Space::openmp) return 0;
    std::size_t i = 0;
    while (i + 1 < teams.size() && (requested == 0 || teams[i] < requested)) ++i;
    return i;
  }

  /// Resets to the priors and the loaded profile of the operation. Requires the lock \ref adding.
  void reset(PerOperation& known) const {
    const std::lock_guard lock(known.mutex);
    for (const Space space : all_spaces) {
      Cell& cell = known.cells[space_index(space)];
      cell.curves.resize(teams_of(space).size());  // before others know the operation
      for (const int size : teams_of(space))
        cell.curves[variant(space, size)] = Impl::prior_curve(known.operation.prior(), space, size);
      cell.forget_observations();
    }
    known.classes = {};
    known.incumbents = {};
    for (const auto& point : profile.points) {
      if (point.operation != known.operation.name()) continue;
      known.cells[space_index(point.space)].curves[variant(point.space, point.threads)].set(
          {point.work, point.seconds});
    }
    known.batch_bytes = 0;
    for (const auto& batch : profile.batches)
      if (batch.operation == known.operation.name()) known.batch_bytes = batch.bytes;
  }
  void reset_starts() {
    for (const Space space : all_spaces)
      for (const int size : teams_of(space))
        start_seconds[space_index(space)][variant(space, size)] = Impl::start_prior(space, size);
    starts_calibrated = SpaceSet();
  }

  double curve_seconds(const PerOperation& operation, Space space, std::size_t i,
                       double work) const noexcept {
    return operation.cells[space_index(space)].curves[i].seconds(work);
  }

  /// \brief Predicted seconds on a team, without observations: not less than the time of one thread
  /// divided by the threads that have a piece of the work.
  /// \tparam Call a workload or its record
  template <class Call>
  double on_team(const PerOperation& operation, const Call& call, std::size_t i) const noexcept {
    const double serial = curve_seconds(operation, Space::serial, 0, call.work);
    const auto most = static_cast<std::uint32_t>(teams[i]);
    const std::uint32_t shares = call.pieces > 0 ? std::min(call.pieces, most) : most;
    const double seconds =
        std::max(curve_seconds(operation, Space::openmp, i, call.work), serial / shares);
    return seconds + call.starts * start_seconds[space_index(Space::openmp)][i].load(
                                       std::memory_order_relaxed);
  }

  /// The team of `openmp` with the lowest predicted time.
  template <class Call>
  TeamCost best_team(const PerOperation& operation, const Call& call) const noexcept {
    TeamCost best;
    std::size_t i = 0;
    for (const int size : teams) {
      const double seconds = on_team(operation, call, i++);
      if (seconds < best.seconds) best = {size, seconds};
      if (call.pieces > 0 && call.pieces <= static_cast<std::uint32_t>(size)) break;
    }
    return best;
  }

  /// Predicted seconds on one thread, or on a device with its transfer.
  template <class Call>
  double on_one(const PerOperation& operation, Space space, const Call& call) const noexcept {
    double seconds =
        curve_seconds(operation, space, 0, call.work) +
        call.starts * start_seconds[space_index(space)][0].load(std::memory_order_relaxed);
    if (space == Space::cuda && call.transfer_bytes > 0) {
      seconds +=
          transfer_latency.load(std::memory_order_relaxed) +
          static_cast<double>(call.transfer_bytes) / transfer_rate.load(std::memory_order_relaxed);
    }
    return seconds;
  }

  /// Predicted seconds without observations.
  template <class Call>
  double base(const PerOperation& operation, Space space, const Call& call) const noexcept {
    return space == Space::openmp ? best_team(operation, call).seconds
                                  : on_one(operation, space, call);
  }

  /// A record with everything except the choice.
  DispatchRecord undecided(const PerOperation& operation, const Workload& workload,
                           Reason why) const noexcept {
    const TeamCost team = best_team(operation, workload);
    DispatchRecord record{.operation = workload.operation,
                          .items = workload.items,
                          .work = workload.work,
                          .transfer_bytes = workload.transfer_bytes,
                          .why = why,
                          .threads = team.threads,
                          .starts = workload.starts,
                          .pieces = workload.pieces};
    record.predicted.fill(std::numeric_limits<double>::quiet_NaN());
    const SpaceSet allowed = usable & workload.resident;
    const std::size_t k = Impl::size_class(workload.work);
    for (const Space space : all_spaces) {
      if (!allowed.contains(space)) continue;
      record.predicted[space_index(space)] =
          operation.cells[space_index(space)].ratio(k) *
          (space == Space::openmp ? team.seconds : on_one(operation, space, workload));
    }
    return record;
  }

  static Space best_of(SpaceSet spaces, const std::array<double, space_count>& predicted) {
    std::optional<Space> best;
    for (const Space space : all_spaces) {
      if (spaces.contains(space) &&
          (!best || predicted[space_index(space)] < predicted[space_index(*best)]))
        best = space;
    }
    return *best;
  }

  /// The spaces whose breaker admits a call, or all of them if none does, since some space must run
  /// the call.
  static SpaceSet admitted(const PerOperation& operation, SpaceSet allowed, Time now) {
    SpaceSet admitted;
    for (const Space space : all_spaces) {
      if (allowed.contains(space) && operation.breakers[space_index(space)].admits(now))
        admitted = admitted.with(space);
    }
    return admitted.empty() ? allowed : admitted;
  }

  /// The reason to keep a call off the device: too little memory, or the thresholds. Empty if the
  /// call may run there, or if \p allowed contains no device or nothing else.
  std::optional<Reason> kept_off_device(SpaceSet allowed, const Workload& workload) const {
    if (!allowed.contains(Space::cuda) || allowed.without(Space::cuda).empty()) return {};
    if (options.device_memory_left && workload.device_bytes > options.device_memory_left())
      return Reason::memory;
    if (workload.items < options.device_items_min.value_or(0)) return Reason::threshold;
    return {};
  }

  /// \throws InvalidArgument for a team size that does not exist
  void check_team(Space space, int size) const {
    KINDRED_THROW_IF(!usable.contains(space),
                     "space " + std::string(to_string(space)) + " is not usable");
    const bool is_team =
        size == 0 ||
        (space == Space::openmp ? std::ranges::find(teams, size) != teams.end() : size == 1);
    KINDRED_THROW_IF(!is_team, "threads is " + std::to_string(size) +
                                   ", which is not a team size of space " +
                                   std::string(to_string(space)));
  }

  /// Whether a probe of \p space is due and cheap enough.
  bool probe_is_due(const PerOperation& operation, const Class& seen, const DispatchRecord& record,
                    Space space, Time now) const {
    const Alarm& alarm = operation.cells[space_index(space)].alarms[Impl::size_class(record.work)];
    auto interval = options.probe_interval;
    double share = probe_share;
    if (alarm.count > 0) {
      interval /= alarm_probes;
      share = std::max(share, alarm_share / (1U << (alarm.count - 1U)));
    }
    if (now - seen.last[space_index(space)] < interval) return false;
    const double best = record.predicted[space_index(record.chosen)];
    const double predicted = record.predicted[space_index(space)];
    const double calibrated = base(operation, space, record);
    const double lost = predicted - best;
    return std::min(predicted, calibrated) <= probe_cost_max * best &&
           lost <= share * seen.since[space_index(space)] && lost <= options.probe_loss_max;
  }

  SpaceSet usable;
  int threads;
  std::vector<int> teams;  ///< team sizes
  std::atomic<int> forced_threads = 0;
  Options options;
  mutable Impl::Mutex adding;  ///< held while operations are added, and for \ref profile
  std::array<std::unique_ptr<PerOperation>, operations_max> operations;
  std::array<const OperationInfo*, operations_max> infos{};  ///< of \ref operations
  std::atomic<std::size_t> operation_count = 0;
  Impl::CalibrationProfile
      profile;  ///< as loaded; operations receive their part when they are added
  std::array<std::vector<std::atomic<double>>, space_count> start_seconds;  ///< one per variant
  std::atomic<SpaceSet> starts_calibrated{};
  std::atomic<double> transfer_rate{8e9};
  std::atomic<double> transfer_latency{7e-5};
  std::atomic<bool> transfer_calibrated{false};
};

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_SRC_DISPATCHER_STATE_HPP
