// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SeedLayer.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Options.hpp"
#include "SeedArguments.hpp"
#include "SeedRows.hpp"
#include "Sequences.hpp"
#include "Texts.hpp"

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace Kindred::Python {

// A namespace per file: several files are compiled together.
namespace Seeds {

namespace {

constexpr std::array<Choice<SeedTelemetryUse>, 3> uses{{{"none", SeedTelemetryUse::none},
                                                        {"last", SeedTelemetryUse::last},
                                                        {"merged", SeedTelemetryUse::merged}}};

nb::tuple result_of(const TransitionResult& result) {
  return nb::make_tuple(result.accepted, result.why);
}

std::span<const float> weights_of(const Input& given) {
  given.require_rank(1, 1);
  return given.host_values<float>();
}

nb::object forward(const Handle& self, nb::handle x, nb::handle telemetry, nb::handle space,
                   nb::handle out, nb::handle stream, nb::handle copy) {
  const std::shared_ptr<Shared> shared = self.open();
  Rows rows(*shared, x, space, stream, copy);
  rows.options().telemetry = value_of(telemetry, "telemetry", uses);
  const nb::object made = out.is_none() ? rows.made_rows() : nb::borrow(out);
  const Output y(made, "out", &rows.order());
  rows.require_output(y);
  keep_record(
      unlocked([&] { return shared->layer.forward(rows.x().array(), y.array(), rows.options()); }));
  return made;
}

/// `(dx, dw)`
nb::object backward(const Handle& self, nb::handle x, nb::handle gradient, nb::handle space,
                    nb::handle out, nb::handle stream, nb::handle copy) {
  const std::shared_ptr<Shared> shared = self.open();
  Rows rows(*shared, x, space, stream, copy);
  const Input of_y(gradient, "gradient", &rows.order(), rows.copying());
  of_y.require_type({rows.x().type()});
  rows.require_like(of_y);
  nb::object dx_made;
  nb::object dw_made;
  if (out.is_none()) {
    dx_made = rows.made_like_x();
    dw_made = rows.made(DataType::float32, {rows.x().extent(1)});
  } else {
    const nb::tuple given = tuple_of(out, "out", 2);
    dx_made = given[0];
    dw_made = given[1];
  }
  const Output dx(dx_made, "dx", &rows.order());
  const Output dw(dw_made, "dw", &rows.order());
  rows.require_like(dx);
  require_same_place(rows.x(), dw);
  if (dx.type() != rows.x().type())
    refuse_type("dx is " + dx.text() + "; it must have the element type of x, which is " +
                rows.x().text());
  if (dw.type() != DataType::float32)
    refuse_type("dw is " + dw.text() + "; its elements must be float32");
  keep_record(unlocked([&] {
    return shared->layer.backward(rows.x().array(), of_y.array(), dx.array(), dw.array(),
                                  rows.options());
  }));
  return nb::make_tuple(dx_made, dw_made);
}

nb::list events_of(const std::vector<SeedEvent>& events) {
  nb::list out;
  for (const SeedEvent& event : events)
    out.append(nb::make_tuple(event.seed, static_cast<int>(event.change.from),
                              static_cast<int>(event.change.to), event.why));
  return out;
}

nb::object step(const Handle& self, nb::handle metrics) {
  const std::shared_ptr<Shared> shared = self.open();
  if (!nb::isinstance<nb::list>(metrics)) {
    const Metrics given(metrics);
    return events_of(unlocked([&] { return shared->layer.step(given.values()); }));
  }
  std::deque<Metrics> given;
  std::vector<SeedMetrics> values;
  for (const nb::handle one : metrics) values.push_back(given.emplace_back(one).values());
  return events_of(
      unlocked([&] { return shared->layer.step(std::span<const SeedMetrics>(values)); }));
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
      return nb::make_tuple(seed, static_cast<int>(change.from), static_cast<int>(change.to));
    });
  };
}

}  // namespace

}  // namespace Seeds

