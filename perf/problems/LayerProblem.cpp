// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/FusedLayers.hpp>
#include <kindred/reference/Reference.hpp>

#include "machine/SpaceBuffer.hpp"
#include "problems/Checking.hpp"
#include "problems/EncodedValues.hpp"
#include "problems/ProblemFactories.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <map>

namespace Kindred::Perf {

namespace {

/// Maximum number of copies of an input, used in turn so that together they exceed the caches.
constexpr std::size_t copies_most = 4;
constexpr std::size_t copies_bytes = std::size_t{1} << 30U;

/// Base of problems with calls of layers: matrices on a space and prepared calls on them, with
/// `calls` of them enqueued before one fence.
class LayerProblem : public Problem {
 public:
  bool reaches(Space space) const override { return m_context.is_usable(space); }

  DispatchRecord run(std::optional<Space> space) override {
    m_space = space.value_or(Space::openmp);
    auto found = m_sets.find(m_space);
    if (found == m_sets.end()) found = m_sets.emplace(m_space, make(m_space)).first;
    Set& set = found->second;
    for (std::size_t i = 0; i < m_calls; ++i) set.prepared[i % set.prepared.size()].run();
    set.prepared.front().wait();
    DispatchRecord record;
    record.chosen = m_space;
    return record;
  }
  std::uint64_t digest() const override {
    Digest digest;
    const std::vector<std::byte> bytes = result();
    for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, 8);
      digest.add(word);
    }
    return digest.value();
  }

 protected:
  struct Set {
    std::vector<SpaceBuffer> memory;
    std::vector<Prepared> prepared;
    std::size_t result = 0;  ///< index of the result's memory
  };

  LayerProblem(Context& context, DataType element, std::size_t calls)
      : m_context(context), m_element(element), m_calls(calls) {}

  virtual Set make(Space space) = 0;

  /// Compares a sample of the result.
  std::string compare_result(const PeerAnswer& answer) {
    run(Space::serial);
    const std::vector<float> y = decoded(m_element, result());
    return compare_values(sampled(y.size(), sampled_values, [&](std::size_t i) { return y[i]; }),
                          answer.scores, m_element == DataType::float32 ? 1e-4 : 1e-2);
  }
  void write_rows(JobFolder& folder, std::span<const std::byte> x, std::size_t columns) const {
    const std::vector<float> values = decoded(m_element, x);
    folder.add<float>("rows", "float32", values, {values.size() / columns, columns});
    folder.parameters["sampled"] = sampled_values;
    folder.parameters["element"] = to_string(m_element);
  }

  std::vector<std::byte> result() const {
    const Set& set = m_sets.at(m_space);
    std::vector<std::byte> bytes(set.memory[set.result].bytes().size());
    set.memory[set.result].download(bytes);
    return bytes;
  }
  std::size_t copies(std::size_t bytes) const {
    return std::clamp<std::size_t>(copies_bytes / std::max<std::size_t>(bytes, 1), 1, copies_most);
  }
  static std::span<std::byte> put(Set& set, SpaceBuffer memory) {
    return set.memory.emplace_back(std::move(memory)).bytes();
  }
  static std::span<const float> floats(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
  }

