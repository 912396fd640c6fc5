// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_STORED_SEEDS_HPP
#define KINDRED_MATCHER_SEED_STORED_SEEDS_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/matcher/SeedState.hpp>

#include <cstdint>
#include <string>

namespace Kindred::Impl {

/// The contents of a checkpoint of a layer.
struct StoredSeeds {
  std::uint64_t hidden = 0;
  std::uint64_t epoch = 0;  ///< steps of the layer so far
  SeedState state;
  Ragged<double> schedules;  ///< one row per seed: of the schedule of one that is grafting
  Ragged<char> blueprints;   ///< names by id; empty: it was removed
};

/// \brief Writes a checkpoint to \p path atomically, replacing an existing file.
/// \throws InvalidArgument for a path that cannot be written; Busy while another process writes it;
/// Error
void save_checkpoint(const std::string& path, const StoredSeeds& checkpoint);

/// \brief Reads a checkpoint and checks every byte and number.
/// \throws NotFound; InvalidArgument if the path is not a regular file; CorruptFile with the byte
/// offset and the reason
StoredSeeds load_checkpoint(const std::string& path);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_STORED_SEEDS_HPP
