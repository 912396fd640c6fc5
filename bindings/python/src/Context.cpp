// SPDX-License-Identifier: Apache-2.0
#include "Context.hpp"

#include <kindred/core/common/Mutex.hpp>

#include "Calls.hpp"
#include "ContextHandle.hpp"
#include "Errors.hpp"
#include "Options.hpp"
#include "Texts.hpp"

#include <cmath>
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
  Contexts::ContextOptions options;
  options.set_log(default_log());
  bool is_new = false;
  const SharedContext context = unlocked([&] {
    const std::lock_guard lock(state.mutex);
    is_new = state.context == nullptr;
    if (is_new) state.context = options.made();
    return state.context;
  });
  if (!is_new) return context;
  // Like the context, the owners live until the process ends.
  [[maybe_unused]] const auto* const kept = new Kept(callbacks_of(*context));
  return context;
}

/// Stands for the record of the last call of each thread.
DispatchRecord& record_of_thread() {
  thread_local DispatchRecord record;
  return record;
}
thread_local bool has_record = false;

}  // namespace

Callback::SharedTarget Contexts::ContextOptions::called(nb::handle function) {
  auto [owner, target] = Callback::made(function);
  m_kept.add(std::move(owner));
  m_targets.push_back(target);
  return target;
}

void Contexts::ContextOptions::set_log(nb::handle function) {
  if (function.is_none()) return;
  static constexpr const char* names[] = {"debug", "info", "warning"};
  log = [target = called(function)](LogLevel level, std::string_view message) {
    Callback::call(*target, [&] {
      return nb::make_tuple(std::string(names[static_cast<std::size_t>(level)]),
                            std::string(message));
    });
  };
}

void Contexts::ContextOptions::set_on_dispatch(nb::handle function) {
  if (function.is_none()) return;
  on_dispatch = [target = called(function)](const DispatchRecord& record) {
    Callback::call(*target, [&] { return nb::make_tuple(dictionary_of(record)); });
  };
}

SharedContext Contexts::ContextOptions::made() {
  return make_unlocked<CallingContext>(std::move(*this), std::move(m_targets));
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
  const Contexts::Handle* handle = nullptr;
  if (!nb::try_cast(given, handle) || handle == nullptr)
    refuse_type("context must be a pykindred.Context or None");
  return handle->open()->context;
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

void register_default_context(Module& module) {
  module.def("default_context", [] { return Contexts::handle_of(default_context()); });
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
