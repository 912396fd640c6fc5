// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SeedLayer.hpp>

#include "common/Checking.hpp"
#include "common/ProblemFactories.hpp"

#include <algorithm>
#include <vector>

namespace Kindred::Perf {

namespace {

/// Host rows through a layer of a thousand seeds, every fourth of which is grafted.
class SeedProblem final : public Problem {
 public:
  SeedProblem(Context& context, std::size_t rows, std::uint64_t seed)
      : m_layer(context, options_of()),
        m_weights(uniform_values(hidden, seed, 16)),
        m_x(uniform_values(rows * hidden, seed + 1, 16)),
        m_y(rows * hidden) {
    name = "BM_Seeds_forward";
    arguments = {{"rows", static_cast<std::int64_t>(rows)},
                 {"hidden", hidden},
                 {"seeds", static_cast<std::int64_t>(m_layer.seeds())}};
    items = static_cast<double>(m_x.size());
    bytes = items * 2 * sizeof(float);
    m_layer.add_blueprint("blueprint", m_weights);
    m_state = SeedState(m_layer.seeds());
    for (std::size_t i = 0; i < m_state.seeds(); i += 4) {
      m_state.lifecycle[i] = Lifecycle::grafting;
      m_state.blueprint[i] = 0;
      m_state.alpha[i] = alpha;
    }
    m_layer.set_state(m_state);
  }
  bool reaches(Space space) const override { return space != Space::cuda || m_layer.on_device(); }
  DispatchRecord run(std::optional<Space> space) override {
    SeedForwardOptions options;
    options.space = space;
    return m_layer.forward(std::span(m_x), std::span(m_y), options);
  }
  std::uint64_t digest() const override {
    Digest digest;
    for (const float value : m_y) digest.add(value);
    return digest.value();
  }
  std::string check() const override {
    std::vector<bool> grafted(hidden);
    for (std::uint32_t i = 0; i < m_layer.seeds(); ++i) {
      const bool grafts = m_state.lifecycle[i] == Lifecycle::grafting;
      std::fill(grafted.begin() + m_layer.chunk_begin(i),
                grafted.begin() + m_layer.chunk_begin(i + 1), grafts);
    }
    for (const std::uint64_t at : sample(m_x.size())) {
      const std::size_t feature = at % hidden;
      const float x = m_x[at];
      float expected = x;
      if (grafted[feature]) {
        const float t = alpha * m_weights[feature];
        const float u = 1 - alpha;
        const float grafted = t * x;
        const float kept = u * x;
        expected = grafted + kept;
      }
      if (m_y[at] != expected) return difference("element", at, m_y[at], expected);
    }
    return {};
  }

 private:
  static constexpr std::uint32_t hidden = 4096;
  static constexpr float alpha = 0.25F;

  static SeedLayerOptions options_of() {
    SeedLayerOptions options;
    options.hidden = hidden;
    options.seeds = 1000;
    return options;
  }

  SeedLayer m_layer;
  SeedState m_state;
  Values<float> m_weights;
  Values<float> m_x;
  Values<float> m_y;
};

}  // namespace

std::unique_ptr<Problem> seed_problem(Context& context, std::size_t rows, std::uint64_t seed) {
  return std::make_unique<SeedProblem>(context, rows, seed);
}

}  // namespace Kindred::Perf
