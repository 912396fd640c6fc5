// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_BULK_ARGUMENTS_HPP
#define KINDRED_PYTHON_BULK_ARGUMENTS_HPP

#include <kindred/core/bulk/ArithmeticKinds.hpp>
#include <kindred/matcher/BulkArrays.hpp>

#include "Arrays.hpp"
#include "Errors.hpp"
#include "Options.hpp"
#include "Texts.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

// Names of operations on whole arrays, and their numbers.
namespace Kindred::Python::Bulks {

inline constexpr std::array<Choice<ElementWise>, 5> operations{{{"add", ElementWise::add},
                                                                {"multiply", ElementWise::multiply},
                                                                {"square", ElementWise::square},
                                                                {"sqrt", ElementWise::square_root},
                                                                {"exp", ElementWise::exponential}}};
inline constexpr std::array<Choice<Reduction>, 5> reductions{{{"sum", Reduction::sum},
                                                              {"min", Reduction::min},
                                                              {"max", Reduction::max},
                                                              {"mean", Reduction::mean},
                                                              {"deviation", Reduction::deviation}}};

/// A number of Python as one element of the type of an array. \throws InvalidType, InvalidArgument
class Number {
 public:
  Number(nanobind::handle given, const Input& array) : m_type(array.type()) { read(given, array); }
  const BulkArrays& array() const { return m_array; }

 private:
  void read(nanobind::handle given, const Input& array) {
    switch (m_type) {
      case DataType::boolean:
        return set(flag_of(given, "other"));
      case DataType::int8:
        return set_integer<std::int8_t>(given);
      case DataType::int16:
        return set_integer<std::int16_t>(given);
      case DataType::int32:
        return set_integer<std::int32_t>(given);
      case DataType::int64:
        return set_integer<std::int64_t>(given);
      case DataType::uint8:
        return set_integer<std::uint8_t>(given);
      case DataType::uint16:
        return set_integer<std::uint16_t>(given);
      case DataType::uint32:
        return set_integer<std::uint32_t>(given);
      case DataType::uint64:
        return set_integer<std::uint64_t>(given);
      case DataType::float32:
        return set(static_cast<float>(number_of(given, "other")));
      case DataType::float64:
        return set(number_of(given, "other"));
      case DataType::float16:
      case DataType::bfloat16:
        refuse_type("array is " + array.text() +
                    "; its elements must be bool, integers, float32 or float64");
    }
  }
  template <class T>
  void set(T value) {
    m_array = value;
  }
  template <class T>
  void set_integer(nanobind::handle given) {
    const nanobind::object index = nanobind::steal(PyNumber_Index(given.ptr()));
    if (!index.is_valid()) {
      PyErr_Clear();
      refuse_type("other is of type " + type_text(given) + ", and array has integers; give an int");
    }
    using Wide = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
    Wide value{};
    if constexpr (std::is_signed_v<T>) {
      value = PyLong_AsLongLong(index.ptr());
    } else {
      value = PyLong_AsUnsignedLongLong(index.ptr());
    }
    const bool overflows = value == static_cast<Wide>(-1) && PyErr_Occurred() != nullptr;
    if (overflows) PyErr_Clear();
    if (overflows || value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
      refuse("other is " + nanobind::cast<std::string>(nanobind::str(index)) + ", which " +
             std::string(to_string(m_type)) + " cannot represent");
    set(static_cast<T>(value));
  }

  DataType m_type;
  BulkArrays m_array;
};

}  // namespace Kindred::Python::Bulks

#endif  // KINDRED_PYTHON_BULK_ARGUMENTS_HPP
