// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_ERRORS_HPP
#define KINDRED_PYTHON_ERRORS_HPP

#include <nanobind/nanobind.h>

#include <string>

namespace Kindred::Python {

/// \brief An argument of a wrong type, or an array of a wrong element type:
/// `pykindred.InvalidType`. Everything else that a call refuses is a `Kindred::InvalidArgument`.
struct InvalidType {
  std::string message;
};

/// \throws InvalidType
[[noreturn]] void refuse_type(std::string message);
/// \throws Kindred::InvalidArgument
[[noreturn]] void refuse(const std::string& message);

/// The name of the type of \p object, for messages.
std::string type_text(nanobind::handle object);

/// Whether \p object is a str or bytes.
bool is_text(nanobind::handle object);
/// Whether \p object can be iterated, and is not a single text.
bool is_collection(nanobind::handle object);

/// Exceptions of C++ become those of `pykindred.errors`. Called once, when the module is made.
void register_errors();

}  // namespace Kindred::Python

#endif  // KINDRED_PYTHON_ERRORS_HPP
