// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/launch/StartKernel.hpp>

#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/common/Error.hpp>

#include <stdexcept>

namespace Kindred::Launch::Impl {

void rethrow_failure(const char* label) {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& error) {
    const Arch::DeviceFailure failure = Arch::device_failure_in(error.what());
    if (failure == Arch::DeviceFailure::none) throw;
    Arch::record_device_failure(error.what());
    Arch::throw_device_failure(failure, std::string(label) + ": " + error.what());
  }
}

}  // namespace Kindred::Launch::Impl
