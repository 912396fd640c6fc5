// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Dispatcher.hpp>

#include "CircuitBreaker.hpp"
#include "CostCurve.hpp"
#include "ObservationWindow.hpp"
#include "Profile.hpp"

#include <kindred/backends/impl/TeamSize.hpp>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

namespace Kindred {

namespace {

using Time = std::chrono::steady_clock::time_point;
using Impl::size_class;
using Impl::size_class_count;

/// What a space that was left keeps of its observations: few enough that probes bring it back soon.
constexpr std::size_t observations_kept = 8;
/// A call on `openmp` that takes so many times what is known of its kind raises an alarm.
constexpr double alarm_ratio = 3;
/// What a first call may take for allocations: only above that it raises one, too.
constexpr double first_call_seconds = 5e-3;
/// A space of an alarm is probed so many times as often, the first probe may lose this share of the
/// time since, and every further one half as much.
constexpr int alarm_probes = 50;
constexpr double alarm_share = 0.5;

constexpr std::size_t index(Space space) noexcept { return static_cast<std::size_t>(space); }
constexpr std::size_t index(Operation operation) noexcept {
  return static_cast<std::size_t>(operation);
}

/// What is known of calls of one size class.
struct Class {
  bool seen = false;
  std::optional<Space> incumbent;           ///< what hysteresis holds on to
  std::array<Time, space_count> last{};     ///< when the space was last chosen
  std::array<double, space_count> since{};  ///< seconds that calls have taken elsewhere since then
};

/// \brief A call that took several times as long as predicted, although its kind was known: other
/// programs hold the processors.
struct Alarm {
  float ratio = 0;         ///< taken / predicted without observations; 0: none
  std::uint8_t count = 0;  ///< calls in a row that raised it

  void raise(double taken_to_base) noexcept {
    ratio = static_cast<float>(taken_to_base);
    count = static_cast<std::uint8_t>(std::min(count + 1, 16));
  }
};

struct Cell {
  Impl::CostCurve curve;
  std::array<Impl::ObservationWindow, size_class_count> windows;
  std::array<Alarm, size_class_count> alarms{};

  /// How many times longer than by the curve a call of size class \p k takes now.
  double ratio(std::size_t k) const noexcept {
    return std::max(windows[k].ratio(), static_cast<double>(alarms[k].ratio));
  }
  /// The curve has changed, which all of it is relative to.
  void forget_observations() noexcept {
    windows = {};
    alarms = {};
  }
};

}  // namespace

struct Dispatcher::State {
  /// An operation has a lock of its own, so that calls of different engines do not wait.
  struct PerOperation {
    explicit PerOperation(const Options& options)
        : breakers{Impl::CircuitBreaker(options), Impl::CircuitBreaker(options),
                   Impl::CircuitBreaker(options)} {}
    mutable std::mutex mutex;
    std::array<Cell, space_count> cells;
    std::array<Class, size_class_count> classes;
    std::array<Impl::CircuitBreaker, space_count> breakers;
    Regret regret;
  };

  State(SpaceSet usable_spaces, int thread_count, Options given)
      : usable(usable_spaces), threads(thread_count), options(std::move(given)) {
    for (auto& operation : operations) operation = std::make_unique<PerOperation>(options);
    for (std::size_t o = 0; o < operation_count; ++o)
      for (const Space space : all_spaces) reset(static_cast<Operation>(o), space);
    reset_starts();
  }

  PerOperation& of(Operation operation) const { return *operations[index(operation)]; }
  Time now() const { return options.clock ? options.clock() : std::chrono::steady_clock::now(); }

  void reset(Operation operation, Space space) {
    of(operation).cells[index(space)] = Cell{Impl::prior(operation, space, threads), {}, {}};
  }
  void reset_starts() {
    for (const Space space : all_spaces)
      start_seconds[index(space)] = Impl::start_prior(space, threads);
    starts_calibrated = SpaceSet();
  }

