// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_VECTOR_VECTOR_DATA_HPP
#define KINDRED_TESTS_VECTOR_VECTOR_DATA_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/memory/Copies.hpp>
#include <kindred/reference/Reference.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <vector>

namespace Kindred::Testing {

inline constexpr Metric all_metrics[] = {Metric::cosine, Metric::ip, Metric::l2};
inline constexpr DataType all_elements[] = {DataType::float32, DataType::float16,
                                            DataType::bfloat16, DataType::int8};

inline std::vector<float> normal_values(std::mt19937_64& generator, std::size_t size) {
  std::normal_distribution<float> normal;
  std::vector<float> out(size);
  for (float& value : out) value = normal(generator);
  return out;
}

inline Rank reference_rank(Metric metric, std::span<const float> query, std::span<const float> row,
                           std::uint32_t index) {
  const float score = Reference::score(metric, query, row);
  return metric == Metric::l2 ? rank_ascending(score, index) : rank_descending(score, index);
}

/// Stored rows, and the floats that they decode to.
struct StoredRows {
  DataType element = DataType::float32;
  std::size_t dimension = 0;
  std::vector<std::byte> values;
  std::vector<float> scales;
  std::vector<float> floats;

  std::size_t count() const { return floats.size() / dimension; }
  std::span<const float> row(std::size_t index) const {
    return std::span(floats).subspan(index * dimension, dimension);
  }

  /// Rows close to those of \p rows.
  static StoredRows near(DataType element, const std::vector<float>& rows, std::size_t dimension) {
    StoredRows out;
    out.element = element;
    out.dimension = dimension;
    out.values.resize(rows.size() * size_of(element));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &rows[i], 4);
      if (element == DataType::float32) {
        out.store(i, rows[i], rows[i]);
      } else if (element == DataType::bfloat16) {
        const Arch::BFloat16 stored{static_cast<std::uint16_t>(bits >> 16U)};
        out.store(i, stored, Arch::to_float(stored));
      } else if (element == DataType::float16) {
        // Truncated; values out of range become an infinity or zero.
        const int exponent = static_cast<int>(bits >> 23U & 255U) - 112;
        const std::uint32_t magnitude =
            exponent >= 31 ? 0x7C00U
            : exponent > 0 ? static_cast<std::uint32_t>(exponent) << 10U | (bits >> 13U & 0x3FFU)
                           : 0U;
        const std::uint32_t nan = rows[i] != rows[i] ? 0x200U : 0U;
        const Arch::Float16 stored{
            static_cast<std::uint16_t>((bits >> 16U & 0x8000U) | magnitude | nan)};
        out.store(i, stored, Arch::to_float_portable(stored));
      } else {
        if (i % dimension == 0) {
          float largest = 0;
          for (std::size_t d = i; d < i + dimension; ++d) {
            if (std::isfinite(rows[d])) largest = std::max(largest, std::abs(rows[d]));
          }
          out.scales.push_back(largest / 127.0F);
        }
        const float scale = out.scales.back();
        const float steps = scale > 0 && std::abs(rows[i]) <= 127 * scale ? rows[i] / scale : 0.0F;
        const auto stored = static_cast<std::int8_t>(steps);
        out.store(i, stored, scale * static_cast<float>(stored));
      }
    }
    return out;
  }

 private:
  template <class Element>
  void store(std::size_t i, Element stored, float decoded) {
    std::memcpy(values.data() + i * sizeof(Element), &stored, sizeof(Element));
    floats.push_back(decoded);
  }
};

/// Rows, their norms and prepared queries on a space.
template <class ExecutionSpace>
struct VectorData {
  using memory_space = typename ExecutionSpace::memory_space;

  VectorData(const ExecutionSpace& exec_space, const StoredRows& rows,
             const std::vector<float>& queries, const std::vector<std::uint32_t>& row_ids = {})
      : values("values", rows.values.size()),
        scales("scales", rows.scales.size()),
        norms("norms", rows.count()),
        ids("ids", row_ids.size()),
        floats("floats", queries.size()),
        wide("wide", queries.size()),
        query_norms("query_norms", queries.size() / rows.dimension),
        view{values, rows.element, scales, norms, ids, rows.dimension},
        prepared{floats, wide, query_norms, queries.size() / rows.dimension} {
    Impl::upload(exec_space, values, rows.values.data(), rows.values.size());
    Impl::upload(exec_space, scales, rows.scales.data(), rows.scales.size());
    Impl::upload(exec_space, ids, row_ids.data(), row_ids.size());
    Impl::upload(exec_space, floats, queries.data(), queries.size());
    vector_norms(exec_space, view, ArrayView<double, ExecutionSpace>(norms));
    prepare_queries(exec_space, ArrayView<const float, ExecutionSpace>(floats), rows.dimension,
                    ArrayView<double, ExecutionSpace>(wide),
                    ArrayView<double, ExecutionSpace>(query_norms));
  }

