// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <kindred/matcher/SeedFunctions.hpp>
#include <kindred/matcher/SeedLayer.hpp>

#include <kindred/backends/impl/CudaGraph.hpp>

#include <cmath>
#include <limits>

#include "LayerSupport.hpp"
#include "MessageOf.hpp"

namespace SeedFunctionsTest {

using namespace Kindred;
using namespace Testing::Seeds;
using ::testing::HasSubstr;
using Extents = std::vector<std::int64_t>;
using Testing::context;

constexpr DataType code_types[] = {DataType::int32, DataType::int8, DataType::uint8};

DataType type_of(VectorElement element) {
  if (element == VectorElement::float16) return DataType::float16;
  return element == VectorElement::bfloat16 ? DataType::bfloat16 : DataType::float32;
}

/// The bytes of \p values as elements of T.
template <class T, class Values>
std::vector<std::byte> bytes_as(const Values& values) {
  std::vector<std::byte> out(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<T>(values[i]);
    std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
  }
  return out;
}

/// An array of a caller in the memory of a space.
template <class ExecutionSpace>
class Placed {
 public:
  Placed(const ExecutionSpace& exec_space, const std::vector<std::byte>& bytes, DataType type,
         Extents shape, Extents strides = {}, std::size_t skip = 0)
      : m_exec_space(exec_space),
        m_bytes(Testing::to_space(exec_space, bytes)),
        m_type(type),
        m_shape(std::move(shape)),
        m_strides(std::move(strides)),
        m_skip(skip * size_of(type)) {}

  operator Kindred::Array() const { return array<Kindred::Array>(); }
  operator ConstArray() const { return array<ConstArray>(); }
  void set(const std::vector<std::byte>& bytes) const {
    Impl::upload(m_exec_space, m_bytes, bytes.data(), bytes.size());
  }
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> out(m_bytes.size());
    Impl::download(m_exec_space, out.data(), m_bytes, out.size());
    return out;
  }
  template <class T>
  std::vector<T> values() const {
    const auto all = bytes();
    std::vector<T> out(all.size() / sizeof(T));
    std::memcpy(out.data(), all.data(), all.size());
    return out;
  }

 private:
  template <class Result>
  Result array() const {
    constexpr auto memory =
        Arch::is_device<ExecutionSpace> ? ArrayMemory::device : ArrayMemory::host;
    const int device =
        Arch::is_device<ExecutionSpace> ? context().info(Space::cuda).device_index : 0;
    return Result(m_bytes.data() + m_skip, m_type, m_shape, m_strides, memory, device);
  }

  ExecutionSpace m_exec_space;
  Testing::Array<ExecutionSpace, std::byte> m_bytes;
  DataType m_type;
  Extents m_shape;
  Extents m_strides;
  std::size_t m_skip;
};

/// The seeds of \p layer as arrays of a caller.
template <class ExecutionSpace>
struct PlacedSeeds {
  using array = Placed<ExecutionSpace>;
  array lifecycle, blueprint, mode, alpha, weights;
  SeedArrays seeds;

  PlacedSeeds(const ExecutionSpace& exec_space, const Reference::SeedLayer& layer,
              DataType codes = DataType::int32)
      : lifecycle(exec_space, codes_of(layer, codes, &Reference::Seed::lifecycle), codes,
                  {count(layer)}),
        blueprint(exec_space, bytes_as<std::int32_t>(field(layer, &Reference::Seed::blueprint)),
                  DataType::int32, {count(layer)}),
        mode(exec_space, codes_of(layer, codes, &Reference::Seed::mode), codes, {count(layer)}),
        alpha(exec_space, bytes_as<float>(field(layer, &Reference::Seed::alpha)), DataType::float32,
              {count(layer)}),
        weights(exec_space, bytes_as<float>(layer.weights), DataType::float32,
                {blueprints(layer), static_cast<std::int64_t>(layer.hidden)}),
        seeds{lifecycle, blueprint, mode, alpha, weights, static_cast<std::uint32_t>(layer.chunk)} {
    seeds.fossilized_applies = layer.fossilized_applies;
  }

  static std::int64_t count(const Reference::SeedLayer& layer) {
    return static_cast<std::int64_t>(layer.seeds.size());
  }
  static std::int64_t blueprints(const Reference::SeedLayer& layer) {
    return layer.hidden == 0 ? 0 : static_cast<std::int64_t>(layer.weights.size() / layer.hidden);
  }
  template <class T>
  static std::vector<T> field(const Reference::SeedLayer& layer, T Reference::Seed::*member) {
    std::vector<T> out;
    for (const Reference::Seed& seed : layer.seeds) out.push_back(seed.*member);
    return out;
  }
  template <class T>
  static std::vector<std::byte> codes_of(const Reference::SeedLayer& layer, DataType type,
                                         T Reference::Seed::*member) {
    return type == DataType::int32 ? bytes_as<std::int32_t>(field(layer, member))
                                   : bytes_as<std::int8_t>(field(layer, member));
  }
};

