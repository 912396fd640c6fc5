// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_TEXTS_HPP
#define KINDRED_PYTHON_TEXTS_HPP

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

// Texts of Kindred as str, and the reverse. Everything that converts them passes here: a text may
// quote any bytes, such as those of a path or a key, which are not always UTF-8.
namespace Kindred::Python {

/// \brief A str of UTF-8, in which surrogates stand for bytes that are not, as in `os.fsdecode`;
/// null if there is no memory, with the Python error set.
inline PyObject* str_of(std::string_view text) noexcept {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
}
/// \brief The reverse. Surrogates that stand for no byte are escaped as `\udXXX`, for messages.
/// \throws nanobind::python_error
inline std::string utf8_of(nanobind::handle text) {
  PyObject* encoded = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape");
  if (encoded == nullptr) {
    PyErr_Clear();
    encoded = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace");
  }
  const nanobind::object bytes = nanobind::steal(encoded);
  if (!bytes.is_valid()) throw nanobind::python_error();
  return {PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr()))};
}
/// A path as a str, as `os.fsdecode` makes it. \throws nanobind::python_error
inline nanobind::object text_of_path(std::string_view path) {
  const nanobind::object text = nanobind::steal(
      PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
  if (!text.is_valid()) throw nanobind::python_error();
  return text;
}

}  // namespace Kindred::Python

// Instead of <nanobind/stl/string.h>, whose conversion fails for other bytes.
template <>
struct nanobind::detail::type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  bool from_python(handle source, std::uint8_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    if (PyUnicode_Check(source.ptr()) == 0) return false;
    try {
      value = Kindred::Python::utf8_of(source);
    } catch (...) {
      return false;
    }
    return true;
  }
  static handle from_cpp(const std::string& text, rv_policy /*policy*/,
                         cleanup_list* /*cleanup*/) noexcept {
    return Kindred::Python::str_of(text);
  }
};

#endif  // KINDRED_PYTHON_TEXTS_HPP
