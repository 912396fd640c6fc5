// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_VENDOR_LIBRARIES_HPP
#define KINDRED_BACKENDS_VENDOR_LIBRARIES_HPP

#include <string>
#include <vector>

namespace Kindred {

/// A library that multiplies matrices for Kindred.
struct VendorLibrary {
  std::string name;
  std::string version;
  std::string space;  ///< `host` or `cuda`
};

/// \brief Those that this build is linked with, in the version that the process has loaded.
///
/// Where none can be used, Kindred's own product computes the same within the stated bounds.
/// Thread-safe.
std::vector<VendorLibrary> vendor_libraries();

}  // namespace Kindred

#endif  // KINDRED_BACKENDS_VENDOR_LIBRARIES_HPP
