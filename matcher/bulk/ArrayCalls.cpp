// SPDX-License-Identifier: Apache-2.0
// The calls of `Bulk` on single arrays of the caller.
#include "BulkState.hpp"
#include "RowLaunch.hpp"
#include "kit/CallerArrays.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <array>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

namespace Kindred {

namespace {

using Impl::NamedArray;

/// Equally many rows of equal length in all arrays of a call.
struct RowShape {
  std::uint64_t count = 1;
  std::uint64_t length = 0;
};

std::string name_of(const NamedArray& given) {
  return std::string(given.name) + " is " + to_string(given.array);
}

void require_same_type(const NamedArray& given, const NamedArray& as) {
  KINDRED_THROW_IF(given.array.type() != as.array.type(),
                   name_of(given) + "; it must be " + std::string(to_string(as.array.type())) +
                       ", as " + as.name);
}
void require_same_shape(const NamedArray& given, const NamedArray& as) {
  const auto a = given.array.shape();
  const auto b = as.array.shape();
  KINDRED_THROW_IF(!std::equal(a.begin(), a.end(), b.begin(), b.end()),
                   name_of(given) + "; it must have the shape of " + as.name + ", which is " +
                       to_string(as.array));
}
/// A matrix may have gaps between its rows.
void require_rows(const NamedArray& given) {
  const ConstArray& array = given.array;
  if (array.is_contiguous()) return;
  KINDRED_THROW_IF(
      array.rank() != 2 || (array.extent(1) > 1 && array.stride(1) != 1),
      name_of(given) + " with gaps; only the rows of a matrix may have gaps between them");
  (void)Impl::row_stride(given);
}
std::uint32_t checked_rows(const NamedArray& given, std::uint64_t rows) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  KINDRED_THROW_IF(rows > most,
                   name_of(given) + "; the limit is " + std::to_string(most) + " rows");
  return static_cast<std::uint32_t>(rows);
}

/// One row if no array has gaps, otherwise the rows of the matrices.
RowShape shape_of_rows(std::initializer_list<NamedArray> arrays) {
  bool has_gaps = false;
  for (const NamedArray& given : arrays) {
    require_rows(given);
    has_gaps = has_gaps || !given.array.is_contiguous();
  }
  const NamedArray& first = *arrays.begin();
  if (!has_gaps) return {1, first.array.size()};
  return {checked_rows(first, static_cast<std::uint64_t>(first.array.extent(0))),
          static_cast<std::uint64_t>(first.array.extent(1))};
}
/// Elements from one row to the next.
std::uint64_t step_of(const NamedArray& given, const RowShape& rows) {
  return rows.count > 1 ? Impl::row_stride(given) : rows.length;
}

/// The bytes that an array spans.
struct Extent {
  std::uintptr_t begin;
  std::uintptr_t end;
};
Extent extent_of(const NamedArray& given) {
  const auto begin = reinterpret_cast<std::uintptr_t>(given.array.data());
  if (given.array.size() == 0) return {begin, begin};
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < given.array.rank(); ++i)
    last += static_cast<std::uint64_t>(given.array.extent(i) - 1) *
            static_cast<std::uint64_t>(given.array.stride(i));
  return {begin, begin + (last + 1) * size_of(given.array.type())};
}
bool overlap(const NamedArray& a, const NamedArray& b) {
  const Extent of_a = extent_of(a);
  const Extent of_b = extent_of(b);
  return of_a.begin < of_b.end && of_b.begin < of_a.end;
}
/// A result must be the same array as an input, or not overlap it.
void require_same_or_apart(const NamedArray& result, const NamedArray& read, const RowShape& rows) {
  const bool is_same =
      result.array.data() == read.array.data() && step_of(result, rows) == step_of(read, rows);
  KINDRED_THROW_IF(!is_same && overlap(result, read),
                   std::string(result.name) + " overlaps " + read.name +
                       " partially; it must be the same array or a separate one");
}

/// Where the arrays are: no value in host memory. \throws InvalidArgument, SpaceUnavailable
template <class Options>
std::optional<Space> memory_of(const Context& context, std::initializer_list<NamedArray> arrays,
                               const Options& options) {
  const std::optional<Space> space = Impl::space_of(context, arrays);
  for (const NamedArray& given : arrays) {
    if (given.array.size() > 0)
      Impl::check_memory(given.array.data(), size_of(given.array.type()),
                         space.value_or(Space::serial), given.name);
  }
  if (!space) {
    Impl::require_no_stream(options.stream);
  } else {
    KINDRED_THROW_IF(options.space && options.space != space,
                     "the arrays lie on a device, but the space " +
                         std::string(to_string(*options.space)) + " is requested");
  }
  return space;
}

