// SPDX-License-Identifier: Apache-2.0
// Arguments that are tuples of arrays, values of them, or have a shape.
#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Errors.hpp"
#include "Texts.hpp"

#include <algorithm>
#include <string>

namespace nb = nanobind;

namespace Kindred::Python {

void Input::require_rank(std::size_t lowest, std::size_t highest) const {
  if (rank() >= lowest && rank() <= highest) return;
  refuse(std::string(name()) + " is " + text() + "; it must have " + std::to_string(lowest) +
         (lowest == highest ? "" : " or " + std::to_string(highest)) +
         (highest == 1 ? " dimension" : " dimensions"));
}

void Input::require_columns(std::size_t columns) const {
  if (rank() == 0 || extent(rank() - 1) == static_cast<std::int64_t>(columns)) return;
  refuse(std::string(name()) + " is " + text() + "; its rows must have " + std::to_string(columns) +
         " elements");
}

void outputs_of(nb::handle out, std::int64_t top, nb::object& scores, nb::object& ids) {
  if (!nb::isinstance<nb::tuple>(out) || nb::len(out) != 2)
    refuse_type("out must be a tuple of two arrays, (scores, ids)");
  scores = out[0];
  ids = out[1];
  // C++ takes it from this extent, and checks the rest.
  CallStream unordered(nb::int_(0));
  const Output array(scores, "scores", &unordered);
  if (array.rank() == 0 || array.extent(array.rank() - 1) != top)
    refuse("out has scores " + array.text() + "; with top = " + std::to_string(top) +
           " their last dimension must be " + std::to_string(top));
}

std::array<nb::object, 3> three_of(nb::handle given, const char* name, const char* items) {
  std::array<nb::object, 3> out{nb::none(), nb::none(), nb::none()};
  if (given.is_none()) return out;
  if (!nb::isinstance<nb::tuple>(given) || nb::len(given) != 3)
    refuse_type(std::string(name) + " must be a tuple of three arrays or Nones, " + items);
  for (std::size_t i = 0; i < 3; ++i) out[i] = given[i];
  return out;
}

template <class T>
nb::object array_of(std::span<const T> values) {
  nb::object made = empty_array(data_type_of<T>, {static_cast<std::int64_t>(values.size())});
  const Output out(made, "values");
  std::copy(values.begin(), values.end(), static_cast<T*>(out.array().data()));
  return made;
}
template nb::object array_of(std::span<const std::int64_t>);
template nb::object array_of(std::span<const float>);
template nb::object array_of(std::span<const double>);
template nb::object array_of(std::span<const std::uint32_t>);
template nb::object array_of(std::span<const std::uint64_t>);

std::vector<std::uint64_t> ids_of(nb::handle given, const char* name) {
  std::vector<std::uint64_t> ids;
  const auto append = [&](auto values) {
    ids.reserve(values.size());
    ItemLoop loop;
    for (const auto value : values) {
      loop.next();
      if (value < 0)
        refuse(std::string(name) + " has the number " + std::to_string(value) +
               "; ids are not negative");
      ids.push_back(static_cast<std::uint64_t>(value));
    }
  };
  if (PyObject_CheckBuffer(given.ptr()) != 0 || nb::hasattr(given, "__dlpack__")) {
    const Input array(given, name);
    array.require_rank(0, 1);
    switch (array.type()) {
      case DataType::int32:
        append(array.host_values<std::int32_t>());
        break;
      case DataType::uint32:
        append(array.host_values<std::uint32_t>());
        break;
      case DataType::uint64:
        append(array.host_values<std::uint64_t>());
        break;
      default:
        array.require_type({DataType::int64, DataType::uint64, DataType::int32, DataType::uint32});
        append(array.host_values<std::int64_t>());
    }
    return ids;
  }
  // One id, or a sequence of them.
  std::vector<std::int64_t> numbers;
  const auto add = [&](nb::handle item) {
    const nb::object index = nb::steal(PyNumber_Index(item.ptr()));
    if (!index.is_valid()) {
      PyErr_Clear();
      refuse_type(std::string(name) + " has an item of type " + type_text(item) +
                  "; ids are integers");
    }
    const long long value = PyLong_AsLongLong(index.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse(std::string(name) + " has a number beyond 63 bits");
    }
    numbers.push_back(value);
  };
  if (PyIndex_Check(given.ptr()) != 0) {
    add(given);
  } else if (PySequence_Check(given.ptr()) != 0 || PyIter_Check(given.ptr()) != 0) {
    for (const nb::handle item : given) add(item);
  } else {
    refuse_type(std::string(name) + " is of type " + type_text(given) +
                "; it must be an array of integers or a sequence of ints");
  }
  append(std::span<const std::int64_t>(numbers));
  return ids;
}

}  // namespace Kindred::Python
