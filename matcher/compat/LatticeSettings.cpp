// SPDX-License-Identifier: Apache-2.0
#include "LatticeSettings.hpp"

#include <kindred/core/lattice/LatticeShape.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <initializer_list>
#include <limits>
#include <type_traits>

namespace Kindred::Compat {

namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();

/// Calls `visit(field, names, setting, least, most)` for every setting that has bounds. The first
/// name is the documented one; the others are those that KA Lattice actually reads.
template <class Settings, class Visit>
void for_each_number(Settings& s, const Visit& visit) {
  using Names = std::initializer_list<const char*>;
  const auto dimensions = static_cast<double>(LatticeShape::dimensions_max);
  const auto least = static_cast<double>(LatticeShape::size_min);
  const auto most = static_cast<double>(LatticeShape::size_max);
  visit("threshold_elements", Names{"GPU_THRESHOLD_ELEMENTS", "GPU_GPU_THRESHOLD_ELEMENTS"},
        s.threshold_elements, 10, no_bound);
  visit("optimal_threshold", Names{"GPU_OPTIMAL_THRESHOLD", "GPU_GPU_OPTIMAL_THRESHOLD"},
        s.optimal_threshold, 100, no_bound);
  visit("routing_tolerance_ms", Names{"GPU_ROUTING_OVERHEAD_TOLERANCE_MS"}, s.routing_tolerance_ms,
        0.1, no_bound);
  visit("gpu_memory_min_mb", Names{"GPU_MIN_GPU_MEMORY_MB"}, s.gpu_memory_min_mb, 256, 0x1p40);
  visit("gpu_memory_max_mb", Names{"GPU_MAX_GPU_MEMORY_MB"}, s.gpu_memory_max_mb, 1, 65536);
  visit("memory_safety_margin", Names{"GPU_MEMORY_SAFETY_MARGIN"}, s.memory_safety_margin, 0.5,
        0.95);
  visit("dimensions_min", Names{"LATTICE_MIN_DIMENSIONS"}, s.dimensions_min, 1, dimensions);
  visit("dimensions_max", Names{"LATTICE_MAX_DIMENSIONS"}, s.dimensions_max, 1, dimensions);
  visit("dimensions_default", Names{"LATTICE_DEFAULT_DIMENSIONS"}, s.dimensions_default, 1,
        dimensions);
  visit("size_min", Names{"LATTICE_MIN_LATTICE_SIZE"}, s.size_min, least, most);
  visit("size_max", Names{"LATTICE_MAX_LATTICE_SIZE"}, s.size_max, least, most);
  visit("size_default", Names{"LATTICE_DEFAULT_LATTICE_SIZE"}, s.size_default, least, most);
  visit("parallel_cores", Names{"LATTICE_PARALLEL_CORES"}, s.parallel_cores, 1, 512);
}

struct Meaningless {
  const char* name;
  const char* why;
};
constexpr Meaningless meaningless[] = {
    {"GPU_PREFERRED_BACKEND",
     "CUDA is the only device; --space, ContextOptions::space select a space"},
    {"GPU_FALLBACK_BACKENDS", "work that a space cannot do runs on the next best space"},
    {"GPU_CUDA_DEVICE_ID", "--device and ContextOptions::device select a device"},
    {"GPU_AUTO_SELECT_DEVICE", "--device and ContextOptions::device select a device"},
    {"GPU_MAX_THREADS_PER_BLOCK", "the shape of a launch depends on its kernel and space"},
    {"GPU_DEFAULT_BLOCK_SIZE", "the shape of a launch depends on its kernel and space"},
    {"GPU_ENABLE_GPU_PROFILING", "--trace and --report, or KernelProfile, report times"},
    {"GPU_GPU_TIMEOUT_SECONDS", "a running kernel cannot be stopped"},
    {"LATTICE_MIN_AUX_MEMORY_MB", "lattices have no auxiliary memory"},
    {"LATTICE_MAX_AUX_MEMORY_MB", "lattices have no auxiliary memory"},
    {"LATTICE_DEFAULT_AUX_MEMORY_MB", "lattices have no auxiliary memory"},
    {"LATTICE_MAX_PATH_FINDING_TIMEOUT", "a call has no time limit; a Cancellation ends it"},
    {"LATTICE_DEFAULT_COMPUTATION_TIMEOUT", "a call has no time limit; a Cancellation ends it"},
    {"LATTICE_DEFAULT_PATH_ALGORITHM", "edges have no weights: every path is a shortest one"},
    {"LATTICE_ENABLE_CACHING", "computing a route is faster than looking it up"},
    {"LATTICE_CACHE_TTL_SECONDS", "computing a route is faster than looking it up"}};

std::string allowed(double least, double most) {
  return most > 0x1p39 ? "at least " + shown(least) : shown(least) + " … " + shown(most);
}

/// False for NaN.
template <class T>
bool within(const T& setting, double least, double most) {
  const auto value = static_cast<double>(setting);
  return value >= least && value <= most;
}
template <class T>
bool within(const std::optional<T>& setting, double least, double most) {
  return !setting || within(*setting, least, most);
}
template <class T>
std::string text(const T& setting) {
  if constexpr (std::is_integral_v<T>)
    return std::to_string(setting);
  else if constexpr (std::is_floating_point_v<T>)
    return shown(setting);
  else
    return text(*setting);
}

}  // namespace

