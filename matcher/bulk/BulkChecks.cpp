// SPDX-License-Identifier: Apache-2.0
#include "BulkCall.hpp"
#include "kit/Overlap.hpp"

#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Quotes.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

namespace {

constexpr std::array element_wise_names{
    std::pair{std::string_view("add"), ElementWise::add},
    std::pair{std::string_view("multiply"), ElementWise::multiply},
    std::pair{std::string_view("square"), ElementWise::square},
    std::pair{std::string_view("sqrt"), ElementWise::square_root},
    std::pair{std::string_view("exp"), ElementWise::exponential}};
constexpr std::array reduction_names{
    std::pair{std::string_view("sum"), Reduction::sum},
    std::pair{std::string_view("min"), Reduction::min},
    std::pair{std::string_view("max"), Reduction::max},
    std::pair{std::string_view("mean"), Reduction::mean},
    std::pair{std::string_view("deviation"), Reduction::deviation}};

template <class Names>
auto named(const Names& names, std::string_view name) {
  std::string all;
  for (const auto& [text, value] : names) {
    if (text == name) return value;
    all += (all.empty() ? "" : ", ") + std::string(text);
  }
  throw InvalidArgument("there is no operation " + in_quotes(name) + "; it must be one of " + all);
}

}  // namespace

ElementWise element_wise_from_string(std::string_view name) try {
  return named(element_wise_names, name);
} catch (...) {
  Impl::rethrow_translated("Kindred::element_wise_from_string");
}
Reduction reduction_from_string(std::string_view name) try {
  return named(reduction_names, name);
} catch (...) {
  Impl::rethrow_translated("Kindred::reduction_from_string");
}