/// Calls `body(T())` with the type of the elements. \throws InvalidArgument for float16, bfloat16
template <class Body>
BulkReport with_element(const NamedArray& given, const Body& body) {
  switch (given.array.type()) {
    case DataType::boolean:
      return body(bool());
    case DataType::int8:
      return body(std::int8_t());
    case DataType::int16:
      return body(std::int16_t());
    case DataType::int32:
      return body(std::int32_t());
    case DataType::int64:
      return body(std::int64_t());
    case DataType::uint8:
      return body(std::uint8_t());
    case DataType::uint16:
      return body(std::uint16_t());
    case DataType::uint32:
      return body(std::uint32_t());
    case DataType::uint64:
      return body(std::uint64_t());
    case DataType::float32:
      return body(float());
    case DataType::float64:
      return body(double());
    case DataType::float16:
    case DataType::bfloat16:
      break;
  }
  throw InvalidArgument(name_of(given) + "; elements must be bool, integers, float32 or float64");
}

/// \brief Runs \p task over rows in host memory on the space that the dispatcher chooses, or in
/// place on a device.
template <class State, class T>
BulkReport run_rows(State& state, Impl::BulkTask<T> task, const BulkItems<T>& rows,
                    std::optional<Space> memory, const BulkOptions& options,
                    const Impl::RowResults& results = {}) {
  if (!memory) {
    for (std::uint32_t row = 0; row < rows.count; ++row) task.items.push_back(rows[row]);
    if (task.kind != Impl::BulkKind::reduce) return state.run(std::move(task), options);
    std::vector<Impl::bulk_result<T>> wide(rows.count);
    const BulkReport report = state.run(std::move(task), options, wide.data());
    for (std::uint32_t row = 0; row < rows.count; ++row) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &wide[row], sizeof(bits));
      store_result(bits, results.type, size_of(results.type), results.data, row);
    }
    return report;
  }
  Workload workload;
  workload.operation = task.operation;
  workload.items = rows.count * rows.first.count;
  workload.work = static_cast<double>(workload.items);
  workload.waits = !options.stream;
  BulkReport report;
  report.record = state.calls.run(
      state.context, workload, memory,
      [&]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                Impl::BulkWorkspace<ExecutionSpace>& workspace, Space) {
        if constexpr (Arch::is_device<ExecutionSpace>) {
          const auto launch = [&](const ExecutionSpace& on, auto& own) {
            launch_rows(on, own.lists, task, rows, results);
          };
          if (options.stream)
            return workspace.run_on(state.context, exec_space, *options.stream, launch);
          launch(exec_space, workspace);
          Arch::fence(exec_space, "Kindred::Bulk::run");
        }
      });
  report.batches = 1;
  return report;
}

template <class T>
BulkItems<T> items_of(const NamedArray& input, const NamedArray* other, const NamedArray& output,
                      const RowShape& rows, std::uint64_t scale = 1) {
  BulkItems<T> items;
  items.count = static_cast<std::uint32_t>(rows.count);
  items.first.count = rows.length * scale;
  items.first.input = static_cast<const T*>(input.array.data());
  items.input_step = step_of(input, rows) * scale;
  if (other != nullptr) {
    items.first.other = static_cast<const T*>(other->array.data());
    items.other_step = step_of(*other, rows) * scale;
  }
  // The output is an `Array`, of which `NamedArray` is a view.
  items.first.output = static_cast<T*>(const_cast<void*>(output.array.data()));
  items.output_step = step_of(output, rows) * scale;
  return items;
}