  Array matrix(std::span<std::byte> bytes, std::size_t rows, std::size_t columns) const {
    const std::array shape{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
    return {bytes.data(), m_element, shape};
  }

  Context& m_context;
  DataType m_element;
  std::size_t m_calls;
  Space m_space = Space::serial;
  std::map<Space, Set> m_sets;
};

class NormProblem final : public LayerProblem {
 public:
  NormProblem(Context& context, const LayerShape& shape, std::uint64_t seed)
      : LayerProblem(context, shape.element, shape.calls),
        m_shape(shape),
        m_gamma(normal_rows(1, shape.inputs, seed + 1, 1)),
        m_beta(normal_rows(1, shape.inputs, seed + 2, 1)) {
    const Values<float> x = normal_rows(shape.rows, shape.inputs, seed, context.threads());
    m_x = encoded(m_element, x);
    name = "BM_Norm_gelu";
    arguments = {{"rows", static_cast<std::int64_t>(shape.rows)},
                 {"columns", static_cast<std::int64_t>(shape.inputs)},
                 {"layers", static_cast<std::int64_t>(shape.layers)}};
    const auto all = static_cast<double>(shape.calls * shape.layers);
    items = all * static_cast<double>(shape.rows);
    bytes = 2 * all * static_cast<double>(m_x.size());
    unit = "rows";
    if (shape.layers == 1) job = "norm";
  }
  void write(JobFolder& folder) const override {
    write_rows(folder, m_x, m_shape.inputs);
    folder.add<float>("gamma", "float32", m_gamma, {m_gamma.size()});
    folder.add<float>("beta", "float32", m_beta, {m_beta.size()});
  }
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    return compare_result(answer);
  }
  std::string check() const override {
    const std::vector<std::byte> y = result();
    const std::size_t row_bytes = m_shape.inputs * size_of(m_element);
    for (std::size_t i = 0; i < 8; ++i) {
      const std::size_t row = i * (m_shape.rows - 1) / 7;
      const auto part = std::span(m_x).subspan(row * row_bytes, row_bytes);
      const Reference::NormRow expected = Reference::norm_row(decoded(m_element, part), m_gamma,
                                                              m_beta, 1e-5F, LayerActivation::gelu);
      const std::vector<std::byte> target = encoded(m_element, expected.y);
      if (std::memcmp(target.data(), y.data() + row * row_bytes, row_bytes) != 0)
        return "row " + std::to_string(row) + " is not the reference's";
    }
    return {};
  }

 private:
  Set make(Space space) override {
    Set set;
    const auto gamma = floats(put(set, {m_context, space, std::as_bytes(std::span(m_gamma))}));
    const auto beta = floats(put(set, {m_context, space, std::as_bytes(std::span(m_beta))}));
    const std::size_t sets = m_shape.layers > 1 ? 1 : copies(2 * m_x.size());
    for (std::size_t copy = 0; copy < sets; ++copy) {
      std::vector<NormLayer> layers;
      for (std::size_t i = 0; i < m_shape.layers; ++i) {
        NormLayer layer;
        layer.x = matrix(put(set, {m_context, space, m_x}), m_shape.rows, m_shape.inputs);
        if (set.prepared.empty()) set.result = set.memory.size();
        layer.y = matrix(put(set, {m_context, space, m_x.size()}), m_shape.rows, m_shape.inputs);
        const std::size_t reported = m_shape.rows * sizeof(float);
        const auto mean = put(set, {m_context, space, reported});
        const auto variance = put(set, {m_context, space, reported});
        layer.mean = {reinterpret_cast<float*>(mean.data()), m_shape.rows};
        layer.variance = {reinterpret_cast<float*>(variance.data()), m_shape.rows};
        layer.gamma = gamma;
        layer.beta = beta;
        layers.push_back(layer);
      }
      set.prepared.push_back(prepare_layers(m_context, layers, {space}));
    }
    return set;
  }

  LayerShape m_shape;
  Values<float> m_gamma;
  Values<float> m_beta;
  std::vector<std::byte> m_x;
};