  /// \brief How many threads a call is worth on `openmp`. A region costs as much more as it has
  /// more of them. Needs the operation's lock.
  template <class Call>
  int team(const PerOperation& operation, const Call& call) const noexcept {
    const int most = call.pieces > 0 && call.pieces < static_cast<std::uint32_t>(threads)
                         ? static_cast<int>(call.pieces)
                         : threads;
    const double start = start_seconds[index(Space::openmp)].load(std::memory_order_relaxed);
    return Impl::team_size(most, operation.cells[index(Space::serial)].curve.seconds(call.work),
                           call.starts * start / threads);
  }

  /// Seconds without what observations say. Needs the operation's lock.
  /// \tparam Call a workload or its record
  template <class Call>
  double base(const PerOperation& operation, Space space, const Call& call) const noexcept {
    const auto curve = [&](Space on) {
      return operation.cells[index(on)].curve.seconds(call.work);
    };
    double seconds = curve(space);
    double start = start_seconds[index(space)].load(std::memory_order_relaxed);
    if (space == Space::openmp) {
      const int size = team(operation, call);
      seconds = std::max(seconds, curve(Space::serial) / size);
      start *= static_cast<double>(size) / threads;
    }
    seconds += call.starts * start;
    if (space == Space::cuda && call.transfer_bytes > 0) {
      seconds +=
          transfer_latency.load(std::memory_order_relaxed) +
          static_cast<double>(call.transfer_bytes) / transfer_rate.load(std::memory_order_relaxed);
    }
    return seconds;
  }

  std::array<double, space_count> predict(const PerOperation& operation,
                                          const Workload& workload) const noexcept {
    std::array<double, space_count> predicted;
    predicted.fill(std::numeric_limits<double>::quiet_NaN());
    const SpaceSet allowed = usable & workload.resident;
    for (const Space space : all_spaces) {
      if (!allowed.contains(space)) continue;
      predicted[index(space)] = operation.cells[index(space)].ratio(size_class(workload.work)) *
                                base(operation, space, workload);
    }
    return predicted;
  }

  /// What a decision starts from: everything but the choice.
  DispatchRecord undecided(const PerOperation& operation, const Workload& workload,
                           Reason why) const noexcept {
    return {.operation = workload.operation,
            .items = workload.items,
            .work = workload.work,
            .transfer_bytes = workload.transfer_bytes,
            .predicted = predict(operation, workload),
            .why = why,
            .threads = team(operation, workload),
            .starts = workload.starts,
            .pieces = workload.pieces};
  }

  static Space best_of(SpaceSet spaces, const std::array<double, space_count>& predicted) {
    std::optional<Space> best;
    for (const Space space : all_spaces) {
      if (spaces.contains(space) && (!best || predicted[index(space)] < predicted[index(*best)]))
        best = space;
    }
    return *best;
  }

  /// Those whose breaker lets a call through, or all when none does: an answer comes from
  /// somewhere.
  static SpaceSet admitted(const PerOperation& operation, SpaceSet allowed, Time now) {
    SpaceSet admitted;
    for (const Space space : all_spaces) {
      if (allowed.contains(space) && operation.breakers[index(space)].admits(now))
        admitted = admitted.with(space);
    }
    return admitted.empty() ? allowed : admitted;
  }

  /// Why a call is kept off the device: it has no room for it, or the thresholds leave it out.
  /// Nothing: it may go there, or it is no choice or the only one of \p allowed.
  std::optional<Reason> kept_off_device(SpaceSet allowed, const Workload& workload) const {
    if (!allowed.contains(Space::cuda) || allowed.without(Space::cuda).empty()) return {};
    if (workload.device_bytes > 0 && options.device_room &&
        workload.device_bytes > options.device_room())
      return Reason::memory;
    if (workload.items < options.device_items_min.value_or(0)) return Reason::threshold;
    return {};
  }

