// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/Dispatcher.hpp>

#include <kindred/core/common/Error.hpp>

#include <cmath>
#include <limits>

// First form: fixed costs, so that the engines can be built against it.
namespace Kindred {

struct Dispatcher::State {
  SpaceSet usable;
  int threads;
  Options options;
};
Dispatcher::Dispatcher(SpaceSet usable, int threads, Options options)
    : m_state(std::make_unique<State>(State{usable, threads, std::move(options)})) {}
Dispatcher::~Dispatcher() = default;
std::array<double, space_count> Dispatcher::predict(const Workload& w) const {
  const std::array<double, 3> overhead{1e-6, 5e-6, 2e-5};
  const std::array<double, 3> rate{1e9, 1e9 * m_state->threads, 1e12};
  std::array<double, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) {
    out[i] = (m_state->usable & w.resident).contains(all_spaces[i])
                 ? overhead[i] + w.work / rate[i]
                 : std::numeric_limits<double>::quiet_NaN();
  }
  return out;
}
DispatchRecord Dispatcher::decide(const Workload& w, std::optional<Space> forced) {
  if (!forced) forced = m_state->options.forced;
  DispatchRecord record{w.operation,   w.items,           w.work, w.transfer_bytes, predict(w),
                        Space::serial, Reason::predicted, 0};
  if (forced) {
    if (!(m_state->usable & w.resident).contains(*forced))
      throw SpaceUnavailable("space " + std::string(to_string(*forced)) + " cannot be used");
    record.chosen = *forced;
    record.why = Reason::forced;
    return record;
  }
  for (const Space space : all_spaces) {
    if (record.predicted[static_cast<std::size_t>(space)] <
        record.predicted[static_cast<std::size_t>(record.chosen)])
      record.chosen = space;
  }
  return record;
}
std::optional<DispatchRecord> Dispatcher::decide_without(const Workload& w, SpaceSet failed) {
  Workload rest = w;
  for (const Space space : all_spaces)
    if (failed.contains(space)) rest.resident = rest.resident.without(space);
  if ((rest.resident & m_state->usable).empty()) return {};
  return decide(rest);
}
void Dispatcher::observe(const DispatchRecord&) noexcept {}
void Dispatcher::observe_failure(Operation, Space) noexcept {}
bool Dispatcher::breaker_open(Operation, Space) const { return false; }
Dispatcher::Regret Dispatcher::regret() const { return {}; }
SpaceSet Dispatcher::usable() const noexcept { return m_state->usable; }
void Dispatcher::calibrate(Operation, Space, double, double) {}
void Dispatcher::calibrate_transfer(double, double) {}
bool Dispatcher::calibrated() const { return false; }
double Dispatcher::crossover(Operation, Space) const { return 0; }
std::string Dispatcher::profile_json() const { return "{}"; }
void Dispatcher::load_profile_json(std::string_view) {}

}  // namespace Kindred
