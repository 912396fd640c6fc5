// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/ContextDescription.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Calibration.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"
#include "Library.hpp"
#include "Strings.hpp"

#include <chrono>
#include <cmath>

namespace Kindred::C {

namespace {

std::optional<std::uint64_t> number_option(std::uint64_t value) {
  if (value == KINDRED_UNSET) return {};
  return value;
}

/// \throws InvalidArgument for a duration that is negative, NaN or longer than a year
std::chrono::milliseconds milliseconds(double value, const char* name) {
  KINDRED_C_REFUSE_IF(!(value >= 0 && value <= 3.2e10),
                      std::string(name) + " is " + std::to_string(value) +
                          "; it must be from 0 to 3.2e10 milliseconds");
  return std::chrono::milliseconds(std::llround(value));
}

ContextOptions context_options(const kindred_context_options& given) {
  ContextOptions out;
  out.threads = given.threads;
  KINDRED_C_REFUSE_IF(given.device < -1, "device is " + std::to_string(given.device) +
                                             "; it must be the number of a GPU, or -1");
  if (given.device >= 0) out.device = given.device;
  out.space = space_option(given.space);
  out.load_profile = given.load_profile != 0;
  out.budget_fraction = given.budget_fraction;
  out.host_budget = number_option(given.host_budget);
  out.device_budget = number_option(given.device_budget);
  out.device_budget_max = given.device_budget_max;
  out.device_memory_min = given.device_memory_min;
  if (given.profile != nullptr) out.profile = given.profile;
  Dispatcher::Options& dispatcher = out.dispatcher;
  dispatcher.window = given.window;
  dispatcher.probe_interval = milliseconds(given.probe_interval_ms, "probe_interval_ms");
  if (!(given.probe_loss_max < 0)) dispatcher.probe_loss_max = given.probe_loss_max;
  dispatcher.breaker_interval = milliseconds(given.breaker_interval_ms, "breaker_interval_ms");
  dispatcher.device_items_min = number_option(given.device_items_min);
  dispatcher.device_items_from = number_option(given.device_items_from);
  if (given.log != nullptr)
    out.log = [log = given.log, user = given.log_user](LogLevel level, std::string_view message) {
      const std::string text(message);  // with a final zero
      log(user, static_cast<std::int32_t>(level), text.c_str(), text.size());
    };
  if (given.on_dispatch != nullptr)
    out.on_dispatch = [call = given.on_dispatch,
                       user = given.dispatch_user](const DispatchRecord& record) {
      const kindred_record out_record = record_of(record);
      call(user, &out_record);
    };
  if (given.before_allocation != nullptr)
    out.before_allocation = [call = given.before_allocation, user = given.allocation_user](
                                std::string_view space, std::size_t bytes,
                                const std::string& label) {
      const std::string memory(space);  // with a final zero
      if (call(user, memory.c_str(), bytes, label.c_str()) != 0)
        throw OutOfMemory(memory, bytes, label, "the callback before_allocation refused it");
    };
  return out;
}

}  // namespace

kindred_status kindred_context_create(const kindred_context_options* options,
                                      kindred_context** context) noexcept {
  return guarded([&] {
    require(context, "context");
    const kindred_context_options given =
        options_of(options, kindred_context_options KINDRED_CONTEXT_OPTIONS_INIT, "options");
    check_fork_before_context();
    *context = make_handle_of<kindred_context>(std::make_shared<Context>(context_options(given)));
  });
}

kindred_status kindred_context_destroy(kindred_context* context) noexcept {
  return destroy_handle(context, "context");
}

kindred_status kindred_context_describe(const kindred_context* context,
                                        kindred_string** json) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(json, "json");
    const LibraryNames library = library_names();
    *json = make_handle_of<kindred_string>(
        to_json(*object, engine_operations(), library.name, library.why));
  });
}

kindred_status kindred_context_space(const kindred_context* context, std::int32_t space,
                                     kindred_space_info* info) noexcept {
  return guarded([&] {
    const SpaceInfo& found = context_of(context)->info(space_argument(space));
    check_output(info, "info");
    kindred_space_info out = KINDRED_SPACE_INFO_INIT;
    out.compiled = found.compiled ? 1 : 0;
    out.usable = found.usable ? 1 : 0;
    out.why_not = found.why_not.c_str();
    out.device = found.device.c_str();
    out.device_index = found.device_index;
    out.device_count = found.device_count;
    out.concurrency = found.concurrency;
    out.kernels_from_ptx = found.kernels_from_ptx ? 1 : 0;
    out.compute_capability = found.compute_capability;
    out.kernels_for = found.kernels_for;
    out.memory_total = found.memory_total;
    out.memory_free = found.memory_free;
    out.memory_budget = found.memory_budget;
    write_output(info, out);
  });
}

kindred_status kindred_context_free_memory(const kindred_context* context, std::int32_t space,
                                           std::uint64_t* bytes) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    require(bytes, "bytes");
    *bytes = object->free_memory(space_argument(space));
  });
}

kindred_status kindred_context_memory_use(const kindred_context* context, std::int32_t space,
                                          kindred_memory_use* use) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    check_output(use, "use");
    const MemoryStatistics found = object->memory_statistics(space_argument(space));
    kindred_memory_use out = KINDRED_MEMORY_USE_INIT;
    out.current = found.bytes_in_use;
    out.peak = found.bytes_peak;
    out.allocations = found.allocations_total;
    out.total = found.bytes_total;
    out.current_allocations = found.allocations_in_use;
    out.failures = found.failures;
    write_output(use, out);
  });
}

kindred_status kindred_context_calibrate(kindred_context* context, double seconds,
                                         kindred_calibration_callback on_point,
                                         void* user) noexcept {
  return guarded([&] {
    const SharedContext object = context_of(context);
    CalibrationOptions options;
    options.seconds = seconds;
    if (on_point != nullptr)
      options.on_point = [&](const CalibrationPoint& point) {
        const std::string operation(point.operation.name());
        const kindred_calibration_point out{sizeof(kindred_calibration_point),
                                            operation.c_str(),
                                            static_cast<std::int32_t>(point.space),
                                            point.threads,
                                            point.work,
                                            point.seconds};
        cancel_if(on_point(user, &out), "on_point");
      };
    calibrate(*object, options);
  });
}

kindred_status kindred_context_save_profile(const kindred_context* context) noexcept {
  return guarded([&] { context_of(context)->save_profile(); });
}

kindred_status kindred_context_load_profile_json(kindred_context* context, const char* json,
                                                 std::size_t size) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    object->dispatcher().load_profile_json(text_of(json, size, "json"));
  });
}

kindred_status kindred_context_log(const kindred_context* context, std::int32_t level,
                                   const char* message, std::size_t size) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    object->log(enum_of<LogLevel>(level, 3, "level"), text_of(message, size, "message"));
  });
}

}  // namespace Kindred::C