std::uint64_t LatticeSettings::dimensions() const {
  return dimensions_default.value_or(
      std::min(std::max<std::uint64_t>(4, dimensions_min), dimensions_max));
}
std::uint64_t LatticeSettings::size() const {
  return size_default.value_or(std::min(std::max<std::uint64_t>(10, size_min), size_max));
}

void LatticeSettings::check(std::uint64_t dimensions, std::uint64_t size) const {
  const auto check_one = [](const char* name, std::uint64_t value, std::uint64_t least,
                            std::uint64_t most) {
    require(value >= least && value <= most, name, std::to_string(value),
            std::to_string(least) + " … " + std::to_string(most) + ", the range of the settings");
  };
  check_one("dimensions", dimensions, dimensions_min, dimensions_max);
  check_one("size", size, size_min, size_max);
}

void LatticeSettings::apply_to(ContextOptions& options) const {
  validate();
  Dispatcher::Options& dispatcher = options.dispatcher;
  if (!smart_routing) {
    dispatcher.device_items_min.reset();
    dispatcher.device_items_from = 0;
  } else {
    if (threshold_elements) dispatcher.device_items_min = threshold_elements;
    if (optimal_threshold) dispatcher.device_items_from = optimal_threshold;
  }
  if (routing_tolerance_ms) dispatcher.probe_loss_max = *routing_tolerance_ms * 1e-3;
  options.device_memory_min = gpu_memory_min_mb << 20U;
  if (gpu_memory_max_mb) options.device_budget_max = *gpu_memory_max_mb << 20U;
  if (memory_safety_margin) options.budget_fraction = *memory_safety_margin;
  if (parallel_cores) options.threads = static_cast<int>(*parallel_cores);
}

void LatticeSettings::validate() const {
  for_each_number(
      *this, [](const char* field, const auto&, const auto& setting, double least, double most) {
        if (!within(setting, least, most))
          require(false, field, text(setting), allowed(least, most));
      });
  const auto in_order = [](const char* least_name, std::uint64_t least, const char* most_name,
                           std::uint64_t most) {
    require(least <= most, most_name, std::to_string(most),
            std::string("at least ") + least_name + ", " + std::to_string(least));
  };
  in_order("dimensions_min", dimensions_min, "dimensions_max", dimensions_max);
  in_order("dimensions_min", dimensions_min, "dimensions_default", dimensions());
  in_order("dimensions_default", dimensions(), "dimensions_max", dimensions_max);
  in_order("size_min", size_min, "size_max", size_max);
  in_order("size_min", size_min, "size_default", size());
  in_order("size_default", size(), "size_max", size_max);
  if (threshold_elements && optimal_threshold)
    in_order("threshold_elements", *threshold_elements, "optimal_threshold", *optimal_threshold);
}

LatticeSettings LatticeSettings::from_environment(const SettingSource& variable) try {
  for (const Meaningless& one : meaningless) {
    const std::string name = std::string("KINDRED_") + one.name;
    KINDRED_THROW_IF(text_of(variable, name).has_value(),
                     name + " is set but has no effect: " + one.why);
  }
  LatticeSettings settings;
  const auto read = [&](const std::string& name, auto& setting, double least, double most) {
    if (!read_setting(variable, name, setting)) return false;
    if (!within(setting, least, most))
      require(false, name.c_str(), std::string("'").append(*text_of(variable, name)).append("'"),
              allowed(least, most));
    return true;
  };
  const auto read_any = [&](const auto& names, auto& setting, double least, double most) {
    if (read(std::string("KINDRED_").append(*names.begin()), setting, least, most)) return;
    for (const char* name : names)
      if (read(name, setting, least, most)) return;
  };
  read_any(std::initializer_list<const char*>{"GPU_ENABLE_SMART_ROUTING"}, settings.smart_routing,
           0, 1);
  for_each_number(settings, [&](const char*, const auto& names, auto& setting, double least,
                                double most) { read_any(names, setting, least, most); });
  settings.validate();
  return settings;
} catch (...) {
  Impl::rethrow_translated("Kindred::Compat::LatticeSettings::from_environment");
}

}  // namespace Kindred::Compat