namespace KINDRED_HIDDEN Impl {

std::string GivenArray::name() const {
  std::string text(list);
  if (is_listed) return text + "[" + std::to_string(index) + "]";
  if (text.size() > 1 && text.back() == 's') text.pop_back();
  return text;
}

namespace {

void require_same_type(const GivenArray& given, const GivenArray& as) {
  KINDRED_THROW_IF(given.array.type() != as.array.type(),
                   given.text() + "; it must be " + std::string(to_string(as.array.type())) +
                       ", as " + as.name());
}
bool same_shape(const ConstArray& a, const ConstArray& b) {
  return std::ranges::equal(a.shape(), b.shape());
}
/// A matrix may have gaps between its rows.
void require_rows(const GivenArray& given) {
  const ConstArray& array = given.array;
  if (array.is_contiguous()) return;
  KINDRED_THROW_IF(
      array.rank() != 2 || (array.extent(1) > 1 && array.stride(1) != 1),
      given.text() + " with gaps; only the rows of a matrix may have gaps between them");
  (void)row_stride({given.name().c_str(), array});
}
/// Elements from one row to the next.
std::uint64_t step_of(const ConstArray& array) {
  return array.is_contiguous() ? array.size() : row_stride({"", array});
}

/// An operand of the shape of `of`.
void require_like(const GivenArray& given, const GivenArray& of) {
  require_same_type(given, of);
  KINDRED_THROW_IF(!same_shape(given.array, of.array),
                   given.text() + "; it must have the shape of " + of.name() + ", which is " +
                       to_string(of.array));
  require_rows(given);
}
/// A result must be the same array as an input, or not overlap it.
void require_same_or_apart(const GivenArray& result, const GivenArray& read) {
  const bool is_same =
      result.array.data() == read.array.data() && step_of(result.array) == step_of(read.array);
  KINDRED_THROW_IF(!is_same && overlap(ByteRange(result.array), ByteRange(read.array)),
                   result.name() + " overlaps " + read.name() +
                       " partially; it must be the same array or a separate one");
}
template <class List, class Arrays>
void require_count(const List& list, const Arrays& of) {
  KINDRED_THROW_IF(list.arrays.size() != of.arrays.size(),
                   std::string(list.name) + " has " + std::to_string(list.arrays.size()) +
                       " arrays; there must be one for each of the " +
                       std::to_string(of.arrays.size()) + " " + of.name);
}

bool is_floating(DataType type) { return type == DataType::float32 || type == DataType::float64; }
bool is_unsigned(DataType type) {
  return type == DataType::uint8 || type == DataType::uint16 || type == DataType::uint32 ||
         type == DataType::uint64;
}

void check_operands(const BulkCall& call) {
  const bool wants_two = call.op == ElementWise::add || call.op == ElementWise::multiply;
  KINDRED_THROW_IF(
      static_cast<std::size_t>(call.op) >= element_wise_names.size(),
      "there is no element-wise operation " + std::to_string(static_cast<int>(call.op)));
  if (call.arrays.size() == 0) return;
  const std::string name(element_wise_names[static_cast<std::size_t>(call.op)].first);
  KINDRED_THROW_IF(wants_two && call.others.size() == 0,
                   name + " needs a number or a second list of arrays");
  KINDRED_THROW_IF(!wants_two && call.others.size() > 0, name + " takes no second operand");
}

/// Checks that the operation is defined for the elements of \p first, an array of the call.
void check_type(const BulkCall& call, const GivenArray& first) {
  const DataType type = first.array.type();
  const bool is_number = is_floating(type);
  KINDRED_THROW_IF(type == DataType::float16 || type == DataType::bfloat16,
                   first.text() + "; elements must be bool, integers, float32 or float64");
  switch (call.kind) {
    case BulkKind::bytes:
      KINDRED_THROW_IF(is_number, first.text() + "; xor is defined for bool and integers");
      return;
    case BulkKind::element_wise:
      KINDRED_THROW_IF(type == DataType::boolean && call.op != ElementWise::add &&
                           call.op != ElementWise::multiply,
                       first.text() + "; only add and multiply are defined for bool");
      KINDRED_THROW_IF(!is_number && (call.op == ElementWise::square_root ||
                                      call.op == ElementWise::exponential),
                       std::string(element_wise_names[static_cast<std::size_t>(call.op)].first) +
                           " of integers has no integer results; convert the arrays to float64");
      KINDRED_THROW_IF(!is_number && call.operation == Operations::matrix_add,
                       first.text() + "; its elements must be float32 or float64");
      return;
    case BulkKind::normalise:
      KINDRED_THROW_IF(!is_number, first.text() + "; its elements must be float32 or float64");
      return;
    case BulkKind::random_fill:
      KINDRED_THROW_IF(!is_number && type != DataType::uint8,
                       first.text() + "; its elements must be uint8, float32 or float64");
      return;
    case BulkKind::reduce:
      KINDRED_THROW_IF(!is_number && call.reduction == Reduction::deviation,
                       "deviations of integers are not computed; convert the arrays to float64");
  }
}

/// Checks the results of a reduction of elements of \p type to \p count numbers.
void check_reduced(const BulkCall& call, DataType type, std::uint64_t count) {
  KINDRED_THROW_IF(call.results.is_list() || call.results.size() > 1,
                   "results is a list; it must be one array");
  const Array results = call.results.size() == 0 ? Array() : call.results[0];
  const std::string is = "results is " + to_string(results);
  KINDRED_THROW_IF(results.size() != count || !results.is_contiguous(),
                   is + "; it must have " + std::to_string(count) +
                       " elements, one per array or row, without gaps");
  if (call.arrays.size() == 0) return;
  const DataType wide = is_floating(type)                   ? DataType::float64
                        : call.reduction == Reduction::mean ? DataType::float64
                        : is_unsigned(type)                 ? DataType::uint64
                                                            : DataType::int64;
  const bool is_only_wide =
      !is_floating(type) && (call.reduction == Reduction::mean || call.reduction == Reduction::sum);
  KINDRED_THROW_IF(results.type() != wide && (is_only_wide || results.type() != type),
                   is + "; it must be " + std::string(to_string(wide)) +
                       (is_only_wide ? "" : " or " + std::string(to_string(type))));
  const GivenArrays arrays{"arrays", call.arrays};
  for (std::size_t i = 0; i < call.arrays.size(); ++i)
    KINDRED_THROW_IF(overlap(ByteRange(results), ByteRange(call.arrays[i])),
                     "results overlaps " + arrays[i].name() + "; it must be separate");
}

/// The number of results.
std::uint64_t check_reduction(const BulkCall& call) {
  const GivenArrays arrays{"arrays", call.arrays};
  KINDRED_THROW_IF(static_cast<std::size_t>(call.reduction) >= reduction_names.size(),
                   "there is no reduction " + std::to_string(static_cast<int>(call.reduction)));
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < call.arrays.size(); ++i) {
    const GivenArray given = arrays[i];
    KINDRED_THROW_IF(given.array.rank() > 2, given.text() + "; it must have one or two dimensions");
    const RowShape rows = call.rows(i);
    KINDRED_THROW_IF(
        rows.count > 0 && rows.length == 0 && call.reduction != Reduction::sum,
        given.name() + " has no elements, so it has no " +
            std::string(reduction_names[static_cast<std::size_t>(call.reduction)].first));
    count += rows.count;
  }
  return count;
}

}  // namespace

