// SPDX-License-Identifier: Apache-2.0
// Passes of seeds on tensors of the caller, and prepared sequences of passes: the results of the C
// interface are those of the C++ interface.
#include "CSupport.hpp"

#include <kindred/matcher/SeedFunctions.hpp>
#include <kindred/matcher/SeedLayer.hpp>

#include <Support.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace Kindred::Testing {
namespace {

constexpr std::int64_t features = 37;
constexpr std::int64_t seeds_of_pass = 5;

/// Seeds 1 and 3 apply blueprints 1 and 0.
struct Seeds {
  std::vector<std::int32_t> lifecycle{0, 3, 0, 7, 2};
  std::vector<std::int32_t> blueprint{-1, 1, 0, 0, 1};
  std::vector<std::int8_t> mode{0, 0, 1, 2, 3};
  std::vector<float> alpha{0, 0.25F, 1, 0.5F, 0};
  std::vector<float> weights = random_rows("CSeedFunctions weights", 2 * features);

  SeedArrays arrays() const {
    const std::int64_t shape[] = {2, features};
    return {std::span<const std::int32_t>(lifecycle), std::span<const std::int32_t>(blueprint),
            std::span<const std::int8_t>(mode), std::span<const float>(alpha),
            ConstArray(weights.data(), DataType::float32, shape)};
  }
};

/// The same for C.
struct SeedTensors {
  explicit SeedTensors(const Seeds& seeds)
      : lifecycle(seeds.lifecycle.data(), KINDRED_INT32, seeds_of_pass),
        blueprint(seeds.blueprint.data(), KINDRED_INT32, seeds_of_pass),
        mode(seeds.mode.data(), KINDRED_INT8, seeds_of_pass),
        alpha(seeds.alpha.data(), KINDRED_FLOAT32, seeds_of_pass),
        weights(seeds.weights.data(), KINDRED_FLOAT32, 2, features) {
    arrays.lifecycle = &lifecycle;
    arrays.blueprint = &blueprint;
    arrays.mode = &mode;
    arrays.alpha = &alpha;
    arrays.weights = &weights;
  }
  Tensor lifecycle, blueprint, mode, alpha, weights;
  kindred_seed_arrays arrays = KINDRED_SEED_ARRAYS_INIT;
};

Array matrix_array(std::vector<float>& values, std::int64_t rows) {
  const std::int64_t shape[] = {rows, features};
  return {values.data(), DataType::float32, shape};
}

TEST(CSeedFunctions, PassesAreThoseOfCpp) {
  const Seeds seeds;
  SeedTensors tensors(seeds);
  SeedArrays arrays = seeds.arrays();
  for (const std::uint32_t chunk_size : {0U, 8U})
    for (const std::int64_t rows : {0, 1, 33}) {
      SCOPED_TRACE(rows);
      tensors.arrays.chunk_size = arrays.chunk_size = chunk_size;
      tensors.arrays.mode_codes =
          chunk_size == 0 ? KINDRED_MODES_KINDRED : KINDRED_MODES_KASMINA_V2;
      arrays.mode_codes = chunk_size == 0 ? SeedModeCodes::kindred : SeedModeCodes::kasmina_v2;
      tensors.arrays.fossilized_applies = chunk_size == 0 ? 1 : 0;
      arrays.fossilized_applies = chunk_size == 0;
      std::vector<float> x =
          random_rows("CSeedFunctions x", static_cast<std::size_t>(rows * features));
      std::vector<float> above =
          random_rows("CSeedFunctions g", static_cast<std::size_t>(rows * features));
      std::vector<float> expected_y(x.size());
      std::vector<float> expected_dx(x.size());
      std::vector<float> expected_dweights(seeds.weights.size());
      std::vector<float> expected_dalpha(seeds_of_pass);
      std::vector<double> expected_sum(seeds_of_pass);
      std::vector<float> expected_squares(seeds_of_pass);
      std::vector<std::int64_t> expected_count(seeds_of_pass);
      forward_seeds(
          context(), arrays, matrix_array(x, rows), matrix_array(expected_y, rows),
          {std::span(expected_sum), std::span(expected_squares), std::span(expected_count)});
      backward_seeds(context(), arrays, matrix_array(x, rows), matrix_array(above, rows),
                     matrix_array(expected_dx, rows), matrix_array(expected_dweights, 2),
                     std::span(expected_dalpha));
      for (const std::int32_t space : {KINDRED_SPACE_SERIAL, KINDRED_SPACE_OPENMP}) {
        std::vector<float> y(x.size());
        std::vector<float> dx(x.size());
        std::vector<float> dweights(seeds.weights.size());
        std::vector<float> dalpha(seeds_of_pass);
        std::vector<double> sum(seeds_of_pass);
        std::vector<float> squares(seeds_of_pass);
        std::vector<std::int64_t> count(seeds_of_pass);
        Tensor x_tensor(x.data(), KINDRED_FLOAT32, rows, features);
        Tensor y_tensor(y.data(), KINDRED_FLOAT32, rows, features);
        Tensor above_tensor(above.data(), KINDRED_FLOAT32, rows, features);
        Tensor dx_tensor(dx.data(), KINDRED_FLOAT32, rows, features);
        Tensor dweight_tensor(dweights.data(), KINDRED_FLOAT32, 2, features);
        Tensor dalpha_tensor(dalpha.data(), KINDRED_FLOAT32, seeds_of_pass);
        Tensor sum_tensor(sum.data(), KINDRED_FLOAT64, seeds_of_pass);
        Tensor square_tensor(squares.data(), KINDRED_FLOAT32, seeds_of_pass);
        Tensor count_tensor(count.data(), KINDRED_INT64, seeds_of_pass);
        kindred_seed_sums sums = KINDRED_SEED_SUMS_INIT;
        sums.sum = &sum_tensor;
        sums.sum_of_squares = &square_tensor;
        sums.count = &count_tensor;
        kindred_seed_pass_options options = KINDRED_SEED_PASS_OPTIONS_INIT;
        options.space = space;
        kindred_record record = KINDRED_RECORD_INIT;
        KINDRED_ASSERT_OK(kindred_forward_seeds(c_context(), &tensors.arrays, &x_tensor, &y_tensor,
                                                &sums, &options, &record));
        EXPECT_EQ(record.space, space);
        EXPECT_EQ(y, expected_y);
        EXPECT_EQ(sum, expected_sum);
        EXPECT_EQ(squares, expected_squares);
        EXPECT_EQ(count, expected_count);
        KINDRED_ASSERT_OK(kindred_backward_seeds(c_context(), &tensors.arrays, &x_tensor,
                                                 &above_tensor, &dx_tensor, &dweight_tensor,
                                                 &dalpha_tensor, &options, nullptr));
        EXPECT_EQ(dx, expected_dx);
        EXPECT_EQ(dweights, expected_dweights);
        EXPECT_EQ(dalpha, expected_dalpha);
        std::fill(y.begin(), y.end(), 0.0F);
        KINDRED_ASSERT_OK(kindred_forward_seeds(c_context(), &tensors.arrays, &x_tensor, &y_tensor,
                                                nullptr, nullptr, nullptr));
        EXPECT_EQ(y, expected_y);
        KINDRED_ASSERT_OK(kindred_backward_seeds(c_context(), &tensors.arrays, &x_tensor,
                                                 &above_tensor, &dx_tensor, nullptr, nullptr,
                                                 nullptr, nullptr));
        // Only the size of the workspace.
        std::uint64_t bytes = 1;
        options.workspace_bytes = &bytes;
        std::fill(y.begin(), y.end(), 0.0F);
        KINDRED_ASSERT_OK(kindred_forward_seeds(c_context(), &tensors.arrays, &x_tensor, &y_tensor,
                                                &sums, &options, nullptr));
        EXPECT_EQ(bytes, 0U);
        EXPECT_EQ(y, std::vector<float>(y.size()));
        bytes = 1;
        KINDRED_ASSERT_OK(kindred_backward_seeds(c_context(), &tensors.arrays, &x_tensor,
                                                 &above_tensor, &dx_tensor, nullptr, nullptr,
                                                 &options, nullptr));
        EXPECT_EQ(bytes, 0U);
      }
    }
}

TEST(CSeedFunctions, WrongTensorsAreRefusedAndChangeNothing) {
  const Seeds seeds;
  std::vector<float> x(2 * features, 1.0F);
  std::vector<float> y(2 * features);
  Tensor x_tensor(x.data(), KINDRED_FLOAT32, 2, features);
  Tensor y_tensor(y.data(), KINDRED_FLOAT32, 2, features);
  Tensor number(x.data(), KINDRED_FLOAT32, 1);
  kindred_seed_sums sums = KINDRED_SEED_SUMS_INIT;
  kindred_seed_pass_options options = KINDRED_SEED_PASS_OPTIONS_INIT;
  const auto refused = [&](const SeedTensors& tensors, const char* what) {
    EXPECT_EQ(kindred_forward_seeds(c_context(), &tensors.arrays, &x_tensor, &y_tensor, &sums,
                                    &options, nullptr),
              KINDRED_INVALID);
    EXPECT_NE(std::strstr(kindred_last_error(), what), nullptr) << kindred_last_error();
  };
  {
    SeedTensors tensors(seeds);
    tensors.arrays.weights = nullptr;
    refused(tensors, "seeds.weights is NULL");
    tensors.arrays.weights = &tensors.alpha;
    refused(tensors, "weights");
  }
  {
    SeedTensors tensors(seeds);
    tensors.arrays.mode_codes = 3;
    refused(tensors, "seeds.mode_codes is 3");
    tensors.arrays.mode_codes = 0;
    tensors.arrays.reserved = 1;
    refused(tensors, "reserved");
    tensors.arrays.reserved = 0;
    tensors.arrays.mode = &number;
    refused(tensors, "mode");
  }
  const SeedTensors tensors(seeds);
  sums.sum = &number;
  refused(tensors, "sum");
  sums.sum = nullptr;
  options.has_stream = 1;
  refused(tensors, "stream");
  options.has_stream = 2;
  refused(tensors, "has_stream is 2");
  options.has_stream = 0;
  options.space = KINDRED_SPACE_CUDA;
  refused(tensors, "space");
  options.space = KINDRED_SPACE_ANY;
  x_tensor.tensor.device.device_type = kDLCUDA;
  EXPECT_NE(kindred_forward_seeds(c_context(), &tensors.arrays, &x_tensor, &y_tensor, &sums,
                                  &options, nullptr),
            KINDRED_OK);
  EXPECT_EQ(y, std::vector<float>(y.size()));
}

TEST(CSeedSequence, ComputesWhatItsPassesCompute) {
  kindred_seeds_options options = KINDRED_SEEDS_OPTIONS_INIT;
  options.hidden = features;
  options.seeds = seeds_of_pass;
  const std::vector<float> weights = random_rows("CSeedSequence weights", features);
  const std::vector<float> x = random_rows("CSeedSequence x", 8 * features);
  for (const std::int32_t space : {KINDRED_SPACE_ANY, KINDRED_SPACE_SERIAL, KINDRED_SPACE_OPENMP}) {
    Owned<kindred_seed_sequence> sequence;
    kindred_seeds_call call = KINDRED_SEEDS_CALL_INIT;
    call.space = space;
    KINDRED_ASSERT_OK(kindred_seed_sequence_create(c_context(), &call, &sequence));
    kindred_seeds* seeds = nullptr;
    KINDRED_ASSERT_OK(kindred_seeds_create(c_context(), &options, &seeds));
    std::int32_t blueprint = -1;
    KINDRED_ASSERT_OK(
        kindred_seeds_add_blueprint(seeds, "a", 1, weights.data(), weights.size(), &blueprint));
    const kindred_seed_update update{
        1,
        KINDRED_FIELD_LIFECYCLE | KINDRED_FIELD_BLUEPRINT | KINDRED_FIELD_MODE,
        {KINDRED_SEED_FOSSILIZED, 0, blueprint, -1, KINDRED_APPLY_ADDITIVE, 0, 0, 0, 0, 0}};
    KINDRED_ASSERT_OK(kindred_seeds_update(seeds, &update, 1));
    std::vector<float> between(x.size());
    std::vector<float> expected(x.size());
    std::vector<float> found_between(x.size());
    std::vector<float> found(x.size());
    Tensor x_tensor(x.data(), KINDRED_FLOAT32, 8, features);
    Tensor between_tensor(between.data(), KINDRED_FLOAT32, 8, features);
    Tensor expected_tensor(expected.data(), KINDRED_FLOAT32, 8, features);
    Tensor found_between_tensor(found_between.data(), KINDRED_FLOAT32, 8, features);
    Tensor found_tensor(found.data(), KINDRED_FLOAT32, 8, features);
    KINDRED_ASSERT_OK(kindred_seeds_forward(seeds, &x_tensor, &between_tensor, nullptr, nullptr));
    KINDRED_ASSERT_OK(
        kindred_seeds_forward(seeds, &between_tensor, &expected_tensor, nullptr, nullptr));
    KINDRED_ASSERT_OK(kindred_seed_sequence_add(sequence, seeds, &x_tensor, &found_between_tensor,
                                                KINDRED_TELEMETRY_NONE));
    KINDRED_ASSERT_OK(kindred_seed_sequence_add(sequence, seeds, &found_between_tensor,
                                                &found_tensor, KINDRED_TELEMETRY_LAST));
    for (const std::int32_t telemetry : {-1, 2})  // merged is not possible
      EXPECT_EQ(kindred_seed_sequence_add(sequence, seeds, &x_tensor, &found_tensor, telemetry),
                KINDRED_INVALID);
    Tensor wrong(x.data(), KINDRED_FLOAT32, 8, features - 1);
    EXPECT_EQ(kindred_seed_sequence_add(sequence, seeds, &wrong, &found_tensor, 0),
              KINDRED_INVALID);
    // A part of the rows that it reads.
    Tensor inside(x.data() + 1, KINDRED_FLOAT32, 4, features);
    EXPECT_EQ(kindred_seed_sequence_add(sequence, seeds, &x_tensor, &inside, 0), KINDRED_INVALID);
    std::size_t size = 0;
    KINDRED_ASSERT_OK(kindred_size(sequence, &size));
    EXPECT_EQ(size, 2U);
    KINDRED_ASSERT_OK(kindred_destroy(seeds));  // the sequence keeps the layer alive
    for (int run = 0; run < 2; ++run) {
      std::fill(found.begin(), found.end(), 0.0F);
      KINDRED_ASSERT_OK(kindred_run(sequence));
      KINDRED_ASSERT_OK(kindred_wait(sequence));
      EXPECT_EQ(found_between, between);
      EXPECT_EQ(found, expected);
    }
  }
  kindred_seeds_call call = KINDRED_SEEDS_CALL_INIT;
  call.has_stream = 1;
  kindred_seed_sequence* refused = nullptr;
  EXPECT_EQ(kindred_seed_sequence_create(c_context(), &call, &refused), KINDRED_INVALID);
}

}  // namespace
}  // namespace Kindred::Testing
