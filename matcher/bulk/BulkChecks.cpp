// SPDX-License-Identifier: Apache-2.0
#include "BulkCall.hpp"
#include "kit/Overlap.hpp"

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Impl {

namespace {

/// \throws InvalidArgument for array \p i, which is not of \p type as array \p j of \p as
template <class Given, class As>
[[noreturn]] void refuse_type(const Given& given, std::size_t i, DataType type, const As& as,
                              std::size_t j) {
  throw InvalidArgument(given.text_of(i) + "; it must be " + std::string(to_string(type)) +
                        ", as " + as.name_of(j));
}
template <class A, class B>
bool same_shape(const BasicArray<A>& a, const BasicArray<B>& b) {
  return std::ranges::equal(a.shape(), b.shape());
}
template <class Void>
bool is_dense(const BasicArray<Void>& array) {
  return array.rank() == 1 ? array.extent(0) <= 1 || array.stride(0) == 1 : array.is_contiguous();
}
/// A matrix may have gaps between its rows.
template <class Void>
void require_rows(const BasicArray<Void>& array, const GivenArrays<Void>& of, std::size_t i) {
  if (is_dense(array)) return;
  KINDRED_THROW_IF(
      array.rank() != 2 || (array.extent(1) > 1 && array.stride(1) != 1),
      of.text_of(i) + " with gaps; only the rows of a matrix may have gaps between them");
  (void)row_stride({of.name_of(i).c_str(), array});
}
/// Requires an operand of the type and shape of array \p i of \p of.
template <class Void, class Of>
void require_like(const BasicArray<Void>& array, const GivenArrays<Void>& given,
                  const BasicArray<Of>& as, const GivenArrays<Of>& of, std::size_t i) {
  if (array.type() != as.type()) refuse_type(given, i, as.type(), of, i);
  KINDRED_THROW_IF(!same_shape(array, as), given.text_of(i) + "; it must have the shape of " +
                                               of.name_of(i) + ", which is " +
                                               to_string(ConstArray(as)));
  require_rows(array, given, i);
}
template <class List, class Of>
void require_count(const List& list, const Of& of) {
  KINDRED_THROW_IF(list.size() != of.size(), std::string(list.name) + " has " +
                                                 std::to_string(list.size()) +
                                                 " arrays; there must be one for each of the " +
                                                 std::to_string(of.size()) + " " + of.name);
}
ByteRange bytes_of(const void* data, std::uint64_t step, const BulkRows& rows, std::size_t size) {
  const bool is_empty = rows.count == 0 || rows.length == 0;
  return {data, is_empty ? 0 : ((rows.count - 1) * step + rows.length) * size};
}

bool is_floating(DataType type) { return type == DataType::float32 || type == DataType::float64; }
bool is_unsigned(DataType type) {
  return type == DataType::uint8 || type == DataType::uint16 || type == DataType::uint32 ||
         type == DataType::uint64;
}

void check_operands(const BulkCall& call) {
  const bool wants_two = call.op == ElementWise::add || call.op == ElementWise::multiply;
  KINDRED_THROW_IF(
      static_cast<std::size_t>(call.op) >= enum_names<ElementWise>.size(),
      "there is no element-wise operation " + std::to_string(static_cast<int>(call.op)));
  if (call.arrays.size() == 0) return;
  const std::string name(to_string(call.op));
  KINDRED_THROW_IF(wants_two && call.others.size() == 0,
                   name + " needs a number or a second list of arrays");
  KINDRED_THROW_IF(!wants_two && call.others.size() > 0, name + " takes no second operand");
}

/// Checks that the operation is defined for elements of \p type, that of the arrays \p of.
template <class Of>
void check_type(const BulkCall& call, DataType type, const Of& of) {
  const auto text = [&] { return of.text_of(0); };
  const bool is_number = is_floating(type);
  KINDRED_THROW_IF(type == DataType::float16 || type == DataType::bfloat16,
                   text() + "; elements must be bool, integers, float32 or float64");
  switch (call.kind) {
    case BulkKind::bytes:
      KINDRED_THROW_IF(is_number, text() + "; xor is defined for bool and integers");
      return;
    case BulkKind::element_wise:
      KINDRED_THROW_IF(type == DataType::boolean && call.op != ElementWise::add &&
                           call.op != ElementWise::multiply,
                       text() + "; only add and multiply are defined for bool");
      KINDRED_THROW_IF(!is_number && (call.op == ElementWise::square_root ||
                                      call.op == ElementWise::exponential),
                       std::string(to_string(call.op)) +
                           " of integers has no integer results; convert the arrays to float64");
      KINDRED_THROW_IF(!is_number && call.operation == Operations::matrix_add,
                       text() + "; its elements must be float32 or float64");
      return;
    case BulkKind::normalise:
      KINDRED_THROW_IF(!is_number, text() + "; its elements must be float32 or float64");
      return;
    case BulkKind::random_fill:
      KINDRED_THROW_IF(!is_number && type != DataType::uint8,
                       text() + "; its elements must be uint8, float32 or float64");
      return;
    case BulkKind::reduce:
      KINDRED_THROW_IF(!is_number && call.reduction == Reduction::deviation,
                       "deviations of integers are not computed; convert the arrays to float64");
  }
}

/// Whether the second operand is a number.
bool has_number(const BulkCall& call) {
  const BulkArrays& others = call.others;
  if (others.is_number()) return true;
  if (call.kind != BulkKind::element_wise || others.is_list() || others.size() == 0) return false;
  const ConstArray other = others[0];
  if (other.on_device() || other.size() != 1) return false;
  // Of two arrays of one element, the second is an array like any other.
  return call.arrays.is_list() || call.arrays[0].on_device() || !same_shape(call.arrays[0], other);
}

/// \brief The rows of array \p i of a call, whose operands are alike. \throws InvalidArgument
class RowsOf {
 public:
  RowsOf(const BulkCall& call, DataType type, bool has_number)
      : m_call(call),
        m_arrays(call.arrays),
        m_others(call.others),
        m_results(call.results),
        m_has_others(call.others.size() > 0 && !has_number),
        m_type(type) {
    KINDRED_THROW_IF(
        call.kind == BulkKind::bytes && call.others.is_number(),
        std::string(m_others.name) + " is a number; xor takes an array of keys for each array");
    if (m_has_others || call.kind == BulkKind::bytes) require_count(m_others, m_arrays);
    if (call.kind != BulkKind::random_fill && call.kind != BulkKind::reduce)
      require_count(m_results, m_arrays);
    if (has_number && call.arrays.size() > 0 && call.others[0].type() != type)
      refuse_type(m_others, 0, type, m_arrays, 0);
  }

  BulkRows operator()(std::size_t i) const {
    BulkRows rows;
    if (m_call.kind == BulkKind::random_fill) {
      const Array result = m_results[i];
      if (result.type() != m_type) refuse_type(m_results, i, m_type, m_results, 0);
      require_rows(result, m_results, i);
      set_shape(rows, result, !is_dense(result));
      rows.output = place(rows.output_step, rows, result);
      require_countable(rows, m_results, i);
      return rows;
    }
    const ConstArray array = m_arrays[i];
    if (array.type() != m_type) refuse_type(m_arrays, i, m_type, m_arrays, 0);
    require_rows(array, m_arrays, i);
    if (m_call.kind == BulkKind::reduce) {
      KINDRED_THROW_IF(array.rank() > 2,
                       m_arrays.text_of(i) + "; it must have one or two dimensions");
      set_shape(rows, array, array.rank() == 2);
      rows.input = place(rows.input_step, rows, array);
    } else {
      const Array result = m_results[i];
      const ConstArray other = m_has_others ? m_others[i] : array;
      if (m_has_others) require_like(other, m_others, array, m_arrays, i);
      require_like(result, m_results, array, m_arrays, i);
      set_shape(rows, array, !is_dense(array) || !is_dense(result) || !is_dense(other));
      KINDRED_THROW_IF(
          m_call.kind == BulkKind::normalise && rows.count > 1,
          m_arrays.text_of(i) + " and it or its result has gaps; arrays to normalise have none");
      rows.input = place(rows.input_step, rows, array);
      rows.output = place(rows.output_step, rows, result);
      require_same_or_apart(rows, rows.input, rows.input_step, m_arrays, i);
      if (m_has_others) {
        rows.other = place(rows.other_step, rows, other);
        require_same_or_apart(rows, rows.other, rows.other_step, m_others, i);
      }
    }
    require_countable(rows, m_arrays, i);
    return rows;
  }

 private:
  /// \throws InvalidArgument for more rows than 32 bits count
  template <class Void>
  static void require_countable(const BulkRows& rows, const GivenArrays<Void>& given,
                                std::size_t i) {
    KINDRED_THROW_IF(rows.count > std::numeric_limits<std::uint32_t>::max(),
                     given.text_of(i) + "; the limit is 4294967295 rows");
  }
  template <class Void>
  static void set_shape(BulkRows& rows, const BasicArray<Void>& array, bool is_matrix) {
    rows.length = is_matrix           ? static_cast<std::uint64_t>(array.extent(1))
                  : array.rank() == 1 ? static_cast<std::uint64_t>(array.extent(0))
                                      : array.size();
    if (is_matrix) rows.count = static_cast<std::uint64_t>(array.extent(0));
  }
  template <class Void>
  static Void* place(std::uint64_t& step, BulkRows& rows, const BasicArray<Void>& array) {
    step = rows.count > 1 ? static_cast<std::uint64_t>(array.stride(0)) : rows.length;
    if (rows.count == 0 || rows.length == 0) return nullptr;
    rows.on_device = rows.on_device || array.on_device();
    return array.data();
  }
  /// A result must be the same array as an input, or not overlap it.
  void require_same_or_apart(const BulkRows& rows, const void* read, std::uint64_t step,
                             const GivenArrays<const void>& of, std::size_t i) const {
    const std::size_t size = size_of(m_type);
    const bool is_same = rows.output == read && rows.output_step == step;
    KINDRED_THROW_IF(!is_same && overlap(bytes_of(rows.output, rows.output_step, rows, size),
                                         bytes_of(read, step, rows, size)),
                     m_results.name_of(i) + " overlaps " + of.name_of(i) +
                         " partially; it must be the same array or a separate one");
  }

  const BulkCall& m_call;
  const GivenArrays<const void>& m_arrays;
  const GivenArrays<const void>& m_others;
  const GivenArrays<void>& m_results;
  bool m_has_others;
  DataType m_type;
};

/// Checks the reduction to \p rows, and its results.
void check_reduction(const BulkCall& call, CheckedArrays& of) {
  const GivenArrays<const void>& arrays = call.arrays;
  const DataType type = of.type;
  const std::vector<BulkRows>& rows = of.rows;
  KINDRED_THROW_IF(call.results.is_list() || call.results.size() > 1,
                   "results is a list; it must be one array");
  if (call.results.size() > 0) of.reduced = call.results[0];
  const Array& results = of.reduced;
  const ByteRange written(results.data(), results.size() * size_of(results.type()));
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    KINDRED_THROW_IF(rows[i].count > 0 && rows[i].length == 0 && call.reduction != Reduction::sum,
                     arrays.name_of(i) + " has no elements, so it has no " +
                         std::string(to_string(call.reduction)));
    KINDRED_THROW_IF(
        overlap(written, bytes_of(rows[i].input, rows[i].input_step, rows[i], size_of(type))),
        "results overlaps " + arrays.name_of(i) + "; it must be separate");
    count += rows[i].count;
  }
  const auto is = [&] { return "results is " + to_string(results); };
  KINDRED_THROW_IF(results.size() != count || !results.is_contiguous(),
                   is() + "; it must have " + std::to_string(count) +
                       " elements, one per array or row, without gaps");
  if (rows.empty()) return;
  const DataType wide = is_floating(type) || call.reduction == Reduction::mean ? DataType::float64
                        : is_unsigned(type)                                    ? DataType::uint64
                                                                               : DataType::int64;
  const bool is_only_wide =
      !is_floating(type) && (call.reduction == Reduction::mean || call.reduction == Reduction::sum);
  KINDRED_THROW_IF(results.type() != wide && (is_only_wide || results.type() != type),
                   is() + "; it must be " + std::string(to_string(wide)) +
                       (is_only_wide ? "" : " or " + std::string(to_string(type))));
}

}  // namespace