void register_seed_layer(Module& module) {
  using namespace Seeds;
  Class<Handle>(module, "SeedLayer")
      .def(
          "__init__",
          [](Handle* self, nb::handle hidden, nb::handle seeds, nb::handle telemetry_epochs,
             nb::handle blueprint_bytes, nb::handle residency, nb::handle rules,
             nb::handle schedules, nb::handle on_transition, nb::handle context) {
            SeedLayerOptions options;
            options.hidden = narrow_of<std::uint32_t>(hidden, "hidden", 0);
            options.seeds = narrow_of<std::uint32_t>(seeds, "seeds", 0);
            options.telemetry_epochs =
                narrow_of<std::uint32_t>(telemetry_epochs, "telemetry_epochs", 0);
            options.blueprint_bytes =
                static_cast<std::uint64_t>(integer_of(blueprint_bytes, "blueprint_bytes", 0));
            options.residency = residency_of(residency);
            options.rules = rules_of(rules);
            options.schedules = schedules_of(schedules);
            Kept kept;
            options.on_transition = listener_of(on_transition, kept);
            const SharedContext shared = context_of(context);
            new (self)
                Handle("SeedLayer",
                       shared_of<Shared>(shared, [&] { return SeedLayer(*shared, options); }));
            self->keep(kept);
          },
          nb::arg("hidden").none(), nb::arg("seeds").none(), nb::arg("telemetry_epochs").none(),
          nb::arg("blueprint_bytes").none(), nb::arg("residency").none(), nb::arg("rules").none(),
          nb::arg("schedules").none(), nb::arg("on_transition").none(), nb::arg("context").none())
      .def("close", &Handle::close)
      .def("is_closed", &Handle::is_closed)
      .def("hidden", [](const Handle& self) { return self.open()->layer.hidden(); })
      .def("seeds", [](const Handle& self) { return self.open()->layer.seeds(); })
      .def("epoch", [](const Handle& self) { return self.open()->layer.epoch(); })
      .def("on_device", [](const Handle& self) { return self.open()->layer.on_device(); })
      .def("device_trouble",
           [](const Handle& self) {
             const std::shared_ptr<Shared> shared = self.open();
             return unlocked([&] { return shared->layer.device_trouble(); });
           })
      .def(
          "chunk_begin",
          [](const Handle& self, nb::handle seed) {
            const std::shared_ptr<Shared> shared = self.open();
            const std::uint32_t given = seed_of(seed);
            if (given > shared->layer.seeds())
              refuse("seed is " + std::to_string(given) + "; the layer has " +
                     std::to_string(shared->layer.seeds()) + " seeds");
            return shared->layer.chunk_begin(given);
          },
          nb::arg("seed").none())
      .def("blueprints",
           [](const Handle& self) {
             const std::shared_ptr<Shared> shared = self.open();
             const BlueprintRegistry found = unlocked([&] { return shared->layer.blueprints(); });
             nb::dict out;
             for (std::int32_t id = 0; id < static_cast<std::int32_t>(found.size()); ++id)
               if (found.contains(id))
                 out[nb::int_(id)] =
                     nb::make_tuple(found.name(id), array_of(found.weights(id)), found.version(id));
             return out;
           })
      .def(
          "add_blueprint",
          [](const Handle& self, nb::handle name, nb::handle weights) {
            const std::shared_ptr<Shared> shared = self.open();
            if (!nb::isinstance<nb::str>(name))
              refuse_type("name is of type " + type_text(name) + "; it must be a str");
            const Input given(weights, "weights", nullptr, Copying::if_needed, Layout::dense);
            const std::span<const float> values = weights_of(given);
            std::string text = bytes_of_text(name, "name");
            return unlocked([&] { return shared->layer.add_blueprint(std::move(text), values); });
          },
          nb::arg("name").none(), nb::arg("weights").none())
      .def(
          "replace_blueprint",
          [](const Handle& self, nb::handle blueprint, nb::handle weights) {
            const std::shared_ptr<Shared> shared = self.open();
            const auto id = narrow_of<std::int32_t>(blueprint, "blueprint", 0);
            const Input given(weights, "weights", nullptr, Copying::if_needed, Layout::dense);
            const std::span<const float> values = weights_of(given);
            unlocked([&] { shared->layer.replace_blueprint(id, values); });
          },
          nb::arg("blueprint").none(), nb::arg("weights").none())
      .def(
          "remove_blueprint",
          [](const Handle& self, nb::handle blueprint) {
            const std::shared_ptr<Shared> shared = self.open();
            const auto id = narrow_of<std::int32_t>(blueprint, "blueprint", 0);
            unlocked([&] { shared->layer.remove_blueprint(id); });
          },
          nb::arg("blueprint").none())
      .def(
          "save_blueprints",
          [](const Handle& self, nb::handle path) {
            const std::shared_ptr<Shared> shared = self.open();
            const std::string given = path_of(path, "path");
            unlocked([&] { shared->layer.blueprints().save(given); });
          },
          nb::arg("path").none())
      .def(
          "restore_blueprints",
          [](const Handle& self, nb::handle path) {
            const std::shared_ptr<Shared> shared = self.open();
            const std::string given = path_of(path, "path");
            unlocked([&] { shared->layer.restore_blueprints(given); });
          },
          nb::arg("path").none())
      .def("state",
           [](const Handle& self) {
             const std::shared_ptr<Shared> shared = self.open();
             return state_of(unlocked([&] { return shared->layer.state(); }));
           })
      .def(
          "set_state",
          [](const Handle& self, nb::handle state) {
            const std::shared_ptr<Shared> shared = self.open();
            const SeedState given = state_from(state);
            unlocked([&] { shared->layer.set_state(given); });
          },
          nb::arg("state").none())
      .def(
          "history",
          [](const Handle& self, nb::handle seed) {
            const std::shared_ptr<Shared> shared = self.open();
            const std::uint32_t given = seed_of(seed);
            const SeedState state = unlocked([&] { return shared->layer.state(); });
            if (given >= state.seeds())
              refuse("seed is " + std::to_string(given) + "; the layer has " +
                     std::to_string(state.seeds()) + " seeds");
            nb::list out;
            for (const SeedChange& change : state.history(given))
              out.append(
                  nb::make_tuple(static_cast<int>(change.from), static_cast<int>(change.to)));
            return out;
          },
          nb::arg("seed").none())
      .def(
          "update",
          [](const Handle& self, nb::handle seeds, nb::handle fields) {
            const std::shared_ptr<Shared> shared = self.open();
            const std::vector<SeedUpdate> updates = updates_from(seeds, fields);
            unlocked([&] { shared->layer.update(updates); });
          },
          nb::arg("seeds").none(), nb::arg("fields").none())
      .def(
          "request",
          [](const Handle& self, nb::handle seed, nb::handle to, nb::handle metrics) {
            const std::shared_ptr<Shared> shared = self.open();
            const std::uint32_t given = seed_of(seed);
            const auto state = code_of<Lifecycle>(to, "to", enum_names<Lifecycle>.size());
            const Metrics values(metrics);
            return result_of(
                unlocked([&] { return shared->layer.request(given, state, values.values()); }));
          },
          nb::arg("seed").none(), nb::arg("to").none(), nb::arg("metrics").none())
      .def(
          "germinate",
          [](const Handle& self, nb::handle seed, nb::handle blueprint, nb::handle mode,
             nb::handle schedule) {
            const std::shared_ptr<Shared> shared = self.open();
            const std::uint32_t given = seed_of(seed);
            const auto id = narrow_of<std::int32_t>(blueprint, "blueprint", 0);
            const auto applied = code_of<ApplyMode>(mode, "mode", enum_names<ApplyMode>.size());
            const auto rising =
                code_of<AlphaSchedule>(schedule, "schedule", enum_names<AlphaSchedule>.size());
            return result_of(
                unlocked([&] { return shared->layer.germinate(given, id, applied, rising); }));
          },
          nb::arg("seed").none(), nb::arg("blueprint").none(), nb::arg("mode").none(),
          nb::arg("schedule").none())
      .def(
          "report_error",
          [](const Handle& self, nb::handle seed) {
            const std::shared_ptr<Shared> shared = self.open();
            const std::uint32_t given = seed_of(seed);
            return unlocked([&] { return shared->layer.report_error(given); });
          },
          nb::arg("seed").none())
      .def("step", step, nb::arg("metrics").none())
      .def(
          "schedule_state",
          [](const Handle& self, nb::handle seed) -> nb::object {
            const std::shared_ptr<Shared> shared = self.open();
            const std::uint32_t given = seed_of(seed);
            const auto found = unlocked([&] { return shared->layer.schedule_state(given); });
            if (!found) return nb::none();
            return array_of(std::span<const double>(*found));
          },
          nb::arg("seed").none())
      .def(
          "set_schedule_state",
          [](const Handle& self, nb::handle seed, nb::handle numbers) {
            const std::shared_ptr<Shared> shared = self.open();
            const std::uint32_t given = seed_of(seed);
            const Input array(numbers, "numbers", nullptr, Copying::if_needed, Layout::dense);
            array.require_rank(1, 1);
            const std::span<const double> values = array.host_values<double>();
            unlocked([&] { shared->layer.set_schedule_state(given, values); });
          },
          nb::arg("seed").none(), nb::arg("numbers").none())
      .def("forward", forward, nb::arg("x").none(), nb::arg("telemetry").none(),
           nb::arg("space").none(), nb::arg("out").none(), nb::arg("stream").none(),
           nb::arg("copy").none())
      .def("backward", backward, nb::arg("x").none(), nb::arg("gradient").none(),
           nb::arg("space").none(), nb::arg("out").none(), nb::arg("stream").none(),
           nb::arg("copy").none())
      .def(
          "has_telemetry",
          [](const Handle& self, nb::handle age) {
            const std::shared_ptr<Shared> shared = self.open();
            const auto given = narrow_of<std::uint32_t>(age, "age", 0);
            return unlocked([&] { return shared->layer.has_telemetry(given); });
          },
          nb::arg("age").none())
      .def(
          "start_telemetry",
          [](const Handle& self, nb::handle age) {
            const std::shared_ptr<Shared> shared = self.open();
            const auto given = narrow_of<std::uint32_t>(age, "age", 0);
            unlocked([&] { shared->layer.start_telemetry(given); });
          },
          nb::arg("age").none())
      .def(
          "telemetry",
          [](const Handle& self, nb::handle age) {
            const std::shared_ptr<Shared> shared = self.open();
            const auto given = narrow_of<std::uint32_t>(age, "age", 0);
            return arrays_of(unlocked([&] { return shared->layer.telemetry(given); }));
          },
          nb::arg("age").none())
      .def(
          "reduce_telemetry",
          [](const Handle& self, nb::handle epochs, nb::handle first, nb::handle count) {
            const std::shared_ptr<Shared> shared = self.open();
            const auto given_epochs = narrow_of<std::uint32_t>(epochs, "epochs", 0);
            const auto given_first = narrow_of<std::uint32_t>(first, "first", 0);
            const auto given_count = narrow_of<std::uint32_t>(count, "count", 0);
            const SeedLayer::Reduced found = unlocked([&] {
              return shared->layer.reduce_telemetry(given_epochs, given_first, given_count);
            });
            return nb::make_tuple(arrays_of(found.each), arrays_of({&found.whole, 1}));
          },
          nb::arg("epochs").none(), nb::arg("first").none(), nb::arg("count").none())
      .def(
          "save",
          [](const Handle& self, nb::handle path) {
            const std::shared_ptr<Shared> shared = self.open();
            const std::string given = path_of(path, "path");
            unlocked([&] { shared->layer.save(given); });
          },
          nb::arg("path").none())
      .def(
          "restore",
          [](const Handle& self, nb::handle path) {
            const std::shared_ptr<Shared> shared = self.open();
            const std::string given = path_of(path, "path");
            unlocked([&] { shared->layer.restore(given); });
          },
          nb::arg("path").none());
}

}  // namespace Kindred::Python
