// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SEED_SEED_FUNCTIONS_SUPPORT_HPP
#define KINDRED_TESTS_SEED_SEED_FUNCTIONS_SUPPORT_HPP

#include <gtest/gtest.h>
#include <kindred/matcher/SeedFunctions.hpp>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "SeedSupport.hpp"

namespace Kindred::Testing::Seeds::OfCaller {

using Extents = std::vector<std::int64_t>;

inline constexpr DataType code_types[] = {DataType::int32, DataType::int8, DataType::uint8};

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
  DataType output = DataType::float32;
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
          rows.element,
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

inline std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> out;
  for (const float value : values) out.push_back(std::bit_cast<std::uint32_t>(value));
  return out;
}

}  // namespace Kindred::Testing::Seeds::OfCaller

#endif  // KINDRED_TESTS_SEED_SEED_FUNCTIONS_SUPPORT_HPP
