// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_DEVICE_TENSOR_HPP
#define KINDRED_TESTS_C_DEVICE_TENSOR_HPP

#include <DeviceCopy.hpp>
#include <Support.hpp>

#include "../CSupport.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace Kindred::Testing {

/// A tensor on the device, with a copy of \p values.
template <class T>
class DeviceTensor {
 public:
  /// \param shape of one or two dimensions
  DeviceTensor(const std::vector<T>& values, std::uint32_t type, std::vector<std::int64_t> shape)
      : m_copy(context(), values), m_shape(std::move(shape)) {
    const Kindred::Array array = m_copy.array(data_type_of<T>, m_shape);
    m_tensor = kindred_tensor(array.data(), type, static_cast<std::int32_t>(m_shape.size()),
                              m_shape.data());
    m_tensor.device.device_type = kDLCUDA;
    m_tensor.device.device_id = array.device();
  }
  DLTensor* operator&() { return &m_tensor; }  // NOLINT(google-runtime-operator): as a pointer of C
  std::vector<T> values() const { return m_copy.values(); }

 private:
  DeviceCopy<T> m_copy;
  std::vector<std::int64_t> m_shape;
  DLTensor m_tensor{};
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_C_DEVICE_TENSOR_HPP
