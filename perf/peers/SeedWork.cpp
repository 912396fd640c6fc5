// SPDX-License-Identifier: Apache-2.0
#include "peers/WorkFactories.hpp"

#include "common/EncodedValues.hpp"
#include "common/EverySeedState.hpp"
#include "peers/CompareValues.hpp"
#include "peers/RowCopy.hpp"

#include <kindred/matcher/SeedLayer.hpp>

#include <algorithm>
#include <array>

namespace Kindred::Perf {

namespace {

class SeedForwardWork final : public Work {
 public:
  SeedForwardWork(Context& context, std::size_t rows, std::uint32_t hidden, std::uint32_t seeds,
                  DataType element, bool telemetry, std::uint64_t seed)
      : m_context(context), m_element(element), m_telemetry(telemetry) {
    kind = "seed";
    unit = "elements";
    beside = row_copy_name;
    items = static_cast<double>(rows) * hidden;
    bytes = items * static_cast<double>(size_of(element));
    const Values<float> values = normal_rows(rows, hidden, seed, context.threads());
    m_x = encoded(element, values);
    m_y.resize(m_x.size());
    m_shape = {static_cast<std::int64_t>(rows), hidden};
    SeedLayerOptions options;
    options.hidden = hidden;
    options.seeds = seeds;
    options.residency = Residency::host;
    m_layer = std::make_unique<SeedLayer>(context, options);
    const Values<float> weights = normal_rows(1, hidden, seed + 1, 1);
    m_layer->add_blueprint("one", weights);
    const SeedState state = every_seed_state(seeds);
    m_layer->set_state(state);
    for (std::uint32_t s = 0; s < seeds; ++s) {
      m_begins.push_back(m_layer->chunk_begin(s));
      const float a = state.lifecycle[s] == Lifecycle::fossilized ? 1.0F : state.alpha[s];
      for (std::uint32_t f = m_layer->chunk_begin(s); f < m_layer->chunk_begin(s + 1); ++f) {
        const float w = weights[f];
        float t = 1;
        float c = 0;
        if (applies_blueprint(state.lifecycle[s])) {
          const ApplyMode mode = state.mode[s];
          if (mode == ApplyMode::linear) t = a * w + (1 - a);
          if (mode == ApplyMode::multiplicative) t = w;
          if (mode == ApplyMode::additive) c = w;
          if (mode == ApplyMode::mixed) {
            t = 0.5F;
            c = 0.5F * w;
          }
        }
        m_t.push_back(t);
        m_c.push_back(c);
      }
    }
  }
  void write(JobFolder& folder) const override {
    const std::size_t hidden = m_t.size();
    std::vector<float> x;
    for (std::size_t i = 0; i < m_x.size() / size_of(m_element); ++i)
      x.push_back(decoded(m_element, m_x, i));
    folder.add<float>("rows", "float32", x, {x.size() / hidden, hidden});
    folder.add<float>("t", "float32", m_t, {hidden});
    folder.add<float>("c", "float32", m_c, {hidden});
    folder.add<std::int64_t>("begins", "int64", m_begins, {m_begins.size()});
    folder.parameters["telemetry"] = m_telemetry;
    folder.parameters["sampled"] = sampled_values;
    folder.parameters["element"] = to_string(m_element);
  }
  void run(Space space) const override {
    SeedForwardOptions options;
    options.space = space;
    options.telemetry = m_telemetry ? SeedTelemetryUse::last : SeedTelemetryUse::none;
    m_layer->forward({m_x.data(), m_element, m_shape}, {m_y.data(), m_element, m_shape}, options);
  }
  void run_beside(Space space) const override { copy_rows(m_context, space, m_x, m_y); }
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    run(Space::serial);
    std::vector<double> ours;
    const std::size_t count = m_x.size() / size_of(m_element);
    const std::size_t step = std::max<std::size_t>(1, count / sampled_values);
    for (std::size_t i = 0; i < count; i += step) ours.push_back(decoded(m_element, m_y, i));
    if (m_telemetry) {
      const std::vector<SeedTelemetry> returned = m_layer->telemetry();
      for (const SeedTelemetry& one : returned) ours.push_back(one.mean);
      for (const SeedTelemetry& one : returned) ours.push_back(one.variance);
      for (const SeedTelemetry& one : returned) ours.push_back(one.min);
      for (const SeedTelemetry& one : returned) ours.push_back(one.max);
      for (const SeedTelemetry& one : returned) ours.push_back(one.dead_ratio);
    }
    return compare_values(ours, answer.scores, m_element == DataType::float32 ? 1e-4 : 1e-2);
  }

 private:
  Context& m_context;
  DataType m_element;
  bool m_telemetry;
  std::array<std::int64_t, 2> m_shape;
  std::vector<std::byte> m_x;
  mutable std::vector<std::byte> m_y;
  std::vector<float> m_t, m_c;  ///< y = t·x + c
  std::vector<std::int64_t> m_begins;
  std::unique_ptr<SeedLayer> m_layer;
};

/// 1,000 updates of a layer with many seeds.
class SeedUpdateWork final : public Work {
 public:
  SeedUpdateWork(Context& context, std::uint32_t seeds, std::size_t count, std::uint64_t seed) {
    kind = "seed_update";
    unit = "updates";
    items = static_cast<double>(count);
    SeedLayerOptions options;
    options.hidden = seeds;
    options.seeds = seeds;
    options.residency = Residency::host;
    m_layer = std::make_unique<SeedLayer>(context, options);
    m_layer->add_blueprint("one", std::vector<float>(seeds, 1.5F));
    m_layer->set_state(every_seed_state(seeds));
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
  void write(JobFolder& folder) const override {
    std::vector<std::int64_t> seeds, lifecycle, mode;
    std::vector<float> alpha;
    for (const SeedUpdate& update : m_updates) {
      seeds.push_back(update.seed);
      lifecycle.push_back(static_cast<std::int64_t>(update.lifecycle));
      mode.push_back(static_cast<std::int64_t>(update.mode));
      alpha.push_back(update.alpha);
    }
    folder.add<std::int64_t>("seeds", "int64", seeds, {seeds.size()});
    folder.add<std::int64_t>("lifecycle", "int64", lifecycle, {seeds.size()});
    folder.add<std::int64_t>("mode", "int64", mode, {seeds.size()});
    folder.add<float>("alpha", "float32", alpha, {seeds.size()});
    folder.parameters["count"] = m_layer->seeds();
  }
  void run(Space) const override { m_layer->update(m_updates); }
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    run(Space::serial);
    const SeedState state = m_layer->state();
    std::vector<double> ours;
    for (const SeedUpdate& update : m_updates)
      ours.push_back(static_cast<double>(state.lifecycle[update.seed]));
    return compare_values(ours, answer.scores, 0);
  }

 private:
  std::unique_ptr<SeedLayer> m_layer;
  std::vector<SeedUpdate> m_updates;
};

}  // namespace

std::unique_ptr<Work> seed_forward_work(Context& context, std::size_t rows, std::uint32_t hidden,
                                        std::uint32_t seeds, DataType element, bool telemetry,
                                        std::uint64_t seed) {
  return std::make_unique<SeedForwardWork>(context, rows, hidden, seeds, element, telemetry, seed);
}
std::unique_ptr<Work> seed_update_work(Context& context, std::uint32_t seeds, std::size_t count,
                                       std::uint64_t seed) {
  return std::make_unique<SeedUpdateWork>(context, seeds, count, seed);
}

}  // namespace Kindred::Perf