/// \param other null for operations on one array
template <class State>
BulkReport element_wise_rows(State& state, ElementWise op, const NamedArray& array,
                             const NamedArray* other, const NamedArray& result,
                             const BulkOptions& options) {
  Impl::check_operands(op, other != nullptr);
  require_same_type(result, array);
  require_same_shape(result, array);
  if (other != nullptr) require_same_type(*other, array);
  const bool is_number = other != nullptr && !other->array.on_device() && other->array.size() == 1;
  const NamedArray* second = is_number ? nullptr : other;
  if (second != nullptr) require_same_shape(*second, array);
  const NamedArray& read = second == nullptr ? array : *second;
  const RowShape rows = shape_of_rows({array, read, result});
  require_same_or_apart(result, array, rows);
  require_same_or_apart(result, read, rows);
  const std::optional<Space> memory = memory_of(state.context, {array, read, result}, options);
  return with_element(array, [&](auto zero) {
    using T = decltype(zero);
    using given_type = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    using element = Impl::element_of<given_type>;
    auto task = Impl::element_task<given_type>(op, Operations::element_wise);
    if constexpr (std::is_same_v<T, bool>) {
      KINDRED_THROW_IF(op != ElementWise::add && op != ElementWise::multiply,
                       name_of(array) + "; only add and multiply are defined for bool");
      task.kind = Impl::BulkKind::bytes;
      task.bytes =
          op == ElementWise::add ? BytesOperation::inclusive_or : BytesOperation::conjunction;
    } else if constexpr (std::is_integral_v<T>) {
      Impl::check_integer_operation(op);
    }
    if (is_number) std::memcpy(&task.number, other->array.data(), sizeof(element));
    return run_rows(state, std::move(task), items_of<element>(array, second, result, rows), memory,
                    options);
  });
}

}  // namespace

