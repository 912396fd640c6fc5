// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_SEED_STORED_SEEDS_HPP
#define KINDRED_MATCHER_SEED_STORED_SEEDS_HPP

#include "storage/SectionWriter.hpp"

#include <kindred/core/common/Ragged.hpp>
#include <kindred/matcher/SeedState.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// The contents of a checkpoint of a layer.
struct StoredSeeds {
  std::uint64_t hidden = 0;
  std::uint64_t epoch = 0;  ///< steps of the layer so far
  SeedState state;
  Ragged<double> schedules;  ///< one row per seed: of the schedule of one that is grafting
  Ragged<char> blueprints;   ///< names by id; empty: it was removed
};

/// Writes a checkpoint. \throws as SectionWriter
void save_checkpoint(FileTarget target, const StoredSeeds& checkpoint);

/// Reads a checkpoint and checks every byte and number. \throws as SectionFile
StoredSeeds load_checkpoint(const FileSource& source);

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_SEED_STORED_SEEDS_HPP
