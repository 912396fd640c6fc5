// SPDX-License-Identifier: Apache-2.0
#include "Prepared.hpp"

#include <kindred/core/common/Error.hpp>

namespace Kindred::C {

Space host_space(const Context& context, const std::optional<Space>& requested) {
  if (requested) return *requested;
  return context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
}

void TensorMemory::add(const ConstArray& array, const std::string& name) {
  if (array.size() == 0) return;
  if (array.on_device()) {
    const SpaceInfo& device = m_context.info(Space::cuda);
    if (!m_context.is_usable(Space::cuda))
      throw SpaceUnavailable(name + " is " + to_string(array) +
                             ", which cannot be used: " + device.why_not);
    if (array.device() != device.device_index)
      throw SpaceUnavailable(name + " is " + to_string(array) + "; the context uses device " +
                             std::to_string(device.device_index));
  }
  if (!m_on_device) {
    m_on_device = array.on_device();
    m_first = name;
  }
  KINDRED_C_REFUSE_IF(array.on_device() != *m_on_device,
                      name + " is " + to_string(array) + ", but " + m_first + " is " +
                          (*m_on_device ? "on the device" : "in host memory") +
                          "; all tensors of a call must be in the same memory");
}

void TensorMemory::check_stream(const std::optional<Stream>& stream) const {
  KINDRED_C_REFUSE_IF(stream && !on_device(),
                      "a stream is given, but the tensors are in host memory; a stream orders "
                      "calls on tensors on a device");
}

Space TensorMemory::space(const std::optional<Space>& requested) const {
  if (!on_device()) {
    const Space space = host_space(m_context, requested);
    KINDRED_C_REFUSE_IF(m_on_device && space == Space::cuda,
                        m_first +
                            " is in host memory, but the space cuda is requested; the tensors of a "
                            "prepared call must be in the memory of its space");
    return space;
  }
  KINDRED_C_REFUSE_IF(requested.value_or(Space::cuda) != Space::cuda,
                      m_first + " is on the device, but the space " +
                          std::string(to_string(*requested)) + " is requested");
  return Space::cuda;
}

kindred_status kindred_prepared_run(kindred_prepared* prepared) noexcept {
  return guarded([&] { object_of(prepared, "prepared").run(); });
}
kindred_status kindred_prepared_wait(kindred_prepared* prepared) noexcept {
  return guarded([&] { object_of(prepared, "prepared").wait(); });
}
kindred_status kindred_prepared_destroy(kindred_prepared* prepared) noexcept {
  return destroy_handle(prepared, "prepared");
}

}  // namespace Kindred::C
