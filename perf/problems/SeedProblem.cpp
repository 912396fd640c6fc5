// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SeedLayer.hpp>

#include "problems/Checking.hpp"
#include "problems/EncodedValues.hpp"
#include "problems/EverySeedState.hpp"
#include "problems/ProblemFactories.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace Kindred::Perf {

namespace {

/// Host rows through a layer with seeds in every state and mode.
class SeedProblem final : public Problem {
 public:
  SeedProblem(Context& context, const SeedShape& shape, std::uint64_t seed)
      : m_element(shape.element),
        m_telemetry(shape.telemetry),
        m_shape{static_cast<std::int64_t>(shape.rows), shape.hidden},
        m_layer(context, {.hidden = shape.hidden, .seeds = shape.seeds}) {
    name = "BM_Seeds_forward";
    arguments = {{"rows", static_cast<std::int64_t>(shape.rows)},
                 {"hidden", shape.hidden},
                 {"seeds", shape.seeds}};
    items = static_cast<double>(shape.rows) * shape.hidden;
    unit = "elements";
    job = "seed";
    bytes = items * 2 * static_cast<double>(size_of(m_element));
    m_x = encoded(m_element, normal_rows(shape.rows, shape.hidden, seed, context.threads()));
    m_y.resize(m_x.size());
    const Values<float> weights = normal_rows(1, shape.hidden, seed + 1, 1);
    m_layer.add_blueprint("one", weights);
    const SeedState state = every_seed_state(shape.seeds);
    m_layer.set_state(state);
    for (std::uint32_t s = 0; s < shape.seeds; ++s) {
      m_begins.push_back(m_layer.chunk_begin(s));
      for (std::uint32_t f = m_layer.chunk_begin(s); f < m_layer.chunk_begin(s + 1); ++f)
        add_factors(state, s, weights[f]);
    }
  }
  bool reaches(Space space) const override { return space != Space::cuda || m_layer.on_device(); }
  DispatchRecord run(std::optional<Space> space) override {
    SeedForwardOptions options;
    options.space = space;
    options.telemetry = m_telemetry ? SeedTelemetryUse::last : SeedTelemetryUse::none;
    return m_layer.forward({m_x.data(), m_element, m_shape}, {m_y.data(), m_element, m_shape},
                           options);
  }
  std::uint64_t digest() const override {
    Digest digest;
    for (std::size_t i = 0; i < elements(); ++i) digest.add(decoded(m_element, m_y, i));
    return digest.value();
  }
  std::string check() const override {
    for (const std::uint64_t at : sample(elements())) {
      const std::size_t feature = at % m_t.size();
      const double x = decoded(m_element, m_x, at);
      const double expected = m_t[feature] * x + m_c[feature];
      const double found = decoded(m_element, m_y, at);
      if (!(std::fabs(found - expected) <= tolerance() * std::fmax(1.0, std::fabs(expected))))
        return difference("element", at, found, expected);
    }
    return {};
  }
  void write(JobFolder& folder) const override {
    const std::size_t hidden = m_t.size();
    folder.add<float>("rows", "float32", decoded(m_element, m_x), {elements() / hidden, hidden});
    folder.add<float>("t", "float32", m_t, {hidden});
    folder.add<float>("c", "float32", m_c, {hidden});
    folder.add<std::int64_t>("begins", "int64", m_begins, {m_begins.size()});
    folder.parameters["telemetry"] = m_telemetry;
    folder.parameters["sampled"] = sampled_values;
    folder.parameters["element"] = to_string(m_element);
  }
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    run(Space::serial);
    std::vector<double> ours = sampled(elements(), sampled_values,
                                       [&](std::size_t i) { return decoded(m_element, m_y, i); });
    if (m_telemetry) {
      const std::vector<SeedTelemetry> told = m_layer.telemetry();
      const auto add = [&](const auto& value) {
        std::ranges::transform(told, std::back_inserter(ours), value);
      };
      add([](const SeedTelemetry& one) { return one.mean; });
      add([](const SeedTelemetry& one) { return one.variance; });
      add([](const SeedTelemetry& one) { return one.min; });
      add([](const SeedTelemetry& one) { return one.max; });
      add([](const SeedTelemetry& one) { return one.dead_ratio; });
    }
    return compare_values(ours, answer.scores, tolerance());
  }

 private:
  std::size_t elements() const { return m_x.size() / size_of(m_element); }
  double tolerance() const { return m_element == DataType::float32 ? 1e-4 : 1e-2; }

