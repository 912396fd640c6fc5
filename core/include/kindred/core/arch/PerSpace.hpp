// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_PER_SPACE_HPP
#define KINDRED_CORE_ARCH_PER_SPACE_HPP

#include <kindred/core/arch/Spaces.hpp>

namespace Kindred::Arch {

/// Holds one `T<ExecutionSpace>` for every space type of this build.
template <template <class> class T>
class PerSpace {
 public:
  template <class ExecutionSpace>
  T<ExecutionSpace>& get() {
    return static_cast<Slot<ExecutionSpace>&>(m_slots).value;
  }
  template <class ExecutionSpace>
  const T<ExecutionSpace>& get() const {
    return static_cast<const Slot<ExecutionSpace>&>(m_slots).value;
  }

 private:
  template <class ExecutionSpace>
  struct Slot {
    T<ExecutionSpace> value;
  };
#if KINDRED_HAS_DEVICE
  struct Slots : Slot<HostSpace>, Slot<DeviceSpace> {};
#else
  struct Slots : Slot<HostSpace> {};
#endif
  Slots m_slots;
};

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_PER_SPACE_HPP
