// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Dispatcher.hpp>
#include <kindred/core/arch/Process.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "CalibrationProfile.hpp"
#include "DispatcherState.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <mutex>

namespace Kindred {

namespace {

using Impl::size_class;
using Impl::size_class_count;

/// Observations kept for a space that calls have left: few enough that probes bring it back soon.
constexpr std::size_t observations_kept = 8;
/// A call on `openmp` raises an alarm if it takes this many times the expected time.
constexpr double alarm_ratio = 3;
/// Allowance for allocations in a first call: it raises an alarm only if it takes longer.
constexpr double first_call_seconds = 5e-3;

/// \throws InvalidArgument unless \p value is finite and > 0, or ≥ 0 if \p or_zero
void check_number(const char* name, double value, bool or_zero = false) {
  KINDRED_THROW_IF(!std::isfinite(value) || value < 0.0 || (value == 0.0 && !or_zero),
                   std::string(name) + " is " + std::to_string(value) + "; it must be finite and " +
                       (or_zero ? "≥ 0" : "> 0"));
}

}  // namespace

Dispatcher::Dispatcher(SpaceSet usable, int threads, Options options) try {
  KINDRED_THROW_IF(usable.empty(), "there is no space to choose from");
  KINDRED_THROW_IF(threads < 1, "threads is " + std::to_string(threads) + "; it must be ≥ 1");
  KINDRED_THROW_IF(options.window < 1 || options.window > 100'000,
                   "window is " + std::to_string(options.window) + "; it must be 1 … 100000");
  KINDRED_THROW_IF(
      !(options.probe_loss_max >= 0.0),
      "probe_loss_max is " + std::to_string(options.probe_loss_max) + "; it must be ≥ 0");
  KINDRED_THROW_IF(options.device_items_from && options.device_items_min &&
                       *options.device_items_from < *options.device_items_min,
                   "device_items_from is " + std::to_string(*options.device_items_from) +
                       "; it must be at least device_items_min, " +
                       std::to_string(*options.device_items_min));
  m_state = std::make_unique<State>(usable, threads, std::move(options));
} catch (...) {
  Impl::rethrow_translated("Kindred::Dispatcher");
}

SpaceSet Dispatcher::usable() const noexcept { return m_state->usable; }

std::array<double, space_count> Dispatcher::predict(const Workload& workload) const {
  return m_state->undecided(m_state->of(workload.operation), workload, Reason::predicted).predicted;
}

DispatchRecord Dispatcher::decide(const Workload& workload, std::optional<Space> forced) {
  State& state = *m_state;
  if (!forced) forced = state.options.forced;
  const SpaceSet allowed = state.usable & workload.resident;
  if (forced && !allowed.contains(*forced)) {
    throw SpaceUnavailable("space " + std::string(to_string(*forced)) + " cannot run " +
                           std::string(to_string(workload.operation)) +
                           (state.usable.contains(*forced) ? ": it cannot access the data"
                                                           : ": it is not usable on this machine"));
  }
  if (allowed.empty()) {
    throw SpaceUnavailable("no usable space can access the data of " +
                           std::string(to_string(workload.operation)));
  }
  const State::Time now = state.now();
  auto& operation = state.of(workload.operation);
  const auto lock = operation.try_lock([now] { return now; });
  const bool learns = lock.owns_lock();
  DispatchRecord record = state.undecided(operation, workload, Reason::predicted);
  const std::size_t k = size_class(workload.work);
  State::Class& seen = operation.classes[k];
  if (learns && !seen.seen) {
    seen.seen = true;
    seen.last.fill(now);
  }
  const auto choose = [&](Space space, Reason why) {
    record.chosen = space;
    record.why = why;
    if (!learns) return record;
    seen.last[space_index(space)] = now;
    seen.since[space_index(space)] = 0;
    return record;
  };
  if (const int threads = state.forced_threads.load(std::memory_order_relaxed); threads > 0) {
    record.threads = threads;
  } else if (forced && !(record.predicted[space_index(Space::openmp)] <
                         record.predicted[space_index(Space::serial)])) {
    record.threads = 1;
  }
  if (forced) return choose(*forced, Reason::forced);
  if (allowed.without(State::best_of(allowed, record.predicted)).empty())
    return choose(State::best_of(allowed, record.predicted), Reason::only);

  const Space best = State::best_of(allowed, record.predicted);
  const std::optional<Reason> kept_off = state.kept_off_device(allowed, workload);
  const SpaceSet candidates = kept_off ? allowed.without(Space::cuda) : allowed;
  const SpaceSet admitted = learns ? State::admitted(operation, candidates, now) : candidates;
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
  auto& favoured = operation.incumbents[k];
  const Space* const incumbent = favoured;
  if (!device_is_set && incumbent != nullptr && *incumbent != record.chosen &&
      admitted.contains(*incumbent) &&
      !(record.predicted[space_index(record.chosen)] <
        (1.0 - State::hysteresis) * record.predicted[space_index(*incumbent)])) {
    record.chosen = *incumbent;
    record.why = Reason::hysteresis;
  }
  if (!learns) return record;
  if (incumbent == nullptr) {
    favoured = &all_spaces[space_index(record.chosen)];
  } else if (*incumbent != record.chosen && allowed.contains(*incumbent)) {
    State::Cell& left = operation.cells[space_index(*incumbent)];
    left.windows[k].keep_newest(observations_kept);
    left.publish_ratio(k);
    favoured = &all_spaces[space_index(record.chosen)];
  }
  if (operation.breakers[space_index(record.chosen)].open()) {
    if (operation.breakers[space_index(record.chosen)].admits(now)) {
      operation.breakers[space_index(record.chosen)].start_trial(now);
      record.why = Reason::probe;
    }
    return choose(record.chosen, record.why);
  }
  for (const Space space : all_spaces) {
    if (device_is_set || space == record.chosen || !admitted.contains(space)) continue;
    if (!state.probe_is_due(operation, seen, record, space, now)) continue;
    if (operation.breakers[space_index(space)].open())
      operation.breakers[space_index(space)].start_trial(now);
    return choose(space, Reason::probe);
  }
  return choose(record.chosen, record.why);
}

std::optional<DispatchRecord> Dispatcher::decide_without(const Workload& workload,
                                                         SpaceSet failed) {
  State& state = *m_state;
  SpaceSet allowed = state.usable & workload.resident;
  for (const Space space : all_spaces)
    if (failed.contains(space)) allowed = allowed.without(space);
  if (allowed.empty()) return {};
  auto& operation = state.of(workload.operation);
  DispatchRecord record = state.undecided(operation, workload, Reason::fallback);
  const std::lock_guard lock(operation.mutex);
  if (state.kept_off_device(allowed, workload)) allowed = allowed.without(Space::cuda);
  record.chosen =
      State::best_of(State::admitted(operation, allowed, state.now()), record.predicted);
  return record;
}

void Dispatcher::observe(const DispatchRecord& record) noexcept {
  if (Arch::is_forked()) return;  // in a callback of the call
  const State& state = *m_state;
  State::PerOperation* known = state.find(record.operation);
  if (known == nullptr) return;
  auto& operation = *known;
  State::RegretPart& regret = operation.regret.here();
  regret.decisions.fetch_add(1, std::memory_order_relaxed);
  const bool is_timed = record.taken > 0.0 && std::isfinite(record.taken);
  if (is_timed && !record.first) {
    double best = std::numeric_limits<double>::infinity();
    for (const double predicted : record.predicted) best = std::min(best, predicted);  // skips NaN
    regret.taken.fetch_add(record.taken, std::memory_order_relaxed);
    regret.seconds.fetch_add(std::max(record.taken - best, 0.0), std::memory_order_relaxed);
  }

  const auto lock = operation.try_lock([&state] { return state.now(); });
  if (!lock) return operation.note_success(record.chosen);
  operation.breakers[space_index(record.chosen)].succeeded();
  operation.publish_breakers();
  if (!is_timed) return;

  // A team of one thread is the space `serial`.
  const Space ran =
      record.chosen == Space::openmp && record.threads == 1 ? Space::serial : record.chosen;
  const double base = ran == Space::openmp
                          ? state.on_team(operation, record, state.variant(ran, record.threads))
                          : state.on_one(operation, ran, record);
  const std::size_t k = size_class(record.work);
  State::Cell& cell = operation.cells[space_index(ran)];
  const double ratio = std::clamp(record.taken / base, 1e-9, 1e9);
  if (ran == Space::openmp) {
    const double known = cell.windows[k].ratio();
    const double allowed = alarm_ratio * known * base + (record.first ? first_call_seconds : 0);
    State::Alarm& alarm = cell.alarms[k];
    if (cell.ratio(k) > 1 && 2 * ratio < cell.ratio(k)) {
      // Disturbances only add time, so the observations made during one are no longer valid.
      alarm = {};
      cell.windows[k].keep_newest(0);
    } else if (record.taken >= allowed) {
      alarm.raise(ratio);
    } else if (!record.first) {
      alarm = {};
    }
    cell.publish_ratio(k);
  }
  if (record.first) return;

  cell.windows[k].add(static_cast<float>(ratio), state.options.window);
  cell.publish_ratio(k);
  for (const Space space : all_spaces)
    if (space != ran) operation.classes[k].since[space_index(space)] += record.taken;
}

void Dispatcher::observe_success(Operation operation, Space space) noexcept {
  if (Arch::is_forked()) return;
  State::PerOperation* known = m_state->find(operation);
  if (known == nullptr) return;
  const auto lock = known->try_lock([this] { return m_state->now(); });
  if (!lock) return known->note_success(space);
  known->breakers[space_index(space)].succeeded();
  known->publish_breakers();
}

void Dispatcher::observe_failure(Operation operation, Space space) noexcept {
  if (Arch::is_forked()) return;
  State::PerOperation* known = m_state->find(operation);
  if (known == nullptr) return;
  const State::Time now = m_state->now();
  const std::lock_guard lock(known->mutex);
  known->count_successes();
  known->breakers[space_index(space)].failed(now);
  known->publish_breakers();
}

bool Dispatcher::breaker_open(Operation operation, Space space) const {
  const auto& known = m_state->of(operation);
  const State::Time now = m_state->now();
  const std::lock_guard lock(known.mutex);
  return !known.breakers[space_index(space)].admits(now);
}

Dispatcher::Regret Dispatcher::regret() const {
  Regret sum;
  m_state->for_each_operation([&](const State::PerOperation& known) {
    known.regret.for_each([&](const State::RegretPart& part) {
      sum.seconds += part.seconds;
      sum.taken += part.taken;
      sum.decisions += part.decisions;
    });
  });
  return sum;
}

void Dispatcher::register_operations(std::initializer_list<Operation> operations) try {
  for (const Operation operation : operations) (void)m_state->of(operation);
} catch (...) {
  Impl::rethrow_translated("Kindred::Dispatcher::register_operations");
}

std::vector<Operation> Dispatcher::operations() const try {
  std::vector<Operation> operations;
  m_state->for_each_operation(
      [&](const State::PerOperation& known) { operations.push_back(known.operation); });
  return operations;
} catch (...) {
  Impl::rethrow_translated("Kindred::Dispatcher::operations");
}

void Dispatcher::calibrate(Operation operation, Space space, double work, double seconds,
                           int threads) try {
  m_state->check_team(space, threads);
  check_number("work", work);
  check_number("seconds", seconds);
  auto& known = m_state->of(operation);
  const std::lock_guard lock(known.mutex);
  State::Cell& cell = known.cells[space_index(space)];
  cell.curves[m_state->variant(space, threads)].set({work, seconds});
  cell.forget_observations();
  known.classes = {};
  known.incumbents = {};
} catch (...) {
  Impl::rethrow_translated("Kindred::Dispatcher::calibrate");
}

void Dispatcher::calibrate_start(Space space, double seconds, int threads) try {
  m_state->check_team(space, threads);
  check_number("seconds", seconds, true);
  m_state->start_seconds[space_index(space)][m_state->variant(space, threads)] = seconds;
  m_state->starts_calibrated = m_state->starts_calibrated.load().with(space);
  m_state->for_each_operation([&](State::PerOperation& known) {
    const std::lock_guard lock(known.mutex);
    known.cells[space_index(space)].forget_observations();
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::Dispatcher::calibrate_start");
}

double Dispatcher::start_seconds(Space space, int threads) const noexcept {
  return m_state->start_seconds[space_index(space)][m_state->variant(space, threads)];
}

std::span<const int> Dispatcher::team_sizes() const noexcept { return m_state->teams; }

void Dispatcher::force_threads(int threads) {
  KINDRED_THROW_IF(threads < 0 || threads > m_state->threads,
                   "threads is " + std::to_string(threads) + "; it must be 1 … " +
                       std::to_string(m_state->threads) + ", or 0 for the predicted number");
  m_state->forced_threads = threads;
}

void Dispatcher::calibrate_transfer(double bytes_per_second, double latency_seconds) try {
  check_number("bytes_per_second", bytes_per_second);
  check_number("latency_seconds", latency_seconds, true);
  m_state->transfer_rate = bytes_per_second;
  m_state->transfer_latency = latency_seconds;
  m_state->transfer_calibrated = true;
} catch (...) {
  Impl::rethrow_translated("Kindred::Dispatcher::calibrate_transfer");
}

std::uint64_t Dispatcher::batch_bytes(Operation operation) const {
  constexpr std::uint64_t assumed = std::uint64_t{64} << 20U;
  const std::uint64_t measured = m_state->of(operation).batch_bytes;
  return measured == 0 ? assumed : measured;
}

void Dispatcher::calibrate_batch(Operation operation, std::uint64_t bytes) try {
  KINDRED_THROW_IF(bytes == 0, "bytes is 0; it must be > 0");
  m_state->of(operation).batch_bytes = bytes;
} catch (...) {
  Impl::rethrow_translated("Kindred::Dispatcher::calibrate_batch");
}

bool Dispatcher::calibrated() const {
  bool any = false;
  m_state->for_each_operation([&](const State::PerOperation& known) {
    const std::lock_guard lock(known.mutex);
    for (const State::Cell& cell : known.cells)
      for (const Impl::CostCurve& curve : cell.curves) any = any || curve.calibrated();
  });
  const std::lock_guard lock(m_state->adding);
  return any || !m_state->profile.points.empty();
}

double Dispatcher::crossover(Operation operation, Space space) const {
  if (!m_state->usable.contains(space)) return 0;
  const auto& known = m_state->of(operation);
  double crossover = 0;
  for (std::size_t k = size_class_count; k-- > 0;) {
    Workload workload;
    workload.operation = operation;
    workload.work = std::ldexp(1.0, static_cast<int>(k));
    const auto predicted = m_state->undecided(known, workload, Reason::predicted).predicted;
    for (std::size_t before = 0; before < space_index(space); ++before)
      if (!(predicted[space_index(space)] < predicted[before]) && !std::isnan(predicted[before]))
        return crossover;
    crossover = workload.work;
  }
  return crossover;
}

std::string Dispatcher::profile_json() const try {
  Impl::CalibrationProfile profile;
  if (m_state->transfer_calibrated)
    profile.transfer = {m_state->transfer_rate, m_state->transfer_latency};
  for (const Space space : all_spaces) {
    if (!m_state->starts_calibrated.load().contains(space)) continue;
    for (const int threads : m_state->teams_of(space))
      profile.starts.push_back({space, threads, start_seconds(space, threads)});
  }
  const std::lock_guard lock(m_state->adding);
  m_state->for_each_operation([&](const State::PerOperation& known) {
    const std::string name(known.operation.name());
    if (const std::uint64_t bytes = known.batch_bytes; bytes > 0)
      profile.batches.push_back({name, bytes});
    const std::lock_guard known_lock(known.mutex);
    for (const Space space : all_spaces) {
      for (const int threads : m_state->teams_of(space)) {
        const auto& curve =
            known.cells[space_index(space)].curves[m_state->variant(space, threads)];
        curve.for_each_point([&](const auto& point) {
          profile.points.push_back({name, space, threads, point.work, point.seconds});
        });
      }
    }
  });
  // Add what was loaded for operations that no call has named yet.
  const std::vector<Operation> named = operations();
  const auto is_unnamed = [&](const auto& entry) {
    return std::ranges::find(named, entry.operation, &Operation::name) == named.end();
  };
  std::ranges::copy_if(m_state->profile.points, std::back_inserter(profile.points), is_unnamed);
  std::ranges::copy_if(m_state->profile.batches, std::back_inserter(profile.batches), is_unnamed);
  return Impl::to_json(profile, m_state->options.machine);
} catch (...) {
  Impl::rethrow_translated("Kindred::Dispatcher::profile_json");
}

void Dispatcher::load_profile_json(std::string_view text) try {
  const Impl::CalibrationProfile profile =
      Impl::profile_from_json(text, m_state->options.machine, m_state->teams);
  Impl::CalibrationProfile kept = profile;  // what follows allocates nothing
  {
    const std::lock_guard lock(m_state->adding);
    m_state->profile = std::move(kept);
    m_state->for_each_operation([&](State::PerOperation& known) { m_state->reset(known); });
  }
  m_state->reset_starts();
  for (const auto& start : profile.starts)
    if (m_state->usable.contains(start.space))
      calibrate_start(start.space, start.seconds, start.threads);
  if (profile.transfer)
    calibrate_transfer(profile.transfer->bytes_per_second, profile.transfer->latency_seconds);
} catch (...) {
  Impl::rethrow_translated("Kindred::Dispatcher::load_profile_json");
}

}  // namespace Kindred
