// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_C_DEVICE_TENSOR_HPP
#define KINDRED_TESTS_C_DEVICE_TENSOR_HPP

#include <DeviceCopy.hpp>
#include <Support.hpp>

#include "../CSupport.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

/// Calls on tensors in host memory, and the same on a device.
namespace Kindred::Testing {

/// A copy of a tensor on the device.
template <class T>
struct DeviceTensor {
  explicit DeviceTensor(const Numbers<T>& of)
      : copy(context(), of.values), tensor(of.tensor.tensor) {
    const Kindred::Array array =
        copy.array(data_type_of<T>, {tensor.shape, static_cast<std::size_t>(tensor.ndim)});
    tensor.data = array.data();
    tensor.device.device_type = kDLCUDA;
    tensor.device.device_id = array.device();
  }
  DeviceCopy<T> copy;
  DLTensor tensor;
};

/// The stream of the tests. Objects that use it must not outlive it.
inline const DeviceStream& own_stream() {
  static const DeviceStream& stream = *new DeviceStream(context());
  return stream;
}

/// Where the tensors of a call lie, and the stream that orders it.
class Place {
 public:
  explicit Place(bool is_on_device = false, bool is_on_stream = false)
      : on_device(is_on_device), has_stream(is_on_stream) {}

  /// The tensor of a call: one of a test, or its copy on the device.
  template <class T>
  DLTensor* operator()(Numbers<T>& tensor) {
    if (!on_device) return &tensor;
    auto& copy = m_copies[&tensor];
    if (copy == nullptr) {
      const auto made = std::make_shared<DeviceTensor<T>>(tensor);
      m_downloads.push_back(
          [made, &tensor] { std::ranges::copy(made->copy.values(), tensor.values.begin()); });
      copy = {made, &made->tensor};
    }
    return copy.get();
  }
  /// Copies the tensors on the device to those of the test.
  void download() const {
    for (const auto& one : m_downloads) one();
  }
  /// Sets the stream in options of a call.
  template <class Options>
  Options set(Options options) const {
    options.has_stream = has_stream ? 1 : 0;
    options.stream = has_stream ? own_stream().stream().handle() : nullptr;
    return options;
  }
  const bool on_device;
  const bool has_stream;

 private:
  std::map<const void*, std::shared_ptr<DLTensor>> m_copies;
  std::vector<std::function<void()>> m_downloads;
};

/// Waits for all work on the device, also that of contexts made by C.
inline void wait_for_device() { Kokkos::fence("Kindred::Testing::wait"); }

/// \brief Runs `call(place)` on the host, and on the device without and with a stream: what it
/// writes to tensors is the same.
template <class Call, class... T>
void expect_same_on_device(const std::tuple<Numbers<T>&...>& tensors, const Call& call) {
  Place host;
  call(host);
  const auto values = [&] {
    return std::apply([](auto&... outputs) { return std::tuple(outputs.values...); }, tensors);
  };
  const auto expected = values();
  for (const bool has_stream : {false, true}) {
    SCOPED_TRACE(has_stream);
    // What a call must write.
    std::apply([](auto&... outputs) { (std::ranges::fill(outputs.values, 7), ...); }, tensors);
    Place device(true, has_stream);
    call(device);
    wait_for_device();  // a workspace is freed after the call that uses it
    device.download();
    EXPECT_TRUE(values() == expected);
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