DataType BulkCall::type() const {
  if (kind == BulkKind::random_fill)
    return results.size() == 0 ? DataType::float32 : results[0].type();
  return arrays.size() == 0 ? DataType::float32 : arrays[0].type();
}

bool BulkCall::has_number() const {
  if (others.is_number()) return true;
  if (kind != BulkKind::element_wise || others.is_list() || others.size() == 0) return false;
  const ConstArray other = others[0];
  if (other.on_device() || other.size() != 1) return false;
  // Of two arrays of one element, the second is an array like any other.
  return arrays.is_list() || arrays[0].on_device() || !same_shape(arrays[0], other);
}

RowShape BulkCall::rows(std::size_t i) const {
  if (kind == BulkKind::reduce) {
    const ConstArray array = arrays[i];
    if (array.rank() < 2) return {1, array.size()};
    return {static_cast<std::uint64_t>(array.extent(0)),
            static_cast<std::uint64_t>(array.extent(1))};
  }
  const Array result = results[i];
  const bool has_gaps = !result.is_contiguous() ||
                        (kind != BulkKind::random_fill && !arrays[i].is_contiguous()) ||
                        (others.size() > 0 && !has_number() && !others[i].is_contiguous());
  if (!has_gaps) return {1, result.size()};
  return {static_cast<std::uint64_t>(result.extent(0)),
          static_cast<std::uint64_t>(result.extent(1))};
}

void check(const BulkCall& call) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  KINDRED_THROW_IF(call.size() > most, "a list of " + std::to_string(call.size()) +
                                           " arrays; the limit is " + std::to_string(most));
  const GivenArrays arrays{"arrays", call.arrays};
  const GivenArrays others{call.name_of_others, call.others};
  const GivenArrays results{"results", call.results};
  const bool is_random = call.kind == BulkKind::random_fill;
  const bool is_reduction = call.kind == BulkKind::reduce;
  const bool has_number = call.has_number();
  const bool has_others = call.others.size() > 0 && !has_number;
  if (call.kind == BulkKind::element_wise) check_operands(call);
  if (has_others || call.kind == BulkKind::bytes) require_count(others, arrays);
  if (!is_random && !is_reduction) require_count(results, arrays);
  std::uint64_t end = call.offset;
  for (std::size_t i = 0; i < call.size(); ++i) {
    const GivenArray first = is_random ? results[i] : arrays[i];
    if (i == 0) {
      check_type(call, first);
      if (has_number) require_same_type(others[0], first);
    } else {
      require_same_type(first, is_random ? results[0] : arrays[0]);
    }
    require_rows(first);
    if (has_others) require_like(others[i], first);
    if (is_random) {
      const auto sum = checked_sum({end, first.array.size()});
      KINDRED_THROW_IF(!sum,
                       "the results exceed position 2⁶⁴ of a stream; choose a smaller offset");
      end = *sum;
      continue;
    }
    if (!is_reduction) {
      require_like(results[i], first);
      require_same_or_apart(results[i], first);
      if (has_others) require_same_or_apart(results[i], others[i]);
    }
    const std::uint64_t rows = call.rows(i).count;
    KINDRED_THROW_IF(rows > most,
                     first.text() + "; the limit is " + std::to_string(most) + " rows");
  }
  if (is_reduction) check_reduced(call, call.type(), check_reduction(call));
}

