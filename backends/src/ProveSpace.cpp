// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/impl/HostInstance.hpp>
#include <kindred/backends/impl/ProveSpace.hpp>
#include <kindred/backends/impl/StartThreads.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/launch/CurrentDevice.hpp>
#include <kindred/core/arch/launch/DeviceStatus.hpp>
#include <kindred/core/arch/launch/SpaceProof.hpp>

#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string_view>

namespace Kindred::Impl {

namespace {

Arch::ProofFault fault_of(Space space) {
  const char* const text = std::getenv("KINDRED_TEST_FAULT");
  if (text == nullptr) return Arch::ProofFault::none;
  const std::string start = std::string(to_string(space)) + ':';
  std::string_view fault = text;
  if (!fault.starts_with(start)) return Arch::ProofFault::none;
  fault.remove_prefix(start.size());
  return Arch::proof_fault(fault).value_or(Arch::ProofFault::none);
}

template <class ExecutionSpace>
std::string why_fails(const ExecutionSpace& exec_space, Space space) {
  const std::string wrong = Arch::why_results_are_wrong(exec_space, fault_of(space));
  if (wrong.empty()) return {};
  return "it computes wrong results (" + wrong +
         "); its Kokkos does not fit the compiler or the device: build Kokkos again with the "
         "options of docs/guide/install.md, and Kindred with it";
}

}  // namespace

std::string why_space_fails(const SpaceInfo& info) {
  const Space space = info.space;
  try {
#if KINDRED_HAS_DEVICE
    if (space == Space::cuda) {
      const Arch::CurrentDevice current(info.device_index);
      // Kokkos aborts when it destroys a stream of a lost device.
      const auto release = [](DeviceSpace* exec_space) {
        if (!Arch::device_is_lost()) delete exec_space;
      };
      const std::unique_ptr<DeviceSpace, decltype(release)> exec_space(
          new DeviceSpace(Arch::new_device_instance(info.device_index)), release);
      return why_fails(*exec_space, space);
    }
#endif
    // The kernels of both host spaces are the same code. The threads of `openmp` start with the
    // first call that uses them.
    if (space == Space::openmp) {
      std::string why_not = why_threads_cannot_start(info.concurrency);
      if (!why_not.empty()) return why_not;
    }
    const HostInstance one_thread(1);
    return why_fails(one_thread.get(), space);
  } catch (const std::bad_alloc&) {
    throw;  // the host has no memory, which says nothing about the space
  } catch (const std::exception& error) {
    if (info.space != Space::cuda &&
        Arch::device_failure_in(error.what()) == Arch::DeviceFailure::memory)
      throw std::bad_alloc();  // likewise, from Kokkos
    Arch::record_device_failure(error.what());
    return std::string("a small kernel failed on it: ") + error.what();
  }
}

}  // namespace Kindred::Impl
