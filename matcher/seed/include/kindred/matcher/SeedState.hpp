// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_STATE_HPP
#define KINDRED_MATCHER_SEED_STATE_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/core/seed/SeedUpdate.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// A completed transition.
struct SeedChange {
  Lifecycle from = Lifecycle::dormant;
  Lifecycle to = Lifecycle::dormant;

  friend bool operator==(const SeedChange&, const SeedChange&) = default;
};

/// \brief The state of all seeds of a layer, with one array per field and one element per seed.
struct SeedState {
  SeedState() = default;
  /// Creates \p seeds dormant seeds without a blueprint, linear, with an alpha of 0.
  explicit SeedState(std::size_t seeds);

  std::vector<Lifecycle> lifecycle;
  std::vector<std::int32_t> blueprint;  ///< −1: none
  std::vector<std::int16_t> epochs;     ///< epochs in the current state; saturates at 32767
  std::vector<ApplyMode> mode;
  std::vector<AlphaSchedule> schedule;
  std::vector<float> alpha;              ///< in [0, 1]
  std::vector<Lifecycle> parent;         ///< the previous state
  std::vector<std::int32_t> checkpoint;  ///< −1: none
  std::vector<float> evaluation;         ///< finite
  std::vector<std::int16_t> errors;
  std::vector<Lifecycle> history_from;      ///< seeds × `seed_history`, circular
  std::vector<Lifecycle> history_to;        ///< likewise
  std::vector<std::uint8_t> history_next;   ///< slot of the next transition
  std::vector<std::uint8_t> history_count;  ///< number of recorded transitions

  std::size_t seeds() const noexcept { return lifecycle.size(); }
  /// The last transitions of a seed, newest first.
  std::vector<SeedChange> history(std::size_t seed) const;

  friend bool operator==(const SeedState&, const SeedState&) = default;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_SEED_STATE_HPP
