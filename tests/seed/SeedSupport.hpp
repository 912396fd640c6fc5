// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SEED_SEED_SUPPORT_HPP
#define KINDRED_TESTS_SEED_SEED_SUPPORT_HPP

#include <kindred/core/seed/UpdateSeeds.hpp>
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "OnSpaces.hpp"
#include "RefusedCalls.hpp"
#include "ShapedArray.hpp"
#include "TestGenerator.hpp"
#include "ToHost.hpp"
#include "ToSpace.hpp"
#include "seed/StateFields.hpp"

namespace Kindred::Testing::Seeds {

using Kindred::Array;
using ::testing::HasSubstr;
using enum DataType;

inline constexpr DataType elements[] = {float32, float16, bfloat16};

/// The distribution of the elements of a row.
enum class Values { ordinary, all };

/// An element with a typical activation, or with random bits.
inline std::uint32_t element(DataType type, Values values) {
  const std::uint64_t kind = random_below(16);
  if (values == Values::all && kind == 0) {
    if (random_below(256) == 0) return Reference::rounded(type, INFINITY);
    return static_cast<std::uint32_t>(generator()()) & (type == float32 ? 0xFFFFFFFFU : 0xFFFFU);
  }
  if (values == Values::all && kind == 1) {
    constexpr float special[] = {0.0F, -0.0F, 1e-8F, -1e-8F, 1e-40F, 65504.0F, -3e38F, 1e-9F};
    return Reference::rounded(type, special[random_below(8)]);
  }
  std::normal_distribution<float> normal(0.5F, 2.0F);
  return Reference::rounded(type, kind < 4 ? 0.0F : normal(generator()));
}

inline Reference::SeedRows random_rows(DataType type, std::size_t rows, std::size_t hidden,
                                       Values values = Values::ordinary) {
  Reference::SeedRows out{type, rows, std::vector<std::uint32_t>(rows * hidden)};
  for (std::uint32_t& bits : out.bits) bits = element(type, values);
  return out;
}

/// Seeds in all states and modes, some without a blueprint.
inline Reference::SeedLayer random_layer(std::size_t hidden, std::size_t seeds,
                                         std::size_t blueprints) {
  Reference::SeedLayer layer{hidden, std::vector<Reference::Seed>(seeds), {}};
  const std::uint64_t first = generator()();
  for (std::size_t i = 0; i < seeds; ++i) {
    Reference::Seed& seed = layer.seeds[i];
    seed.lifecycle = static_cast<Lifecycle>((first + i) % 11);
    seed.mode = static_cast<ApplyMode>((first / 11 + i / 11) % 4);
    constexpr float alphas[] = {0.0F, 0.25F, 0.3F, 1.0F};
    seed.alpha = alphas[random_below(4)];
    seed.blueprint = blueprints == 0 || random_below(8) == 0
                         ? seed_none
                         : static_cast<std::int32_t>(random_below(blueprints));
  }
  std::normal_distribution<float> normal(1, 1);
  for (std::size_t i = 0; i < blueprints * hidden; ++i)
    layer.weights.push_back(random_below(16) == 0 ? -0.0F : normal(generator()));
  return layer;
}

/// Rows in memory: \p skip elements before the first row, \p stride elements from row to row, or as
/// many as a row has.
struct Layout {
  std::size_t skip = 0;
  std::size_t stride = 0;

  std::size_t stride_of(std::size_t hidden) const { return stride == 0 ? hidden : stride; }
};
constexpr std::byte untouched{0xA5};

/// The bytes of rows, and marks where there are none.
inline std::vector<std::byte> packed(const Reference::SeedRows& rows, std::size_t hidden,
                                     const Layout& layout = {}) {
  const std::size_t size = size_of(rows.element);
  const std::size_t stride = layout.stride_of(hidden);
  std::vector<std::byte> out((layout.skip + rows.rows * stride + 8) * size, untouched);
  for (std::size_t i = 0; i < rows.bits.size(); ++i)
    std::memcpy(out.data() + (layout.skip + i / hidden * stride + i % hidden) * size, &rows.bits[i],
                size);
  return out;
}

using Extents = std::vector<std::int64_t>;

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

  operator Array() const { return array<Array>(); }
  operator ConstArray() const { return array<ConstArray>(); }
  void set(const std::vector<std::byte>& bytes) const {
    Impl::upload(m_exec_space, m_bytes, bytes.data(), bytes.size());
  }
  std::vector<std::byte> bytes() const { return to_host(m_exec_space, m_bytes); }

 private:
  template <class Result>
  Result array() const {
    constexpr bool device = Arch::is_device<ExecutionSpace>;
    return Result(m_bytes.data() + m_skip, m_type, m_shape, m_strides,
                  device ? ArrayMemory::device : ArrayMemory::host,
                  device ? context().info(Space::cuda).device_index : 0);
  }

  ExecutionSpace m_exec_space;
  Testing::Array<ExecutionSpace, std::byte> m_bytes;
  DataType m_type;
  Extents m_shape;
  Extents m_strides;
  std::size_t m_skip;
};

