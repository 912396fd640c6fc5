// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_BULK_CALL_HPP
#define KINDRED_MATCHER_BULK_BULK_CALL_HPP

#include "BulkTask.hpp"
#include "kit/CallerArrays.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Bulk.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

namespace Kindred::Impl {

/// An array of a call, and its name in messages: `arrays[3]`, or `array` if it is the only one.
struct GivenArray {
  ConstArray array;
  const char* list;
  std::size_t index;
  bool is_listed;

  std::string name() const;
  /// Such as `arrays[3] is float32 [5]`.
  std::string text() const { return name() + " is " + to_string(array); }
};

/// The arrays of an argument, and its name.
template <class Void>
struct GivenArrays {
  const char* name;
  const BasicBulkArrays<Void>& arrays;

  GivenArray operator[](std::size_t i) const { return {arrays[i], name, i, arrays.is_list()}; }
};

/// Equally many rows of equal length in all operands.
struct RowShape {
  std::uint64_t count = 1;
  std::uint64_t length = 0;
};

/// \brief A call on arrays whose element type is a value.
struct BulkCall {
  BulkKind kind = BulkKind::bytes;
  Operation operation = Operations::transform;
  BulkArrays arrays = {};
  BulkArrays others = {};
  BulkResults results = {};
  const char* name_of_others = "others";
  ElementWise op = ElementWise::add;
  Reduction reduction = Reduction::sum;
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;

  std::size_t size() const {
    return kind == BulkKind::random_fill ? results.size() : arrays.size();
  }
  /// Of the arrays; float32 if there are none.
  DataType type() const;
  /// Whether the second operand is a number.
  bool has_number() const;
  /// Array \p i: one row if none of its operands has gaps, otherwise the rows of the matrices. Of a
  /// reduction, what has one result.
  RowShape rows(std::size_t i) const;
};

/// Checks everything but the memory of the arrays. \throws InvalidArgument
void check(const BulkCall& call);
/// \brief The type of the elements of the checked products. \throws InvalidArgument
DataType checked_product_type(const BulkArrays& a, const BulkArrays& b, const BulkResults& c);

/// Checks that the elements of \p given can be accessed on \p space and are aligned.
/// \throws InvalidArgument
void check_memory(const GivenArray& given, Space space);
template <class Void>
void check_memory(const GivenArrays<Void>& given, Space space) {
  for (std::size_t i = 0; i < given.arrays.size(); ++i) check_memory(given[i], space);
}

/// \throws InvalidArgument if there is one
inline void require_no_stream(const std::optional<Stream>& stream) {
  KINDRED_THROW_IF(
      stream.has_value(),
      "a stream is given for arrays in host memory; it is only for arrays on a device");
}

/// The space of a prepared call.
template <class... Lists>
Space prepared_space(const Context& context, const BulkOptions& options, const Lists&... lists) {
  if (options.space) return *options.space;
  const auto is_on_device = [](const auto& arrays) {
    return arrays.size() > 0 && arrays[0].on_device();
  };
  if ((is_on_device(lists) || ...)) return Space::cuda;
  return context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
}

/// Where the arrays of a call are: no value in host memory. \throws InvalidArgument,
/// SpaceUnavailable
std::optional<Space> memory_of(const Context& context, const BulkOptions& options,
                               std::initializer_list<GivenArray> singles);
template <class... Lists>
std::optional<Space> memory_of(const Context& context, const BulkOptions& options,
                               const Lists&... lists) {
  std::optional<Space> space;
  const auto require_host_list = [](const auto& list) {
    for (std::size_t i = 0; i < list.arrays.size(); ++i)
      KINDRED_THROW_IF(list.arrays[i].on_device(),
                       list[i].text() + "; the arrays of a list must be in host memory");
  };
  if ((lists.arrays.is_list() || ...)) {
    (require_host_list(lists), ...);
  } else {
    space = memory_of(context, options, {lists[0]...});
  }
  (check_memory(lists, space.value_or(Space::serial)), ...);
  if (!space) require_no_stream(options.stream);
  return space;
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_BULK_CALL_HPP
