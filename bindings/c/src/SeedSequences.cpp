// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SeedLayer.hpp>

#include "Seeds.hpp"

namespace Kindred::C {

namespace {

/// A sequence is destroyed before its layers.
struct SharedSequence {
  SharedContext context;
  std::vector<SharedSeeds> layers;
  SeedSequence sequence;
};

}  // namespace

KINDRED_C_HANDLE(seed_sequence, SharedSequence);

kindred_status kindred_seed_sequence_create(kindred_context* context,
                                            const kindred_seeds_call* options,
                                            kindred_seed_sequence** sequence) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    const SeedForwardOptions given = pass_options(options);
    require(sequence, "sequence");
    const Space host = object->is_usable(Space::openmp) ? Space::openmp : Space::serial;
    *sequence = make_handle_of<kindred_seed_sequence>(
        object, std::vector<SharedSeeds>(),
        SeedSequence(*object, given.space.value_or(host), given.stream));
  });
}

kindred_status kindred_seed_sequence_destroy(kindred_seed_sequence* sequence) noexcept {
  return destroy_handle(sequence, "sequence");
}

kindred_status kindred_seed_sequence_add(kindred_seed_sequence* sequence, kindred_seeds* seeds,
                                         const DLTensor* x, DLTensor* y,
                                         std::int32_t telemetry) noexcept {
  return guarded([&] {
    SharedSequence& object = object_of(sequence, "sequence");
    const SharedSeeds& layer = object_of(seeds, "seeds");
    require_all({{x, "x"}, {y, "y"}});
    const auto use = enum_of<SeedTelemetryUse>(telemetry, 2, "telemetry");
    object.layers.push_back(layer);
    try {
      object.sequence.add(layer->engine, array_of(x, "x"), output_array_of(y, "y"),
                          use == SeedTelemetryUse::last);
    } catch (...) {
      object.layers.pop_back();
      throw;
    }
  });
}

kindred_status kindred_seed_sequence_size(const kindred_seed_sequence* sequence,
                                          std::size_t* size) noexcept {
  return guarded([&] {
    const SharedSequence& object = object_of(sequence, "sequence");
    require(size, "size");
    *size = object.sequence.size();
  });
}

kindred_status kindred_seed_sequence_run(kindred_seed_sequence* sequence) noexcept {
  return guarded([&] { object_of(sequence, "sequence").sequence.run(); });
}

kindred_status kindred_seed_sequence_wait(kindred_seed_sequence* sequence) noexcept {
  return guarded([&] { object_of(sequence, "sequence").sequence.wait(); });
}

}  // namespace Kindred::C
