// SPDX-License-Identifier: Apache-2.0
#include "BulkTask.hpp"
#include "kit/CallerArrays.hpp"

#include <kindred/backends/impl/Device.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Quotes.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <array>
#include <limits>
#include <string>
#include <utility>

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

namespace {

std::string place(const char* list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

template <class T>
void check_array(std::span<T> array, Space space, const char* list, std::size_t index) {
  if (!array.empty()) check_memory(array.data(), sizeof(T), space, place(list, index));
}

/// Whether \p a and \p b share bytes.
template <class A, class B>
bool overlap(std::span<A> a, std::span<B> b) {
  if (a.empty() || b.empty()) return false;
  const auto begin_a = reinterpret_cast<std::uintptr_t>(a.data());
  const auto begin_b = reinterpret_cast<std::uintptr_t>(b.data());
  return begin_a < begin_b + b.size_bytes() && begin_b < begin_a + a.size_bytes();
}

/// Checks that \p list has one array of equal size per array of \p arrays.
template <class List, class Arrays>
void check_same(const List& list, const char* name, const Arrays& arrays, const char* of) {
  KINDRED_THROW_IF(list.size() != arrays.size(),
                   std::string(name) + " has " + std::to_string(list.size()) +
                       " arrays; there must be " + "one for each of the " +
                       std::to_string(arrays.size()) + " " + of);
  for (std::size_t i = 0; i < list.size(); ++i) {
    KINDRED_THROW_IF(list[i].size() != arrays[i].size(),
                     place(name, i) + " has " + std::to_string(list[i].size()) +
                         " elements; it must have as many as " + place(of, i) + ", " +
                         std::to_string(arrays[i].size()));
  }
}

/// A result must be the same array as an input, or not overlap it.
template <class T>
void check_overlap(std::span<T> result, std::span<const T> read, const char* list,
                   std::size_t index) {
  KINDRED_THROW_IF(result.data() != read.data() && overlap(result, read),
                   place("results", index) + " overlaps " + place(list, index) +
                       " partially; it must be the same array or a separate one");
}

}  // namespace

void check_memory(const void* data, std::size_t bytes, Space space, const std::string& name) {
  require_aligned(name, data, bytes);
  if (space == Space::cuda) {
    KINDRED_THROW_IF(!device_reaches(data),
                     name + " is not in device memory; copy it there or run on the host");
  } else {
    KINDRED_THROW_IF(is_on_device_only(data),
                     name + " is in device memory; run on cuda or copy it to the host");
  }
}

template <class T>
std::vector<BulkItem<T>> checked_items(BulkArrays<T> arrays, const BulkArrays<T>* others,
                                       const BulkResults<T>* results, Space space,
                                       const BulkNames& names) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  KINDRED_THROW_IF(arrays.size() > most, "a list of " + std::to_string(arrays.size()) +
                                             " arrays; the limit is " + std::to_string(most));
  if (others != nullptr) check_same(*others, names.others, arrays, names.arrays);
  if (results != nullptr) check_same(*results, "results", arrays, names.arrays);
  std::vector<BulkItem<T>> items(arrays.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    check_array(arrays[i], space, names.arrays, i);
    items[i].input = arrays[i].data();
    items[i].count = arrays[i].size();
    if (others != nullptr) {
      check_array((*others)[i], space, names.others, i);
      items[i].other = (*others)[i].data();
    }
    if (results == nullptr) continue;
    check_array((*results)[i], space, "results", i);
    check_overlap((*results)[i], arrays[i], names.arrays, i);
    if (others != nullptr) check_overlap((*results)[i], (*others)[i], names.others, i);
    items[i].output = (*results)[i].data();
  }
  return items;
}

void check_operands(ElementWise op, bool takes_two) {
  const bool wants_two = op == ElementWise::add || op == ElementWise::multiply;
  KINDRED_THROW_IF(static_cast<std::size_t>(op) >= element_wise_names.size(),
                   "there is no element-wise operation " + std::to_string(static_cast<int>(op)));
  const std::string name(element_wise_names[static_cast<std::size_t>(op)].first);
  KINDRED_THROW_IF(wants_two && !takes_two, name + " needs a number or a second list of arrays");
  KINDRED_THROW_IF(!wants_two && takes_two, name + " takes no second operand");
}

void check_integer_operation(ElementWise op) {
  KINDRED_THROW_IF(op == ElementWise::square_root || op == ElementWise::exponential,
                   std::string(element_wise_names[static_cast<std::size_t>(op)].first) +
                       " of integers has no integer results; convert the arrays to float64");
}