  /// Adds t and c of y = t·x + c for a feature of seed \p s with \p weight.
  void add_factors(const SeedState& state, std::uint32_t s, float weight) {
    const float alpha = state.lifecycle[s] == Lifecycle::fossilized ? 1.0F : state.alpha[s];
    float t = 1;
    float c = 0;
    if (applies_blueprint(state.lifecycle[s])) {
      const ApplyMode mode = state.mode[s];
      if (mode == ApplyMode::linear) t = alpha * weight + (1 - alpha);
      if (mode == ApplyMode::multiplicative) t = weight;
      if (mode == ApplyMode::additive) c = weight;
      if (mode == ApplyMode::mixed) {
        t = 0.5F;
        c = 0.5F * weight;
      }
    }
    m_t.push_back(t);
    m_c.push_back(c);
  }

  DataType m_element;
  bool m_telemetry;
  std::array<std::int64_t, 2> m_shape;
  std::vector<std::byte> m_x;
  std::vector<std::byte> m_y;
  std::vector<float> m_t, m_c;
  std::vector<std::int64_t> m_begins;
  SeedLayer m_layer;
};

/// Updates of a layer with many seeds.
class SeedUpdateProblem final : public Problem {
 public:
  SeedUpdateProblem(Context& context, std::uint32_t seeds, std::size_t count, std::uint64_t seed)
      : m_layer(context, {.hidden = seeds, .seeds = seeds, .residency = Residency::host}) {
    name = "BM_Seeds_update";
    arguments = {{"seeds", seeds}, {"updates", static_cast<std::int64_t>(count)}};
    items = static_cast<double>(count);
    unit = "updates";
    job = "seed_update";
    m_layer.add_blueprint("one", std::vector<float>(seeds, 1.5F));
    m_layer.set_state(every_seed_state(seeds));
    for (std::size_t i = 0; i < count; ++i) {
      SeedUpdate update;
      update.seed = static_cast<std::uint32_t>(random_word(seed, i) % seeds);
      update.mask = seed_lifecycle | seed_epochs | seed_mode | seed_alpha;
      update.lifecycle = static_cast<Lifecycle>(i % 11);
      update.mode = static_cast<ApplyMode>(i % 4);
      update.alpha = static_cast<float>(i % 4) / 4;
      m_updates.push_back(update);
    }
  }
  bool reaches(Space space) const override { return space == Space::serial; }
  DispatchRecord run(std::optional<Space>) override {
    m_layer.update(m_updates);
    return {};
  }
  std::uint64_t digest() const override { return digest_of_all(updated()); }
  /// The last update of a seed holds.
  std::string check() const override {
    std::vector<const SeedUpdate*> last(m_layer.seeds());
    for (const SeedUpdate& update : m_updates) last[update.seed] = &update;
    const std::vector<double> found = updated();
    for (std::size_t i = 0; i < m_updates.size(); ++i) {
      const auto expected = static_cast<double>(last[m_updates[i].seed]->lifecycle);
      if (found[i] != expected) return difference("lifecycle", i, found[i], expected);
    }
    return {};
  }
  void write(JobFolder& folder) const override {
    const auto add = [&](const char* what, const auto& value) {
      std::vector<std::int64_t> values;
      for (const SeedUpdate& update : m_updates)
        values.push_back(static_cast<std::int64_t>(value(update)));
      folder.add<std::int64_t>(what, "int64", values, {values.size()});
    };
    add("seeds", [](const SeedUpdate& update) { return update.seed; });
    add("lifecycle", [](const SeedUpdate& update) { return update.lifecycle; });
    add("mode", [](const SeedUpdate& update) { return update.mode; });
    std::vector<float> alpha;
    for (const SeedUpdate& update : m_updates) alpha.push_back(update.alpha);
    folder.add<float>("alpha", "float32", alpha, {alpha.size()});
    folder.parameters["count"] = m_layer.seeds();
  }
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    run({});
    return compare_values(updated(), answer.scores, 0);
  }

 private:
  /// The lifecycles of the updated seeds.
  std::vector<double> updated() const {
    const SeedState state = m_layer.state();
    std::vector<double> out;
    for (const SeedUpdate& update : m_updates)
      out.push_back(static_cast<double>(state.lifecycle[update.seed]));
    return out;
  }

  SeedLayer m_layer;
  std::vector<SeedUpdate> m_updates;
};

}  // namespace

std::unique_ptr<Problem> seed_problem(Context& context, const SeedShape& shape,
                                      std::uint64_t seed) {
  return std::make_unique<SeedProblem>(context, shape, seed);
}
std::unique_ptr<Problem> seed_update_problem(Context& context, std::uint32_t seeds,
                                             std::size_t count, std::uint64_t seed) {
  return std::make_unique<SeedUpdateProblem>(context, seeds, count, seed);
}

}  // namespace Kindred::Perf
