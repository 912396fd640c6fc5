// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/VectorFunctions.hpp>
#include <kindred/memory/Copies.hpp>

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/vector/AverageRows.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <cmath>
#include <string>
#include <type_traits>

#include "GivenRowCalls.hpp"
#include "kit/ValueMessage.hpp"

namespace KINDRED_PUBLIC Kindred {

using Impl::check_rows;
using Impl::value_message;

namespace {

/// Calls `body(begin, end)` for all groups of elements of an average of \p count rows.
template <class Body>
void average_on_host(const Context& context, std::optional<Space> space, std::size_t count,
                     std::size_t dimension, const Body& body) {
  const double nanoseconds =
      Impl::row_element_nanoseconds * average_group * static_cast<double>(count);
  Impl::workers_for(context, space)
      .for_each_range(quotient_up(dimension, average_group), nanoseconds, body);
}

void average_on_device(Context& context, const VectorSpan& rows, std::span<const float> weights,
                       std::span<float> out) {
  Impl::with_instance(context, Space::cuda, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    using memory_space = typename execution_space::memory_space;
    MemoryResource& memory = context.memory(Space::cuda);
    Buffer<std::byte, memory_space> values(memory, "Kindred::VectorFunctions::rows",
                                           rows.values.size());
    Buffer<float, memory_space> scales(memory, "Kindred::VectorFunctions::scales",
                                       rows.scales.size());
    Buffer<float, memory_space> factors(memory, "Kindred::VectorFunctions::weights",
                                        weights.size());
    Buffer<float, memory_space> result(memory, "Kindred::VectorFunctions::average", out.size());
    Impl::upload(exec_space, values.view(), rows.values.data(), rows.values.size());
    Impl::upload(exec_space, scales.view(), rows.scales.data(), rows.scales.size());
    Impl::upload(exec_space, factors.view(), weights.data(), weights.size());
    VectorRows<execution_space> uploaded;
    uploaded.values = values.const_view();
    uploaded.element = rows.element;
    uploaded.scales = scales.const_view();
    uploaded.dimension = rows.dimension;
    average_rows(exec_space, uploaded, factors.const_view(), result.view());
    Impl::download(exec_space, out.data(), result.view(), out.size());
  });
}

void check_weights(std::size_t weights, std::size_t rows) {
  KINDRED_THROW_IF(weights != rows, value_message("the number of weights", weights) +
                                        "; there are " + std::to_string(rows) + " rows");
}

}  // namespace

std::vector<float> cosine_sigmoids(Context& context, std::span<const float> query,
                                   const VectorSpan& rows, double threshold, double temperature,
                                   const VectorFunctionOptions& options) try {
  check_rows(rows);
  KINDRED_THROW_IF(query.size() != rows.dimension,
                   value_message("the size of the query", query.size()) +
                       "; it must be the dimension of the rows, " + std::to_string(rows.dimension));
  KINDRED_THROW_IF(std::isnan(threshold), "the threshold is NaN");
  KINDRED_THROW_IF(std::isnan(temperature), "the temperature is NaN");
  Impl::RowCall call = Impl::row_call(rows, options.space);
  call.curve = {true, threshold, temperature};
  call.queries = {query.data(), 1, rows.dimension};
  std::vector<float> out(call.count);
  Impl::score_given_rows(context, call, out.data(), call.count);
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::cosine_sigmoids");
}

std::vector<float> weighted_average(Context& context, const VectorSpan& rows,
                                    std::span<const float> weights,
                                    const VectorFunctionOptions& options) try {
  check_rows(rows);
  check_weights(weights.size(), rows.count());
  std::vector<float> out(rows.dimension);
  if (options.space == Space::cuda) {
    average_on_device(context, rows, weights, out);
    return out;
  }
  VectorRows<HostSpace> given;
  given.values = ArrayView<const std::byte, HostSpace>(rows.values.data(), rows.values.size());
  given.element = rows.element;
  given.scales = ArrayView<const float, HostSpace>(rows.scales.data(), rows.scales.size());
  given.dimension = rows.dimension;
  average_on_host(context, options.space, weights.size(), rows.dimension,
                  [&](std::size_t begin, std::size_t end) {
                    average_rows_here(given, weights, begin, end, out);
                  });
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::weighted_average");
}

std::vector<float> weighted_average(Context& context, std::span<const float* const> rows,
                                    std::size_t dimension, std::span<const float> weights,
                                    const VectorFunctionOptions& options) try {
  check_rows(VectorSpan(std::span<const float>(), dimension));
  check_weights(weights.size(), rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    KINDRED_THROW_IF(rows[row] == nullptr, "the pointer to row " + std::to_string(row) +
                                               " is null; every row needs its elements");
  }
  std::vector<float> out(dimension);
  if (options.space == Space::cuda) {
    std::vector<float> together;
    together.reserve(size_product("rows × dimension", {rows.size(), dimension}));
    for (const float* row : rows) together.insert(together.end(), row, row + dimension);
    average_on_device(context, VectorSpan(together, dimension), weights, out);
    return out;
  }
  average_on_host(context, options.space, weights.size(), dimension,
                  [&](std::size_t begin, std::size_t end) {
                    average_rows_here(rows, weights, begin, end, out);
                  });
  return out;
} catch (...) {
  Impl::rethrow_translated("Kindred::weighted_average");
}

}  // namespace Kindred