void check_integer_reduction(Reduction reduction) {
  KINDRED_THROW_IF(reduction == Reduction::deviation,
                   "deviations of integers are not computed; convert the arrays to float64");
}

void check_results(std::size_t results, std::size_t arrays) {
  KINDRED_THROW_IF(results != arrays, "results has " + std::to_string(results) +
                                          " elements; there must be one for each of the " +
                                          std::to_string(arrays) + " arrays");
}

void check_reducible(Reduction reduction, std::uint64_t count, std::size_t array) {
  KINDRED_THROW_IF(static_cast<std::size_t>(reduction) >= reduction_names.size(),
                   "there is no reduction " + std::to_string(static_cast<int>(reduction)));
  KINDRED_THROW_IF(count == 0 && reduction != Reduction::sum,
                   place("arrays", array) + " has no elements, so it has no " +
                       std::string(reduction_names[static_cast<std::size_t>(reduction)].first));
}

template <class T>
void check_pairs(std::span<const MatrixPair<T>> pairs, Space space) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const MatrixPair<T>& pair = pairs[i];
    const std::string of = "pairs[" + std::to_string(i) + "]";
    // A named variable, because nvcc rejects iterating over a braced list in a template.
    const std::array<std::pair<const char*, std::size_t>, 3> extents{
        {{"m", pair.m}, {"n", pair.n}, {"k", pair.k}}};
    for (const auto& [name, extent] : extents) {
      KINDRED_THROW_IF(extent > most, of + ": " + name + " is " + std::to_string(extent) +
                                          "; the limit is " + std::to_string(most));
    }
    const auto check = [&](const char* name, auto matrix, std::size_t rows, std::size_t columns) {
      KINDRED_THROW_IF(matrix.size() != rows * columns,
                       of + ": " + name + " has " + std::to_string(matrix.size()) + " elements; " +
                           std::to_string(rows) + " × " + std::to_string(columns) + " are " +
                           std::to_string(rows * columns));
      check_array(matrix, space, name, i);
    };
    check("a", pair.a, pair.m, pair.k);
    check("b", pair.b, pair.k, pair.n);
    check("c", pair.c, pair.m, pair.n);
    KINDRED_THROW_IF(overlap(pair.c, pair.a) || overlap(pair.c, pair.b),
                     of + ": c overlaps a or b");
  }
}

template <class T>
BulkTask<T> random_task(BulkResults<T> results, std::uint64_t seed, std::uint64_t offset,
                        Space space) {
  BulkTask<T> task;
  task.kind = BulkKind::random_fill;
  task.operation = Operations::random_generation;
  task.seed = seed;
  for (std::size_t i = 0; i < results.size(); ++i) {
    check_array(results[i], space, "results", i);
    task.items.push_back({nullptr, nullptr, results[i].data(), results[i].size(), 0});
    task.offsets.push_back(offset);
    const auto end = checked_sum({offset, results[i].size()});
    KINDRED_THROW_IF(!end, "the results exceed position 2⁶⁴ of a stream; choose a smaller offset");
    offset = *end;
  }
  return task;
}

#define KINDRED_INSTANTIATE(T)                        \
  template std::vector<BulkItem<T>> checked_items<T>( \
      BulkArrays<T>, const BulkArrays<T>*, const BulkResults<T>*, Space, const BulkNames&);
KINDRED_INSTANTIATE(std::int8_t)
KINDRED_INSTANTIATE(std::int16_t)
KINDRED_INSTANTIATE(std::int32_t)
KINDRED_INSTANTIATE(std::int64_t)
KINDRED_INSTANTIATE(std::uint8_t)
KINDRED_INSTANTIATE(std::uint16_t)
KINDRED_INSTANTIATE(std::uint32_t)
KINDRED_INSTANTIATE(std::uint64_t)
KINDRED_INSTANTIATE(float)
KINDRED_INSTANTIATE(double)
#undef KINDRED_INSTANTIATE
#define KINDRED_INSTANTIATE(T) \
  template BulkTask<T> random_task<T>(BulkResults<T>, std::uint64_t, std::uint64_t, Space);
KINDRED_INSTANTIATE(std::uint8_t)
KINDRED_INSTANTIATE(float)
KINDRED_INSTANTIATE(double)
#undef KINDRED_INSTANTIATE
template void check_pairs<float>(std::span<const MatrixPair<float>>, Space);
template void check_pairs<double>(std::span<const MatrixPair<double>>, Space);

}  // namespace Impl

}  // namespace Kindred
