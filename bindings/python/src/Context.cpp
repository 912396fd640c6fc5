// SPDX-License-Identifier: Apache-2.0
#include "Context.hpp"

#include <kindred/backends/ContextDescription.hpp>
#include <kindred/core/common/Mutex.hpp>
#include <kindred/matcher/Calibration.hpp>

#include "Calls.hpp"
#include "Errors.hpp"
#include "Options.hpp"
#include "Texts.hpp"

#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>

namespace nb = nanobind;

namespace Kindred::Python {

namespace {

nb::dict dictionary_of(const DispatchRecord& record) {
  nb::dict predicted;
  for (const Space space : all_spaces) {
    const double seconds = record.predicted[space_index(space)];
    if (!std::isnan(seconds)) predicted[std::string(to_string(space)).c_str()] = seconds;
  }
  nb::dict out;
  out["operation"] = std::string(record.operation.name());
  out["space"] = std::string(to_string(record.chosen));
  out["why"] = std::string(to_string(record.why));
  out["seconds"] = record.taken;
  out["threads"] = record.threads;
  out["items"] = record.items;
  out["work"] = record.work;
  out["predicted"] = predicted;
  out["first"] = record.first;
  return out;
}

nb::dict dictionary_of(const SpaceInfo& info) {
  nb::dict out;
  out["compiled"] = info.compiled;
  out["usable"] = info.usable;
  out["why_not"] = info.why_not;
  out["device"] = info.device;
  out["device_index"] = info.device_index;
  out["device_count"] = info.device_count;
  out["concurrency"] = info.concurrency;
  out["memory_total"] = info.memory_total;
  out["memory_free"] = info.memory_free;
  out["memory_budget"] = info.memory_budget;
  return out;
}

std::optional<std::uint64_t> bytes_of(nb::handle given, const char* option) {
  if (given.is_none()) return {};
  return static_cast<std::uint64_t>(integer_of(given, option, 0));
}

/// The options of a context, and the functions of Python that it calls.
struct Options {
  ContextOptions options;
  std::vector<Callback::SharedTarget> targets = {};
  Kept kept = {};  ///< their owners