/// How a test calls a pass.
struct Given {
  VectorElement output = VectorElement::float32;
  Layout in;
  Layout out;
  bool in_place = false;
  DataType codes = DataType::int32;
  DataType sums = DataType::float64;
  DataType counts = DataType::int64;
};

template <class ExecutionSpace>
Placed<ExecutionSpace> placed_rows(const ExecutionSpace& exec_space,
                                   const Reference::SeedRows& rows, std::size_t hidden,
                                   const Layout& layout) {
  return {exec_space,
          packed(rows, hidden, layout),
          type_of(rows.element),
          {static_cast<std::int64_t>(rows.rows), static_cast<std::int64_t>(hidden)},
          {static_cast<std::int64_t>(layout.stride), 1},
          layout.skip};
}

/// A workspace of a call that lies where its arrays do.
template <class ExecutionSpace>
Placed<ExecutionSpace> workspace_for(const ExecutionSpace& exec_space, std::size_t bytes) {
  return {exec_space,
          std::vector<std::byte>(bytes, std::byte{0xA5}),
          DataType::uint8,
          {static_cast<std::int64_t>(bytes)}};
}

template <class ExecutionSpace>
SeedPassOptions options_for(Space space, const Placed<ExecutionSpace>& workspace) {
  SeedPassOptions options;
  options.space = space;
  options.workspace = workspace;
  return options;
}

struct Forward {
  Reference::SeedRows y;
  std::vector<std::byte> sum, sum_of_squares, count;
  bool kept_rest = true;
};

template <class ExecutionSpace>
Forward forward(const ExecutionSpace& exec_space, Space space, const Reference::SeedLayer& layer,
                const Reference::SeedRows& x, const Given& given) {
  const PlacedSeeds<ExecutionSpace> placed(exec_space, layer, given.codes);
  const auto from = placed_rows(exec_space, x, layer.hidden, given.in);
  const Reference::SeedRows nothing{given.output, x.rows, {}};
  const auto other = placed_rows(exec_space, nothing, layer.hidden, given.out);
  const auto& to = given.in_place ? from : other;
  const auto numbers = [&](DataType type) {
    return Placed<ExecutionSpace>(
        exec_space, std::vector<std::byte>(layer.seeds.size() * size_of(type), untouched), type,
        {static_cast<std::int64_t>(layer.seeds.size())});
  };
  const auto sum = numbers(given.sums);
  const auto sum_of_squares = numbers(given.sums);
  const auto count = numbers(given.counts);
  const SeedSums sums{sum, sum_of_squares, count};
  const auto workspace =
      workspace_for(exec_space, forward_seeds_workspace(context(), placed.seeds, from, sums));
  const auto options = options_for(space, workspace);
  // Called twice where the result is the same: the workspace has any contents.
  for (int i = 0; i < (given.in_place ? 1 : 2); ++i)
    EXPECT_EQ(forward_seeds(context(), placed.seeds, from, to, sums, options).chosen, space);
  Forward out;
  out.y = unpacked(to.bytes(), given.output, x.rows, layer.hidden,
                   given.in_place ? given.in : given.out, out.kept_rest);
  out.sum = sum.bytes();
  out.sum_of_squares = sum_of_squares.bytes();
  out.count = count.bytes();
  return out;
}

struct Backward {
  Reference::SeedRows dx;
  std::vector<std::uint32_t> table, dalpha;
  bool kept_rest = true;
};

template <class ExecutionSpace>
Backward backward(const ExecutionSpace& exec_space, Space space, const Reference::SeedLayer& layer,
                  const Reference::SeedRows& x, const Reference::SeedRows& g, const Given& given) {
  const PlacedSeeds<ExecutionSpace> placed(exec_space, layer, given.codes);
  const auto of_x = placed_rows(exec_space, x, layer.hidden, given.in);
  const auto of_g = placed_rows(exec_space, g, layer.hidden, given.out);
  const Reference::SeedRows nothing{x.element, x.rows, {}};
  const auto other = placed_rows(exec_space, nothing, layer.hidden, given.in);
  const auto& to = given.in_place ? of_g : other;
  const auto floats = [&](Extents shape) {
    std::size_t size = sizeof(float);
    for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
    return Placed<ExecutionSpace>(exec_space, std::vector<std::byte>(size, untouched),
                                  DataType::float32, std::move(shape));
  };
  const auto table = floats(
      {PlacedSeeds<ExecutionSpace>::blueprints(layer), static_cast<std::int64_t>(layer.hidden)});
  const auto dalpha = floats({static_cast<std::int64_t>(layer.seeds.size())});
  const auto workspace =
      workspace_for(exec_space, backward_seeds_workspace(context(), placed.seeds, of_x));
  EXPECT_EQ(backward_seeds(context(), placed.seeds, of_x, of_g, to, table, dalpha,
                           options_for(space, workspace))
                .chosen,
            space);
  Backward out;
  out.dx = unpacked(to.bytes(), x.element, x.rows, layer.hidden,
                    given.in_place ? given.out : given.in, out.kept_rest);
  out.table = table.template values<std::uint32_t>();
  out.dalpha = dalpha.template values<std::uint32_t>();
  return out;
}

