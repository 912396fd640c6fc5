// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SEED_SEED_SUPPORT_HPP
#define KINDRED_TESTS_SEED_SEED_SUPPORT_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/seed/SeedBackward.hpp>
#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/core/seed/UpdateSeeds.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include "Support.hpp"
#include "ToSpace.hpp"

namespace Kindred::Testing::Seeds {

using Testing::Array;
using Testing::to_space;

inline constexpr DataType elements[] = {DataType::float32, DataType::float16, DataType::bfloat16};

/// The distribution of the elements of a row.
enum class Values { ordinary, all };

/// An element with a typical activation, or with random bits.
inline std::uint32_t element(DataType type, Values values, std::mt19937_64& generator) {
  const std::uint64_t kind = generator() % 16;
  if (values == Values::all && kind == 0)
    return static_cast<std::uint32_t>(generator()) &
           (type == DataType::float32 ? 0xFFFFFFFFU : 0xFFFFU);
  if (values == Values::all && kind == 1) {
    constexpr float special[] = {0.0F, -0.0F, 1e-8F, -1e-8F, 1e-40F, 65504.0F, -3e38F, 1e-9F};
    return Reference::rounded(type, special[generator() % 8]);
  }
  std::normal_distribution<float> normal(0.5F, 2.0F);
  return Reference::rounded(type, kind < 4 ? 0.0F : normal(generator));
}

inline Reference::SeedRows random_rows(DataType type, std::size_t rows, std::size_t hidden,
                                       Values values, std::mt19937_64& generator) {
  Reference::SeedRows out{type, rows, std::vector<std::uint32_t>(rows * hidden)};
  for (std::uint32_t& bits : out.bits) bits = element(type, values, generator);
  return out;
}

/// Seeds in all states and modes, some without a blueprint.
inline Reference::SeedLayer random_layer(std::size_t hidden, std::size_t seeds,
                                         std::size_t blueprints, std::mt19937_64& generator) {
  Reference::SeedLayer layer{hidden, std::vector<Reference::Seed>(seeds), {}};
  const std::uint64_t first = generator();
  for (std::size_t i = 0; i < seeds; ++i) {
    Reference::Seed& seed = layer.seeds[i];
    seed.lifecycle = static_cast<Lifecycle>((first + i) % 11);
    seed.mode = static_cast<ApplyMode>((first / 11 + i / 11) % 4);
    constexpr float alphas[] = {0.0F, 0.25F, 0.3F, 1.0F};
    seed.alpha = alphas[generator() % 4];
    seed.blueprint = blueprints == 0 || generator() % 8 == 0
                         ? seed_none
                         : static_cast<std::int32_t>(generator() % blueprints);
  }
  std::normal_distribution<float> normal(1, 1);
  for (std::size_t i = 0; i < blueprints * hidden; ++i)
    layer.weights.push_back(generator() % 16 == 0 ? -0.0F : normal(generator));
  return layer;
}

/// The state of a layer in memory that a space can access.
template <class ExecutionSpace>
struct PlacedLayer {
  SeedChunks chunks;
  Array<ExecutionSpace, std::int8_t> lifecycle, mode;
  Array<ExecutionSpace, std::int32_t> blueprint, slots;
  Array<ExecutionSpace, float> alpha, weights;
  std::size_t blueprints;

