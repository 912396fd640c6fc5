// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/ContextJson.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Calibration.hpp>

#include "Arguments.hpp"
#include "Context.hpp"
#include "Handle.hpp"
#include "Library.hpp"
#include "Strings.hpp"

#include <cmath>
#include <limits>

namespace Kindred::C {

std::optional<std::uint64_t> number_option(std::uint64_t value) {
  if (value == KINDRED_UNSET) return {};
  return value;
}

int device_of(std::int32_t number) {
  KINDRED_C_REFUSE_IF(number < 0, "device is " + std::to_string(number) +
                                      "; it must be the number of a GPU, or -1");
  return number;
}

std::chrono::milliseconds milliseconds(double value, const char* name) {
  KINDRED_C_REFUSE_IF(!(value >= 0 && value <= 3.2e10),
                      std::string(name) + " is " + std::to_string(value) +
                          "; it must be from 0 to 3.2e10 milliseconds");
  return std::chrono::milliseconds(std::llround(value));
}

double loss_option(double seconds) {
  return seconds < 0 ? std::numeric_limits<double>::infinity() : seconds;
}

std::function<void(LogLevel, std::string_view)> log_function(kindred_log_callback log, void* user) {
  return [log, user](LogLevel level, std::string_view message) {
    const std::string text(message);  // with a final zero
    log(user, static_cast<std::int32_t>(level), text.c_str(), text.size());
  };
}

std::function<void(const DispatchRecord&)> dispatch_function(kindred_dispatch_callback call,
                                                             void* user) {
  return [call, user](const DispatchRecord& record) {
    const kindred_record out = record_of(record);
    call(user, &out);
  };
}

AllocationCallback allocation_function(kindred_allocation_callback call, void* user) {
  return [call, user](std::string_view space, std::size_t bytes, const std::string& label) {
    const std::string memory(space);  // with a final zero
    if (call(user, memory.c_str(), bytes, label.c_str()) != 0)
      throw OutOfMemory(memory, bytes, label, "the callback before_allocation refused it");
  };
}

kindred_status kindred_context_create(const kindred_context_options* options,
                                      kindred_context** context) noexcept {
  return guarded([&] {
    require(context, "context");
    const ContextOptions given = context_options(options);
    check_fork_before_context();
    *context = make_handle_of<kindred_context>(std::make_shared<Context>(given));
  });
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

}  // namespace Kindred::C
