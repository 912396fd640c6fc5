// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_HNSW_HNSW_SUPPORT_HPP
#define KINDRED_TESTS_HNSW_HNSW_SUPPORT_HPP

#include <kindred/matcher/HnswIndex.hpp>
#include <kindred/matcher/Recall.hpp>
#include <kindred/reference/Reference.hpp>

#include "TempFolder.hpp"
#include "TestGenerator.hpp"

namespace Kindred::Testing {

/// Rows around random centers, `count × dimension`.
inline std::vector<float> clustered(std::size_t count, std::size_t dimension, std::size_t clusters,
                                    float spread = 0.4F) {
  std::mt19937_64 fixed(99);  // the same centers for rows and queries
  const std::vector<float> centres = normal_values(fixed, clusters * dimension);
  std::normal_distribution<float> normal;
  std::vector<float> out(count * dimension);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t centre = random_below(clusters);
    for (std::size_t d = 0; d < dimension; ++d)
      out[i * dimension + d] = centres[centre * dimension + d] + spread * normal(generator());
  }
  return out;
}

/// The stored row of an id.
inline std::vector<float> stored_row(const HnswIndex& index, std::uint64_t id) {
  std::vector<float> row(index.dimension());
  index.rows({&id, 1}, row);
  return row;
}

/// An index of rows, and queries.
struct Built {
  Built(const HnswSettings& settings, std::size_t dimension_, std::vector<float> rows_,
        std::vector<float> queries_)
      : dimension(dimension_),
        rows(std::move(rows_)),
        queries(std::move(queries_)),
        index(HnswIndex::build(context(), rows, dimension, settings)) {}
  /// Random rows around a few centers, and queries near them.
  Built(const HnswSettings& settings, std::size_t count, std::size_t query_count,
        std::size_t dimension_ = 24, std::size_t clusters = 30)
      : Built{settings, dimension_, clustered(count, dimension_, clusters),
              clustered(query_count, dimension_, clusters)} {}
  HnswResults search(const HnswSearchOptions& options) const {
    return index.search(queries, options);
  }
  /// The fraction of the true nearest neighbors that was found, in any order.
  double recall(const HnswResults& found, std::span<const std::uint8_t> filter = {}) const {
    std::vector<std::int64_t> truth;
    for (std::size_t q = 0; q < queries.size() / dimension; ++q) {
      const auto nearest = Reference::search(index.settings().metric, rows,
                                             row_of(queries, dimension, q), found.top, filter);
      truth.insert(truth.end(), nearest.ids.begin(), nearest.ids.end());
    }
    return recall_of(found.ids, truth, found.top).share();
  }

  std::size_t dimension;
  std::vector<float> rows, queries;
  HnswIndex index;
};

/// The bytes of the file of the index: its complete graph and all rows.
inline std::string file_of(const HnswIndex& index) {
  const std::vector<std::byte> bytes = index.to_bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_HNSW_HNSW_SUPPORT_HPP