  /// \p shuffled: the rows of weights are stored in another order.
  PlacedLayer(const ExecutionSpace& exec_space, const Reference::SeedLayer& layer,
              bool shuffled = false)
      : chunks{static_cast<std::uint32_t>(layer.hidden),
               static_cast<std::uint32_t>(layer.seeds.size()),
               static_cast<std::uint32_t>(layer.chunk)},
        blueprints(layer.hidden == 0 ? 0 : layer.weights.size() / layer.hidden) {
    std::vector<std::int8_t> states, modes;
    std::vector<std::int32_t> ids, rows;
    std::vector<float> alphas;
    for (const Reference::Seed& seed : layer.seeds) {
      states.push_back(static_cast<std::int8_t>(seed.lifecycle));
      modes.push_back(static_cast<std::int8_t>(seed.mode));
      ids.push_back(seed.blueprint);
      alphas.push_back(seed.alpha);
    }
    std::vector<float> values = layer.weights;
    if (shuffled) {
      for (std::size_t id = 0; id < blueprints; ++id) {
        const std::size_t row = (id + 1) % blueprints;
        rows.push_back(static_cast<std::int32_t>(row));
        std::copy_n(layer.weights.begin() + static_cast<std::ptrdiff_t>(id * layer.hidden),
                    layer.hidden, values.begin() + static_cast<std::ptrdiff_t>(row * layer.hidden));
      }
    }
    lifecycle = to_space(exec_space, states);
    mode = to_space(exec_space, modes);
    blueprint = to_space(exec_space, ids);
    slots = to_space(exec_space, rows);
    alpha = to_space(exec_space, alphas);
    weights = to_space(exec_space, values);
  }

  SeedLayerView<ExecutionSpace> view() const {
    SeedLayerView<ExecutionSpace> out;
    out.chunks = chunks;
    out.state.lifecycle = lifecycle;
    out.state.mode = mode;
    out.state.blueprint = blueprint;
    out.state.alpha = alpha;
    out.weights.values = weights;
    out.weights.slots = slots;
    out.weights.blueprints = static_cast<std::uint32_t>(blueprints);
    out.weights.stride = chunks.hidden;
    return out;
  }
};

/// Rows in memory: \p skip elements before the first row, \p stride elements from row to row.
struct Layout {
  std::size_t skip = 0;
  std::size_t stride = 0;
};
constexpr std::byte untouched{0xA5};

inline std::vector<std::byte> packed(const Reference::SeedRows& rows, std::size_t hidden,
                                     const Layout& layout) {
  const std::size_t size = size_of(rows.element);
  std::vector<std::byte> out((layout.skip + rows.rows * layout.stride + 8) * size, untouched);
  for (std::size_t i = 0; i < rows.bits.size(); ++i)
    std::memcpy(out.data() + (layout.skip + i / hidden * layout.stride + i % hidden) * size,
                &rows.bits[i], size);
  return out;
}
/// The rows of \p bytes; checks that the gaps between them are unchanged.
inline Reference::SeedRows unpacked(const std::vector<std::byte>& bytes, DataType type,
                                    std::size_t rows, std::size_t hidden, const Layout& layout,
                                    bool& kept) {
  Reference::SeedRows out{type, rows, {}};
  const std::size_t size = size_of(type);
  std::vector<std::byte> rest = bytes;
  for (std::size_t i = 0; i < rows * hidden; ++i) {
    const std::size_t at = (layout.skip + i / hidden * layout.stride + i % hidden) * size;
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    out.bits.push_back(bits);
    std::fill_n(rest.begin() + static_cast<std::ptrdiff_t>(at), size, untouched);
  }
  kept = std::ranges::all_of(rest, [](std::byte b) { return b == untouched; });
  return out;
}

inline std::string printed(const SeedMoments& m) {
  return std::to_string(m.count) + " mean " + std::to_string(m.mean) + " m2 " +
         std::to_string(m.m2) + " min " + std::to_string(m.min) + " max " + std::to_string(m.max) +
         " dead " + std::to_string(m.dead);
}
inline bool same_bits(const SeedMoments& a, const SeedMoments& b) {
  const auto same = [](double c, double d) {
    return std::bit_cast<std::uint64_t>(c) == std::bit_cast<std::uint64_t>(d);
  };
  return a.count == b.count && a.dead == b.dead && same(a.mean, b.mean) && same(a.m2, b.m2) &&
         std::bit_cast<std::uint32_t>(a.min) == std::bit_cast<std::uint32_t>(b.min) &&
         std::bit_cast<std::uint32_t>(a.max) == std::bit_cast<std::uint32_t>(b.max);
}
/// Describes the first seed whose moments differ; empty if none does.
inline std::string difference(const std::vector<SeedMoments>& got,
                              const std::vector<SeedMoments>& expected) {
  if (got.size() != expected.size()) return "another number of seeds";
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!same_bits(got[i], expected[i]))
      return "seed " + std::to_string(i) + ": " + printed(got[i]) + ", not " + printed(expected[i]);
  }
  return {};
}

