// SPDX-License-Identifier: Apache-2.0
#include "machine/SeedKernelProblem.hpp"
#include "machine/RepeatedCallsProblem.hpp"

#include <kindred/core/arch/RoundElement.hpp>
#include <kindred/core/seed/SeedBackward.hpp>
#include <kindred/core/seed/SeedForward.hpp>
#include <kindred/core/seed/SeedStateView.hpp>
#include <kindred/core/seed/UpdateSeeds.hpp>
#include <kindred/reference/Reference.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstring>
#include <string>

namespace Kindred::Perf {

namespace {

template <class ExecutionSpace, class T>
using Array = Kokkos::View<T*, typename ExecutionSpace::memory_space>;

/// Word \p i of a random sequence, computed when needed.
KOKKOS_INLINE_FUNCTION std::uint64_t mixed_word(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t word = (seed + i + 1) * 0x9E3779B97F4A7C15ULL;
  word = (word ^ (word >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  word = (word ^ (word >> 27U)) * 0x94D049BB133111EBULL;
  return word ^ (word >> 31U);
}
/// An activation: one in ten is zero, the others are in −2 … 2.
KOKKOS_INLINE_FUNCTION float activation(std::uint64_t seed, std::uint64_t i) {
  const std::uint64_t word = mixed_word(seed, i);
  if (word % 10 == 0) return 0.0F;
  return static_cast<float>(word >> 40U) * (4.0F / 16777216.0F) - 2.0F;
}

template <class Element>
struct FillRows {
  Element* to;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    to[i] = Arch::round_to<Element>(activation(seed, i));
  }
};

Reference::Seed seed_of(std::uint32_t i, std::uint32_t blueprints) {
  // All states; a third of the seeds applies its blueprint.
  Reference::Seed seed;
  seed.lifecycle = static_cast<Lifecycle>(i % 11);
  seed.mode = static_cast<ApplyMode>(i / 11 % 4);
  seed.alpha = static_cast<float>(i % 8) / 8;
  seed.blueprint = static_cast<std::int32_t>(i % blueprints);
  return seed;
}

std::uint64_t hash_of(const std::byte* data, std::size_t size) {
  std::uint64_t hash = 1469598103934665603ULL;
  for (std::size_t i = 0; i + 8 <= size; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data + i, 8);
    hash = (hash ^ word) * 1099511628211ULL;
    hash ^= hash >> 29U;
  }
  return hash;
}

template <class ExecutionSpace, class Element>
class PassCalls final : public Repeated<ExecutionSpace> {
 public:
  using Base = Repeated<ExecutionSpace>;
  static constexpr std::uint32_t blueprints = 4;

  PassCalls(const ExecutionSpace& exec_space, const SeedKernelWork& work)
      : Base(exec_space, work.calls), m_work(work), m_count(work.rows * work.hidden) {
    for (std::size_t set = 0; set < work.sets; ++set) {
      m_x.push_back(make<std::byte>(m_count * sizeof(Element)));
      m_y.push_back(make<std::byte>(m_count * sizeof(Element)));
      Kokkos::parallel_for("Kindred::Perf::Seeds::fill",
                           Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint64_t>>(
                               exec_space, 0, m_count),
                           FillRows<Element>{element(m_x.back()), work.seed + set});
    }
    m_layer.chunks = {work.hidden, work.seeds};
    m_lifecycle = make<std::int8_t>(work.seeds);
    m_mode = make<std::int8_t>(work.seeds);
    m_blueprint = make<std::int32_t>(work.seeds);
    m_alpha = make<float>(work.seeds);
    m_weights = make<float>(std::size_t{blueprints} * work.hidden);
    fill(m_lifecycle, [](std::uint32_t i) {
      return static_cast<std::int8_t>(seed_of(i, blueprints).lifecycle);
    });
    fill(m_mode,
         [](std::uint32_t i) { return static_cast<std::int8_t>(seed_of(i, blueprints).mode); });
    fill(m_blueprint, [](std::uint32_t i) { return seed_of(i, blueprints).blueprint; });
    fill(m_alpha, [](std::uint32_t i) { return seed_of(i, blueprints).alpha; });
    fill(m_weights, [&](std::uint32_t i) { return activation(work.seed + 99, i); });
    m_layer.state.lifecycle = m_lifecycle;
    m_layer.state.mode = m_mode;
    m_layer.state.blueprint = m_blueprint;
    m_layer.state.alpha = m_alpha;
    m_layer.weights.values = m_weights;
    m_layer.weights.blueprints = blueprints;
    m_layer.weights.stride = work.hidden;
    const bool telemetry = work.kind == SeedKernelWork::Kind::telemetry;
    m_plan = seed_forward_plan(exec_space, {m_layer.chunks, work.rows, work.element, telemetry});
    m_moments = make<SeedMoments>(telemetry ? work.seeds : 0);
    const bool goes_back = work.kind == SeedKernelWork::Kind::backward;
    m_gradients = make<float>(goes_back ? work.hidden : 0);
    m_workspace =
        make<std::byte>(goes_back ? seed_backward_workspace(exec_space, m_layer.chunks, work.rows)
                                  : m_plan.workspace);
    Kokkos::deep_copy(exec_space, m_workspace, std::byte{0});
    exec_space.fence("Kindred::Perf::Seeds::make");
  }