template <class ExecutionSpace>
Placed<ExecutionSpace> placed_rows(const ExecutionSpace& exec_space,
                                   const Reference::SeedRows& rows, std::size_t hidden,
                                   const Layout& layout = {}) {
  const auto extent = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  const Extents shape{extent(rows.rows), extent(hidden)};
  const Extents strides{extent(layout.stride_of(hidden)), 1};
  return {exec_space, packed(rows, hidden, layout), rows.element, shape, strides, layout.skip};
}

/// The same without values.
template <class ExecutionSpace>
Placed<ExecutionSpace> placed_like(const ExecutionSpace& exec_space,
                                   const Reference::SeedRows& rows, std::size_t hidden,
                                   const Layout& layout = {}) {
  return placed_rows(exec_space, {rows.element, rows.rows, {}}, hidden, layout);
}

/// The bytes of the rows that a forward pass makes of \p x.
inline std::vector<std::byte> packed_forward(const Reference::SeedLayer& layer,
                                             const Reference::SeedRows& x,
                                             const Layout& layout = {}) {
  return packed(Reference::seed_forward(layer, x, x.element), layer.hidden, layout);
}

/// Whether the bytes of \p a and \p b are equal; T has no padding.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// State in memory that a space can access: all fields of `Reference::SeedRecord`.
template <class ExecutionSpace>
struct PlacedState {
  std::vector<Testing::Array<ExecutionSpace, std::byte>> memory;
  Testing::Array<ExecutionSpace, std::uint32_t> winners;
  SeedStateView<ExecutionSpace> view;

  PlacedState(const ExecutionSpace& exec_space, std::size_t seeds)
      : winners("Kindred::Testing::winners", seeds * seed_fields) {
    const SeedState state(seeds);
    Impl::for_each_array(state, view, [&](const char*, const auto& array, auto& field) {
      using field_type = std::decay_t<decltype(field)>;
      using value_type = typename field_type::value_type;
      const auto bytes = std::as_bytes(std::span(array));
      memory.push_back(to_space(exec_space, std::vector(bytes.begin(), bytes.end())));
      field = field_type(reinterpret_cast<value_type*>(memory.back().data()), array.size());
    });
  }

  std::vector<Reference::SeedRecord> records(const ExecutionSpace& exec_space) const {
    SeedState state(winners.size() / seed_fields);
    Impl::for_each_array(state, view, [&](const char*, auto& array, const auto& field) {
      using value_type = typename std::decay_t<decltype(field)>::value_type;
      Impl::download(exec_space, reinterpret_cast<value_type*>(array.data()), field, array.size());
    });
    std::vector<Reference::SeedRecord> out;
    for (std::size_t i = 0; i < state.seeds(); ++i) {
      out.push_back({state.lifecycle[i], state.mode[i], state.schedule[i], state.parent[i],
                     state.blueprint[i], state.checkpoint[i], state.epochs[i], state.errors[i],
                     state.alpha[i], state.evaluation[i]});
      for (const SeedChange& change : state.history(i))  // the newest is the first
        out.back().history.insert(out.back().history.begin(), {change.from, change.to});
    }
    return out;
  }
};

inline std::vector<SeedUpdate> random_updates(std::size_t count, std::size_t seeds) {
  std::vector<SeedUpdate> updates(count);
  for (SeedUpdate& update : updates) {
    update.seed = static_cast<std::uint32_t>(random_below(seeds));
    update.mask = static_cast<std::uint16_t>(random_below(512));
    update.lifecycle = static_cast<Lifecycle>(random_below(11));
    update.blueprint = static_cast<std::int32_t>(random_below(100)) - 1;
    update.epochs = static_cast<std::int16_t>(random_below(1000));
    update.mode = static_cast<ApplyMode>(random_below(4));
    update.alpha = static_cast<float>(random_below(101)) / 100;
    update.schedule = static_cast<AlphaSchedule>(random_below(5));
    update.checkpoint = static_cast<std::int32_t>(random_below(100));
    update.evaluation = static_cast<float>(random_below(100)) / 10;
    update.errors = static_cast<std::int16_t>(random_below(6));
  }
  return updates;
}

/// Moments, of which some are those of no elements.
inline std::vector<SeedMoments> random_moments(std::size_t count) {
  std::vector<SeedMoments> out(count);
  for (SeedMoments& m : out) {
    if (random_below(3) == 0) continue;
    m.count = 1 + random_below(1000);
    m.dead = random_below(m.count);
    m.mean = static_cast<double>(random_below(10000)) / 9;
    m.m2 = static_cast<double>(random_below(10000)) / 11;
    m.min = -static_cast<float>(random_below(100));
    m.max = static_cast<float>(random_below(100));
  }
  return out;
}

}  // namespace Kindred::Testing::Seeds

#endif  // KINDRED_TESTS_SEED_SEED_SUPPORT_HPP