/// How a test calls the forward pass.
struct Call {
  DataType output = DataType::float32;
  Layout in;
  Layout out;
  bool in_place = false;
  bool telemetry = true;
  bool shuffled = false;
};

struct Forward {
  Reference::SeedRows y;
  std::vector<SeedMoments> moments;
  bool kept_rest = true;
};

template <class ExecutionSpace>
Forward forward(const ExecutionSpace& exec_space, const Reference::SeedLayer& layer,
                const Reference::SeedRows& x, const Call& call) {
  const PlacedLayer<ExecutionSpace> placed(exec_space, layer, call.shuffled);
  const auto of_x = to_space(exec_space, packed(x, layer.hidden, call.in));
  const Reference::SeedRows nothing{call.output, x.rows, {}};
  auto of_y = call.in_place ? of_x : to_space(exec_space, packed(nothing, layer.hidden, call.out));
  const SeedForwardPlan plan = seed_forward_plan(
      exec_space, {placed.chunks, x.rows, x.element, call.telemetry && !layer.seeds.empty()});
  const Array<ExecutionSpace, std::byte> workspace("Kindred::Testing::workspace", plan.workspace);
  const Array<ExecutionSpace, SeedMoments> moments("Kindred::Testing::moments",
                                                   call.telemetry ? layer.seeds.size() : 0);
  SeedRows<const std::byte, ExecutionSpace> from;
  from.bytes = ArrayView<const std::byte, ExecutionSpace>(
      of_x.data() + call.in.skip * size_of(x.element), of_x.size());
  from.element = x.element;
  from.stride = call.in.stride;
  const Layout& out = call.in_place ? call.in : call.out;
  SeedRows<std::byte, ExecutionSpace> to;
  to.bytes = ArrayView<std::byte, ExecutionSpace>(of_y.data() + out.skip * size_of(call.output),
                                                  of_y.size());
  to.element = call.output;
  to.stride = out.stride;
  Forward result;
  // Called twice where the result is the same, to check that counters are reset.
  for (int i = 0; i < (call.in_place ? 1 : 2); ++i)
    seed_forward<ExecutionSpace>(exec_space, plan, placed.view(), x.rows, from, to, moments,
                                 workspace);
  std::vector<std::byte> bytes(of_y.size());
  result.moments.resize(moments.size());
  Impl::download(exec_space, bytes.data(), of_y, bytes.size());
  Impl::download(exec_space, result.moments.data(), moments, moments.size());
  result.y = unpacked(bytes, call.output, x.rows, layer.hidden, out, result.kept_rest);
  return result;
}

/// State in memory that a space can access: all fields of `Reference::SeedRecord`.
template <class ExecutionSpace>
struct PlacedState {
  Array<ExecutionSpace, std::int8_t> lifecycle, mode, schedule, parent, from, to;
  Array<ExecutionSpace, std::int32_t> blueprint, checkpoint;
  Array<ExecutionSpace, std::int16_t> epochs, errors;
  Array<ExecutionSpace, float> alpha, evaluation;
  Array<ExecutionSpace, std::uint8_t> cursor, transitions;
  Array<ExecutionSpace, std::uint32_t> winners;

