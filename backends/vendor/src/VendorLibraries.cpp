// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/VendorLibraries.hpp>

#include <kindred/backends/vendor/DeviceGemm.hpp>
#include <kindred/backends/vendor/HostGemm.hpp>

namespace Kindred {

std::vector<VendorLibrary> vendor_libraries() {
  std::vector<VendorLibrary> libraries = Impl::host_gemm_libraries();
  if (auto device = Impl::device_gemm_library()) libraries.push_back(*std::move(device));
  return libraries;
}

}  // namespace Kindred