class LinearProblem final : public LayerProblem {
 public:
  LinearProblem(Context& context, const LayerShape& shape, LayerActivation activation,
                const LayerOptions& options, std::uint64_t seed)
      : LayerProblem(context, shape.element, shape.calls),
        m_shape(shape),
        m_activation(activation),
        m_options(options),
        m_bias(normal_rows(1, shape.outputs, seed + 2, 1)) {
    m_x = encoded(m_element, normal_rows(shape.rows, shape.inputs, seed, context.threads()));
    m_w = encoded(m_element, normal_rows(shape.outputs, shape.inputs, seed + 1, context.threads()));
    name = "BM_Linear";
    arguments = {{"rows", static_cast<std::int64_t>(shape.rows)},
                 {"inputs", static_cast<std::int64_t>(shape.inputs)},
                 {"outputs", static_cast<std::int64_t>(shape.outputs)},
                 {"layers", static_cast<std::int64_t>(shape.layers)}};
    const auto all = static_cast<double>(shape.calls * shape.layers);
    items =
        all * static_cast<double>(shape.rows * shape.outputs) * static_cast<double>(shape.inputs);
    multiply_adds = items;
    unit = "multiply-adds";
    if (shape.layers == 1 && activation == LayerActivation::gelu) job = "linear_gelu";
    bytes = all * static_cast<double>(m_x.size() + m_w.size() +
                                      shape.rows * shape.outputs * size_of(m_element));
  }
  void write(JobFolder& folder) const override {
    write_rows(folder, m_x, m_shape.inputs);
    folder.add<float>("gamma", "float32", m_bias, {m_bias.size()});
    folder.add<float>("weights", "float32", decoded(m_element, m_w),
                      {m_shape.outputs, m_shape.inputs});
  }
  std::string compare(const std::string&, const PeerAnswer& answer) override {
    return compare_result(answer);
  }
  std::string check() const override {
    const std::vector<float> y = decoded(m_element, result());
    const std::size_t row_bytes = m_shape.inputs * size_of(m_element);
    for (std::size_t i = 0; i < sample_size; ++i) {
      const std::size_t at = random_word(99, i) % y.size();
      const std::size_t row = at / m_shape.outputs;
      const std::size_t output = at % m_shape.outputs;
      const auto x = decoded(m_element, std::span(m_x).subspan(row * row_bytes, row_bytes));
      const auto w = decoded(m_element, std::span(m_w).subspan(output * row_bytes, row_bytes));
      const double expected = Reference::linear(x, w, m_bias[output], m_activation);
      // For standard normal numbers; the error bound of a library is far wider.
      const double allowed =
          std::sqrt(static_cast<double>(m_shape.inputs)) * 1e-3 + 0x1p-8 * std::abs(expected);
      if (!(std::abs(y[at] - expected) <= allowed))
        return difference("result", at, y[at], expected);
    }
    return {};
  }

 private:
  Set make(Space space) override {
    Set set;
    const auto bias = floats(put(set, {m_context, space, std::as_bytes(std::span(m_bias))}));
    std::vector<LinearLayer> layers;
    for (std::size_t i = 0; i < m_shape.layers; ++i) {
      LinearLayer layer;
      layer.x = matrix(put(set, {m_context, space, m_x}), m_shape.rows, m_shape.inputs);
      layer.w = matrix(put(set, {m_context, space, m_w}), m_shape.outputs, m_shape.inputs);
      set.result = set.memory.size();
      layer.y =
          matrix(put(set, {m_context, space, m_shape.rows * m_shape.outputs * size_of(m_element)}),
                 m_shape.rows, m_shape.outputs);
      layer.bias = bias;
      layer.activation = m_activation;
      layers.push_back(layer);
    }
    set.prepared.push_back(prepare_layers(m_context, layers, {space, m_options.reproducible}));
    return set;
  }

  LayerShape m_shape;
  LayerActivation m_activation;
  LayerOptions m_options;
  Values<float> m_bias;
  std::vector<std::byte> m_x;
  std::vector<std::byte> m_w;
};

}  // namespace

std::unique_ptr<Problem> norm_problem(Context& context, const LayerShape& shape,
                                      std::uint64_t seed) {
  return std::make_unique<NormProblem>(context, shape, seed);
}

std::unique_ptr<Problem> linear_problem(Context& context, const LayerShape& shape,
                                        LayerActivation activation, const LayerOptions& options,
                                        std::uint64_t seed) {
  return std::make_unique<LinearProblem>(context, shape, activation, options, seed);
}

}  // namespace Kindred::Perf