CheckedArrays checked(const BulkCall& call) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  const bool is_random = call.kind == BulkKind::random_fill;
  const std::size_t count = is_random ? call.results.size() : call.arrays.size();
  KINDRED_THROW_IF(count > most, "a list of " + std::to_string(count) + " arrays; the limit is " +
                                     std::to_string(most));
  if (call.kind == BulkKind::element_wise) check_operands(call);
  KINDRED_THROW_IF(static_cast<std::size_t>(call.reduction) >= enum_names<Reduction>.size(),
                   "there is no reduction " + std::to_string(static_cast<int>(call.reduction)));
  CheckedArrays out;
  out.has_number = has_number(call);
  if (count > 0) {
    out.type = is_random ? call.results[0].type() : call.arrays[0].type();
    is_random ? check_type(call, out.type, call.results) : check_type(call, out.type, call.arrays);
  }
  const RowsOf rows_of(call, out.type, out.has_number);
  out.rows.reserve(count);
  std::uint64_t end = call.offset;
  for (std::size_t i = 0; i < count; ++i) {
    const BulkRows& rows = out.rows.emplace_back(rows_of(i));
    if (!is_random) continue;
    const auto sum = checked_sum({end, rows.count * rows.length});
    KINDRED_THROW_IF(!sum, "the results exceed position 2⁶⁴ of a stream; choose a smaller offset");
    end = *sum;
  }
  if (call.kind == BulkKind::reduce) check_reduction(call, out);
  return out;
}

