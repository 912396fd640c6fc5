// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_VENDOR_LIBRARIES_HPP
#define KINDRED_BACKENDS_VENDOR_LIBRARIES_HPP

#include <kindred/core/common/Public.hpp>

#include <string>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// A library that Kindred can use for matrix products.
struct VendorLibrary {
  std::string name;
  std::string version;  ///< the one loaded into the process; empty if the library cannot be used
  std::string space;    ///< `host` or `cuda`
  /// The types of elements that are multiplied by this library here: `bfloat16`, `float32`, …
  std::vector<std::string> used_for;
  std::string why_not;  ///< the reason why the library is not used; empty if it can be
};

/// \brief The libraries for matrix products on the host and on a device, with what each is used for
/// on this machine, and why it is not.
///
/// Kindred's own product is one of them. It is used where no other library can be, and computes the
/// same result within the documented bounds. Thread-safe.
std::vector<VendorLibrary> vendor_libraries();

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_VENDOR_LIBRARIES_HPP
