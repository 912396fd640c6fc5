// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LATTICE_SETTINGS_HPP
#define KINDRED_MATCHER_LATTICE_SETTINGS_HPP

#include <kindred/backends/Context.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace Kindred {

/// \brief KA Lattice's settings: of routing, of a device's memory, of lattices.
///
/// Each has an environment name, `KINDRED_` and the name told here; KA Lattice's own, which is that
/// name, is honoured where Kindred's is not set. docs/internals/ka-lattice.md has a table, also of
/// those that mean nothing here. What is not set leaves Kindred's own defaults.
struct LatticeSettings {
  bool smart_routing = true;  ///< GPU_ENABLE_SMART_ROUTING: spaces are chosen by predicted time;
                              ///< else the device does what it can
  std::optional<std::uint64_t> threshold_elements;  ///< GPU_THRESHOLD_ELEMENTS, from 10: calls of
                                                    ///< fewer items stay on the host
  std::optional<std::uint64_t> optimal_threshold;  ///< GPU_OPTIMAL_THRESHOLD, from 100: calls of so
                                                   ///< many items go to the device
  std::optional<double> routing_tolerance_ms;      ///< GPU_ROUTING_OVERHEAD_TOLERANCE_MS, from 0.1:
                                               ///< what a call may lose to measuring another space
  std::uint64_t gpu_memory_min_mb = 512;  ///< GPU_MIN_GPU_MEMORY_MB, from 256: a device that has
                                          ///< less is not used; 1 MB is 2^20 bytes
  std::optional<std::uint64_t> gpu_memory_max_mb;  ///< GPU_MAX_GPU_MEMORY_MB, to 65536: of a
                                                   ///< device's memory that is used
  std::optional<double> memory_safety_margin;  ///< GPU_MEMORY_SAFETY_MARGIN, 0.5 to 0.95: share of
                                               ///< the free memory that is used
  std::uint64_t dimensions_min = 1;            ///< LATTICE_MIN_DIMENSIONS, 1 to 20
  std::uint64_t dimensions_max = 20;           ///< LATTICE_MAX_DIMENSIONS, 1 to 20
  std::optional<std::uint64_t> dimensions_default;  ///< LATTICE_DEFAULT_DIMENSIONS
  std::uint64_t size_min = 2;                       ///< LATTICE_MIN_LATTICE_SIZE, 2 to 1000
  std::uint64_t size_max = 1000;                    ///< LATTICE_MAX_LATTICE_SIZE, 2 to 1000
  std::optional<std::uint64_t> size_default;        ///< LATTICE_DEFAULT_LATTICE_SIZE
  std::optional<std::uint64_t> parallel_cores;      ///< LATTICE_PARALLEL_CORES, 1 to 512: threads

  /// Of a lattice that says nothing else: what is set, or 4, or the bound next to that.
  std::uint64_t dimensions() const;
  /// Likewise, 10.
  std::uint64_t size() const;
  /// \throws InvalidArgument for a lattice that the settings do not allow
  void check(std::uint64_t dimensions, std::uint64_t size) const;

  /// Changes what of \p options is set here. \throws as `validate`
  void apply_to(ContextOptions& options) const;
  /// \throws InvalidArgument that names the setting, its value and what is allowed
  void validate() const;

  /// \brief The defaults, changed by what the environment says, and validated.
  ///
  /// \param variable the value of a variable or nothing; empty: the process' environment
  /// \throws InvalidArgument for a value that is malformed or not allowed, naming the variable, and
  /// for `KINDRED_` and a name of KA Lattice's that means nothing here, saying why
  static LatticeSettings from_environment(
      const std::function<std::optional<std::string>(const std::string&)>& variable = {});
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_LATTICE_SETTINGS_HPP
