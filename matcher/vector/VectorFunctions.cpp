// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/VectorFunctions.hpp>
#include <kindred/memory/Copies.hpp>

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/vector/AverageRows.hpp>
#include <kindred/core/vector/ScoreMatrix.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/memory/Buffer.hpp>

#include <cmath>
#include <string>
#include <type_traits>

#include "common/ValueMessage.hpp"

namespace KINDRED_PUBLIC Kindred {

using Impl::value_message;

namespace {

void check_rows(const VectorSpan& rows) {
  constexpr std::size_t dimension_max = 0xFFFFFFFFU;
  KINDRED_THROW_IF(rows.dimension == 0 || rows.dimension > dimension_max,
                   value_message("the dimension", rows.dimension) + "; it must be 1 … " +
                       std::to_string(dimension_max));
  KINDRED_THROW_IF(rows.values.size() % rows.row_bytes() != 0,
                   value_message("the size of the rows", rows.values.size()) +
                       " bytes; it must be a multiple of that of a row, " +
                       std::to_string(rows.row_bytes()));
  const std::size_t scales = rows.element == VectorElement::int8 ? rows.count() : 0;
  KINDRED_THROW_IF(rows.scales.size() != scales,
                   value_message("the number of scales", rows.scales.size()) + "; " +
                       std::to_string(rows.count()) + " rows of " +
                       std::string(to_string(rows.element)) + " take " + std::to_string(scales));
}

/// Rows in the memory of \p ExecutionSpace.
template <class ExecutionSpace>
struct UploadedRows {
  using memory_space = typename ExecutionSpace::memory_space;

  UploadedRows(const ExecutionSpace& exec_space, MemoryResource& memory, const VectorSpan& rows)
      : values(memory, "Kindred::VectorFunctions::rows", rows.values.size()),
        scales(memory, "Kindred::VectorFunctions::scales", rows.scales.size()) {
    Impl::upload(exec_space, values.view(), rows.values.data(), rows.values.size());
    Impl::upload(exec_space, scales.view(), rows.scales.data(), rows.scales.size());
    view.values = values.const_view();
    view.element = rows.element;
    view.scales = scales.const_view();
    view.dimension = rows.dimension;
  }

  Buffer<std::byte, memory_space> values;
  Buffer<float, memory_space> scales;
  VectorRows<ExecutionSpace> view;
};

/// Calls `function(exec_space, memory)` on \p space or, if there is none, on the host with a number
/// of threads that suits \p elements products.
template <class Function>
void run(Context& context, std::optional<Space> space, std::size_t elements,
         const Function& function) {
  constexpr double element_nanoseconds = 0.3;
  const auto body = [&](const auto& exec_space) {
    function(exec_space, context.memory(space.value_or(Space::serial)));
  };
  if (space) return Impl::with_instance(context, *space, body);
  body(Impl::host_instance_for(context, element_nanoseconds * static_cast<double>(elements)));
}

std::vector<float> scores(Context& context, std::optional<Space> space, Metric metric,
                          const ScoreCurve& curve, std::span<const float> queries,
                          const VectorSpan& rows) {
  const std::size_t count = queries.size() / rows.dimension;
  std::vector<float> out(count * rows.count());
  if (out.empty()) return out;
  run(context, space, out.size() * rows.dimension,
      [&](const auto& exec_space, MemoryResource& memory) {
        using execution_space = std::decay_t<decltype(exec_space)>;
        using memory_space = typename execution_space::memory_space;
        UploadedRows<execution_space> uploaded(exec_space, memory, rows);
        Buffer<double, memory_space> norms(memory, "Kindred::VectorFunctions::norms", rows.count());
        Buffer<float, memory_space> floats(memory, "Kindred::VectorFunctions::queries",
                                           queries.size());
        Buffer<double, memory_space> wide(memory, "Kindred::VectorFunctions::wide", queries.size());
        Buffer<double, memory_space> query_norms(memory, "Kindred::VectorFunctions::query_norms",
                                                 count);
        Buffer<float, memory_space> result(memory, "Kindred::VectorFunctions::scores", out.size());
        Impl::upload(exec_space, floats.view(), queries.data(), queries.size());
        if (metric == Metric::cosine) vector_norms(exec_space, uploaded.view, norms.view());
        uploaded.view.norms = norms.const_view();
        prepare_queries(exec_space, floats.const_view(), rows.dimension, wide.view(),
                        query_norms.view());
        const VectorQueries<execution_space> prepared{floats.const_view(), wide.const_view(),
                                                      query_norms.const_view(), count};
        score_matrix(exec_space, metric, curve, uploaded.view, rows.count(), prepared,
                     result.view());
        Impl::download(exec_space, out.data(), result.view(), out.size());
      });
  return out;
}

}  // namespace

std::vector<float> cosine_sigmoids(Context& context, std::span<const float> query,
                                   const VectorSpan& rows, double threshold, double temperature,
                                   const VectorFunctionOptions& options) {
  check_rows(rows);
  KINDRED_THROW_IF(query.size() != rows.dimension,
                   value_message("the size of the query", query.size()) +
                       "; it must be the dimension of the rows, " + std::to_string(rows.dimension));
  KINDRED_THROW_IF(std::isnan(threshold), "the threshold is NaN");
  KINDRED_THROW_IF(std::isnan(temperature), "the temperature is NaN");
  return scores(context, options.space, Metric::cosine, {true, threshold, temperature}, query,
                rows);
}

std::vector<float> pairwise_dots(Context& context, std::span<const float> a, const VectorSpan& b,
                                 const VectorFunctionOptions& options) {
  check_rows(b);
  KINDRED_THROW_IF(a.size() % b.dimension != 0,
                   value_message("the size of the first rows", a.size()) +
                       "; it must be a multiple of the dimension, " + std::to_string(b.dimension));
  return scores(context, options.space, Metric::ip, {}, a, b);
}

std::vector<float> weighted_average(Context& context, const VectorSpan& rows,
                                    std::span<const float> weights,
                                    const VectorFunctionOptions& options) {
  check_rows(rows);
  KINDRED_THROW_IF(weights.size() != rows.count(),
                   value_message("the number of weights", weights.size()) + "; there are " +
                       std::to_string(rows.count()) + " rows");
  std::vector<float> out(rows.dimension);
  run(context, options.space, weights.size() * rows.dimension,
      [&](const auto& exec_space, MemoryResource& memory) {
        using execution_space = std::decay_t<decltype(exec_space)>;
        using memory_space = typename execution_space::memory_space;
        const UploadedRows<execution_space> uploaded(exec_space, memory, rows);
        Buffer<float, memory_space> factors(memory, "Kindred::VectorFunctions::weights",
                                            weights.size());
        Buffer<float, memory_space> result(memory, "Kindred::VectorFunctions::average", out.size());
        Impl::upload(exec_space, factors.view(), weights.data(), weights.size());
        average_rows(exec_space, uploaded.view, factors.const_view(), result.view());
        Impl::download(exec_space, out.data(), result.view(), out.size());
      });
  return out;
}

}  // namespace Kindred