DataType checked_product_type(const BulkArrays& a, const BulkArrays& b, const BulkResults& c) {
  const GivenArrays of_a{"a", a};
  const GivenArrays of_b{"b", b};
  const GivenArrays of_c{"c", c};
  require_count(of_b, of_a);
  require_count(of_c, of_a);
  if (a.size() == 0) return DataType::float32;
  const DataType type = a[0].type();
  for (std::size_t i = 0; i < a.size(); ++i) {
    const GivenArray left = of_a[i];
    const GivenArray right = of_b[i];
    const std::size_t rank = left.array.rank();
    KINDRED_THROW_IF(rank != 2 && rank != 3,
                     left.text() + "; it must have two or three dimensions");
    KINDRED_THROW_IF(!is_floating(left.array.type()),
                     left.text() + "; its elements must be float32 or float64");
    const std::int64_t batch = rank == 3 ? left.array.extent(0) : 1;
    const std::int64_t m = left.array.extent(rank - 2);
    const std::int64_t k = left.array.extent(rank - 1);
    KINDRED_THROW_IF(right.array.rank() != rank, right.text() +
                                                     "; it must have as many dimensions as " +
                                                     left.name() + ", " + std::to_string(rank));
    const std::int64_t n = right.array.extent(rank - 1);
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    KINDRED_THROW_IF(std::max({m, k, n}) > most, left.name() + " × " + right.name() + " is " +
                                                     std::to_string(m) + " × " + std::to_string(k) +
                                                     " × " + std::to_string(n) + "; the limit is " +
                                                     std::to_string(most));
    const auto require = [&](const GivenArray& given, std::int64_t rows, std::int64_t columns) {
      const std::string name = given.name();
      if (rank == 3) {
        require_array({name.c_str(), given.array}, type, {batch, rows, columns});
      } else {
        require_array({name.c_str(), given.array}, type, {rows, columns});
      }
      KINDRED_THROW_IF(!given.array.is_contiguous(),
                       given.text() + " with gaps; it must be contiguous");
    };
    require(left, m, k);
    require(right, k, n);
    require(of_c[i], m, n);
    const ByteRange result(c[i]);
    KINDRED_THROW_IF(overlap(result, ByteRange(a[i])) || overlap(result, ByteRange(b[i])),
                     of_c[i].name() + " overlaps " + left.name() + " or " + right.name());
  }
  return type;
}

void check_memory(const GivenArray& given, Space space) {
  if (given.array.size() == 0) return;
  const std::string name = given.name();
  require_aligned(name, given.array.data(), size_of(given.array.type()));
  require_memory(name, given.array.data(), space);
}

std::optional<Space> memory_of(const Context& context, const BulkOptions& options,
                               std::initializer_list<GivenArray> singles) {
  std::vector<std::string> names;
  for (const GivenArray& given : singles) names.push_back(given.name());
  std::vector<NamedArray> named;
  for (const GivenArray& given : singles)
    named.push_back({names[named.size()].c_str(), given.array});
  const std::optional<Space> space = space_of(context, std::span<const NamedArray>(named));
  KINDRED_THROW_IF(space && options.space && options.space != space,
                   "the arrays lie on a device, but the space " +
                       std::string(to_string(*options.space)) + " is requested");
  return space;
}

}  // namespace Impl

}  // namespace Kindred
