// SPDX-License-Identifier: Apache-2.0
#include "NumPy.hpp"

#include "Texts.hpp"

#include <cstddef>
#include <string>

namespace nb = nanobind;

namespace Kindred::Python {

namespace {

/// The first fields of PyArray_Descr and PyArrayObject (numpy/ndarraytypes.h).
struct Description {
  PyObject object;
  PyTypeObject* scalar;
  char kind;
  char letter;
  char byte_order;
  char flags;
  int number;
};
struct ArrayObject {
  PyObject object;
  void* data;
  int rank;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  Description* description;
  int flags;
};
constexpr int is_writable = 0x0400;

/// By their numbers in NumPy. `long` and `long long` both have 8 bytes.
std::optional<DataType> type_of_number(int number) noexcept {
  static_assert(sizeof(long) == 8 && sizeof(long long) == 8);
  constexpr std::array<DataType, 13> first{
      DataType::boolean, DataType::int8,    DataType::uint8,  DataType::int16,  DataType::uint16,
      DataType::int32,   DataType::uint32,  DataType::int64,  DataType::uint64, DataType::int64,
      DataType::uint64,  DataType::float32, DataType::float64};
  constexpr int half = 23;
  if (number >= 0 && number < static_cast<int>(first.size()))
    return first[static_cast<std::size_t>(number)];
  if (number == half) return DataType::float16;
  return {};
}

/// `numpy.ndarray`; null if its objects have another layout.
PyTypeObject* known_type() {
  const nb::module_ module = nb::module_::import_("numpy");
  const nb::object type = module.attr("ndarray");
  const nb::object array = module.attr("zeros")(nb::make_tuple(2, 3), "float32");
  const auto* const found = reinterpret_cast<const ArrayObject*>(array.ptr());
  const nb::object address = array.attr("__array_interface__")["data"][0];
  if (found->data != PyLong_AsVoidPtr(address.ptr()) || found->rank != 2 ||
      found->description != reinterpret_cast<Description*>(array.attr("dtype").ptr()))
    return nullptr;
  if (found->shape[0] != 2 || found->shape[1] != 3 || found->strides[0] != 12 ||
      found->strides[1] != 4 || found->description->number != 11 ||
      found->description->byte_order != '=' || (found->flags & is_writable) == 0)
    return nullptr;
  return reinterpret_cast<PyTypeObject*>(type.ptr());
}

NumPy made() {
  const nb::module_ module = nb::module_::import_("numpy");
  NumPy out{module.attr("empty"),
            module.attr("array"),
            module.attr("from_dlpack"),
            module.attr("generic"),
            {}};
  for (std::size_t i = 0; i < data_type_count; ++i) {
    const auto type = static_cast<DataType>(i);
    if (type != DataType::bfloat16)
      out.types[i] = module.attr("dtype")(std::string(to_string(type)));
  }
  return out;
}

}  // namespace

// Neither is ever destroyed: Python may have ended before.
const NumPy& numpy() {
  static const NumPy& found = *new NumPy(made());
  return found;
}

bool is_number(nb::handle given) {
  return PyFloat_Check(given.ptr()) != 0 || PyLong_Check(given.ptr()) != 0 ||
         nb::isinstance(given, numpy().generic);
}

std::optional<NumPyArray> numpy_array(nb::handle object) noexcept {
  static PyTypeObject* const type = [] {
    try {
      return known_type();
    } catch (...) {
      return static_cast<PyTypeObject*>(nullptr);
    }
  }();
  if (Py_TYPE(object.ptr()) != type) return {};
  const auto* const array = reinterpret_cast<const ArrayObject*>(object.ptr());
  const char order = array->description->byte_order;
  if (order != '=' && order != '|') return {};
  const std::optional<DataType> element = type_of_number(array->description->number);
  if (!element) return {};
  return NumPyArray{array->data,
                    *element,
                    (array->flags & is_writable) != 0,
                    {array->shape, static_cast<std::size_t>(array->rank)},
                    array->strides};
}

}  // namespace Kindred::Python