  PlacedState(const ExecutionSpace& exec_space, std::size_t seeds)
      : lifecycle("Kindred::Testing::state", seeds),
        mode("Kindred::Testing::state", seeds),
        schedule("Kindred::Testing::state", seeds),
        parent("Kindred::Testing::state", seeds),
        from("Kindred::Testing::state", seeds * seed_history),
        to("Kindred::Testing::state", seeds * seed_history),
        blueprint("Kindred::Testing::state", seeds),
        checkpoint("Kindred::Testing::state", seeds),
        epochs("Kindred::Testing::state", seeds),
        errors("Kindred::Testing::state", seeds),
        alpha("Kindred::Testing::state", seeds),
        evaluation("Kindred::Testing::state", seeds),
        cursor("Kindred::Testing::state", seeds),
        transitions("Kindred::Testing::state", seeds),
        winners("Kindred::Testing::winners", seeds * seed_fields) {
    Kokkos::deep_copy(exec_space, blueprint, seed_none);
    Kokkos::deep_copy(exec_space, checkpoint, seed_none);
  }

  SeedStateView<ExecutionSpace> view() const {
    SeedStateView<ExecutionSpace> out;
    out.lifecycle = lifecycle;
    out.blueprint = blueprint;
    out.epochs = epochs;
    out.mode = mode;
    out.schedule = schedule;
    out.alpha = alpha;
    out.parent = parent;
    out.checkpoint = checkpoint;
    out.evaluation = evaluation;
    out.errors = errors;
    out.from = from;
    out.to = to;
    out.cursor = cursor;
    out.transitions = transitions;
    return out;
  }

  std::vector<Reference::SeedRecord> records(const ExecutionSpace& exec_space) const {
    const auto host = [&](const auto& view) {
      std::vector<typename std::decay_t<decltype(view)>::value_type> out(view.size());
      Impl::download(exec_space, out.data(), view, out.size());
      return out;
    };
    const auto states = host(lifecycle), modes = host(mode), schedules = host(schedule),
               parents = host(parent), before = host(from), after = host(to);
    const auto blueprints = host(blueprint), checkpoints = host(checkpoint);
    const auto of_epochs = host(epochs), of_errors = host(errors);
    const auto alphas = host(alpha), evaluations = host(evaluation);
    const auto cursors = host(cursor), known = host(transitions);
    std::vector<Reference::SeedRecord> out(states.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = {static_cast<Lifecycle>(states[i]),
                static_cast<ApplyMode>(modes[i]),
                static_cast<AlphaSchedule>(schedules[i]),
                static_cast<Lifecycle>(parents[i]),
                blueprints[i],
                checkpoints[i],
                of_epochs[i],
                of_errors[i],
                alphas[i],
                evaluations[i],
                {}};
      for (std::size_t k = known[i]; k > 0; --k) {
        const std::size_t place = i * seed_history + (cursors[i] + seed_history - k) % seed_history;
        out[i].history.emplace_back(static_cast<Lifecycle>(before[place]),
                                    static_cast<Lifecycle>(after[place]));
      }
    }
    return out;
  }
};

inline SeedUpdate random_update(std::size_t seeds, std::mt19937_64& generator) {
  SeedUpdate update;
  update.seed = static_cast<std::uint32_t>(generator() % seeds);
  update.mask = static_cast<std::uint16_t>(generator() % 512);
  update.lifecycle = static_cast<Lifecycle>(generator() % 11);
  update.blueprint = static_cast<std::int32_t>(generator() % 100) - 1;
  update.epochs = static_cast<std::int16_t>(generator() % 1000);
  update.mode = static_cast<ApplyMode>(generator() % 4);
  update.alpha = static_cast<float>(generator() % 101) / 100;
  update.schedule = static_cast<AlphaSchedule>(generator() % 5);
  update.checkpoint = static_cast<std::int32_t>(generator() % 100);
  update.evaluation = static_cast<float>(generator() % 100) / 10;
  update.errors = static_cast<std::int16_t>(generator() % 6);
  return update;
}

}  // namespace Kindred::Testing::Seeds

#endif  // KINDRED_TESTS_SEED_SEED_SUPPORT_HPP