BulkReport Bulk::element_wise(ElementWise op, const ConstArray& array, const Array& result,
                              const BulkOptions& options) const try {
  return element_wise_rows(*m_state, op, {"array", array}, nullptr, {"result", result}, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::element_wise");
}

BulkReport Bulk::element_wise(ElementWise op, const ConstArray& array, const ConstArray& other,
                              const Array& result, const BulkOptions& options) const try {
  const NamedArray second{"other", other};
  return element_wise_rows(*m_state, op, {"array", array}, &second, {"result", result}, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::element_wise");
}

BulkReport Bulk::xor_elements(const ConstArray& array, const ConstArray& key, const Array& result,
                              const BulkOptions& options) const try {
  const NamedArray in{"array", array};
  const NamedArray with{"key", key};
  const NamedArray out{"result", result};
  for (const NamedArray& given : {with, out}) {
    require_same_type(given, in);
    require_same_shape(given, in);
  }
  const RowShape rows = shape_of_rows({in, with, out});
  require_same_or_apart(out, in, rows);
  require_same_or_apart(out, with, rows);
  const std::optional<Space> memory = memory_of(m_state->context, {in, with, out}, options);
  return with_element(in, [&](auto zero) {
    KINDRED_THROW_IF(std::is_floating_point_v<decltype(zero)>,
                     name_of(in) + "; xor is defined for bool and integers");
    return run_rows(*m_state, Impl::BulkTask<std::uint8_t>(),
                    items_of<std::uint8_t>(in, &with, out, rows, sizeof(zero)), memory, options);
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::xor_elements");
}

BulkReport Bulk::reduce(Reduction reduction, const ConstArray& array, const Array& results,
                        const BulkOptions& options) const try {
  const NamedArray in{"array", array};
  const NamedArray out{"results", results};
  KINDRED_THROW_IF(array.rank() != 1 && array.rank() != 2,
                   name_of(in) + "; it must have one or two dimensions");
  require_rows(in);
  RowShape rows{1, array.size()};
  if (array.rank() == 2) {
    rows = {checked_rows(in, static_cast<std::uint64_t>(array.extent(0))),
            static_cast<std::uint64_t>(array.extent(1))};
  }
  KINDRED_THROW_IF(results.size() != rows.count || !results.is_contiguous(),
                   name_of(out) + "; it must have " + std::to_string(rows.count) +
                       " elements, one per row, without gaps");
  KINDRED_THROW_IF(overlap(out, in), "results overlaps array; it must be separate");
  if (rows.count > 0) Impl::check_reducible(reduction, rows.length, 0);
  const std::optional<Space> memory = memory_of(m_state->context, {in, out}, options);
  return with_element(in, [&](auto zero) {
    using T = decltype(zero);
    using element = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    DataType type = array.type();
    if constexpr (!std::is_floating_point_v<T>) {
      Impl::check_integer_reduction(reduction);
      constexpr bool is_unsigned = std::is_unsigned_v<T> && !std::is_same_v<T, bool>;
      if (reduction == Reduction::mean) type = DataType::float64;
      if (reduction == Reduction::sum) type = is_unsigned ? DataType::uint64 : DataType::int64;
    }
    KINDRED_THROW_IF(results.type() != type,
                     name_of(out) + "; it must be " + std::string(to_string(type)));
    Impl::BulkTask<element> task;
    task.kind = Impl::BulkKind::reduce;
    task.operation = Operations::reduction;
    task.reduction = reduction;
    BulkItems<element> items;
    items.count = static_cast<std::uint32_t>(rows.count);
    items.first.count = rows.length;
    items.first.input = static_cast<const element*>(array.data());
    items.input_step = array.rank() == 2 ? Impl::row_stride(in) : rows.length;
    return run_rows(*m_state, std::move(task), items, memory, options, {type, results.data()});
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::reduce");
}

BulkReport Bulk::multiply(const ConstArray& a, const ConstArray& b, const Array& c,
                          const ProductOptions& options) const try {
  const NamedArray of_a{"a", a};
  const NamedArray of_b{"b", b};
  const NamedArray of_c{"c", c};
  const std::size_t rank = a.rank();
  KINDRED_THROW_IF(rank != 2 && rank != 3,
                   name_of(of_a) + "; it must have two or three dimensions");
  KINDRED_THROW_IF(a.type() != DataType::float32 && a.type() != DataType::float64,
                   name_of(of_a) + "; its elements must be float32 or float64");
  const std::int64_t batch = rank == 3 ? a.extent(0) : 1;
  const std::int64_t m = a.extent(rank - 2);
  const std::int64_t k = a.extent(rank - 1);
  KINDRED_THROW_IF(b.rank() != rank, name_of(of_b) + "; it must have as many dimensions as a, " +
                                         std::to_string(rank));
  const std::int64_t n = b.extent(rank - 1);
  const auto require = [&](const NamedArray& given, std::int64_t rows, std::int64_t columns) {
    if (rank == 3) {
      Impl::require_array(given, a.type(), {batch, rows, columns});
    } else {
      Impl::require_array(given, a.type(), {rows, columns});
    }
    KINDRED_THROW_IF(!given.array.is_contiguous(),
                     name_of(given) + " with gaps; it must be contiguous");
  };
  require(of_a, m, k);
  require(of_b, k, n);
  require(of_c, m, n);
  KINDRED_THROW_IF(overlap(of_c, of_a) || overlap(of_c, of_b), "c overlaps a or b");
  const std::optional<Space> memory = memory_of(m_state->context, {of_a, of_b, of_c}, options);
  return with_element(of_a, [&](auto zero) -> BulkReport {
    using T = decltype(zero);
    if constexpr (!std::is_floating_point_v<T>) {
      return {};
    } else {
      std::vector<MatrixPair<T>> pairs;
      const auto matrix = [](auto* data, std::int64_t i, std::int64_t rows, std::int64_t columns) {
        const auto each = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
        return std::span(data + static_cast<std::size_t>(i) * each, each);
      };
      for (std::int64_t i = 0; i < batch; ++i)
        pairs.push_back({matrix(static_cast<const T*>(a.data()), i, m, k),
                         matrix(static_cast<const T*>(b.data()), i, k, n),
                         matrix(static_cast<T*>(c.data()), i, m, n), static_cast<std::size_t>(m),
                         static_cast<std::size_t>(n), static_cast<std::size_t>(k)});
      if (!memory) return multiply<T>(pairs, options);
      Impl::check_pairs<T>(pairs, *memory);
      Workload workload;
      workload.operation = Operations::matrix_multiply;
      workload.items = c.size();
      workload.work = static_cast<double>(c.size()) * static_cast<double>(k);
      workload.waits = !options.stream;
      BulkReport report;
      report.record = m_state->calls.run(
          m_state->context, workload, memory,
          [&]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                    Impl::BulkWorkspace<ExecutionSpace>& workspace, Space) {
            if constexpr (Arch::is_device<ExecutionSpace>) {
              const auto launch = [&](const ExecutionSpace& on, auto& own) {
                // The products of an earlier call may still use the table that is replaced.
                if (options.reproducible && options.stream)
                  Arch::fence(on, "Kindred::Bulk::multiply");
                Impl::Products<ExecutionSpace, T>(on, own.lists, own.template library<T>(),
                                                  Impl::products_of<T>(pairs), options.reproducible)
                    .run(on);
              };
              if (options.stream)
                return workspace.run_on(m_state->context, exec_space, *options.stream, launch);
              launch(exec_space, workspace);
              Arch::fence(exec_space, "Kindred::Bulk::multiply");
            }
          });
      report.batches = 1;
      return report;
    }
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::multiply");
}

}  // namespace Kindred