  Callback::SharedTarget called(nb::handle function) {
    auto [owner, target] = Callback::made(function);
    kept.add(std::move(owner));
    targets.push_back(target);
    return target;
  }
  SharedContext context() {
    return make_unlocked<CallingContext>(std::move(options), std::move(targets));
  }
};

/// \param log called with the name of a level and a message
Options options_of(nb::handle threads, nb::handle device, nb::handle space,
                   nb::handle budget_fraction, nb::handle host_budget, nb::handle device_budget,
                   nb::handle profile, nb::handle load_profile, nb::handle log,
                   nb::handle on_dispatch) {
  Options made;
  ContextOptions& options = made.options;
  const std::int64_t count = integer_of(threads, "threads", 0);
  if (count > 512) refuse("threads is " + std::to_string(count) + "; it must be at most 512");
  options.threads = static_cast<int>(count);
  if (!device.is_none()) {
    const std::int64_t index = integer_of(device, "device", 0);
    if (index > std::numeric_limits<int>::max())
      refuse("device is " + std::to_string(index) + "; it must be the number of a GPU");
    options.device = static_cast<int>(index);
  }
  options.space = space_of(space);
  options.budget_fraction = number_of(budget_fraction, "budget_fraction");
  options.host_budget = bytes_of(host_budget, "host_budget");
  options.device_budget = bytes_of(device_budget, "device_budget");
  if (!profile.is_none()) options.profile = path_of(profile, "profile");
  options.load_profile = flag_of(load_profile, "load_profile");
  if (!log.is_none())
    options.log = [target = made.called(log)](LogLevel level, std::string_view message) {
      Callback::call(*target, [&] {
        const char* const name = level == LogLevel::debug  ? "debug"
                                 : level == LogLevel::info ? "info"
                                                           : "warning";
        return nb::make_tuple(name, std::string(message));
      });
    };
  if (!on_dispatch.is_none())
    options.on_dispatch = [target = made.called(on_dispatch)](const DispatchRecord& record) {
      Callback::call(*target, [&] { return nb::make_tuple(dictionary_of(record)); });
    };
  return made;
}

/// The default context. It lives until the process ends, like objects that were made from it.
struct Default {
  Impl::PlainMutex mutex;
  SharedContext context;
};
Default& default_state() {
  static Default& state = *new Default;
  return state;
}

/// What the default context logs: set by the package.
nb::object& default_log() {
  static nb::object& log = *new nb::object(nb::none());
  return log;
}

SharedContext default_context() {
  Default& state = default_state();
  Options made = options_of(nb::int_(0), nb::none(), nb::none(), nb::float_(0.8), nb::none(),
                            nb::none(), nb::none(), nb::bool_(true), default_log(), nb::none());
  bool is_new = false;
  const SharedContext context = unlocked([&] {
    const std::lock_guard lock(state.mutex);
    is_new = state.context == nullptr;
    if (is_new) state.context = made.context();
    return state.context;
  });
  if (!is_new) return context;
  // Like the context, the owners live until the process ends.
  [[maybe_unused]] const auto* const kept = new Kept(std::move(made.kept));
  return context;
}

/// Stands for the record of the last call of each thread.
DispatchRecord& record_of_thread() {
  thread_local DispatchRecord record;
  return record;
}
thread_local bool has_record = false;

}  // namespace

const SharedContext& ContextHandle::open() const {
  if (context == nullptr) throw Error("the context is closed");
  return context;
}

SharedContext context_of(nb::handle given) {
  if (given.is_none()) {
    Default& state = default_state();
    // Once it exists it never changes.
    {
      const std::unique_lock lock(state.mutex, std::try_to_lock);
      if (lock && state.context != nullptr) return state.context;
    }
    return default_context();
  }
  const ContextHandle* handle = nullptr;
  if (!nb::try_cast(given, handle) || handle == nullptr)
    refuse_type("context must be a pykindred.Context or None");
  return handle->open();
}

Kept callbacks_of(const Context& context) {
  Kept kept;
  for (const auto& target : static_cast<const CallingContext&>(context).targets)
    if (target->owner != nullptr) kept.add(nb::borrow(target->owner));
  return kept;
}

void check_free_memory(const Context& context, double bytes) {
  constexpr double unchecked = 1 << 28;
  if (bytes <= unchecked) return;
  const auto free = context.free_memory(Space::serial);
  if (bytes > static_cast<double>(free))
    throw OutOfMemory("host",
                      bytes < 1.8e19 ? static_cast<std::uint64_t>(bytes) : ~std::uint64_t{0},
                      "results", "the host has " + std::to_string(free) + " bytes free");
}

void keep_record(const DispatchRecord& record) {
  record_of_thread() = record;
  has_record = true;
}

void register_context(Module& module) {
  Class<ContextHandle>(module, "Context")
      .def(
          "__init__",
          [](ContextHandle* self, nb::handle threads, nb::handle device, nb::handle space,
             nb::handle budget_fraction, nb::handle host_budget, nb::handle device_budget,
             nb::handle profile, nb::handle load_profile, nb::handle log, nb::handle on_dispatch) {
            Options made = options_of(threads, device, space, budget_fraction, host_budget,
                                      device_budget, profile, load_profile, log, on_dispatch);
            SharedContext context = made.context();
            new (self) ContextHandle{std::move(context), std::move(made.kept)};
          },
          nb::arg("threads").none(), nb::arg("device").none(), nb::arg("space").none(),
          nb::arg("budget_fraction").none(), nb::arg("host_budget").none(),
          nb::arg("device_budget").none(), nb::arg("profile").none(),
          nb::arg("load_profile").none(), nb::arg("log").none(), nb::arg("on_dispatch").none())
      .def("close", [](ContextHandle& self) { self.context.reset(); })
      .def("is_closed", [](const ContextHandle& self) { return self.context == nullptr; })
      .def("threads", [](const ContextHandle& self) { return self.open()->threads(); })
      .def("describe",
           [](const ContextHandle& self) {
             const SharedContext context = self.open();
             return unlocked([&] { return to_json(*context, engine_operations()); });
           })
      .def("spaces",
           [](const ContextHandle& self) {
             nb::dict out;
             for (const SpaceInfo& info : self.open()->spaces())
               out[std::string(to_string(info.space)).c_str()] = dictionary_of(info);
             return out;
           })
      .def(
          "memory",
          [](const ContextHandle& self, nb::handle space) {
            const SharedContext context = self.open();
            const Space given = space_of(space).value_or(Space::serial);
            MemoryStatistics found;
            std::uint64_t free = 0;
            unlocked([&] {
              found = context->memory_statistics(given);
              free = context->free_memory(given);
            });
            nb::dict out;
            out["in_use"] = found.bytes_in_use;
            out["peak"] = found.bytes_peak;
            out["free"] = free;
            return out;
          },
          nb::arg("space").none())
      .def("profile_path",
           [](const ContextHandle& self) { return text_of_path(self.open()->profile_path()); })
      .def("save_profile", [](const ContextHandle& self) {
        const SharedContext context = self.open();
        unlocked([&] { context->save_profile(); });
      });
  module.def("default_context", [] { return ContextHandle{default_context(), {}}; });
  module.def("has_default_context", [] {
    Default& state = default_state();
    return unlocked([&] {
      const std::lock_guard lock(state.mutex);
      return state.context != nullptr;
    });
  });
  module.def("set_default_log", [](nb::object log) { default_log() = std::move(log); });
  module.def("last_record", []() -> nb::object {
    if (!has_record) return nb::none();
    return dictionary_of(record_of_thread());
  });
}

}  // namespace Kindred::Python
