// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_VECTOR_ARGUMENTS_HPP
#define KINDRED_PYTHON_VECTOR_ARGUMENTS_HPP

#include <kindred/matcher/VectorIndex.hpp>
#include <kindred/matcher/VectorSpan.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "Options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

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

/// \throws InvalidType for elements that rows cannot have
inline DataType element_of(const Input& rows) {
  rows.require_type({DataType::float32, DataType::float16, DataType::bfloat16, DataType::int8});
  return rows.type();
}

/// Rows of the caller with their scales, for the time of a call.
class VectorRows {
 public:
  /// \param layout dense: as a span, which may be one row; rows: of two dimensions
  VectorRows(nanobind::handle rows, nanobind::handle scales, const char* name, Layout layout)
      : m_rows(rows, name, nullptr, Copying::if_needed, layout) {
    if (layout == Layout::rows) m_rows.require_rank(2, 2);
    m_rows.require_rank(1, 2);
    m_element = element_of(m_rows);
    if (!scales.is_none()) m_scales = std::make_unique<Input>(scales, "scales");
    if (m_scales != nullptr && m_element != DataType::int8)
      refuse("scales is given, and rows is " + m_rows.text() + "; only rows of int8 have scales");
    if (m_scales == nullptr && m_element == DataType::int8)
      refuse("rows is " + m_rows.text() + "; rows of int8 need scales, one float32 per row");
    if (m_scales != nullptr) m_scale_values = m_scales->host_values<float>();
  }

  const Input& input() const noexcept { return m_rows; }
  DataType element() const noexcept { return m_element; }
  /// \throws InvalidArgument for rows without elements
  void require_elements() const {
    if (dimension() == 0) refuse("rows is " + m_rows.text() + "; a row needs elements");
  }
  std::size_t dimension() const noexcept {
    return static_cast<std::size_t>(m_rows.extent(m_rows.rank() - 1));
  }
  /// Whether `span` gives the rows as they are; otherwise they are taken as an array.
  bool is_span() const noexcept { return !m_rows.on_device() && m_rows.is_contiguous(); }
  VectorSpan span() const { return {m_element, m_rows.host_bytes(), dimension(), m_scale_values}; }
  RowArray array() const { return is_span() ? RowArray(span()) : RowArray(m_rows.array()); }

 private:
  Input m_rows;
  std::unique_ptr<Input> m_scales;
  DataType m_element{};
  std::span<const float> m_scale_values;
};

/// Queries, or other rows, on the host without gaps.
class HostQueries {
 public:
  HostQueries(nanobind::handle queries, std::size_t dimension, const char* name = "queries",
              int least_rank = 1, int highest_rank = 2)
      : m_queries(queries, name, nullptr, Copying::if_needed, Layout::dense) {
    m_queries.require_rank(least_rank, highest_rank);
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

/// A new array [queries, columns] beside the queries, or [columns] for one query.
inline nanobind::object empty_rows(const Context& context, nanobind::handle like,
                                   const Input& queries, DataType type, std::int64_t columns) {
  const bool is_one = queries.rank() == 1;
  const std::int64_t count = is_one ? 1 : queries.extent(0);
  if (!queries.on_device())
    check_free_memory(context, static_cast<double>(count) * static_cast<double>(columns) *
                                   static_cast<double>(size_of(type)));
  return is_one ? empty_array(like, queries, type, {columns})
                : empty_array(like, queries, type, {count, columns});
}

/// A new matrix of float32 of NumPy.
inline nanobind::object empty_matrix(const Context& context, std::size_t rows,
                                     std::size_t columns) {
  check_free_memory(context, static_cast<double>(rows) * static_cast<double>(columns) * 4);
  return empty_array(DataType::float32,
                     {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)});
}

/// An array for results.
class RowsOutput {
 public:
  RowsOutput(nanobind::object made, const char* name, CallStream* order = nullptr)
      : m_made(std::move(made)), m_array(m_made, name, order) {}
  /// That which the caller gave, or a new one beside the queries.
  RowsOutput(const Context& context, nanobind::handle like, const Input& queries,
             nanobind::handle given, DataType type, std::int64_t columns, const char* name,
             CallStream* order = nullptr)
      : RowsOutput(given.is_none() ? empty_rows(context, like, queries, type, columns)
                                   : nanobind::borrow(given),
                   name, order) {}
  Array array() const { return m_array.array(); }
  /// The elements of an array on the host, without gaps.
  template <class T>
  std::span<T> values() const {
    return array().host_values<T>();
  }
  const nanobind::object& made() const noexcept { return m_made; }
  /// \throws InvalidType, InvalidArgument for another type or shape, and for memory on a device
  void require_on_host(DataType type, std::span<const std::int64_t> shape) const {
    m_array.require(type, shape);
    if (m_array.on_device())
      refuse(std::string(m_array.name()) + " is " + m_array.text() + "; it must lie on the host");
  }