  Kokkos::View<std::byte*, memory_space> values;
  Kokkos::View<float*, memory_space> scales;
  Kokkos::View<double*, memory_space> norms;
  Kokkos::View<std::uint32_t*, memory_space> ids;
  Kokkos::View<float*, memory_space> floats;
  Kokkos::View<double*, memory_space> wide;
  Kokkos::View<double*, memory_space> query_norms;
  VectorRows<ExecutionSpace> view;
  VectorQueries<ExecutionSpace> prepared;
};

/// The ranks of rows `begin … begin + count` on \p space; \p filter has one byte per row, or is
/// empty.
inline std::vector<Rank> ranks_of_rows(Context& context, Space space, Metric metric,
                                       const StoredRows& rows, const std::vector<float>& queries,
                                       std::size_t begin, std::size_t count,
                                       const std::vector<std::uint8_t>& filter = {},
                                       const std::vector<std::uint32_t>& ids = {}) {
  return Impl::with_instance(context, space, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    using memory_space = typename execution_space::memory_space;
    const VectorData<execution_space> data(exec_space, rows, queries, ids);
    std::vector<std::uint64_t> words(filter_words(filter.size()), 0);
    for (std::size_t row = 0; row < filter.size(); ++row)
      words[row / 64] |= std::uint64_t{filter[row] != 0} << (row % 64);
    Kokkos::View<std::uint64_t*, memory_space> passes("passes", words.size());
    Impl::upload(exec_space, passes, words.data(), words.size());
    Kokkos::View<float*, memory_space> tile(
        "tile", rows.element == DataType::float32 ? 0 : count * rows.dimension);
    std::vector<Rank> out(data.prepared.count * count);
    Kokkos::View<Rank*, memory_space> ranks("ranks", out.size());
    score_rows(exec_space, metric, data.view, begin, count, ArrayView<float, execution_space>(tile),
               RowFilter<execution_space>{passes, 0}, data.prepared,
               ArrayView<Rank, execution_space>(ranks));
    Impl::download(exec_space, out.data(), ranks, out.size());
    return out;
  });
}

/// The ranks of the candidates \p ids on \p space; the candidate at index `place` is scored for
/// query `place % queries`.
inline std::vector<Rank> ranks_of_candidates(Context& context, Space space, Metric metric,
                                             const StoredRows& rows,
                                             const std::vector<float>& queries,
                                             const std::vector<std::uint32_t>& candidates,
                                             const std::vector<std::uint32_t>& ids = {}) {
  return Impl::with_instance(context, space, [&](const auto& exec_space) {
    using execution_space = std::decay_t<decltype(exec_space)>;
    using memory_space = typename execution_space::memory_space;
    const auto unit = static_cast<std::size_t>(candidate_tile<execution_space>());
    const VectorData<execution_space> data(exec_space, rows, queries, ids);
    std::vector<std::uint32_t> unit_ids(candidates.size() * unit, no_candidate);
    std::vector<std::uint32_t> owners(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      unit_ids[i * unit] = candidates[i];
      owners[i] = static_cast<std::uint32_t>(i % data.prepared.count);
    }
    Kokkos::View<std::uint32_t*, memory_space> id_view("ids", unit_ids.size());
    Kokkos::View<std::uint32_t*, memory_space> owner_view("owners", owners.size());
    Kokkos::View<Rank*, memory_space> ranks("ranks", unit_ids.size());
    Impl::upload(exec_space, id_view, unit_ids.data(), unit_ids.size());
    Impl::upload(exec_space, owner_view, owners.data(), owners.size());
    score_candidates(exec_space, metric, data.view,
                     ArrayView<const std::uint32_t, execution_space>(id_view),
                     ArrayView<const std::uint32_t, execution_space>(owner_view), data.prepared,
                     ArrayView<Rank, execution_space>(ranks));
    std::vector<Rank> all(unit_ids.size());
    Impl::download(exec_space, all.data(), ranks, all.size());
    std::vector<Rank> out;
    for (std::size_t i = 0; i < all.size(); i += unit) out.push_back(all[i]);
    return out;
  });
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_VECTOR_DATA_HPP
