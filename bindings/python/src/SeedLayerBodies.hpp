// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_SEED_LAYER_BODIES_HPP
#define KINDRED_PYTHON_SEED_LAYER_BODIES_HPP

#include "SeedLayerRows.hpp"
#include "Sequences.hpp"

#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

// What is special of SeedLayer.
namespace Kindred::Python::Seeds {

namespace {

std::uint32_t seed_of(const SeedLayer& layer, nb::handle given, std::uint32_t behind) {
  const auto seed = narrow_of<std::uint32_t>(given, "seed", 0);
  if (seed >= layer.seeds() + behind)
    refuse("seed is " + std::to_string(seed) + "; the layer has " + std::to_string(layer.seeds()) +
           " seeds");
  return seed;
}

std::string name_of(nb::handle given, const char* option) {
  if (!nb::isinstance<nb::str>(given))
    refuse_type(std::string(option) + " is of type " + type_text(given) + "; it must be a str");
  return bytes_of_text(given, option);
}

/// Metrics of Python, and the weights that they refer to.
class MetricsGiven {
 public:
  explicit MetricsGiven(nb::handle given) {
    if (given.is_none()) return;
    const nb::tuple items = tuple_of(given, "metrics", 10);
    std::size_t item = 0;
    for_each_metric(m_metrics, [&](const char* name, std::optional<double>& metric) {
      const nb::object value = items[item++];
      if (!value.is_none()) metric = number_of(value, name);
    });
    if (items[item].is_none()) return;
    m_weights.emplace(items[item], "metrics.weights", nullptr, Copying::if_needed, Layout::dense);
    m_weights->require_rank(1, 1);
    m_metrics.weights = m_weights->host_values<float>();
  }
  const SeedMetrics& values() const { return m_metrics; }

 private:
  SeedMetrics m_metrics;
  std::optional<Input> m_weights;
};

template <class T>
constexpr DataType type_of_column =
    data_type_of<typename std::conditional_t<std::is_enum_v<T>, std::underlying_type<T>,
                                             std::type_identity<T>>::type>;

/// A new array of NumPy, of \p columns if there are several.
template <class T>
nb::object array_of_column(std::span<const T> values, std::size_t columns = 1) {
  const auto rows = static_cast<std::int64_t>(values.size() / columns);
  const nb::object made =
      columns == 1 ? empty_array(type_of_column<T>, {rows})
                   : empty_array(type_of_column<T>, {rows, static_cast<std::int64_t>(columns)});
  const Output out(made, "values");
  if (!values.empty()) std::memcpy(out.array().data(), values.data(), values.size_bytes());
  return made;
}
/// The elements of an array of one number, or row of \p columns, per seed.
template <class T>
std::vector<T> column_from(nb::handle given, const char* name, std::size_t columns = 1) {
  const Input array(given, name, nullptr, Copying::if_needed, Layout::dense);
  array.require_type({type_of_column<T>});
  array.require_rank(columns == 1 ? 1 : 2, columns == 1 ? 1 : 2);
  if (columns != 1) array.require_columns(columns);
  const std::span<const std::byte> bytes = array.host_bytes();
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

nb::tuple state_of(const SeedState& state) {
  nb::list columns;
  for_each_column(state, [&]<class T>(const char*, const std::vector<T>& values, std::size_t of) {
    columns.append(array_of_column(std::span<const T>(values), of));
  });
  return nb::tuple(columns);
}
SeedState state_from(nb::handle given) {
  const nb::tuple items = tuple_of(given, "state", 14);
  std::size_t item = 0;
  SeedState state;
  for_each_column(state, [&]<class T>(const char* name, std::vector<T>& values, std::size_t of) {
    values = column_from<T>(items[item++], name, of);
  });
  return state;
}

/// \param fields of the seeds, in the order of `SeedField`: arrays as in `SeedUpdate`, or None
std::vector<SeedUpdate> updates_from(nb::handle seeds, nb::handle fields) {
  const std::vector<std::uint64_t> ids = ids_of(seeds, "seeds");
  const nb::tuple items = tuple_of(fields, "fields", seed_fields);
  std::vector<SeedUpdate> updates(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] > std::numeric_limits<std::uint32_t>::max())
      refuse("seeds has the number " + std::to_string(ids[i]) + ", which is not that of a seed");
    updates[i].seed = static_cast<std::uint32_t>(ids[i]);
  }
  std::size_t item = 0;
  for_each_field([&]<class T>(const char* name, SeedField field, T SeedUpdate::*member) {
    const nb::object given = items[item++];
    if (given.is_none()) return;
    const std::vector<T> values = column_from<T>(given, name);
    if (values.size() != updates.size())
      refuse(std::string(name) + " has " + std::to_string(values.size()) + " values, and seeds " +
             std::to_string(updates.size()) + "; give one per seed");
    for (std::size_t i = 0; i < values.size(); ++i) {
      updates[i].*member = values[i];
      updates[i].mask = static_cast<std::uint16_t>(updates[i].mask | field);
    }
  });
  return updates;
}

nb::tuple telemetry_of(std::span<const SeedTelemetry> telemetry) {
  const auto column = [&]<class T>(T SeedTelemetry::*member) {
    std::vector<T> values;
    values.reserve(telemetry.size());
    for (const SeedTelemetry& one : telemetry) values.push_back(one.*member);
    return array_of_column(std::span<const T>(values));
  };
  return nb::make_tuple(column(&SeedTelemetry::count), column(&SeedTelemetry::mean),
                        column(&SeedTelemetry::variance), column(&SeedTelemetry::min),
                        column(&SeedTelemetry::max), column(&SeedTelemetry::dead_ratio));
}

nb::dict blueprints_of(const BlueprintRegistry& found) {
  nb::dict out;
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(found.size()); ++id)
    if (found.contains(id))
      out[nb::int_(id)] =
          named("Blueprint", found.name(id), array_of(found.weights(id)), found.version(id));
  return out;
}

