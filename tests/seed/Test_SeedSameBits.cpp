// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "LayerSupport.hpp"

namespace SeedSameBitsTest {

using namespace Kindred;
using namespace Testing::Seeds;
using Testing::context;

std::vector<SeedTelemetry> telemetry_of(const std::vector<SeedMoments>& moments) {
  std::vector<SeedTelemetry> out;
  for (const SeedMoments& one : moments) out.push_back(Kindred::telemetry_of(one));
  return out;
}

TEST(SeedSameBits, GivesTheSameBitsForAnyNumberOfThreads) {
  auto generator = Testing::generator("SeedLayer.threads");
  struct Shape {
    std::size_t rows, hidden, seeds;
  };
  // Numbers of 64-row blocks and widths that no number of threads divides; fewer blocks than
  // threads.
  for (const Shape& shape : {Shape{700, 150, 23}, Shape{40, 400, 1}}) {
    const auto target = served_layer(shape.hidden, shape.seeds, 3, generator);
    const RowShape rows{DataType::bfloat16, shape.rows, shape.hidden};
    const auto x = random_rows(rows.element, shape.rows, shape.hidden, Values::ordinary, generator);
    const auto g = random_rows(rows.element, shape.rows, shape.hidden, Values::ordinary, generator);
    const auto y = bytes_of(Reference::seed_forward(target, x, rows.element));
    const auto seen = telemetry_of(Reference::seed_moments(shape.hidden, shape.seeds, x));
    const Reference::SeedGradients gradients = Reference::seed_backward(target, x, g);
    for (const int threads : {1, 2, 3, 5, 8}) {
      ContextOptions context_options;
      context_options.threads = threads;
      context_options.load_profile = false;
      Context own(context_options);
      SeedLayer layer = engine_of(own, target);
      for (const Space space : {Space::serial, Space::openmp}) {
        if (!own.is_usable(space)) continue;
        std::vector<std::byte> out(y.size());
        std::vector<float> dw(shape.hidden, -1);
        layer.forward(rows.in(bytes_of(x).data()), rows.out(out.data()), on(space));
        EXPECT_TRUE(out == y) << threads << " threads";
        EXPECT_TRUE(layer.telemetry() == seen) << threads << " threads";
        layer.backward(rows.in(bytes_of(x).data()), rows.in(bytes_of(g).data()),
                       rows.out(out.data()), std::span(dw), on(space));
        EXPECT_TRUE(out == bytes_of(gradients.dx)) << threads << " threads";
        EXPECT_EQ(dw, gradients.dw) << threads << " threads";
      }
    }
  }
}

TEST(SeedSameBits, LargeResultsThatBypassTheCachesAreTheSameAtAnyAlignment) {
  auto generator = Testing::generator("SeedLayer.Large");
  // 17 MB of y, whose rows start within cache lines of 64 bytes; rows in place do not bypass the
  // caches.
  const std::size_t rows = 1700, hidden = 5000, stride = 5056;
  const Reference::SeedLayer target = served_layer(hidden, 77, 2, generator);
  SeedLayer layer = engine_of(context(), target);
  std::vector<std::uint16_t> x(rows * stride);
  for (std::uint16_t& element : x)
    element = static_cast<std::uint16_t>(0x3F00U + generator() % 256 + (generator() % 2 << 15U));
  const RowShape shape{DataType::bfloat16, rows, hidden, stride};
  for (const Space space : Testing::spaces()) {
    for (const std::size_t skip : {0U, 3U, 31U}) {
      std::vector<std::uint16_t> expected = x;
      std::vector<std::uint16_t> y(x.size() + 64, 0xA5A5);
      const std::size_t bytes = ((rows - 1) * stride + hidden) * 2;
      const Kindred::Array in_place = shape.out(expected.data());
      layer.forward(in_place, in_place, on(space));
      const auto seen = layer.telemetry();
      layer.forward(shape.in(x.data()), shape.out(y.data() + skip), on(space));
      EXPECT_TRUE(layer.telemetry() == seen);
      bool same = true;
      for (std::size_t i = 0; i < y.size(); ++i) {
        const bool is_y = i >= skip && i - skip < bytes / 2 && (i - skip) % stride < hidden;
        same = same && y[i] == (is_y ? expected[i - skip] : 0xA5A5);
      }
      EXPECT_TRUE(same) << skip;
    }
  }
}

TEST(SeedSameBits, EachArrayOfABackwardPassHasAStrideOfItsOwn) {
  auto generator = Testing::generator("SeedLayer.Strides");
  const std::size_t rows = 9, hidden = 30;
  const auto target = served_layer(hidden, 4, 2, generator);
  SeedLayer layer = engine_of(context(), target);
  const auto x = random_rows(DataType::float32, rows, hidden, Values::ordinary, generator);
  const auto g = random_rows(DataType::float32, rows, hidden, Values::ordinary, generator);
  const Reference::SeedGradients expected = Reference::seed_backward(target, x, g);
  const auto shape = [&](std::size_t stride) { return RowShape{x.element, rows, hidden, stride}; };
  const std::vector<std::byte> from = packed(x, hidden, {0, 37});
  const std::vector<std::byte> above = packed(g, hidden, {0, 30});
  for (const Space space : Testing::spaces()) {
    std::vector<std::byte> dx(rows * 41 * 4, untouched);
    std::vector<float> dw(hidden, -1);
    layer.backward(shape(37).in(from.data()), shape(30).in(above.data()), shape(41).out(dx.data()),
                   std::span(dw), on(space));
    bool kept = false;
    EXPECT_EQ(unpacked(dx, x.element, rows, hidden, {0, 41}, kept).bits, expected.dx.bits);
    EXPECT_TRUE(kept);
    EXPECT_EQ(dw, expected.dw);
  }
}

}  // namespace SeedSameBitsTest
