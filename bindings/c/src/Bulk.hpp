// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_C_BULK_HPP
#define KINDRED_C_BULK_HPP

#include <kindred/matcher/Bulk.hpp>

#include "Prepared.hpp"

#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

namespace Kindred::C {

KINDRED_C_HANDLE(bulk, WithContext<Bulk>);

inline const Bulk& bulk_of(const kindred_bulk* bulk) { return object_of(bulk, "bulk").engine; }

/// The options of a call, of which those of products are a part.
struct BulkCall {
  explicit BulkCall(const kindred_bulk_options* options);

  BulkOptions lists;
  ProductOptions products;
};

kindred_bulk_report bulk_report_of(const BulkReport& report);

/// What a call reports: both may be null.
class BulkOutputs {
 public:
  BulkOutputs(kindred_bulk_report* report, kindred_record* record);
  void write(const BulkReport& report) const;

 private:
  kindred_bulk_report* m_report;
  kindred_record* m_record;
};

/// The arrays of a list: all of one type and without gaps.
template <class Array>
class ArrayList {
 public:
  ArrayList(std::vector<Array> arrays, std::string name)
      : m_arrays(std::move(arrays)), m_name(std::move(name)) {}

  std::size_t size() const { return m_arrays.size(); }
  const Array& operator[](std::size_t i) const { return m_arrays[i]; }
  DataType type() const { return m_arrays.empty() ? DataType::float32 : m_arrays[0].type(); }
  /// \throws InvalidArgument for arrays of other types or with gaps
  template <class T>
  auto spans() const {
    using Element = std::conditional_t<std::is_same_v<Array, ConstArray>, const T, T>;
    std::vector<std::span<Element>> out;
    out.reserve(m_arrays.size());
    for (std::size_t i = 0; i < m_arrays.size(); ++i) {
      check(i, data_type_of<T>);
      out.push_back({static_cast<Element*>(m_arrays[i].data()),
                     static_cast<std::size_t>(m_arrays[i].size())});
    }
    return out;
  }
  void add_to(TensorMemory& memory) const {
    for (std::size_t i = 0; i < m_arrays.size(); ++i) memory.add(m_arrays[i], name(i));
  }
  /// \throws InvalidArgument for an array on a device
  void require_host() const {
    for (std::size_t i = 0; i < m_arrays.size(); ++i)
      KINDRED_C_REFUSE_IF(m_arrays[i].on_device(),
                          name(i) + " is " + to_string(ConstArray(m_arrays[i])) +
                              "; the arrays of a list must be in host memory");
  }

 private:
  std::string name(std::size_t i) const { return m_name + "[" + std::to_string(i) + "]"; }
  void check(std::size_t i, DataType type) const {
    const ConstArray array = m_arrays[i];
    KINDRED_C_REFUSE_IF(array.type() != type,
                        name(i) + " is " + to_string(array) +
                            "; the arrays of the call must have elements of type " +
                            std::string(to_string(type)));
    KINDRED_C_REFUSE_IF(!array.is_contiguous(), name(i) + " is " + to_string(array) +
                                                    " with gaps; its elements must be contiguous");
  }

  std::vector<Array> m_arrays;
  std::string m_name;
};

/// \throws InvalidArgument for null lists of more than 0 arrays
void check_lists(std::initializer_list<NamedPointer> lists, std::size_t count);
ArrayList<ConstArray> list_of(const DLTensor* const* tensors, std::size_t count, const char* name);
ArrayList<Array> output_list_of(DLTensor* const* tensors, std::size_t count, const char* name);
/// The same for one array.
ArrayList<Array> output_list_of(DLTensor* tensor, const char* name);

/// \brief Calls `call(T())` for the element type float32 or float64. Lists of other types are
/// refused by `ArrayList::spans`.
template <class Call>
auto with_number(DataType type, const Call& call) {
  return type == DataType::float64 ? call(double{}) : call(float{});
}
/// The same for float32, float64 and integers.
template <class Call>
auto with_element(DataType type, const Call& call) {
  switch (type) {
    case DataType::int8:
      return call(std::int8_t{});
    case DataType::int16:
      return call(std::int16_t{});
    case DataType::int32:
      return call(std::int32_t{});
    case DataType::int64:
      return call(std::int64_t{});
    case DataType::uint8:
      return call(std::uint8_t{});
    case DataType::uint16:
      return call(std::uint16_t{});
    case DataType::uint32:
      return call(std::uint32_t{});
    case DataType::uint64:
      return call(std::uint64_t{});
    default:
      return with_number(type, call);
  }
}
/// The same for the types of random numbers.
template <class Call>
auto with_random(DataType type, const Call& call) {
  return type == DataType::uint8 ? call(std::uint8_t{}) : with_number(type, call);
}

/// A number as an element. \throws InvalidArgument for one that an integer cannot be
template <class T>
T element_of_number(double number) {
  if constexpr (std::is_integral_v<T>) {
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const auto least = static_cast<double>(std::numeric_limits<T>::min());
    KINDRED_C_REFUSE_IF(!(number >= least && number < end) || std::trunc(number) != number,
                        "number is " + std::to_string(number) + "; it must be a number of type " +
                            std::string(to_string(data_type_of<T>)) + ", as the arrays");
  }
  return static_cast<T>(number);
}

/// The matrices of a product. \throws InvalidArgument for shapes that do not match
template <class T>
std::vector<MatrixPair<T>> pairs_of(const ArrayList<ConstArray>& a, const ArrayList<ConstArray>& b,
                                    const ArrayList<Array>& c) {
  const auto a_spans = a.spans<T>();
  const auto b_spans = b.spans<T>();
  const auto c_spans = c.spans<T>();
  std::vector<MatrixPair<T>> out;
  out.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const ConstArray& x = a[i];
    const ConstArray& y = b[i];
    const ConstArray z = c[i];
    KINDRED_C_REFUSE_IF(
        x.rank() != 2 || y.rank() != 2 || z.rank() != 2 || x.extent(1) != y.extent(0) ||
            z.extent(0) != x.extent(0) || z.extent(1) != y.extent(1),
        "pair " + std::to_string(i) + " is " + to_string(x) + ", " + to_string(y) +
            " with the result " + to_string(z) + "; the shapes must be m × k, k × n and m × n");
    out.push_back({a_spans[i], b_spans[i], c_spans[i], static_cast<std::size_t>(x.extent(0)),
                   static_cast<std::size_t>(y.extent(1)), static_cast<std::size_t>(x.extent(1))});
  }
  return out;
}

ElementWise element_wise_of(std::int32_t operation);
Reduction reduction_of(std::int32_t reduction);
/// Whether the operation has a second operand. \throws InvalidArgument for one that it lacks
bool has_operand(ElementWise operation, const void* others, const char* name);

}  // namespace Kindred::C

#endif  // KINDRED_C_BULK_HPP
