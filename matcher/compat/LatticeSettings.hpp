// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_COMPAT_LATTICE_SETTINGS_HPP
#define KINDRED_MATCHER_COMPAT_LATTICE_SETTINGS_HPP

#include "ReadSetting.hpp"

#include <kindred/backends/Context.hpp>

#include <cstdint>
#include <optional>

namespace Kindred::Compat {

/// \brief KA Lattice's settings for routing, device memory and lattices.
///
/// The environment variable of each is `KINDRED_` followed by the name given here; KA Lattice's own
/// variable, without the prefix, is used if Kindred's is not set. docs/internals/kato.md has
/// a table, including the settings that have no effect. Settings that are not set leave Kindred's
/// defaults.
struct LatticeSettings {
  bool smart_routing = true;  ///< GPU_ENABLE_SMART_ROUTING: choose spaces by predicted time;
                              ///< otherwise the device runs everything it supports
  /// GPU_THRESHOLD_ELEMENTS, ≥ 10: calls with fewer items stay on the host
  std::optional<std::uint64_t> threshold_elements = {};
  /// GPU_OPTIMAL_THRESHOLD, ≥ 100: calls with at least this number of items go to the device
  std::optional<std::uint64_t> optimal_threshold = {};
  /// GPU_ROUTING_OVERHEAD_TOLERANCE_MS, ≥ 0.1: time a call may lose to measuring another space
  std::optional<double> routing_tolerance_ms = {};
  std::uint64_t gpu_memory_min_mb = 512;  ///< GPU_MIN_GPU_MEMORY_MB, ≥ 256: a device with less
                                          ///< memory is not used; 1 MB is 2^20 bytes
  /// GPU_MAX_GPU_MEMORY_MB, ≤ 65536: limit of the device memory that is used
  std::optional<std::uint64_t> gpu_memory_max_mb = {};
  /// GPU_MEMORY_SAFETY_MARGIN, 0.5 to 0.95: share of the free memory that is used
  std::optional<double> memory_safety_margin = {};
  std::uint64_t dimensions_min = 1;                      ///< LATTICE_MIN_DIMENSIONS, 1 to 20
  std::uint64_t dimensions_max = 20;                     ///< LATTICE_MAX_DIMENSIONS, 1 to 20
  std::optional<std::uint64_t> dimensions_default = {};  ///< LATTICE_DEFAULT_DIMENSIONS
  std::uint64_t size_min = 2;                            ///< LATTICE_MIN_LATTICE_SIZE, 2 to 1000
  std::uint64_t size_max = 1000;                         ///< LATTICE_MAX_LATTICE_SIZE, 2 to 1000
  std::optional<std::uint64_t> size_default = {};        ///< LATTICE_DEFAULT_LATTICE_SIZE
  std::optional<std::uint64_t> parallel_cores = {};  ///< LATTICE_PARALLEL_CORES, 1 to 512: threads

  /// The default number of dimensions: `dimensions_default` if set, otherwise 4 clamped to the
  /// limits.
  std::uint64_t dimensions() const;
  /// The default size: `size_default` if set, otherwise 10 clamped to the limits.
  std::uint64_t size() const;
  /// \throws InvalidArgument for a lattice outside the limits of the settings
  void check(std::uint64_t dimensions, std::uint64_t size) const;

  /// Overrides those \p options that are set here. \throws as `validate`
  void apply_to(ContextOptions& options) const;
  /// \throws InvalidArgument, naming the setting, its value and the allowed range
  void validate() const;

  /// \brief The defaults, overridden by environment variables, and validated.
  ///
  /// \throws InvalidArgument for a malformed or disallowed value, naming the variable, and for
  /// `KINDRED_` followed by a KA Lattice setting that has no effect in Kindred, giving the reason
  static LatticeSettings from_environment(const SettingSource& variable = {});
};

}  // namespace Kindred::Compat

#endif  // KINDRED_MATCHER_COMPAT_LATTICE_SETTINGS_HPP