std::vector<ProductRows> checked(const ProductArrays& arrays) {
  const auto& [a, b, c] = arrays;
  require_count(b, a);
  require_count(c, a);
  std::vector<ProductRows> out;
  out.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const ConstArray left = a[i];
    const ConstArray right = b[i];
    const Array product = c[i];
    const std::size_t rank = left.rank();
    KINDRED_THROW_IF(rank != 2 && rank != 3,
                     a.text_of(i) + "; it must have two or three dimensions");
    KINDRED_THROW_IF(!is_floating(left.type()),
                     a.text_of(i) + "; its elements must be float32 or float64");
    if (i > 0 && left.type() != a[0].type()) refuse_type(a, i, a[0].type(), a, 0);
    KINDRED_THROW_IF(right.rank() != rank, b.text_of(i) + "; it must have as many dimensions as " +
                                               a.name_of(i) + ", " + std::to_string(rank));
    const std::int64_t batch = rank == 3 ? left.extent(0) : 1;
    const std::int64_t m = left.extent(rank - 2);
    const std::int64_t k = left.extent(rank - 1);
    const std::int64_t n = right.extent(rank - 1);
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    KINDRED_THROW_IF(std::max({m, k, n}) > most, a.name_of(i) + " × " + b.name_of(i) + " is " +
                                                     std::to_string(m) + " × " + std::to_string(k) +
                                                     " × " + std::to_string(n) + "; the limit is " +
                                                     std::to_string(most));
    const auto require = [&](const auto& array, const auto& of, std::int64_t rows,
                             std::int64_t columns) {
      if (array.type() == left.type() && array.rank() == rank && array.extent(rank - 2) == rows &&
          array.extent(rank - 1) == columns && (rank == 2 || array.extent(0) == batch) &&
          array.is_contiguous())
        return;
      const std::string name = of.name_of(i);
      const NamedArray named{name.c_str(), array};
      rank == 3 ? require_array(named, left.type(), {batch, rows, columns})
                : require_array(named, left.type(), {rows, columns});
      throw InvalidArgument(of.text_of(i) + " with gaps; it must be contiguous");
    };
    require(left, a, m, k);
    require(right, b, k, n);
    require(product, c, m, n);
    const ByteRange written(product);
    KINDRED_THROW_IF(overlap(written, ByteRange(left)) || overlap(written, ByteRange(right)),
                     c.name_of(i) + " overlaps " + a.name_of(i) + " or " + b.name_of(i));
    const auto data = [](const auto& array) { return array.size() == 0 ? nullptr : array.data(); };
    const auto extent = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    out.push_back({data(left), data(right), data(product), extent(batch), extent(m), extent(n),
                   extent(k), left.on_device() || right.on_device() || product.on_device()});
  }
  return out;
}

std::optional<Space> space_of_singles(
    const Context& context, const BulkOptions& options,
    std::initializer_list<std::pair<std::string, ConstArray>> arrays) {
  std::vector<NamedArray> named;
  for (const auto& [name, array] : arrays) named.push_back({name.c_str(), array});
  const std::optional<Space> space = space_of(context, std::span<const NamedArray>(named));
  if (!space) require_no_stream(options.stream);
  KINDRED_THROW_IF(space && options.space && options.space != space,
                   "the arrays lie on a device, but the space " +
                       std::string(to_string(*options.space)) + " is requested");
  return space;
}

}  // namespace Kindred::Impl
