// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/Array.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>

#include <cstdint>
#include <limits>

namespace KINDRED_PUBLIC Kindred {

std::string_view to_string(DataType type) noexcept {
  constexpr std::array<std::string_view, data_type_count> names{
      "float32", "float16", "bfloat16", "int8",   "int16",   "int32", "int64",
      "uint8",   "uint16",  "uint32",   "uint64", "float64", "bool"};
  const auto number = static_cast<std::size_t>(type);
  return number < data_type_count ? names[number] : "no type";
}

namespace {

std::string shown(std::span<const std::int64_t> extents) {
  std::string text = "[";
  for (const std::int64_t extent : extents)
    text += (text.size() == 1 ? "" : ", ") + std::to_string(extent);
  return text + "]";
}

}  // namespace

template <class Void>
BasicArray<Void>::BasicArray(Void* data, DataType type, std::span<const std::int64_t> shape,
                             std::span<const std::int64_t> strides, ArrayMemory memory, int device)
    : m_data(data),
      m_type(type),
      m_memory(memory),
      m_device(memory == ArrayMemory::host ? 0 : device),
      m_rank(shape.size()) {
  KINDRED_THROW_IF(shape.size() > rank_max, "an array has " + std::to_string(shape.size()) +
                                                " dimensions; at most 4 are supported");
  KINDRED_THROW_IF(!strides.empty() && strides.size() != shape.size(),
                   "an array of " + std::to_string(shape.size()) + " dimensions has " +
                       std::to_string(strides.size()) + " strides; give one per dimension");
  KINDRED_THROW_IF(device < 0, "the device of an array is " + std::to_string(device) +
                                   "; devices are counted from 0");
  std::array<std::uint64_t, rank_max + 1> sizes{};
  sizes[0] = size_of(type);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    KINDRED_THROW_IF(shape[i] < 0,
                     "an array has the shape " + shown(shape) + "; no extent may be negative");
    m_shape[i] = shape[i];
    sizes[i + 1] = static_cast<std::uint64_t>(shape[i]);
  }
  const auto bytes = checked_product(std::span(sizes).first(shape.size() + 1));
  KINDRED_THROW_IF(
      !bytes || *bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()),
      "an array of the shape " + shown(shape) + " exceeds 63 bits; use smaller sizes");
  KINDRED_THROW_IF(data == nullptr && *bytes > 0,
                   "an array of the shape " + shown(shape) + " has no data: its pointer is null");
  std::int64_t gapless = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    m_strides[i] = strides.empty() ? gapless : strides[i];
    // Without elements, no stride is used.
    gapless = *bytes == 0 ? 1 : gapless * shape[i];
  }
}

template <class Void>
std::uint64_t BasicArray<Void>::size() const noexcept {
  std::uint64_t product = 1;
  for (std::size_t i = 0; i < m_rank; ++i) product *= static_cast<std::uint64_t>(m_shape[i]);
  return product;
}

template <class Void>
bool BasicArray<Void>::is_contiguous() const noexcept {
  if (size() <= 1) return true;
  std::int64_t gapless = 1;
  for (std::size_t i = m_rank; i-- > 0;) {
    if (m_shape[i] != 1 && m_strides[i] != gapless) return false;
    gapless *= m_shape[i];
  }
  return true;
}

template <class Void>
void BasicArray<Void>::require_host_values(DataType type) const {
  KINDRED_THROW_IF(on_device() || m_type != type || !is_contiguous(),
                   "an array is " + to_string(ConstArray(*this)) + "; contiguous " +
                       std::string(to_string(type)) + " in host memory is required");
}

template class BasicArray<void>;
template class BasicArray<const void>;

std::string to_string(const ConstArray& array) {
  std::string text = std::string(to_string(array.type())) + " " + shown(array.shape());
  if (!array.is_contiguous()) {
    BasicArray<const void>::extents_type strides{};
    for (std::size_t i = 0; i < array.rank(); ++i) strides[i] = array.stride(i);
    text += " with the strides " + shown(std::span(strides).first(array.rank()));
  }
  if (array.on_device()) text += " on device " + std::to_string(array.device());
  return text;
}

void Impl::require_elements(const ConstArray& array, std::size_t count) {
  KINDRED_THROW_IF(array.size() > count, "a matrix " + shown(array.shape()) + " of " +
                                             std::to_string(count) +
                                             " values; give one per element");
}

}  // namespace Kindred