 private:
  nanobind::object m_made;
  Output m_array;
};

/// The arrays of the argument `out`, or new ones beside the queries: scores and ids.
class RankedOutputs {
 public:
  RankedOutputs(const Context& context, nanobind::handle like, const Input& queries,
                nanobind::handle out, std::int64_t top, CallStream* order = nullptr)
      : RankedOutputs(context, like, queries, given_of(out, top), top, order) {}
  SearchOutput arrays() const { return {m_scores.array(), m_ids.array()}; }
  /// As of `RowsOutput`.
  void require_on_host(std::span<const std::int64_t> shape) const {
    m_scores.require_on_host(DataType::float32, shape);
    m_ids.require_on_host(DataType::int64, shape);
  }
  std::span<float> scores() const { return m_scores.values<float>(); }
  std::span<std::int64_t> ids() const { return m_ids.values<std::int64_t>(); }
  nanobind::object made() const { return nanobind::make_tuple(m_scores.made(), m_ids.made()); }

 private:
  RankedOutputs(const Context& context, nanobind::handle like, const Input& queries,
                const std::array<nanobind::object, 2>& given, std::int64_t top, CallStream* order)
      : m_scores(context, like, queries, given[0], DataType::float32, top, "scores", order),
        m_ids(context, like, queries, given[1], DataType::int64, top, "ids", order) {}
  static std::array<nanobind::object, 2> given_of(nanobind::handle out, std::int64_t top) {
    std::array<nanobind::object, 2> given{nanobind::none(), nanobind::none()};
    if (!out.is_none()) outputs_of(out, top, given[0], given[1]);
    return given;
  }

  RowsOutput m_scores;
  RowsOutput m_ids;
};

/// One row of the caller; a float is its scale.
inline VectorRows one_row(nanobind::handle row, nanobind::handle scale) {
  if (scale.is_none()) return {row, scale, "row", Layout::dense};
  const auto value = static_cast<float>(number_of(scale, "scale"));
  return {row, array_of(std::span<const float>(&value, 1)), "row", Layout::dense};
}

/// A callback of Python as a function of C++, which the calling thread calls with the number of
/// rows so far: it gets the number since the last call. No function for None. \throws InvalidType
inline std::function<void(std::uint64_t)> progress_of(nanobind::handle progress, const char* name) {
  if (progress.is_none()) return {};
  if (PyCallable_Check(progress.ptr()) == 0)
    refuse_type(std::string(name) + " is of type " + type_text(progress) + "; it must be callable");
  return [progress, reported = std::uint64_t{0}](std::uint64_t count) mutable {
    if (const Locked locked; locked) progress(count - std::exchange(reported, count));
  };
}

inline nanobind::object range_of(std::uint64_t first, std::int64_t count) {
  const nanobind::handle range(reinterpret_cast<PyObject*>(&PyRange_Type));
  return range(first, first + static_cast<std::uint64_t>(count));
}

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_VECTOR_ARGUMENTS_HPP
