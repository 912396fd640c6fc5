// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_BULK_CALL_HPP
#define KINDRED_MATCHER_BULK_BULK_CALL_HPP

#include "BulkTask.hpp"
#include "kit/CallerArrays.hpp"

#include <kindred/backends/impl/Device.hpp>
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Bulk.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

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
std::vector<ProductRows> checked_products(const BulkArrays& a, const BulkArrays& b,
                                          const BulkResults& c);

/// Requires that \p data can be accessed on \p space and is aligned to \p type. \param name returns
/// the name in messages \throws InvalidArgument
template <class Name>
void require_reached(const void* data, DataType type, Space space, const Name& name) {
  if (data == nullptr) return;
  if (!begin_at(size_of(type), data)) require_aligned(name(), data, size_of(type));
  if (space == Space::cuda ? !device_reaches(data) : is_on_device_only(data))
    require_memory(name(), data, space);
}

/// \throws InvalidArgument if there is one
inline void require_no_stream(const std::optional<Stream>& stream) {
  KINDRED_THROW_IF(
      stream.has_value(),
      "a stream is given for arrays in host memory; it is only for arrays on a device");
}

/// The space of a prepared call. \param rows of its arrays
template <class Rows>
Space prepared_space(const Context& context, const BulkOptions& options,
                     const std::vector<Rows>& rows) {
  if (options.space) return *options.space;
  if (!rows.empty() && rows[0].on_device) return Space::cuda;
  return context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
}

/// Where the arrays of a call that gives no list are, some of which lie on a device. \throws
/// InvalidArgument, SpaceUnavailable
std::optional<Space> space_of_singles(const Context& context, const BulkOptions& options,
                                      std::initializer_list<GivenArray> arrays);
/// Where the arrays of a call with \p rows are. \throws InvalidArgument, SpaceUnavailable
template <class Rows, class... Lists>
std::optional<Space> space_of_call(const Context& context, const BulkOptions& options,
                                   const std::vector<Rows>& rows, const Lists&... lists) {
  const auto begins_on_device = [](const auto& list) {
    return list.arrays.size() > 0 && list.arrays[0].on_device();
  };
  if (!(lists.arrays.is_list() || ...) && (begins_on_device(lists) || ...))
    return space_of_singles(context, options, {lists[0]...});
  const auto require_host = [](const auto& list, std::size_t i) {
    KINDRED_THROW_IF(i < list.arrays.size() && list.arrays[i].on_device(),
                     list[i].text() + "; the arrays of a list must be in host memory");
  };
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].on_device) (require_host(lists, i), ...);
  require_no_stream(options.stream);
  return {};
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_BULK_CALL_HPP