  std::uint64_t digest() const override {
    std::vector<std::byte> y(m_y[0].size());
    download(y.data(), m_y[0]);
    std::uint64_t hash = hash_of(y.data(), y.size());
    std::vector<SeedMoments> moments(m_moments.size());
    download(moments.data(), m_moments);
    for (const SeedMoments& m : moments) {
      hash = hash * 31 + m.count + m.dead;
      std::uint64_t words[2];
      std::memcpy(words, &m.mean, 16);
      hash = (hash ^ words[0]) * 1099511628211ULL + words[1];
      std::memcpy(words, &m.min, 8);
      hash ^= words[0];
    }
    return hash;
  }

  std::string check() const override {
    if (m_work.kind == SeedKernelWork::Kind::backward) return {};  // the tests compare its bits
    std::vector<SeedMoments> moments(m_moments.size());
    download(moments.data(), m_moments);
    const std::size_t last_set = (m_work.calls - 1) % m_work.sets;
    std::vector<std::byte> y(m_y[last_set].size());
    download(y.data(), m_y[last_set]);
    for (const std::uint32_t seed : {0U, m_work.seeds / 3, m_work.seeds - 1}) {
      const std::uint32_t begin = m_layer.chunks.begin(seed);
      const std::uint32_t width = std::min(64U, m_layer.chunks.width(seed));
      Reference::SeedLayer layer{width, {seed_of(seed, blueprints)}, {}};
      for (std::uint32_t b = 0; b < blueprints; ++b) {
        for (std::uint32_t f = 0; f < width; ++f)
          layer.weights.push_back(
              activation(m_work.seed + 99, std::uint64_t{b} * m_work.hidden + begin + f));
      }
      Reference::SeedRows x{m_work.element, m_work.rows, {}};
      for (std::uint64_t row = 0; row < m_work.rows; ++row) {
        for (std::uint32_t f = 0; f < width; ++f)
          x.bits.push_back(Reference::rounded(
              m_work.element, activation(m_work.seed + last_set, row * m_work.hidden + begin + f)));
      }
      const auto expected = Reference::seed_forward(layer, x, m_work.element);
      for (std::size_t i = 0; i < expected.bits.size(); ++i) {
        std::uint32_t bits = 0;
        std::memcpy(&bits,
                    y.data() + (i / width * m_work.hidden + begin + i % width) * sizeof(Element),
                    sizeof(Element));
        if (bits != expected.bits[i]) return "y of seed " + std::to_string(seed);
      }
      if (moments.empty() || width != m_layer.chunks.width(seed)) continue;
      if (!(moments[seed] == Reference::seed_moments(width, 1, x)[0]))
        return "moments of seed " + std::to_string(seed);
    }
    return {};
  }

