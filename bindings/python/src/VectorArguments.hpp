// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_VECTOR_ARGUMENTS_HPP
#define KINDRED_PYTHON_VECTOR_ARGUMENTS_HPP

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Errors.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

// Arguments that searches in vectors share.
namespace Kindred::Python {

/// The filter of a search: bool or uint8 [end_id], or bits, uint64 [words] or [queries, words].
class Filter {
 public:
  explicit Filter(nanobind::handle given) {
    if (given.is_none()) return;
    m_array = std::make_unique<Input>(given, "filter");
    m_array->require_type({DataType::boolean, DataType::uint8, DataType::uint64});
  }
  template <class Options>
  void set(Options& options) const {
    if (m_array == nullptr) return;
    const std::span<const std::byte> bytes = m_array->host_bytes();
    if (m_array->type() == DataType::uint64) {
      m_array->require_rank(1, 2);
      options.filter_bits = {reinterpret_cast<const std::uint64_t*>(bytes.data()),
                             bytes.size() / sizeof(std::uint64_t)};
    } else {
      m_array->require_rank(1, 1);
      options.filter = {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
    }
    // An empty one would mean none.
    if (bytes.empty()) refuse("filter is " + m_array->text() + "; give None for no filter");
  }

 private:
  std::unique_ptr<Input> m_array;
};

/// Queries on the host without gaps.
class HostQueries {
 public:
  HostQueries(nanobind::handle queries, std::size_t dimension)
      : m_queries(queries, "queries", nullptr, Copying::if_needed, Layout::dense) {
    m_queries.require_rank(1, 2);
    m_queries.require_columns(dimension);
    m_values = m_queries.host_values<float>();
  }
  bool is_one() const noexcept { return m_queries.rank() == 1; }
  const Input& input() const noexcept { return m_queries; }
  /// 1 for a single query.
  std::int64_t count() const noexcept { return is_one() ? 1 : m_queries.extent(0); }
  std::span<const float> values() const noexcept { return m_values; }

 private:
  Input m_queries;
  std::span<const float> m_values;
};

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_VECTOR_ARGUMENTS_HPP
