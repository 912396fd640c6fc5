// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_VENDOR_LIBRARIES_HPP
#define KINDRED_BACKENDS_VENDOR_LIBRARIES_HPP

#include <kindred/core/common/Public.hpp>

#include <string>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// A library that Kindred uses for matrix products.
struct VendorLibrary {
  std::string name;
  std::string version;
  std::string space;  ///< `host` or `cuda`
};

/// \brief The libraries that this build is linked with, in the versions loaded into the process.
///
/// Where none of them can be used, Kindred's own matrix product computes the same result within the
/// documented bounds. Thread-safe.
std::vector<VendorLibrary> vendor_libraries();

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_VENDOR_LIBRARIES_HPP
