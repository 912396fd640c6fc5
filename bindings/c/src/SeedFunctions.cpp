// SPDX-License-Identifier: Apache-2.0
// Passes of seeds whose state and weights are tensors of the caller.
#include <kindred/matcher/SeedFunctions.hpp>

#include "Arguments.hpp"
#include "Handle.hpp"

namespace Kindred::C {

namespace {

kindred_seed_arrays seed_tensors_of(const kindred_seed_arrays* seeds) {
  require(seeds, "seeds");
  const kindred_seed_arrays given =
      options_of(seeds, kindred_seed_arrays KINDRED_SEED_ARRAYS_INIT, "seeds");
  check_reserved(given.reserved, "seeds");
  return given;
}

SeedArrays seed_arrays_of(const kindred_seed_arrays& given) {
  SeedArrays out;
  out.lifecycle = array_of(given.lifecycle, "seeds.lifecycle");
  out.blueprint = array_of(given.blueprint, "seeds.blueprint");
  out.mode = array_of(given.mode, "seeds.mode");
  out.alpha = array_of(given.alpha, "seeds.alpha");
  out.weights = array_of(given.weights, "seeds.weights");
  out.chunk_size = given.chunk_size;
  out.mode_codes = enum_of<SeedModeCodes>(given.mode_codes, 3, "seeds.mode_codes");
  out.fossilized_applies = given.fossilized_applies != 0;
  return out;
}

kindred_seed_sums sum_tensors_of(const kindred_seed_sums* sums) {
  return options_of(sums, kindred_seed_sums KINDRED_SEED_SUMS_INIT, "sums");
}

/// A tensor that is not given has no elements.
Array output_or_none(const DLTensor* tensor, const char* name) {
  return optional_output_array_of(tensor, name).value_or(Array());
}

SeedSums seed_sums_of(const kindred_seed_sums& given) {
  return {output_or_none(given.sum, "sums.sum"),
          output_or_none(given.sum_of_squares, "sums.sum_of_squares"),
          output_or_none(given.count, "sums.count")};
}

kindred_seed_pass_options pass_tensors_of(const kindred_seed_pass_options* options) {
  return options_of(options, kindred_seed_pass_options KINDRED_SEED_PASS_OPTIONS_INIT, "options");
}

SeedPassOptions seed_pass_of(const kindred_seed_pass_options& given) {
  return {space_option(given.space), stream_option(given.has_stream, given.stream),
          output_or_none(given.workspace, "options.workspace")};
}

}  // namespace

kindred_status kindred_forward_seeds_workspace(const kindred_context* context,
                                               const kindred_seed_arrays* seeds, const DLTensor* x,
                                               const kindred_seed_sums* sums,
                                               std::size_t* bytes) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    const kindred_seed_arrays given = seed_tensors_of(seeds);
    const kindred_seed_sums telemetry = sum_tensors_of(sums);
    require_all({{x, "x"}, {bytes, "bytes"}});
    *bytes = forward_seeds_workspace(*object, seed_arrays_of(given), array_of(x, "x"),
                                     seed_sums_of(telemetry));
  });
}

kindred_status kindred_backward_seeds_workspace(const kindred_context* context,
                                                const kindred_seed_arrays* seeds, const DLTensor* x,
                                                std::size_t* bytes) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    const kindred_seed_arrays given = seed_tensors_of(seeds);
    require_all({{x, "x"}, {bytes, "bytes"}});
    *bytes = backward_seeds_workspace(*object, seed_arrays_of(given), array_of(x, "x"));
  });
}

kindred_status kindred_forward_seeds(kindred_context* context, const kindred_seed_arrays* seeds,
                                     const DLTensor* x, DLTensor* y, const kindred_seed_sums* sums,
                                     const kindred_seed_pass_options* options,
                                     kindred_record* record) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    check_record(record);
    const kindred_seed_arrays given = seed_tensors_of(seeds);
    const kindred_seed_sums telemetry = sum_tensors_of(sums);
    const kindred_seed_pass_options pass = pass_tensors_of(options);
    require_all({{x, "x"}, {y, "y"}});
    write_record(record, forward_seeds(*object, seed_arrays_of(given), array_of(x, "x"),
                                       output_array_of(y, "y"), seed_sums_of(telemetry),
                                       seed_pass_of(pass)));
  });
}

kindred_status kindred_backward_seeds(kindred_context* context, const kindred_seed_arrays* seeds,
                                      const DLTensor* x, const DLTensor* gradient, DLTensor* dx,
                                      DLTensor* dweights, DLTensor* dalpha,
                                      const kindred_seed_pass_options* options,
                                      kindred_record* record) noexcept {
  return guarded([&] {
    const SharedContext& object = context_of(context);
    check_record(record);
    const kindred_seed_arrays given = seed_tensors_of(seeds);
    const kindred_seed_pass_options pass = pass_tensors_of(options);
    require_all({{x, "x"}, {gradient, "gradient"}, {dx, "dx"}});
    write_record(record, backward_seeds(*object, seed_arrays_of(given), array_of(x, "x"),
                                        array_of(gradient, "gradient"), output_array_of(dx, "dx"),
                                        output_or_none(dweights, "dweights"),
                                        output_or_none(dalpha, "dalpha"), seed_pass_of(pass)));
  });
}

}  // namespace Kindred::C
