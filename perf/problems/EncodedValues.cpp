// SPDX-License-Identifier: Apache-2.0
#include "problems/EncodedValues.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

namespace Kindred::Perf {

std::vector<std::byte> encoded(DataType element, std::span<const float> values) {
  std::vector<std::byte> bytes(values.size() * size_of(element));
  if (element == DataType::float32) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(values[i]);
    const auto half = static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U);
    std::memcpy(bytes.data() + 2 * i, &half, 2);
  }
  return bytes;
}

float decoded(DataType element, std::span<const std::byte> bytes, std::size_t i) {
  if (element == DataType::float32) {
    float value = 0;
    std::memcpy(&value, bytes.data() + 4 * i, 4);
    return value;
  }
  std::uint16_t half = 0;
  std::memcpy(&half, bytes.data() + 2 * i, 2);
  return std::bit_cast<float>(static_cast<std::uint32_t>(half) << 16U);
}

std::vector<float> decoded(DataType element, std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / size_of(element));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = decoded(element, bytes, i);
  return values;
}

}  // namespace Kindred::Perf