std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> out;
  for (const float value : values) out.push_back(std::bit_cast<std::uint32_t>(value));
  return out;
}

std::vector<std::byte> numbers_of(const std::vector<double>& values, DataType type) {
  switch (type) {
    case DataType::float32:
      return bytes_as<float>(values);
    case DataType::int32:
      return bytes_as<std::int32_t>(values);
    case DataType::int64:
      return bytes_as<std::int64_t>(values);
    default:
      return bytes_as<double>(values);
  }
}

struct Sums {
  std::vector<double> sum, sum_of_squares, count;
};
Sums sums_of(const std::vector<SeedMoments>& moments) {
  Sums out;
  for (const SeedMoments& one : moments) {
    const double sum = static_cast<double>(one.count) * one.mean;
    out.sum.push_back(sum);
    const double of_mean = one.mean * sum;
    out.sum_of_squares.push_back(one.m2 + of_mean);
    out.count.push_back(static_cast<double>(one.count));
  }
  return out;
}

struct Shape {
  std::size_t hidden, seeds, rows, chunk;
};
const std::vector<Shape> shapes{
    {1, 1, 1, 0},     {1, 1, 1, 1},     {7, 3, 31, 0},     {7, 3, 31, 2},      {7, 3, 33, 100},
    {33, 40, 32, 0},  {33, 40, 32, 1},  {64, 11, 200, 7},  {64, 3, 200, 16},   {130, 44, 65, 3},
    {130, 4, 65, 33}, {300, 0, 40, 0},  {300, 0, 40, 64},  {512, 100, 32, 64}, {20, 11, 4097, 2},
    {20, 2, 600, 9},  {9, 5, 12500, 4}, {12, 3, 0, 5},     {12, 3, 0, 0},      {3, 2, 2, 2},
    {257, 2, 3, 127}, {2, 70, 129, 1},  {1000, 3, 10, 400}};

std::string described(const Shape& shape, VectorElement type, Space space) {
  return "hidden " + std::to_string(shape.hidden) + ", seeds " + std::to_string(shape.seeds) +
         ", rows " + std::to_string(shape.rows) + ", chunk " + std::to_string(shape.chunk) + ", " +
         std::string(to_string(type)) + " on " + std::string(to_string(space));
}

