// SPDX-License-Identifier: Apache-2.0
// Calls of the C interface on arrays of a device.
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/memory/Copies.hpp>

#include "../CSupport.hpp"

#include <Support.hpp>
#include <ToSpace.hpp>

#include <vector>

namespace Kindred::Testing {
namespace {

TEST(CDeviceRows, PassesOfSeedsAreOrderedByAStream) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  constexpr std::int64_t rows = 40;
  constexpr std::uint32_t hidden = 64;
  kindred_seeds_options options = KINDRED_SEEDS_OPTIONS_INIT;
  options.hidden = hidden;
  options.seeds = 4;
  const std::vector<float> weights = random_rows("CDeviceRows weights", hidden);
  const std::vector<float> x = random_rows("CDeviceRows x", rows * hidden);
  Impl::with_instance(
      context(), Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
        if constexpr (Arch::is_device<ExecutionSpace>) {
          const ExecutionSpace own = Impl::instance_beside(exec);  // outlives the layer
          Owned<kindred_seeds> seeds;
          KINDRED_ASSERT_OK(kindred_seeds_create(c_context(), &options, &seeds));
          std::int32_t blueprint = -1;
          KINDRED_ASSERT_OK(kindred_seeds_add_blueprint(seeds, "a", 1, weights.data(),
                                                        weights.size(), &blueprint));
          kindred_seed_update update{1,
                                     KINDRED_FIELD_LIFECYCLE | KINDRED_FIELD_BLUEPRINT,
                                     {KINDRED_SEED_FOSSILIZED, 0, blueprint, -1, 0, 0, 0, 0, 0, 0}};
          KINDRED_ASSERT_OK(kindred_seeds_update(seeds, &update, 1));

          std::vector<float> expected(x.size());
          Tensor host_x(x.data(), KINDRED_FLOAT32, rows, hidden);
          Tensor host_y(expected.data(), KINDRED_FLOAT32, rows, hidden);
          KINDRED_ASSERT_OK(kindred_seeds_forward(seeds, &host_x, &host_y, nullptr, nullptr));

          const auto on_device = [&](const void* data) {
            auto tensor = std::make_unique<Tensor>(data, KINDRED_FLOAT32, rows, hidden);
            tensor->tensor.device.device_type = kDLCUDA;
            tensor->tensor.device.device_id = context().info(Space::cuda).device_index;
            return tensor;
          };
          const auto x_view = to_space(own, x);
          const auto y_view = to_space(own, std::vector<float>(x.size()));
          const auto device_x = on_device(x_view.data());
          const auto device_y = on_device(y_view.data());
          kindred_seeds_call call = KINDRED_SEEDS_CALL_INIT;
          call.has_stream = 1;
          call.stream = own.cuda_stream();
          kindred_record record = KINDRED_RECORD_INIT;
          KINDRED_ASSERT_OK(kindred_seeds_forward(seeds, &*device_x, &*device_y, &call, &record));
          EXPECT_EQ(record.space, KINDRED_SPACE_CUDA);
          std::vector<float> y(x.size());
          Impl::download(own, y.data(), y_view, y.size());
          EXPECT_EQ(y, expected);
          // Rows in different memories are refused.
          EXPECT_EQ(kindred_seeds_forward(seeds, &*device_x, &host_y, &call, nullptr),
                    KINDRED_INVALID);
        }
      });
}

}  // namespace
}  // namespace Kindred::Testing
