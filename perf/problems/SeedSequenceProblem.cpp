// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SeedLayer.hpp>

#include "machine/SpaceBuffer.hpp"
#include "problems/Checking.hpp"
#include "problems/EverySeedState.hpp"
#include "problems/ProblemFactories.hpp"
#include "problems/RandomData.hpp"

#include <array>
#include <cstring>
#include <optional>

namespace Kindred::Perf {

namespace {

/// Consecutive prepared forward calls of one layer on resident rows.
class SeedSequenceProblem final : public Problem {
 public:
  SeedSequenceProblem(Context& context, std::size_t rows, std::uint32_t hidden, std::uint32_t seeds,
                      std::size_t calls, std::uint64_t seed)
      : m_context(context),
        m_rows(rows),
        m_calls(calls),
        m_x(normal_rows(rows, hidden, seed, context.threads())) {
    name = "BM_SeedSequence";
    arguments = {{"rows", static_cast<std::int64_t>(rows)},
                 {"hidden", static_cast<std::int64_t>(hidden)},
                 {"seeds", static_cast<std::int64_t>(seeds)},
                 {"calls", static_cast<std::int64_t>(calls)}};
    items = static_cast<double>(calls * m_x.size());
    bytes = 2 * sizeof(float) * items;
    SeedLayerOptions options;
    options.hidden = hidden;
    options.seeds = seeds;
    m_layer.emplace(context, options);
    m_layer->add_blueprint("one", normal_rows(1, hidden, seed + 1, 1));
    m_layer->set_state(every_seed_state(seeds));
  }
  bool reaches(Space space) const override { return m_context.is_usable(space); }
  DispatchRecord run(std::optional<Space> space) override {
    if (!m_sequence || m_space != *space) prepare(*space);
    m_sequence->run();
    m_sequence->wait();
    DispatchRecord record;
    record.chosen = *space;
    return record;
  }
  std::uint64_t digest() const override {
    const std::vector<float> y = result();
    Digest digest;
    for (std::size_t i = 0; i + 2 <= y.size(); i += 2) {
      std::uint64_t word = 0;
      std::memcpy(&word, y.data() + i, 8);
      digest.add(word);
    }
    return digest.value();
  }
  std::string check() const override {
    std::vector<float> expected(m_x.size());
    SeedForwardOptions options;
    options.space = Space::serial;
    options.telemetry = SeedTelemetryUse::none;
    m_layer->forward(std::span(m_x), std::span(expected), options);
    return result() == expected ? "" : "y is not that of a single forward";
  }

 private:
  void prepare(Space space) {
    m_sequence.reset();
    m_memory.clear();
    m_space = space;
    m_sequence.emplace(m_context, space);
    for (int copy = 0; copy < 2; ++copy) {
      m_memory.emplace_back(m_context, space, std::as_bytes(std::span(m_x)));
      m_memory.emplace_back(m_context, space, m_x.size() * sizeof(float));
    }
    for (std::size_t i = 0; i < m_calls; ++i) {
      const std::size_t copy = i % 2;
      m_sequence->add(*m_layer, rows_in(m_memory[2 * copy]), rows_in(m_memory[2 * copy + 1]));
    }
  }
  Array rows_in(const SpaceBuffer& memory) const {
    const std::array<std::int64_t, 2> shape{static_cast<std::int64_t>(m_rows), m_layer->hidden()};
    const bool device = m_space == Space::cuda;
    return {memory.bytes().data(),
            DataType::float32,
            shape,
            {},
            device ? ArrayMemory::device : ArrayMemory::host,
            device ? m_context.info(Space::cuda).device_index : 0};
  }
  std::vector<float> result() const {
    std::vector<float> y(m_x.size());
    m_memory[1].download(std::as_writable_bytes(std::span(y)));
    return y;
  }

  Context& m_context;
  std::size_t m_rows;
  std::size_t m_calls;
  Values<float> m_x;
  mutable std::optional<SeedLayer> m_layer;
  Space m_space = Space::serial;
  std::vector<SpaceBuffer> m_memory;
  std::optional<SeedSequence> m_sequence;
};

}  // namespace

std::unique_ptr<Problem> seed_sequence_problem(Context& context, std::size_t rows,
                                               std::uint32_t hidden, std::uint32_t seeds,
                                               std::size_t calls, std::uint64_t seed) {
  return std::make_unique<SeedSequenceProblem>(context, rows, hidden, seeds, calls, seed);
}

}  // namespace Kindred::Perf
