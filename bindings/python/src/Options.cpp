// SPDX-License-Identifier: Apache-2.0
#include "Options.hpp"

#include "Errors.hpp"
#include "Texts.hpp"

#include <limits>
#include <string>

namespace nb = nanobind;

namespace Kindred::Python {

std::size_t choice_of(nb::handle given, const char* option,
                      std::span<const std::string_view> names) {
  const bool is_str = PyUnicode_Check(given.ptr()) != 0;
  for (std::size_t i = 0; is_str && i < names.size(); ++i)
    if (PyUnicode_CompareWithASCIIString(given.ptr(), names[i].data()) == 0) return i;
  std::string allowed = "; it must be '" + std::string(names[0]);
  for (std::size_t i = 1; i < names.size(); ++i)
    allowed += (i + 1 == names.size() ? "' or '" : "', '") + std::string(names[i]);
  allowed += "'";
  if (!is_str) refuse_type(std::string(option) + " is of type " + type_text(given) + allowed);
  refuse(std::string(option) + " is '" + utf8_of(given) + "'" + allowed);
}

Metric metric_of(nb::handle given) {
  static constexpr std::array<Choice<Metric>, 3> choices{
      {{"cosine", Metric::cosine}, {"ip", Metric::ip}, {"l2", Metric::l2}}};
  return value_of(given, "metric", choices);
}

Residency residency_of(nb::handle given) {
  static constexpr std::array<Choice<Residency>, 4> choices{{{"automatic", Residency::automatic},
                                                             {"host", Residency::host},
                                                             {"both", Residency::both},
                                                             {"device", Residency::device}}};
  return value_of(given, "residency", choices);
}

std::optional<Space> space_of(nb::handle given) {
  static constexpr std::array<Choice<Space>, 3> choices{
      {{"serial", Space::serial}, {"openmp", Space::openmp}, {"cuda", Space::cuda}}};
  if (given.is_none()) return {};
  return value_of(given, "space", choices);
}

std::int64_t integer_of(nb::handle given, const char* option, std::int64_t lowest) {
  const nb::object index = nb::steal(PyNumber_Index(given.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    refuse_type(std::string(option) + " is of type " + type_text(given) + "; it must be an int");
  }
  const long long value = PyLong_AsLongLong(index.ptr());
  const bool overflows = value == -1 && PyErr_Occurred() != nullptr;
  if (overflows) PyErr_Clear();
  if (overflows || value < lowest)
    refuse(std::string(option) + " is " + nb::cast<std::string>(nb::str(index)) +
           "; it must be from " + std::to_string(lowest) + " to 2⁶³ − 1");
  return value;
}

bool flag_of(nb::handle given, const char* option) {
  if (PyBool_Check(given.ptr()) == 0)
    refuse_type(std::string(option) + " is of type " + type_text(given) +
                "; it must be True or False");
  return given.ptr() == Py_True;
}

double number_of(nb::handle given, const char* option) {
  const double value = PyFloat_AsDouble(given.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse_type(std::string(option) + " is of type " + type_text(given) + "; it must be a number");
  }
  return value;
}

std::string path_of(nb::handle given, const char* option) {
  PyObject* bytes = nullptr;
  if (PyUnicode_FSConverter(given.ptr(), &bytes) == 0) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0 &&
        PyErr_ExceptionMatches(PyExc_ValueError) == 0)
      throw nb::python_error();  // of `__fspath__`
    PyErr_Clear();
    refuse_type(std::string(option) + " is of type " + type_text(given) +
                "; it must be a path without null characters: str, bytes or os.PathLike");
  }
  const nb::object owned = nb::steal(bytes);
  return {PyBytes_AsString(owned.ptr()), static_cast<std::size_t>(PyBytes_Size(owned.ptr()))};
}

}  // namespace Kindred::Python