 private:
  void launch(std::size_t call) override {
    const std::size_t set = call % m_work.sets;
    SeedRows<const std::byte, ExecutionSpace> x;
    x.bytes = m_x[set];
    x.element = m_work.element;
    x.stride = m_work.hidden;
    SeedRows<std::byte, ExecutionSpace> y;
    y.bytes = m_y[set];
    y.element = m_work.element;
    y.stride = m_work.hidden;
    if (m_work.kind == SeedKernelWork::Kind::backward) {
      SeedRows<const std::byte, ExecutionSpace> gradient = x;
      gradient.bytes = m_x[(set + 1) % m_work.sets];
      return seed_backward<ExecutionSpace>(this->exec_space(), m_layer, m_work.rows, x, gradient, y,
                                           m_gradients, m_workspace);
    }
    const bool overlaps = m_work.overlaps && m_work.sets > 1 && call > 0;
    seed_forward<ExecutionSpace>(this->exec_space(), m_plan, m_layer, m_work.rows, x, y, m_moments,
                                 m_workspace, overlaps ? SeedOverlap::rows : SeedOverlap::none);
  }

  template <class T>
  Array<ExecutionSpace, T> make(std::size_t count) const {
    return Array<ExecutionSpace, T>(
        Kokkos::view_alloc(this->exec_space(), Kokkos::WithoutInitializing, "Kindred::Perf::Seeds"),
        count);
  }
  static Element* element(const Array<ExecutionSpace, std::byte>& bytes) {
    return reinterpret_cast<Element*>(bytes.data());
  }
  template <class T, class Value>
  void fill(const Array<ExecutionSpace, T>& array, const Value& value) const {
    const auto host = Kokkos::create_mirror_view(Kokkos::HostSpace(), array);
    for (std::uint32_t i = 0; i < array.size(); ++i) host(i) = value(i);
    Kokkos::deep_copy(this->exec_space(), array, host);
    this->exec_space().fence("Kindred::Perf::Seeds::fill");
  }
  template <class T>
  void download(T* to, const Array<ExecutionSpace, T>& from) const {
    if (from.size() == 0) return;
    using host_view = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(this->exec_space(), host_view(to, from.size()), from);
    this->exec_space().fence("Kindred::Perf::Seeds::download");
  }

