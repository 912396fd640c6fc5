// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_DEVICE_TENSOR_HPP
#define KINDRED_TESTS_C_DEVICE_TENSOR_HPP

#include <DeviceCopy.hpp>
#include <Support.hpp>

#include "../CSupport.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

/// Calls on tensors in host memory, and the same on a device.
namespace Kindred::Testing {

/// A tensor on the device, with a copy of \p values.
template <class T>
class DeviceTensor {
 public:
  DeviceTensor(const std::vector<T>& values, std::vector<std::int64_t> shape)
      : m_copy(context(), values), m_shape(std::move(shape)) {
    const Kindred::Array array = m_copy.array(data_type_of<T>, m_shape);
    m_tensor = kindred_tensor(array.data(), type_of<T>(), static_cast<std::int32_t>(m_shape.size()),
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

/// Where the tensors of a call lie, and the stream that orders it.
struct Place {
  bool on_device = false;
  std::int32_t has_stream = 0;
  void* stream = nullptr;

  /// Sets the stream in options of a call.
  template <class Options>
  Options set(Options options) const {
    options.has_stream = has_stream;
    options.stream = stream;
    return options;
  }
};

/// A tensor that a call of a test uses in either memory.
class AnyTensor {
 public:
  virtual ~AnyTensor() = default;
  virtual void clear() = 0;        ///< what a call writes on the device
  virtual void expect_same() = 0;  ///< of the numbers on the device and on the host
};

template <class T>
class TwoTensors : public AnyTensor {
 public:
  TwoTensors(std::vector<T> values, std::vector<std::int64_t> shape)
      : m_shape(std::move(shape)), m_values(std::move(values)) {
    m_host = kindred_tensor(m_values.data(), type_of<T>(),
                            static_cast<std::int32_t>(m_shape.size()), m_shape.data());
    if (context().is_usable(Space::cuda))
      m_device = std::make_unique<DeviceTensor<T>>(m_values, m_shape);
  }
  /// Zeros.
  explicit TwoTensors(std::vector<std::int64_t> shape)
      : TwoTensors(std::vector<T>(size_of(shape)), shape) {}
  /// The tensor of a call.
  DLTensor* at(const Place& place) { return place.on_device ? &*m_device : &m_host; }
  void clear() override {
    m_device = std::make_unique<DeviceTensor<T>>(std::vector<T>(m_values.size(), T(7)), m_shape);
  }
  void expect_same() override { EXPECT_EQ(m_device->values(), m_values); }
  const std::vector<T>& values() const { return m_values; }

 private:
  static std::size_t size_of(const std::vector<std::int64_t>& shape) {
    std::size_t out = 1;
    for (const std::int64_t extent : shape) out *= static_cast<std::size_t>(extent);
    return out;
  }
  std::vector<std::int64_t> m_shape;
  std::vector<T> m_values;
  DLTensor m_host{};
  std::unique_ptr<DeviceTensor<T>> m_device;
};

/// The stream of the tests. Objects that use it must not outlive it.
inline const DeviceStream& own_stream() {
  static const DeviceStream& stream = *new DeviceStream(context());
  return stream;
}

/// Waits for all work on the device, also that of contexts made by C.
inline void wait_for_device() { Kokkos::fence("Kindred::Testing::wait"); }

/// \brief Runs \p call on the host, and on the device without and with a stream: its \p outputs are
/// the same.
template <class Call>
void expect_same_on_device(std::initializer_list<AnyTensor*> outputs, const Call& call) {
  call(Place());
  for (const bool has_stream : {false, true}) {
    SCOPED_TRACE(has_stream);
    for (AnyTensor* const output : outputs) output->clear();
    call(Place{true, has_stream ? 1 : 0, has_stream ? own_stream().stream().handle() : nullptr});
    wait_for_device();  // a workspace is freed after the call that uses it
    for (AnyTensor* const output : outputs) output->expect_same();
  }
}

/// Tests that need a device.
class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!context().is_usable(Space::cuda)) GTEST_SKIP() << "no device";
  }
};

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_C_DEVICE_TENSOR_HPP
