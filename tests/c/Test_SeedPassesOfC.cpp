// SPDX-License-Identifier: Apache-2.0
// Passes of seeds on tensors of the caller, and prepared sequences of passes: each computes what
// that of C++ does.
#include "CppArguments.hpp"
#include "Given.hpp"
#include "Members.hpp"

#include <Support.hpp>

#include <tuple>
#include <utility>
#include <vector>

namespace SeedPassesOfCTest {

using namespace Kindred;
using namespace Kindred::Testing;

constexpr std::size_t features = 37;
constexpr std::size_t seed_count = 5;
constexpr std::size_t rows = 33;

/// Seeds of the caller, of which 1 and 3 apply blueprints 1 and 0, and the arrays of a pass.
struct Seeds {
  Seeds() {
    given.lifecycle = &lifecycle;
    given.blueprint = &blueprint;
    given.mode = &mode;
    given.alpha = &alpha;
    given.weights = &weights;
    sums.sum = &sum;
    sums.sum_of_squares = &squares;
    sums.count = &count;
  }
  kindred_status forward() {
    return kindred_forward_seeds(c_context(), &given, &x, &y, &sums, &options, &record);
  }
  kindred_status backward() {
    return kindred_backward_seeds(c_context(), &given, &x, &above, &dx, &dweights, &dalpha,
                                  &options, &record);
  }
  auto results() const {
    return std::tuple(y.values, dx.values, dweights.values, dalpha.values, sum.values,
                      squares.values, count.values);
  }
  Numbers<std::int32_t> lifecycle{{0, 3, 0, 7, 2}};
  Numbers<std::int32_t> blueprint{{-1, 1, 0, 0, 1}};
  Numbers<std::int8_t> mode{{0, 0, 1, 2, 3}};
  Floats alpha{{0, 0.25F, 1, 0.5F, 0}};
  Floats weights{random_rows("CSeedPasses weights", 2 * features), features};
  Floats x{random_rows("CSeedPasses x", rows* features), features};
  Floats above{random_rows("CSeedPasses above", rows* features), features};
  Floats y = Floats(rows, features);
  Floats dx = Floats(rows, features);
  Floats dweights = Floats(2, features);
  Floats dalpha{std::vector<float>(seed_count)};
  Numbers<double> sum{std::vector<double>(seed_count)};
  Floats squares{std::vector<float>(seed_count)};
  Numbers<std::int64_t> count{std::vector<std::int64_t>(seed_count)};
  kindred_seed_arrays given = KINDRED_SEED_ARRAYS_INIT;
  kindred_seed_sums sums = KINDRED_SEED_SUMS_INIT;
  kindred_seed_pass_options options = KINDRED_SEED_PASS_OPTIONS_INIT;
  kindred_record record = KINDRED_RECORD_INIT;
};

TEST(CSeedPasses, AreThoseOfCpp) {
  for (const bool is_kasmina : {false, true})
    for (const std::int32_t space : {KINDRED_SPACE_SERIAL, KINDRED_SPACE_OPENMP}) {
      Seeds found;
      Seeds expected;
      for (Seeds* const one : {&found, &expected}) {
        one->given.chunk_size = is_kasmina ? 8 : 0;
        one->given.mode_codes = is_kasmina ? KINDRED_MODES_KASMINA_V2 : KINDRED_MODES_KINDRED;
        one->given.fossilized_applies = is_kasmina ? 0 : 1;
        one->options.space = space;
      }
      const SeedArrays arrays = C::seed_arrays(&expected.given);
      const SeedSums sums = C::seed_sums(&expected.sums);
      expect_members(expected.given, arrays);
      expect_members(expected.sums, sums);
      forward_seeds(context(), arrays, array_of(&expected.x), array_of(&expected.y), sums);
      backward_seeds(context(), arrays, array_of(&expected.x), array_of(&expected.above),
                     array_of(&expected.dx), array_of(&expected.dweights),
                     array_of(&expected.dalpha));
      std::uint64_t bytes = 1;
      found.options.workspace_bytes = &bytes;  // only its size
      ok(found.forward());
      EXPECT_EQ(std::exchange(bytes, 1), 0U);
      ok(found.backward());
      EXPECT_EQ(bytes, 0U);
      EXPECT_EQ(found.results(), Seeds().results());
      found.options.workspace_bytes = nullptr;
      ok(found.forward());
      EXPECT_EQ(found.record.space, space);
      ok(found.backward());
      EXPECT_EQ(found.results(), expected.results());
      ok(kindred_forward_seeds(c_context(), &found.given, &found.x, &found.y, nullptr, nullptr,
                               nullptr));
      ok(kindred_backward_seeds(c_context(), &found.given, &found.x, &found.above, &found.dx,
                                nullptr, nullptr, nullptr, nullptr));
      EXPECT_EQ(found.results(), expected.results());
    }
}

TEST(CSeedPasses, WrongTensorsAreRefusedAndChangeNothing) {
  expect_each_refused<Seeds>(
      {{"seeds.weights is NULL", [](Seeds& of) { of.given.weights = nullptr; }},
       {"weights", [](Seeds& of) { of.given.weights = &of.alpha; }},
       {"seeds.mode_codes is 3", [](Seeds& of) { of.given.mode_codes = 3; }},
       {"reserved", [](Seeds& of) { of.given.reserved = 1; }},
       {"mode", [](Seeds& of) { of.given.mode = &of.x; }},
       {"sum", [](Seeds& of) { of.sums.sum = &of.x; }},
       {"stream", [](Seeds& of) { of.options.has_stream = 1; }},
       {"space", [](Seeds& of) { of.options.space = KINDRED_SPACE_CUDA; }},
       {"device", [](Seeds& of) { of.x.tensor.tensor.device.device_type = kDLCUDA; }}},
      [](Seeds& seeds) {
        const kindred_status status = seeds.forward();
        EXPECT_EQ(seeds.results(), Seeds().results());
        return status;
      });
}

TEST(CSeedSequence, ComputesWhatItsPassesCompute) {
  const kindred_seeds_options options =
      Given::seeds_options{.hidden = features, .seeds = seed_count};
  const std::vector<float> weights = random_rows("CSeedSequence weights", features);
  Floats x(random_rows("CSeedSequence x", 8 * features), features);
  kindred_seeds_call call = KINDRED_SEEDS_CALL_INIT;
  for (const std::int32_t space : {KINDRED_SPACE_ANY, KINDRED_SPACE_SERIAL, KINDRED_SPACE_OPENMP}) {
    call.space = space;
    const auto sequence = result_of(kindred_seed_sequence_create, c_context(), &call);
    auto seeds = result_of(kindred_seeds_create, c_context(), &options);
    const std::int32_t blueprint =
        result_of(kindred_seeds_add_blueprint, seeds, "a", 1, weights.data(), weights.size());
    const kindred_seed_update update{
        1,
        KINDRED_FIELD_LIFECYCLE | KINDRED_FIELD_BLUEPRINT | KINDRED_FIELD_MODE,
        {KINDRED_SEED_FOSSILIZED, 0, blueprint, -1, KINDRED_APPLY_ADDITIVE, 0, 0, 0, 0, 0}};
    ok(kindred_seeds_update(seeds, &update, 1));
    Floats between(8, features), expected(8, features), found_between(8, features),
        found(8, features);
    ok(kindred_seeds_forward(seeds, &x, &between, nullptr, nullptr));
    ok(kindred_seeds_forward(seeds, &between, &expected, nullptr, nullptr));
    const auto add = [&](DLTensor* from, DLTensor* to, std::int32_t telemetry) {
      return kindred_seed_sequence_add(sequence, seeds, from, to, telemetry);
    };
    ok(add(&x, &found_between, KINDRED_TELEMETRY_NONE));
    ok(add(&found_between, &found, KINDRED_TELEMETRY_LAST));
    for (const std::int32_t telemetry : {-1, 2})  // merged is not possible
      expect_refused(add(&x, &found, telemetry));
    Tensor wrong(x.values.data(), KINDRED_FLOAT32, 8, features - 1);
    expect_refused(add(&wrong, &found, 0));
    Tensor inside(x.values.data() + 1, KINDRED_FLOAT32, 4, features);  // of what it reads
    expect_refused(add(&x, &inside, 0));
    EXPECT_EQ(size_of(sequence), 2U);
    ok(kindred_destroy(released(std::move(seeds))));  // the sequence keeps the layer alive
    for (int run = 0; run < 2; ++run) {
      found.values.assign(found.values.size(), 0);
      run_prepared(sequence);
      EXPECT_EQ(found_between.values, between.values);
      EXPECT_EQ(found.values, expected.values);
    }
  }
  call.has_stream = 1;
  expect_no_result("stream", kindred_seed_sequence_create, c_context(), &call);
}

}  // namespace SeedPassesOfCTest