  SeedKernelWork m_work;
  std::uint64_t m_count;
  std::vector<Array<ExecutionSpace, std::byte>> m_x, m_y;
  Array<ExecutionSpace, std::int8_t> m_lifecycle, m_mode;
  Array<ExecutionSpace, std::int32_t> m_blueprint;
  Array<ExecutionSpace, float> m_alpha, m_weights, m_gradients;
  SeedLayerView<ExecutionSpace> m_layer;
  SeedForwardPlan m_plan;
  Array<ExecutionSpace, SeedMoments> m_moments;
  Array<ExecutionSpace, std::byte> m_workspace;
};

/// Batches of updates of seeds.
template <class ExecutionSpace>
class UpdateCalls final : public Repeated<ExecutionSpace> {
 public:
  UpdateCalls(const ExecutionSpace& exec_space, const SeedKernelWork& work)
      : Repeated<ExecutionSpace>(exec_space, work.calls),
        m_bytes("Kindred::Perf::Seeds", std::size_t{work.seeds} * 5),
        m_history("Kindred::Perf::Seeds", 2 * std::size_t{work.seeds} * seed_history),
        m_ints("Kindred::Perf::Seeds", 2 * std::size_t{work.seeds}),
        m_shorts("Kindred::Perf::Seeds", 2 * std::size_t{work.seeds}),
        m_floats("Kindred::Perf::Seeds", 2 * std::size_t{work.seeds}),
        m_marks("Kindred::Perf::Seeds", 2 * std::size_t{work.seeds}),
        m_winners("Kindred::Perf::Seeds", std::size_t{work.seeds} * seed_fields),
        m_updates("Kindred::Perf::Seeds", work.rows) {
    const std::size_t n = work.seeds;
    const auto part = [&](const auto& view, std::size_t i, std::size_t size) {
      return Kokkos::subview(view, std::pair<std::size_t, std::size_t>(i * size, (i + 1) * size));
    };
    m_state.lifecycle = part(m_bytes, 0, n);
    m_state.mode = part(m_bytes, 1, n);
    m_state.schedule = part(m_bytes, 2, n);
    m_state.parent = part(m_bytes, 3, n);
    m_state.from = part(m_history, 0, n * seed_history);
    m_state.to = part(m_history, 1, n * seed_history);
    m_state.blueprint = part(m_ints, 0, n);
    m_state.checkpoint = part(m_ints, 1, n);
    m_state.epochs = part(m_shorts, 0, n);
    m_state.errors = part(m_shorts, 1, n);
    m_state.alpha = part(m_floats, 0, n);
    m_state.evaluation = part(m_floats, 1, n);
    m_state.cursor = part(m_marks, 0, n);
    m_state.transitions = part(m_marks, 1, n);
    const auto host = Kokkos::create_mirror_view(Kokkos::HostSpace(), m_updates);
    for (std::size_t i = 0; i < work.rows; ++i) {
      SeedUpdate& update = host(i);
      update.seed = static_cast<std::uint32_t>(mixed_word(work.seed, i) % work.seeds);
      update.mask = seed_lifecycle | seed_blueprint | seed_epochs | seed_mode | seed_alpha;
      update.lifecycle = static_cast<Lifecycle>(i % 11);
      update.blueprint = static_cast<std::int32_t>(i % 7);
      update.alpha = static_cast<float>(i % 4) / 4;
    }
    Kokkos::deep_copy(exec_space, m_updates, host);
    exec_space.fence("Kindred::Perf::Seeds::make");
  }
  std::uint64_t digest() const override {
    std::vector<std::int8_t> bytes(m_bytes.size() / 8 * 8);
    using host_view =
        Kokkos::View<std::int8_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(
        this->exec_space(), host_view(bytes.data(), bytes.size()),
        Kokkos::subview(m_bytes, std::pair<std::size_t, std::size_t>(0, bytes.size())));
    this->exec_space().fence("Kindred::Perf::Seeds::digest");
    return hash_of(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
  }
  std::string check() const override { return {}; }

 private:
  void launch(std::size_t) override {
    update_seeds<ExecutionSpace>(this->exec_space(), m_state, m_updates, m_winners);
  }

  Array<ExecutionSpace, std::int8_t> m_bytes, m_history;
  Array<ExecutionSpace, std::int32_t> m_ints;
  Array<ExecutionSpace, std::int16_t> m_shorts;
  Array<ExecutionSpace, float> m_floats;
  Array<ExecutionSpace, std::uint8_t> m_marks;
  Array<ExecutionSpace, std::uint32_t> m_winners;
  Array<ExecutionSpace, SeedUpdate> m_updates;
  SeedStateView<ExecutionSpace> m_state;
};

template <class ExecutionSpace>
std::unique_ptr<Calls> make_calls(const ExecutionSpace& exec_space, const SeedKernelWork& work) {
  if (work.kind == SeedKernelWork::Kind::update)
    return std::make_unique<UpdateCalls<ExecutionSpace>>(exec_space, work);
  if (work.element == DataType::bfloat16)
    return std::make_unique<PassCalls<ExecutionSpace, Arch::BFloat16>>(exec_space, work);
  return std::make_unique<PassCalls<ExecutionSpace, float>>(exec_space, work);
}

class SeedKernelProblem final : public RepeatedCallsProblem {
 public:
  SeedKernelProblem(Context& context, const SeedKernelWork& work)
      : m_context(context), m_work(work) {
    name = "BM_Seed";
    arguments = {{"rows", static_cast<std::int64_t>(work.rows)},
                 {"hidden", static_cast<std::int64_t>(work.hidden)},
                 {"seeds", static_cast<std::int64_t>(work.seeds)},
                 {"calls", static_cast<std::int64_t>(work.calls)}};
    const auto calls = static_cast<double>(work.calls);
    items = calls * static_cast<double>(work.rows) *
            (work.kind == SeedKernelWork::Kind::update ? 1.0 : static_cast<double>(work.hidden));
    if (work.kind != SeedKernelWork::Kind::update)
      bytes = 2 * items * static_cast<double>(size_of(work.element));
  }

 private:
  std::unique_ptr<Calls> make(Space space) const override {
    return with_own_instance(
        m_context, space, [&](const auto& exec_space) { return make_calls(exec_space, m_work); });
  }

  Context& m_context;
  SeedKernelWork m_work;
};

}  // namespace

std::unique_ptr<Problem> seed_kernel_problem(Context& context, const SeedKernelWork& work) {
  return std::make_unique<SeedKernelProblem>(context, work);
}

}  // namespace Kindred::Perf