  /// Whether measuring \p space again is due and cheap enough.
  bool probe_is_due(const PerOperation& operation, const Class& seen, const DispatchRecord& record,
                    Space space, Time now) const {
    const Alarm& alarm = operation.cells[index(space)].alarms[size_class(record.work)];
    auto interval = options.probe_interval;
    double share = options.probe_share;
    if (alarm.count > 0) {
      interval /= alarm_probes;
      share = std::max(share, alarm_share / (1U << (alarm.count - 1U)));
    }
    if (now - seen.last[index(space)] < interval) return false;
    const double best = record.predicted[index(record.chosen)];
    const double predicted = record.predicted[index(space)];
    const double calibrated = base(operation, space, record);
    const double lost = predicted - best;
    return std::min(predicted, calibrated) <= options.probe_cost_max * best &&
           lost <= share * seen.since[index(space)] && lost <= options.probe_loss_max;
  }

  SpaceSet usable;
  int threads;
  Options options;
  std::array<std::unique_ptr<PerOperation>, operation_count> operations;
  std::array<std::atomic<double>, space_count> start_seconds{};
  std::atomic<SpaceSet> starts_calibrated{};
  std::atomic<double> transfer_rate{1e10};
  std::atomic<double> transfer_latency{1e-5};
  std::atomic<bool> transfer_calibrated{false};
  std::array<std::atomic<std::uint64_t>, operation_count> batches{};  ///< bytes; 0: not measured
};

bool CallHistory::add(Operation operation, Space space, double work) noexcept {
  auto& largest = m_largest[index(operation)][index(space)];
  const auto now = static_cast<std::uint8_t>(size_class(work) + 1);
  std::uint8_t before = largest.load(std::memory_order_relaxed);
  while (before < now && !largest.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
  return before < now;
}

Dispatcher::Dispatcher(SpaceSet usable, int threads, Options options) {
  KINDRED_THROW_IF(usable.empty(), "there is no space to choose from");
  KINDRED_THROW_IF(threads < 1, "threads is " + std::to_string(threads) + "; it must be ≥ 1");
  KINDRED_THROW_IF(options.window < 1 || options.window > 100'000,
                   "window is " + std::to_string(options.window) + "; it must be 1 … 100000");
  KINDRED_THROW_IF(
      !(options.hysteresis >= 0.0 && options.hysteresis < 1.0),
      "hysteresis is " + std::to_string(options.hysteresis) + "; it must be in [0, 1)");
  KINDRED_THROW_IF(
      !(options.probe_loss_max >= 0.0),
      "probe_loss_max is " + std::to_string(options.probe_loss_max) + "; it must be ≥ 0");
  KINDRED_THROW_IF(options.device_items_from && options.device_items_min &&
                       *options.device_items_from < *options.device_items_min,
                   "device_items_from is " + std::to_string(*options.device_items_from) +
                       "; it must be at least device_items_min, " +
                       std::to_string(*options.device_items_min));
  m_state = std::make_unique<State>(usable, threads, std::move(options));
}
Dispatcher::~Dispatcher() = default;

SpaceSet Dispatcher::usable() const noexcept { return m_state->usable; }

std::array<double, space_count> Dispatcher::predict(const Workload& workload) const {
  const auto& operation = m_state->of(workload.operation);
  const std::lock_guard lock(operation.mutex);
  return m_state->predict(operation, workload);
}

DispatchRecord Dispatcher::decide(const Workload& workload, std::optional<Space> forced) {
  State& state = *m_state;
  KINDRED_THROW_IF(index(workload.operation) >= operation_count,
                   "there is no operation " + std::to_string(index(workload.operation)) +
                       "; there are " + std::to_string(operation_count));
  if (!forced) forced = state.options.forced;
  const SpaceSet allowed = state.usable & workload.resident;
  if (forced && !allowed.contains(*forced)) {
    throw SpaceUnavailable("space " + std::string(to_string(*forced)) + " cannot run " +
                           std::string(to_string(workload.operation)) +
                           (state.usable.contains(*forced) ? ": the data is not there"
                                                           : ": it is not usable on this machine"));
  }
  if (allowed.empty()) {
    throw SpaceUnavailable("no usable space can reach the data of " +
                           std::string(to_string(workload.operation)));
  }
  const Time now = state.now();
  auto& operation = state.of(workload.operation);
  const std::lock_guard lock(operation.mutex);
  DispatchRecord record = state.undecided(operation, workload, Reason::predicted);
  Class& seen = operation.classes[size_class(workload.work)];
  if (!seen.seen) {
    seen.seen = true;
    seen.last.fill(now);
  }
  const auto choose = [&](Space space, Reason why) {
    record.chosen = space;
    record.why = why;
    seen.last[index(space)] = now;
    seen.since[index(space)] = 0;
    return record;
  };
  if (forced) return choose(*forced, Reason::forced);
  if (allowed.without(State::best_of(allowed, record.predicted)).empty())
    return choose(State::best_of(allowed, record.predicted), Reason::only);

  const Space best = State::best_of(allowed, record.predicted);
  const std::optional<Reason> kept_off = state.kept_off_device(allowed, workload);
  const SpaceSet candidates = kept_off ? allowed.without(Space::cuda) : allowed;
  const SpaceSet admitted = State::admitted(operation, candidates, now);
  record.chosen = State::best_of(admitted, record.predicted);
  if (!candidates.contains(best))
    record.why = *kept_off;
  else if (!admitted.contains(best))
    record.why = Reason::fallback;
  const bool device_is_set = state.options.device_items_from &&
                             workload.items >= *state.options.device_items_from &&
                             admitted.contains(Space::cuda);
  if (device_is_set) {
    record.chosen = Space::cuda;
    record.why = Reason::threshold;
  }
  const std::optional<Space> incumbent = seen.incumbent;
  if (!device_is_set && incumbent && *incumbent != record.chosen && admitted.contains(*incumbent) &&
      !(record.predicted[index(record.chosen)] <
        (1.0 - state.options.hysteresis) * record.predicted[index(*incumbent)])) {
    record.chosen = *incumbent;
    record.why = Reason::hysteresis;
  }
  if (!incumbent) {
    seen.incumbent = record.chosen;
  } else if (*incumbent != record.chosen && allowed.contains(*incumbent)) {
    operation.cells[index(*incumbent)].windows[size_class(workload.work)].keep_newest(
        observations_kept);
    seen.incumbent = record.chosen;
  }
  if (operation.breakers[index(record.chosen)].open()) {
    if (operation.breakers[index(record.chosen)].admits(now)) {
      operation.breakers[index(record.chosen)].start_trial(now);
      record.why = Reason::probe;
    }
    return choose(record.chosen, record.why);
  }
  for (const Space space : all_spaces) {
    if (device_is_set || space == record.chosen || !admitted.contains(space)) continue;
    if (!state.probe_is_due(operation, seen, record, space, now)) continue;
    if (operation.breakers[index(space)].open()) operation.breakers[index(space)].start_trial(now);
    return choose(space, Reason::probe);
  }
  return choose(record.chosen, record.why);
}

std::optional<DispatchRecord> Dispatcher::decide_without(const Workload& workload,
                                                         SpaceSet failed) {
  const State& state = *m_state;
  SpaceSet allowed = state.usable & workload.resident;
  for (const Space space : all_spaces)
    if (failed.contains(space)) allowed = allowed.without(space);
  if (allowed.empty()) return {};
  const auto& operation = state.of(workload.operation);
  const std::lock_guard lock(operation.mutex);
  DispatchRecord record = state.undecided(operation, workload, Reason::fallback);
  if (state.kept_off_device(allowed, workload)) allowed = allowed.without(Space::cuda);
  record.chosen =
      State::best_of(State::admitted(operation, allowed, state.now()), record.predicted);
  return record;
}

void Dispatcher::observe(const DispatchRecord& record) noexcept {
  const State& state = *m_state;
  auto& operation = state.of(record.operation);
  const std::lock_guard lock(operation.mutex);
  operation.breakers[index(record.chosen)].succeeded();
  ++operation.regret.decisions;
  if (!(record.taken > 0.0) || !std::isfinite(record.taken)) return;

  const double base = state.base(operation, record.chosen, record);
  const std::size_t k = size_class(record.work);
  Cell& cell = operation.cells[index(record.chosen)];
  const double ratio = std::clamp(record.taken / base, 1e-9, 1e9);
  if (record.chosen == Space::openmp) {
    const double known = cell.windows[k].ratio();
    const double allowed = alarm_ratio * known * base + (record.first ? first_call_seconds : 0);
    Alarm& alarm = cell.alarms[k];
    if (2 * ratio < cell.ratio(k)) {
      // A disturbance only adds: what was seen in one says nothing of now.
      alarm = {};
      cell.windows[k].keep_newest(0);
    } else if (record.taken >= allowed) {
      alarm.raise(ratio);
    } else if (!record.first) {
      alarm = {};
    }
  }
  if (record.first) return;

  double best = std::numeric_limits<double>::infinity();
  for (const double predicted : record.predicted)
    if (predicted < best) best = predicted;
  operation.regret.taken += record.taken;
  if (record.taken > best) operation.regret.seconds += record.taken - best;

  cell.windows[k].add(static_cast<float>(ratio), state.options.window);
  for (const Space space : all_spaces)
    if (space != record.chosen) operation.classes[k].since[index(space)] += record.taken;
}

void Dispatcher::observe_success(Operation operation, Space space) noexcept {
  auto& known = m_state->of(operation);
  const std::lock_guard lock(known.mutex);
  known.breakers[index(space)].succeeded();
}

void Dispatcher::observe_failure(Operation operation, Space space) noexcept {
  auto& known = m_state->of(operation);
  const Time now = m_state->now();
  const std::lock_guard lock(known.mutex);
  known.breakers[index(space)].failed(now);
}

bool Dispatcher::breaker_open(Operation operation, Space space) const {
  const auto& known = m_state->of(operation);
  const Time now = m_state->now();
  const std::lock_guard lock(known.mutex);
  return !known.breakers[index(space)].admits(now);
}

Dispatcher::Regret Dispatcher::regret() const {
  Regret sum;
  for (const auto& operation : m_state->operations) {
    const std::lock_guard lock(operation->mutex);
    sum.seconds += operation->regret.seconds;
    sum.taken += operation->regret.taken;
    sum.decisions += operation->regret.decisions;
  }
  return sum;
}

void Dispatcher::calibrate(Operation operation, Space space, double work, double seconds) {
  KINDRED_THROW_IF(!m_state->usable.contains(space),
                   "space " + std::string(to_string(space)) + " is not usable");
  KINDRED_THROW_IF(!(work > 0.0) || !std::isfinite(work),
                   "work is " + std::to_string(work) + "; it must be finite and > 0");
  KINDRED_THROW_IF(!(seconds > 0.0) || !std::isfinite(seconds),
                   "seconds is " + std::to_string(seconds) + "; it must be finite and > 0");
  auto& known = m_state->of(operation);
  const std::lock_guard lock(known.mutex);
  Cell& cell = known.cells[index(space)];
  cell.curve.set({work, seconds});
  cell.forget_observations();
  known.classes = {};
}

void Dispatcher::calibrate_start(Space space, double seconds) {
  KINDRED_THROW_IF(!m_state->usable.contains(space),
                   "space " + std::string(to_string(space)) + " is not usable");
  KINDRED_THROW_IF(!(seconds >= 0.0) || !std::isfinite(seconds),
                   "seconds is " + std::to_string(seconds) + "; it must be finite and ≥ 0");
  m_state->start_seconds[index(space)] = seconds;
  m_state->starts_calibrated = m_state->starts_calibrated.load().with(space);
  for (const auto& operation : m_state->operations) {
    const std::lock_guard lock(operation->mutex);
    operation->cells[index(space)].forget_observations();
  }
}

double Dispatcher::start_seconds(Space space) const noexcept {
  return m_state->start_seconds[index(space)];
}

void Dispatcher::calibrate_transfer(double bytes_per_second, double latency_seconds) {
  KINDRED_THROW_IF(
      !(bytes_per_second > 0.0) || !std::isfinite(bytes_per_second),
      "bytes_per_second is " + std::to_string(bytes_per_second) + "; it must be finite and > 0");
  KINDRED_THROW_IF(
      !(latency_seconds >= 0.0) || !std::isfinite(latency_seconds),
      "latency_seconds is " + std::to_string(latency_seconds) + "; it must be finite and ≥ 0");
  m_state->transfer_rate = bytes_per_second;
  m_state->transfer_latency = latency_seconds;
  m_state->transfer_calibrated = true;
}

std::uint64_t Dispatcher::batch_bytes(Operation operation) const noexcept {
  constexpr std::uint64_t assumed = std::uint64_t{64} << 20U;
  const std::uint64_t measured = m_state->batches[index(operation)];
  return measured == 0 ? assumed : measured;
}

void Dispatcher::calibrate_batch(Operation operation, std::uint64_t bytes) {
  KINDRED_THROW_IF(bytes == 0, "a batch is of 0 bytes; it must be of some");
  m_state->batches[index(operation)] = bytes;
}

bool Dispatcher::calibrated() const {
  for (const auto& operation : m_state->operations) {
    const std::lock_guard lock(operation->mutex);
    for (const Cell& cell : operation->cells)
      if (cell.curve.calibrated()) return true;
  }
  return false;
}

double Dispatcher::crossover(Operation operation, Space space) const {
  if (!m_state->usable.contains(space)) return 0;
  const auto& known = m_state->of(operation);
  const std::lock_guard lock(known.mutex);
  double crossover = 0;
  for (std::size_t k = size_class_count; k-- > 0;) {
    Workload workload;
    workload.operation = operation;
    workload.work = std::ldexp(1.0, static_cast<int>(k));
    const auto predicted = m_state->predict(known, workload);
    for (std::size_t before = 0; before < index(space); ++before)
      if (!(predicted[index(space)] < predicted[before]) && !std::isnan(predicted[before]))
        return crossover;
    crossover = workload.work;
  }
  return crossover;
}

std::string Dispatcher::profile_json() const {
  Impl::Profile profile;
  if (m_state->transfer_calibrated)
    profile.transfer = {m_state->transfer_rate, m_state->transfer_latency};
  for (const Space space : all_spaces) {
    if (m_state->starts_calibrated.load().contains(space))
      profile.starts.push_back({space, start_seconds(space)});
  }
  for (std::size_t o = 0; o < operation_count; ++o) {
    if (const std::uint64_t bytes = m_state->batches[o]; bytes > 0)
      profile.batches.push_back({static_cast<Operation>(o), bytes});
    const auto& operation = *m_state->operations[o];
    const std::lock_guard lock(operation.mutex);
    for (const Space space : all_spaces) {
      operation.cells[index(space)].curve.for_each_point([&](const auto& point) {
        profile.points.push_back({static_cast<Operation>(o), space, point.work, point.seconds});
      });
    }
  }
  return Impl::to_json(profile, m_state->options.machine);
}

void Dispatcher::load_profile_json(std::string_view text) {
  const Impl::Profile profile = Impl::profile_from_json(text, m_state->options.machine);
  for (std::size_t o = 0; o < operation_count; ++o) {
    auto& operation = *m_state->operations[o];
    const std::lock_guard lock(operation.mutex);
    for (const Space space : all_spaces) m_state->reset(static_cast<Operation>(o), space);
    operation.classes = {};
    for (const auto& point : profile.points) {
      if (index(point.operation) == o)
        operation.cells[index(point.space)].curve.set({point.work, point.seconds});
    }
  }
  m_state->reset_starts();
  for (const auto& start : profile.starts)
    if (m_state->usable.contains(start.space)) calibrate_start(start.space, start.seconds);
  for (auto& bytes : m_state->batches) bytes = 0;
  for (const auto& batch : profile.batches) calibrate_batch(batch.operation, batch.bytes);
  if (profile.transfer)
    calibrate_transfer(profile.transfer->bytes_per_second, profile.transfer->latency_seconds);
}

}  // namespace Kindred
