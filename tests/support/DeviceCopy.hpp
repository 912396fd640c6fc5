// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_DEVICE_COPY_HPP
#define KINDRED_TESTS_SUPPORT_DEVICE_COPY_HPP

#include "ToSpace.hpp"

#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/Stream.hpp>

namespace Kindred::Testing {

/// Calls \p body with the execution-space instance of the device.
template <class Body>
void on_device(const Context& context, const Body& body) {
  Impl::with_instance(context, Space::cuda, [&](const auto& exec_space) { body(exec_space); });
}

/// \brief A copy of an array of a caller in the memory of the device. Needs `Space::cuda`.
template <class T>
class DeviceCopy {
 public:
  DeviceCopy(const Context& context, const std::vector<T>& values)
      : m_context(context), m_size(values.size()) {
    on_device(context, [&](const auto& exec_space) {
      using space = typename std::decay_t<decltype(exec_space)>::memory_space;
      const std::size_t bytes = std::max<std::size_t>(1, m_size * sizeof(T));
      m_data = Kokkos::kokkos_malloc<space>("Kindred::Testing::device", bytes);
      Arch::start_copy(exec_space, "Kindred::Testing::upload", m_data, values.data(),
                       m_size * sizeof(T));
      Arch::fence(exec_space, "Kindred::Testing::upload");
    });
  }
  ~DeviceCopy() {
    on_device(m_context, [&](const auto& exec_space) {
      using space = typename std::decay_t<decltype(exec_space)>::memory_space;
      Kokkos::kokkos_free<space>(m_data);
    });
  }
  DeviceCopy(const DeviceCopy&) = delete;
  DeviceCopy& operator=(const DeviceCopy&) = delete;

  /// \param begin first element
  Kindred::Array array(DataType type, std::span<const std::int64_t> shape,
                       std::span<const std::int64_t> strides = {}, std::size_t begin = 0) const {
    return {static_cast<T*>(m_data) + begin,         type, shape, strides, ArrayMemory::device,
            m_context.info(Space::cuda).device_index};
  }
  std::vector<T> values() const {
    std::vector<T> out(m_size);
    on_device(m_context, [&](const auto& exec_space) {
      Arch::start_copy(exec_space, "Kindred::Testing::download", out.data(), m_data,
                       m_size * sizeof(T));
      Arch::fence(exec_space, "Kindred::Testing::download");
    });
    return out;
  }

 private:
  const Context& m_context;
  std::size_t m_size;
  void* m_data = nullptr;
};

/// A stream of a caller. Needs `Space::cuda`.
class DeviceStream {
 public:
  explicit DeviceStream(const Context& context) {
    on_device(context, [&](const auto& exec_space) {
      using execution_space = std::decay_t<decltype(exec_space)>;
      if constexpr (Arch::is_device<execution_space>) {
        const auto own = std::make_shared<execution_space>(Impl::instance_beside(exec_space));
        m_handle = own->cuda_stream();
        m_wait = [own] { Arch::fence(*own, "Kindred::Testing::wait"); };
      }
    });
  }
  Stream stream() const { return Stream::cuda(m_handle); }
  void wait() const { m_wait(); }

 private:
  void* m_handle = nullptr;
  std::function<void()> m_wait;
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_DEVICE_COPY_HPP
