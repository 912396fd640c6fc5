// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_SEED_CHECKPOINT_HPP
#define KINDRED_MATCHER_SEED_SEED_CHECKPOINT_HPP

#include <kindred/core/common/Ragged.hpp>
#include <kindred/matcher/SeedState.hpp>

#include <cstdint>
#include <string>

namespace Kindred::Impl {

/// What a checkpoint of a layer holds.
struct SeedCheckpoint {
  std::uint64_t hidden = 0;
  std::uint64_t epoch = 0;  ///< steps of the layer so far
  SeedState state;
  Ragged<double> schedules;  ///< a row a seed: of the schedule of one that is grafting
  Ragged<char> blueprints;   ///< names by id; empty: it was removed
};

/// \brief Writes a checkpoint in place of what is at \p path; whole or not at all.
/// \throws InvalidArgument where no file can be written; Busy while another writes it; Error
void save_checkpoint(const std::string& path, const SeedCheckpoint& checkpoint);

/// \brief Reads a checkpoint and checks every byte and number.
/// \throws NotFound; InvalidArgument for what is no file; CorruptFile with the byte and the reason
SeedCheckpoint load_checkpoint(const std::string& path);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_SEED_CHECKPOINT_HPP
