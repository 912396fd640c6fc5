// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_MACHINE_DEVICE_CALLS_HPP
#define KINDRED_PERF_MACHINE_DEVICE_CALLS_HPP

#include <kindred/backends/Context.hpp>
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Stream.hpp>

#include "machine/SpaceBuffer.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace Kindred::Perf {

/// \brief A stream on the device, for calls on arrays that lie there. Only in builds with a device.
class DeviceQueue {
 public:
  /// \throws Error in a build without a device
  DeviceQueue();
  ~DeviceQueue();
  DeviceQueue(const DeviceQueue&) = delete;
  DeviceQueue& operator=(const DeviceQueue&) = delete;

  Stream stream() const;
  void fence() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

/// An array without gaps in the memory of the device.
class DeviceArray {
 public:
  /// Uninitialised elements.
  template <class T>
  static DeviceArray of(Context& context, std::vector<std::int64_t> shape) {
    std::size_t size = sizeof(T);
    for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
    return DeviceArray(SpaceBuffer(context, Space::cuda, size), data_type_of<T>, std::move(shape));
  }
  /// A copy of \p values, which has as many elements as \p shape.
  template <class T>
  static DeviceArray of(Context& context, std::vector<std::int64_t> shape,
                        std::span<const T> values) {
    return DeviceArray(SpaceBuffer(context, Space::cuda, std::as_bytes(values)), data_type_of<T>,
                       std::move(shape));
  }

  Array array() const {
    return {m_buffer.bytes().data(), m_type, m_shape, {}, ArrayMemory::device, 0};
  }
  /// Copies the elements to the host. Fences.
  template <class T>
  std::vector<T> values() const {
    std::vector<T> out(m_buffer.bytes().size() / sizeof(T));
    m_buffer.download(std::as_writable_bytes(std::span(out)));
    return out;
  }

 private:
  DeviceArray(SpaceBuffer buffer, DataType type, std::vector<std::int64_t> shape)
      : m_buffer(std::move(buffer)), m_type(type), m_shape(std::move(shape)) {}
  SpaceBuffer m_buffer;
  DataType m_type;
  std::vector<std::int64_t> m_shape;
};

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_MACHINE_DEVICE_CALLS_HPP