TEST(SeedFunctions, ForwardMatchesReferenceForEveryChunkSize) {
  auto generator = Testing::generator("SeedFunctions.forward");
  constexpr DataType sum_types[] = {DataType::float64, DataType::float32};
  constexpr DataType count_types[] = {DataType::int64, DataType::float32, DataType::int32,
                                      DataType::float64};
  for (const Shape& shape : shapes) {
    for (const VectorElement type : elements) {
      auto layer = random_layer(shape.hidden, shape.seeds, 1 + generator() % 3, generator);
      layer.chunk = shape.chunk;
      layer.fossilized_applies = generator() % 2 == 0;
      const auto x = random_rows(type, shape.rows, shape.hidden,
                                 generator() % 2 == 0 ? Values::ordinary : Values::all, generator);
      Given given;
      given.in_place = generator() % 3 == 0;
      given.output = given.in_place || generator() % 2 == 0 ? type : elements[generator() % 3];
      given.in = {generator() % 3, shape.hidden + generator() % 5};
      given.out = {generator() % 3, shape.hidden + generator() % 5};
      given.codes = code_types[generator() % 3];
      given.sums = sum_types[generator() % 2];
      given.counts = count_types[generator() % 4];
      const auto y = Reference::seed_forward(layer, x, given.output);
      const Sums sums = sums_of(Reference::seed_moments(shape.hidden, shape.seeds, x, shape.chunk));
      for (const Space space : Testing::spaces()) {
        Impl::with_instance(context(), space, [&](const auto& exec_space) {
          const Forward got = forward(exec_space, space, layer, x, given);
          const std::string where = described(shape, type, space);
          ASSERT_EQ(got.y.bits, y.bits) << where;
          ASSERT_TRUE(got.kept_rest) << where << ": wrote between the rows";
          ASSERT_TRUE(got.count == numbers_of(sums.count, given.counts)) << where;
          ASSERT_TRUE(got.sum == numbers_of(sums.sum, given.sums)) << where;
          ASSERT_TRUE(got.sum_of_squares == numbers_of(sums.sum_of_squares, given.sums)) << where;
        });
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(SeedFunctions, BackwardMatchesReferenceForEveryChunkSize) {
  auto generator = Testing::generator("SeedFunctions.backward");
  for (const Shape& shape : shapes) {
    for (const VectorElement type : elements) {
      auto layer = random_layer(shape.hidden, shape.seeds, 1 + generator() % 3, generator);
      layer.chunk = shape.chunk;
      layer.fossilized_applies = generator() % 2 == 0;
      const Values values = generator() % 2 == 0 ? Values::ordinary : Values::all;
      const auto x = random_rows(type, shape.rows, shape.hidden, values, generator);
      const auto g = random_rows(type, shape.rows, shape.hidden, values, generator);
      Given given;
      given.in_place = generator() % 3 == 0;
      given.in = {generator() % 3, shape.hidden + generator() % 5};
      given.out = {generator() % 3, shape.hidden + generator() % 5};
      given.codes = code_types[generator() % 3];
      const auto expected = Reference::seed_backward(layer, x, g);
      for (const Space space : Testing::spaces()) {
        Impl::with_instance(context(), space, [&](const auto& exec_space) {
          const Backward got = backward(exec_space, space, layer, x, g, given);
          const std::string where = described(shape, type, space);
          ASSERT_EQ(got.dx.bits, expected.dx.bits) << where;
          ASSERT_TRUE(got.kept_rest) << where << ": wrote between the rows";
          ASSERT_EQ(got.table, bits(expected.table)) << where;
          ASSERT_EQ(got.dalpha, bits(expected.dalpha)) << where;
        });
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(SeedFunctions, ComputeTheBitsOfALayer) {
  auto generator = Testing::generator("SeedFunctions.layer");
  const std::size_t hidden = 103, seeds = 10, rows = 70;
  const auto owner = Reference::seeds_of_features(hidden, seeds);
  for (const VectorElement type : elements) {
    const auto target = served_layer(hidden, seeds, 3, generator);
    const auto x = random_rows(type, rows, hidden, Values::all, generator);
    const auto g = random_rows(type, rows, hidden, Values::all, generator);
    SeedLayer layer = engine_of(context(), target);
    SeedBatch batch;
    batch.rows = rows;
    batch.input = batch.output = type;
    Given given;
    given.output = type;
    given.in = given.out = {0, hidden};
    for (const Space space : Testing::spaces()) {
      std::vector<std::byte> y(rows * hidden * size_of(type)), dx(y.size());
      std::vector<float> dw(hidden);
      layer.forward(bytes_of(x), y, batch, on(space));
      layer.backward(bytes_of(x), bytes_of(g), dx, dw, batch, on(space));
      const auto telemetry = layer.telemetry();
      Impl::with_instance(context(), space, [&](const auto& exec_space) {
        const Forward got = forward(exec_space, space, target, x, given);
        EXPECT_TRUE(bytes_of(got.y) == y);
        for (std::size_t seed = 0; seed < seeds; ++seed) {
          double sum = 0;
          std::memcpy(&sum, got.sum.data() + seed * sizeof sum, sizeof sum);
          const double mean = telemetry[seed].mean;
          const double expected = static_cast<double>(telemetry[seed].count) * mean;
          EXPECT_TRUE(sum == expected || (std::isnan(sum) && std::isnan(mean)));
        }
        const Backward back = backward(exec_space, space, target, x, g, given);
        EXPECT_TRUE(bytes_of(back.dx) == dx);
        for (std::size_t f = 0; f < hidden; ++f) {
          const Reference::Seed& seed = target.seeds[owner[f]];
          for (std::size_t b = 0; b < 3; ++b) {
            const bool uses =
                applies_blueprint(seed.lifecycle) && seed.blueprint == static_cast<std::int32_t>(b);
            EXPECT_EQ(back.table[b * hidden + f],
                      std::bit_cast<std::uint32_t>(uses ? dw[f] : 0.0F));
          }
        }
      });
    }
  }
}

TEST(SeedFunctions, AlphaGradientAgreesWithFiniteDifferences) {
  auto generator = Testing::generator("SeedFunctions.alpha");
  const std::size_t hidden = 80, rows = 6;
  auto layer = random_layer(hidden, 11, 2, generator);
  layer.chunk = 7;
  for (std::size_t i = 0; i < 11; ++i)
    layer.seeds[i] = {static_cast<Lifecycle>(i), ApplyMode::linear, 0.3F, static_cast<int>(i % 2)};
  const auto x = random_rows(VectorElement::float32, rows, hidden, Values::ordinary, generator);
  const auto g = random_rows(VectorElement::float32, rows, hidden, Values::ordinary, generator);
  Given given;
  given.in = given.out = {0, hidden};
  const auto value = [](std::uint32_t element) {
    return static_cast<double>(std::bit_cast<float>(element));
  };
  // The loss is Σ g·y; it is linear in alpha, so that any step is exact.
  const auto loss = [&](std::size_t seed, double a) {
    double out = 0;
    for (std::size_t i = 0; i < rows * hidden; ++i) {
      const std::size_t f = i % hidden;
      if (f / 7 != seed) continue;
      const double w = layer.weights[seed % 2 * hidden + f];
      out += value(g.bits[i]) * (a * w + (1 - a)) * value(x.bits[i]);
    }
    return out;
  };
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(context(), space, [&](const auto& exec_space) {
      const Backward got = backward(exec_space, space, layer, x, g, given);
      for (std::size_t seed = 0; seed < 11; ++seed) {
        const bool has_alpha = seed >= 3 && seed <= 6;
        const double expected = has_alpha ? (loss(seed, 0.8) - loss(seed, 0.3)) / 0.5 : 0.0;
        EXPECT_NEAR(value(got.dalpha[seed]), expected, 1e-5 * (1 + std::abs(expected))) << seed;
      }
    });
  }
}

TEST(SeedFunctions, SeedsWithInvalidValuesCopyTheirFeatures) {
  auto generator = Testing::generator("SeedFunctions.invalid");
  struct Invalid {
    std::int32_t lifecycle, mode, blueprint;
  };
  // Codes whose low byte is valid are among them.
  const std::vector<Invalid> invalid{
      {3, 0, -1},  {3, 0, 2},       {3, 0, std::numeric_limits<std::int32_t>::min()},
      {11, 0, 0},  {-1, 0, 0},      {3, 0, std::numeric_limits<std::int32_t>::max()},
      {259, 0, 0}, {3 - 256, 0, 0}, {std::numeric_limits<std::int32_t>::max(), 0, 0},
      {3, 4, 0},   {3, -1, 0},      {3, 256, 0},
      {7, 0, 5},   {3, 0x10000, 0}, {3, std::numeric_limits<std::int32_t>::min(), 0}};
  const std::size_t hidden = 4 * invalid.size(), rows = 3;
  Reference::SeedLayer layer = random_layer(hidden, invalid.size(), 2, generator);
  const auto x = random_rows(VectorElement::float16, rows, hidden, Values::all, generator);
  const auto g = random_rows(VectorElement::float16, rows, hidden, Values::all, generator);
  std::vector<std::int32_t> lifecycle, mode, blueprint;
  for (const Invalid& one : invalid) {
    lifecycle.push_back(one.lifecycle);
    mode.push_back(one.mode);
    blueprint.push_back(one.blueprint);
  }
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(context(), space, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
      PlacedSeeds<ExecutionSpace> placed(exec, layer);
      placed.lifecycle.set(bytes_as<std::int32_t>(lifecycle));
      placed.mode.set(bytes_as<std::int32_t>(mode));
      placed.blueprint.set(bytes_as<std::int32_t>(blueprint));
      const auto of_x = placed_rows(exec, x, hidden, {0, hidden});
      const auto of_g = placed_rows(exec, g, hidden, {0, hidden});
      const auto y =
          placed_rows(exec, Reference::SeedRows{x.element, rows, {}}, hidden, {0, hidden});
      const Placed<ExecutionSpace> table(
          exec, std::vector<std::byte>(2 * hidden * sizeof(float), untouched), DataType::float32,
          {2, static_cast<std::int64_t>(hidden)});
      const auto workspace =
          workspace_for(exec, backward_seeds_workspace(context(), placed.seeds, of_x));
      const auto options = options_for(space, workspace);
      bool kept = true;
      forward_seeds(context(), placed.seeds, of_x, y, {}, options);
      EXPECT_EQ(unpacked(y.bytes(), x.element, rows, hidden, {0, hidden}, kept).bits, x.bits);
      backward_seeds(context(), placed.seeds, of_x, of_g, y, table, {}, options);
      EXPECT_EQ(unpacked(y.bytes(), x.element, rows, hidden, {0, hidden}, kept).bits, g.bits);
      EXPECT_TRUE(table.bytes() == std::vector<std::byte>(2 * hidden * sizeof(float)));
    });
  }
}

TEST(SeedFunctions, ModeCodesOfKasminaAreTranslated) {
  // w = 3, alpha = 0.5, x = 2: linear 4, multiplicative 6, additive 5, mixed 2.5.
  const std::vector<std::int32_t> codes{0, 1, 2, 3, 4, -1, 1000};
  struct Expected {
    SeedModeCodes codes;
    std::vector<float> y;
  };
  for (const Expected& expected :
       {Expected{SeedModeCodes::kindred, {4, 6, 5, 2.5F, 2, 2, 2}},
        Expected{SeedModeCodes::kasmina_v2, {4, 6, 5, 5, 5, 5, 5}},
        Expected{SeedModeCodes::kasmina_simple, {6, 5, 2.5F, 2.5F, 2.5F, 2.5F, 2.5F}}}) {
    for (const Space space : Testing::spaces()) {
      if (space == Space::cuda) continue;  // the arrays of this test lie on the host
      for (const bool applies : {true, false}) {
        std::vector<std::int32_t> lifecycle(7, applies ? 6 : 7);
        const std::vector<std::int32_t> blueprint(7, 0);
        const std::vector<float> alpha(7, 0.5F), weights(7, 3.0F), x(7, 2.0F);
        std::vector<float> y(7);
        SeedArrays seeds{std::span<const std::int32_t>(lifecycle),
                         std::span<const std::int32_t>(blueprint),
                         std::span<const std::int32_t>(codes), std::span<const float>(alpha),
                         ConstArray(weights.data(), DataType::float32, Extents{1, 7})};
        seeds.mode_codes = expected.codes;
        seeds.fossilized_applies = false;
        SeedPassOptions options;
        options.space = space;
        forward_seeds(context(), seeds, ConstArray(x.data(), DataType::float32, Extents{1, 7}),
                      Kindred::Array(y.data(), DataType::float32, Extents{1, 7}), {}, options);
        EXPECT_EQ(y, applies ? expected.y : x);
      }
    }
  }
}

TEST(SeedFunctions, RecordedCallsReadTheArraysAtEveryRun) {
  auto generator = Testing::generator("SeedFunctions.recorded");
  const std::size_t hidden = 96, rows = 40;
  auto layer = random_layer(hidden, 20, 3, generator);
  layer.chunk = 5;
  const auto x = random_rows(VectorElement::bfloat16, rows, hidden, Values::ordinary, generator);
  for (const Space space : Testing::spaces()) {
    Impl::with_instance(context(), space, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
      const ExecutionSpace own = Impl::instance_beside(exec);
      const PlacedSeeds<ExecutionSpace> placed(own, layer);
      const auto of_x = placed_rows(own, x, hidden, {0, hidden});
      const auto y =
          placed_rows(own, Reference::SeedRows{x.element, rows, {}}, hidden, {0, hidden});
      const Placed<ExecutionSpace> count(own, std::vector<std::byte>(80), DataType::float32, {20});
      const Placed<ExecutionSpace> dalpha(own, std::vector<std::byte>(80), DataType::float32, {20});
      const SeedSums sums{{}, {}, count};
      const auto workspace =
          workspace_for(own, std::max(forward_seeds_workspace(context(), placed.seeds, of_x, sums),
                                      backward_seeds_workspace(context(), placed.seeds, of_x)));
      auto options = options_for(space, workspace);
      if constexpr (Arch::is_device<ExecutionSpace>)
        options.stream = Stream::cuda(own.cuda_stream());
      Impl::CudaGraph<ExecutionSpace> graph;
      graph.capture(own, [&] {
        forward_seeds(context(), placed.seeds, of_x, y, sums, options);
        backward_seeds(context(), placed.seeds, of_x, y, y, {}, dalpha, options);
      });
      auto changed = layer;
      for (int run = 0; run < 3; ++run) {
        for (Reference::Seed& seed : changed.seeds) seed.alpha = static_cast<float>(run) / 4;
        std::ranges::rotate(changed.seeds, changed.seeds.begin() + 1);
        for (float& weight : changed.weights) weight += 0.5F;
        const PlacedSeeds<ExecutionSpace> other(own, changed);
        placed.lifecycle.set(other.lifecycle.bytes());
        placed.mode.set(other.mode.bytes());
        placed.blueprint.set(other.blueprint.bytes());
        placed.alpha.set(other.alpha.bytes());
        placed.weights.set(other.weights.bytes());
        graph.replay(own);
        const auto forward = Reference::seed_forward(changed, x, x.element);
        const auto expected = Reference::seed_backward(changed, x, forward);
        bool kept = true;
        EXPECT_EQ(unpacked(y.bytes(), x.element, rows, hidden, {0, hidden}, kept).bits,
                  expected.dx.bits);
        EXPECT_EQ(dalpha.template values<std::uint32_t>(), bits(expected.dalpha));
        EXPECT_EQ(count.template values<float>()[0], 200.0F);
        EXPECT_EQ(count.template values<float>()[19], 40.0F);
      }
    });
  }
}

/// Host arrays of a small call.
struct Small {
  std::vector<std::int32_t> lifecycle{3, 0}, blueprint{0, 0}, mode{0, 0};
  std::vector<float> alpha{0.5F, 0.5F}, weights = std::vector<float>(12, 2.0F);
  std::vector<float> x = std::vector<float>(12, 1.0F), y = std::vector<float>(12, 7.0F);
  std::vector<double> numbers = std::vector<double>(4);

  SeedArrays seeds() {
    return {std::span<const std::int32_t>(lifecycle), std::span<const std::int32_t>(blueprint),
            std::span<const std::int32_t>(mode), std::span<const float>(alpha),
            ConstArray(weights.data(), DataType::float32, Extents{3, 4})};
  }
  static ConstArray in(const std::vector<float>& values, Extents shape = {3, 4}) {
    return ConstArray(values.data(), DataType::float32, shape);
  }
  static Kindred::Array out(std::vector<float>& values, Extents shape = {3, 4}) {
    return Kindred::Array(values.data(), DataType::float32, shape);
  }
};

TEST(SeedFunctions, RefuseWhatDoesNotFit) {
  Small small;
  const std::vector<float> before = small.y;
  const auto message = [&](const SeedArrays& seeds, const ConstArray& x, const Kindred::Array& y,
                           const SeedSums& sums = {}, const SeedPassOptions& options = {}) {
    return Testing::message_of<InvalidArgument>(
        [&] { forward_seeds(context(), seeds, x, y, sums, options); });
  };
  const ConstArray x = Small::in(small.x);
  const Kindred::Array y = Small::out(small.y);
  const auto with = [&](auto member, const ConstArray& array) {
    SeedArrays seeds = small.seeds();
    seeds.*member = array;
    return message(seeds, x, y);
  };
  const std::vector<std::int64_t> longs(2);
  const std::vector<float> three(3);
  const std::vector<std::int32_t> one(1);
  EXPECT_THAT(with(&SeedArrays::lifecycle, std::span<const std::int64_t>(longs)),
              HasSubstr("lifecycle is int64 [2]; its elements must be int32 or int8 or uint8"));
  EXPECT_THAT(with(&SeedArrays::mode, std::span<const float>(three)), HasSubstr("mode is float32"));
  EXPECT_THAT(with(&SeedArrays::mode, std::span<const std::int32_t>(one)),
              HasSubstr("mode is int32 [1]; it must be int32 [2]"));
  EXPECT_THAT(with(&SeedArrays::blueprint, std::span<const std::int64_t>(longs)),
              HasSubstr("blueprint is int64 [2]"));
  EXPECT_THAT(with(&SeedArrays::alpha, std::span<const float>(three)),
              HasSubstr("alpha is float32 [3]; it must be float32 [2]"));
  EXPECT_THAT(with(&SeedArrays::weights, std::span<const float>(three)),
              HasSubstr("weights is float32 [3]"));
  EXPECT_THAT(with(&SeedArrays::weights, Small::in(small.weights, {4, 3})),
              HasSubstr("it must be float32 [any, 4]"));
  EXPECT_THAT(with(&SeedArrays::lifecycle,
                   ConstArray(small.lifecycle.data(), DataType::int32, Extents{2}, Extents{0})),
              HasSubstr("consecutive"));
  EXPECT_THAT(message(small.seeds(), std::span<const float>(small.x), y),
              HasSubstr("x is float32 [12]"));
  EXPECT_THAT(
      message(small.seeds(), ConstArray(small.numbers.data(), DataType::float64, Extents{1, 4}), y),
      HasSubstr("must be float32 or float16 or bfloat16"));
  EXPECT_THAT(message(small.seeds(), x, Small::out(small.y, {4, 3})),
              HasSubstr("y is float32 [4, 3]; it must be float32 [3, 4]"));
  EXPECT_THAT(
      message(small.seeds(), x,
              Kindred::Array(small.y.data(), DataType::float32, Extents{3, 4}, Extents{3, 1})),
      HasSubstr("without overlap"));
  EXPECT_THAT(message(small.seeds(), x,
                      Kindred::Array(reinterpret_cast<std::byte*>(small.y.data()) + 1,
                                     DataType::float16, Extents{3, 4})),
              HasSubstr("not aligned"));
  EXPECT_THAT(message(small.seeds(), Small::in(small.x, {2, 4}),
                      Kindred::Array(small.x.data() + 4, DataType::float32, Extents{2, 4})),
              HasSubstr("y and x overlap"));
  EXPECT_THAT(message(small.seeds(), x, Small::out(small.weights)), HasSubstr("overlap"));
  EXPECT_THAT(message(small.seeds(), x, y, {std::span(small.numbers).first(3), {}, {}}),
              HasSubstr("the telemetry's sum is float64 [3]; it must be float64 [2]"));
  EXPECT_THAT(
      message(small.seeds(), x, y,
              {std::span(small.numbers).first(2), std::span(small.numbers).subspan(1, 2), {}}),
      HasSubstr("overlap"));
  EXPECT_THAT(message(small.seeds(), x, y, {std::span(small.lifecycle), {}, {}}),
              HasSubstr("must be float32 or float64"));
  SeedPassOptions options;
  options.stream = Stream::cuda(nullptr);
  EXPECT_THAT(message(small.seeds(), x, y, {}, options), HasSubstr("a stream is given"));
  options = {};
  options.space = Space::cuda;
  EXPECT_THAT(message(small.seeds(), x, y, {}, options), HasSubstr("seeds run where"));
  EXPECT_EQ(small.y, before);
  if (!context().is_usable(Space::cuda)) {
    EXPECT_THROW(forward_seeds(context(), small.seeds(),
                               ConstArray(small.x.data(), DataType::float32, Extents{3, 4}, {},
                                          ArrayMemory::device),
                               y),
                 Error);
  }
}

TEST(SeedFunctions, RefuseGradientsThatDoNotFit) {
  Small small;
  std::vector<float> dx(12), table(12), two(2);
  const std::vector<float> g(12, 1.0F);
  const auto message = [&](const ConstArray& gradient, const Kindred::Array& to,
                           const Kindred::Array& dweights, const Kindred::Array& dalpha) {
    return Testing::message_of<InvalidArgument>([&] {
      backward_seeds(context(), small.seeds(), Small::in(small.x), gradient, to, dweights, dalpha);
    });
  };
  const auto to = Small::out(dx);
  EXPECT_THAT(message(Small::in(g, {4, 3}), to, {}, {}), HasSubstr("the gradient is"));
  EXPECT_THAT(message(ConstArray(g.data(), DataType::float16, Extents{3, 4}), to, {}, {}),
              HasSubstr("its elements must be float32"));
  EXPECT_THAT(message(Small::in(g), to, Small::out(table, {2, 4}), {}),
              HasSubstr("dweights is float32 [2, 4]; it must be float32 [3, 4]"));
  EXPECT_THAT(message(Small::in(g), to, Small::out(table), std::span(table).first(1)),
              HasSubstr("dalpha is float32 [1]"));
  EXPECT_THAT(message(Small::in(g), Small::out(small.x), {}, {}), HasSubstr("dx and x overlap"));
  EXPECT_THAT(message(Small::in(g), to, to, {}), HasSubstr("overlap"));
  EXPECT_EQ(dx, std::vector<float>(12));
  backward_seeds(context(), small.seeds(), Small::in(small.x), Small::in(g), to, Small::out(table),
                 std::span(two));
  EXPECT_EQ(dx[0], 1.5F);
  EXPECT_EQ(table[0], 1.5F);
  EXPECT_EQ(two[0], 6.0F);  // (2 − 1) · 3 rows · 2 features
}

TEST(SeedFunctions, RefuseAWorkspaceThatIsTooSmallOnADevice) {
  if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  auto generator = Testing::generator("SeedFunctions.workspace");
  const auto layer = random_layer(64, 4, 1, generator);
  const auto x = random_rows(VectorElement::float32, 5, 64, Values::ordinary, generator);
  Impl::with_instance(
      context(), Space::cuda, [&]<class ExecutionSpace>(const ExecutionSpace& exec) {
        const PlacedSeeds<ExecutionSpace> placed(exec, layer);
        const auto of_x = placed_rows(exec, x, 64, {0, 64});
        const auto y = placed_rows(exec, x, 64, {0, 64});
        const Placed<ExecutionSpace> sum(exec, std::vector<std::byte>(16), DataType::float32, {4});
        const SeedSums sums{sum, {}, {}};
        const std::size_t bytes = forward_seeds_workspace(context(), placed.seeds, of_x, sums);
        EXPECT_GT(bytes, 0U);
        EXPECT_EQ(forward_seeds_workspace(context(), placed.seeds, of_x), 0U);
        const auto small = workspace_for(exec, bytes - 1);
        const auto call = [&](const SeedPassOptions& options) {
          return Testing::message_of<InvalidArgument>(
              [&] { forward_seeds(context(), placed.seeds, of_x, y, sums, options); });
        };
        EXPECT_THAT(call(options_for(Space::cuda, small)), HasSubstr("this call needs"));
        EXPECT_THAT(call({}), HasSubstr("the workspace"));
        SeedPassOptions options;
        options.space = Space::serial;
        EXPECT_THAT(call(options), HasSubstr("seeds run where"));
        forward_seeds(context(), placed.seeds, of_x, y);  // without telemetry
      });
}

}  // namespace SeedFunctionsTest
