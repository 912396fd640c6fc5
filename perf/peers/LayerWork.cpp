// SPDX-License-Identifier: Apache-2.0
#include "common/EncodedValues.hpp"
#include "peers/CompareValues.hpp"
#include "peers/RowCopy.hpp"
#include "peers/WorkFactories.hpp"

#include <kindred/matcher/FusedLayers.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace Kindred::Perf {

namespace {

/// LayerNorm and GELU on float32 or bfloat16 rows, or a float32 product with bias and GELU.
class LayerWork final : public Work {
 public:
  LayerWork(Context& context, std::size_t rows, std::size_t columns, std::size_t outputs,
            DataType element, std::uint64_t seed)
      : m_context(context), m_element(element), m_rows(rows), m_columns(columns) {
    kind = outputs == 0 ? "norm" : "linear_gelu";
    unit = outputs == 0 ? "elements" : "products";
    if (outputs == 0) beside = row_copy_name;
    items = static_cast<double>(rows) * static_cast<double>(columns) *
            static_cast<double>(std::max<std::size_t>(outputs, 1));
    m_values = normal_rows(rows, columns, seed, context.threads());
    m_x = encoded(element, m_values);
    m_gamma = normal_rows(1, outputs == 0 ? columns : outputs, seed + 1, 1);
    m_w = normal_rows(outputs, columns, seed + 2, context.threads());
    m_y.resize(rows * (outputs == 0 ? columns : outputs) * size_of(element));
    if (outputs == 0) bytes = items * static_cast<double>(size_of(element));
  }
  void write(JobFolder& folder) const override {
    Values<float> x(m_values.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = decoded(m_element, m_x, i);
    folder.add<float>("rows", "float32", x, {m_rows, m_columns});
    folder.add<float>("gamma", "float32", m_gamma, {m_gamma.size()});
    folder.add<float>("weights", "float32", m_w, {m_w.size() / m_columns, m_columns});
    folder.parameters["sampled"] = sampled_values;
    folder.parameters["element"] = to_string(m_element);
  }
  void run(Space space) const override {
    if (m_w.empty()) {
      NormLayer layer;
      layer.x = {m_x.data(), m_element, shape(m_columns)};
      layer.y = {m_y.data(), m_element, shape(m_columns)};
      layer.gamma = m_gamma;
      run_layers(m_context, std::span(&layer, 1), {space});
    } else {
      LinearLayer layer;
      layer.x = {m_x.data(), m_element, shape(m_columns)};
      layer.w = matrix_array(m_w, m_gamma.size(), m_columns);
      layer.bias = m_gamma;
      layer.y = {m_y.data(), m_element, shape(m_gamma.size())};
      layer.activation = LayerActivation::gelu;
      run_layers(m_context, std::span(&layer, 1), {space});
    }
  }
  void run_beside(Space space) const override { copy_rows(m_context, space, m_x, m_y); }
  std::string compare(const std::string&, const PeerAnswer& answer) const override {
    run(Space::serial);
    std::vector<double> ours;
    const std::size_t count = m_y.size() / size_of(m_element);
    const std::size_t step = std::max<std::size_t>(1, count / sampled_values);
    for (std::size_t i = 0; i < count; i += step) ours.push_back(decoded(m_element, m_y, i));
    return compare_values(ours, answer.scores, m_element == DataType::float32 ? 1e-4 : 1e-2);
  }

 private:
  std::array<std::int64_t, 2> shape(std::size_t columns) const {
    return {static_cast<std::int64_t>(m_rows), static_cast<std::int64_t>(columns)};
  }

  Context& m_context;
  DataType m_element;
  std::size_t m_rows;
  std::size_t m_columns;
  Values<float> m_values, m_gamma, m_w;
  std::vector<std::byte> m_x;
  mutable std::vector<std::byte> m_y;
};

}  // namespace

std::unique_ptr<Work> layer_work(Context& context, std::size_t rows, std::size_t columns,
                                 std::size_t outputs, DataType element, std::uint64_t seed) {
  return std::make_unique<LayerWork>(context, rows, columns, outputs, element, seed);
}

}  // namespace Kindred::Perf
