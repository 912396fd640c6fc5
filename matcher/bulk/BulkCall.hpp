// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_BULK_CALL_HPP
#define KINDRED_MATCHER_BULK_BULK_CALL_HPP

#include "BulkTask.hpp"
#include "kit/CallerArrays.hpp"

#include <kindred/backends/impl/Device.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Bulk.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// The arrays of an argument, and its name.
template <class Void>
struct GivenArrays : BasicBulkArrays<Void> {
  const char* name = "";

  /// In messages: `arrays[3]`, or `array` if it is the only one.
  std::string name_of(std::size_t i) const {
    std::string text(name);
    if (this->is_list()) return text + "[" + std::to_string(i) + "]";
    if (text.size() > 1 && text.back() == 's') text.pop_back();
    return text;
  }
  /// Such as `arrays[3] is float32 [5]`.
  std::string text_of(std::size_t i) const {
    return name_of(i) + " is " + to_string(ConstArray((*this)[i]));
  }
};

/// \brief A call on arrays whose element type is a value.
struct BulkCall {
  BulkKind kind = BulkKind::bytes;
  Operation operation = Operations::transform;
  GivenArrays<const void> arrays = {};
  GivenArrays<const void> others = {};
  GivenArrays<void> results = {};
  ElementWise op = ElementWise::add;
  Reduction reduction = Reduction::sum;
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
};

/// \brief Equally many rows of equal length in all operands of a call: one row if none has gaps,
/// otherwise the rows of the matrices. Of a reduction, what has one result.
struct BulkRows {
  const void* input = nullptr;
  const void* other = nullptr;
  void* output = nullptr;
  std::uint64_t count = 1;
  std::uint64_t length = 0;
  std::uint64_t input_step = 0;  ///< elements from one row to the next
  std::uint64_t other_step = 0;
  std::uint64_t output_step = 0;
  bool on_device = false;
};

/// The arrays of products.
struct ProductArrays {
  GivenArrays<const void> a;
  GivenArrays<const void> b;
  GivenArrays<void> c;
};

/// Matrices of a batch, which follow one another.
struct ProductRows {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  std::uint64_t batch = 1;
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;
  bool on_device = false;
};

/// What the arrays of a checked call are.
struct CheckedArrays {
  DataType type = DataType::float32;
  bool has_number = false;  ///< the second operand is a number
  Array reduced = {};       ///< the results of a reduction
  std::vector<BulkRows> rows;
};

/// Checks everything but the memory of the arrays. \throws InvalidArgument
CheckedArrays checked(const BulkCall& call);
/// The same for products.
std::vector<ProductRows> checked(const ProductArrays& arrays);

/// Requires that \p data, of array \p i, can be accessed on \p space and is aligned to \p type.
/// \throws InvalidArgument
template <class Void>
void require_reached(const GivenArrays<Void>& given, std::size_t i, const void* data, DataType type,
                     Space space) {
  if (data == nullptr) return;
  const bool is_reached = space == Space::cuda ? device_reaches(data) : !is_on_device_only(data);
  if (is_reached && begin_at(size_of(type), data)) return;
  require_aligned(given.name_of(i), data, size_of(type));
  require_memory(given.name_of(i), data, space);
}

/// A rough estimate of one thread.
inline double nanoseconds_of(const BulkRows& rows) {
  return static_cast<double>(rows.count) * static_cast<double>(rows.length);
}
inline double nanoseconds_of(const ProductRows& rows) {
  return static_cast<double>(rows.batch * rows.m) * static_cast<double>(rows.n * rows.k) * 0.03;
}

/// The space of a prepared call. \param rows of its arrays \throws InvalidArgument
template <class Rows>
Space prepared_space(const Context& context, const BulkOptions& options,
                     const std::vector<Rows>& rows) {
  bool on_device = false;
  double nanoseconds = 0;
  for (const Rows& one : rows) {
    on_device = on_device || one.on_device;
    nanoseconds += nanoseconds_of(one);
  }
  const Space space = options.space ? *options.space
                      : on_device   ? Space::cuda
                                    : host_space_for(context, nanoseconds);
  require_no_stream(options.stream, space);
  KINDRED_THROW_IF(on_device && space != Space::cuda, "the arrays lie on a device, but the space " +
                                                          std::string(to_string(space)) +
                                                          " is requested");
  return space;
}

/// Where the arrays of a call that gives no list are, some of which lie on a device. \throws
/// InvalidArgument, SpaceUnavailable
std::optional<Space> space_of_singles(
    const Context& context, const BulkOptions& options,
    std::initializer_list<std::pair<std::string, ConstArray>> arrays);
/// Where the arrays of a call with \p rows are. \throws InvalidArgument, SpaceUnavailable
template <class Rows, class... Lists>
std::optional<Space> space_of_call(const Context& context, const BulkOptions& options,
                                   const std::vector<Rows>& rows, const Lists&... lists) {
  const auto begins_on_device = [](const auto& list) {
    return list.size() > 0 && list[0].on_device();
  };
  if (!(lists.is_list() || ...) && (begins_on_device(lists) || ...))
    return space_of_singles(context, options, {{lists.name_of(0), lists[0]}...});
  const auto require_host = [](const auto& list, std::size_t i) {
    KINDRED_THROW_IF(i < list.size() && list[i].on_device(),
                     list.text_of(i) + "; the arrays of a list must be in host memory");
  };
  for (std::size_t i = 0; i < std::max<std::size_t>(rows.size(), 1); ++i)
    if (i == 0 || rows[i].on_device) (require_host(lists, i), ...);
  require_no_stream(options.stream);
  return {};
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_BULK_CALL_HPP
