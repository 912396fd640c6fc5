// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_NUMPY_HPP
#define KINDRED_PYTHON_NUMPY_HPP

#include <kindred/core/common/Array.hpp>

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

// NumPy, which is imported by the package before the extension is used.
namespace Kindred::Python {

/// Functions and element types of NumPy.
struct NumPy {
  nanobind::object empty;
  nanobind::object array;
  nanobind::object from_dlpack;
  nanobind::object generic;                             // the type of scalars
  std::array<nanobind::object, data_type_count> types;  // bfloat16 is not one of them
};
const NumPy& numpy();
/// Whether \p given is a float, an int or a scalar of NumPy.
bool is_number(nanobind::handle given);

/// What the object of an array of NumPy says of it.
struct NumPyArray {
  void* data;
  DataType type;
  bool writable;
  std::span<const Py_ssize_t> shape;
  const Py_ssize_t* strides;  ///< bytes
};

/// \brief Reads the object of an array of exactly the type `numpy.ndarray`, of an element type of
/// Kindred in the byte order of the machine; none for any other object.
///
/// The layout of these objects is a part of the binary interface of NumPy that has been the same
/// since 1.7. It is compared with an array whose values are known, once; if it is another one, the
/// answer is always none, and arrays are read by the buffer protocol, which takes a microsecond
/// longer.
std::optional<NumPyArray> numpy_array(nanobind::handle object) noexcept;

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_NUMPY_HPP
