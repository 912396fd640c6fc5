// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/VendorLibraries.hpp>

#include <kindred/backends/vendor/DeviceGemm.hpp>
#include <kindred/backends/vendor/HostGemm.hpp>

#include <utility>

namespace KINDRED_PUBLIC Kindred {

std::vector<VendorLibrary> vendor_libraries() {
  std::vector<VendorLibrary> libraries = Impl::host_gemm_libraries();
  for (VendorLibrary& library : Impl::device_gemm_libraries())
    libraries.push_back(std::move(library));
  return libraries;
}

}  // namespace Kindred