nb::object lifecycle_of(Lifecycle lifecycle) {
  return named("Lifecycle", static_cast<int>(lifecycle));
}
nb::tuple change_of(const SeedChange& change) {
  return nb::make_tuple(lifecycle_of(change.from), lifecycle_of(change.to));
}
nb::list changes_of(const std::vector<SeedChange>& changes) {
  nb::list out;
  for (const SeedChange& change : changes) out.append(change_of(change));
  return out;
}
nb::list events_of(const std::vector<SeedEvent>& events) {
  nb::list out;
  for (const SeedEvent& event : events)
    out.append(named("SeedEvent", event.seed, *change_of(event.change), event.why));
  return out;
}
nb::object numbers_of(const std::optional<std::vector<double>>& numbers) {
  return numbers ? array_of(std::span<const double>(*numbers)) : nb::none();
}

/// A function of C++ that calls \p given with (seed, from, to). Its owner is added to \p kept.
std::function<void(std::uint32_t, SeedChange)> listener_of(nb::handle given, Kept& kept) {
  if (given.is_none()) return {};
  if (PyCallable_Check(given.ptr()) == 0)
    refuse_type("on_transition is of type " + type_text(given) + "; it must be callable");
  auto [owner, target] = Callback::made(given);
  kept.add(std::move(owner));
  return [target = std::move(target)](std::uint32_t seed, SeedChange change) {
    Callback::call(*target, [&] {
      return nb::make_tuple(seed, lifecycle_of(change.from), lifecycle_of(change.to));
    });
  };
}

Handle create(nb::handle hidden, nb::handle seeds, nb::handle telemetry_epochs,
              nb::handle residency, nb::handle blueprint_bytes, nb::handle rules,
              nb::handle schedules, nb::handle on_transition, nb::handle context) {
  SeedLayerOptions options = GivenSeedLayerOptions(hidden, seeds, telemetry_epochs, residency,
                                                   blueprint_bytes, rules, schedules)
                                 .options;
  Kept kept;
  options.on_transition = listener_of(on_transition, kept);
  const SharedContext shared = context_of(context);
  Handle made("SeedLayer", shared_of<Shared>(shared, [&] { return SeedLayer(*shared, options); }));
  made.keep(kept);
  return made;
}

nb::list step(const Handle& self, nb::handle metrics) {
  const std::shared_ptr<Shared> shared = self.open();
  if (metrics.is_none() || nb::isinstance<nb::tuple>(metrics)) {
    const MetricsGiven given(metrics);
    return events_of(unlocked([&] { return shared->seeds.step(given.values()); }));
  }
  if (!is_collection(metrics))
    refuse_type("metrics is of type " + type_text(metrics) +
                "; it must be a SeedMetrics, a collection of them, or None");
  std::deque<MetricsGiven> given;
  std::vector<SeedMetrics> values;
  for (const nb::handle one : metrics) values.push_back(given.emplace_back(one).values());
  return events_of(
      unlocked([&] { return shared->seeds.step(std::span<const SeedMetrics>(values)); }));
}

}  // namespace

}  // namespace Kindred::Python::Seeds

#endif  // KINDRED_PYTHON_SEED_LAYER_BODIES_HPP
