// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_CONTEXT_HPP
#define KINDRED_C_CONTEXT_HPP

#include <kindred/backends/Context.hpp>

#include <kindred.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

// What the options of a context become.
namespace Kindred::C {

std::optional<std::uint64_t> number_option(std::uint64_t value);
/// The number of a GPU. \throws InvalidArgument
int device_of(std::int32_t number);
/// \throws InvalidArgument for a duration that is negative, NaN or longer than a year
std::chrono::milliseconds milliseconds(double value, const char* name);
/// Seconds; infinite if negative.
double loss_option(double seconds);
std::function<void(LogLevel, std::string_view)> log_function(kindred_log_callback log, void* user);
std::function<void(const DispatchRecord&)> dispatch_function(kindred_dispatch_callback call,
                                                             void* user);
AllocationCallback allocation_function(kindred_allocation_callback call, void* user);

ContextOptions context_options(const kindred_context_options* options);

}  // namespace Kindred::C

#endif  // KINDRED_C_CONTEXT_HPP
