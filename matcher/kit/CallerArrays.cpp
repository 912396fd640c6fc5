// SPDX-License-Identifier: Apache-2.0
#include "kit/CallerArrays.hpp"

#include "kit/Overlap.hpp"

#include <kindred/backends/impl/Device.hpp>
#include <kindred/core/common/Alignment.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>

#include <algorithm>
#include <string>

namespace Kindred::Impl {

void require_aligned(std::string_view name, const void* data, std::size_t bytes) {
  KINDRED_THROW_IF(
      !begin_at(bytes, data),
      std::string(name) + " is not aligned to its elements of " + std::to_string(bytes) + " bytes");
}

void require_memory(std::string_view name, const void* data, Space space) {
  KINDRED_THROW_IF(
      space == Space::cuda && !device_reaches(data),
      std::string(name) + " is not in device memory; copy it there or run on the host");
  KINDRED_THROW_IF(space != Space::cuda && is_on_device_only(data),
                   std::string(name) + " is in device memory; run on cuda or copy it to the host");
}

std::string text_of(std::initializer_list<DataType> types) {
  std::string text;
  for (const DataType type : types)
    text += (text.empty() ? "" : " or ") + std::string(to_string(type));
  return text;
}

void require_array(const NamedArray& given, DataType type,
                   std::initializer_list<std::int64_t> shape) {
  const ConstArray& array = given.array;
  const auto fits = [](std::int64_t extent, std::int64_t required) {
    return required == any_extent || extent == required;
  };
  const auto required_text = [&] {
    std::string text;
    for (const std::int64_t extent : shape)
      text += (text.empty() ? "" : ", ") +
              (extent == any_extent ? std::string("any") : std::to_string(extent));
    return std::string(to_string(type)) + " [" + text + "]";
  };
  KINDRED_THROW_IF(
      array.type() != type || !std::ranges::equal(array.shape(), shape, fits),
      std::string(given.name) + " is " + to_string(array) + "; it must be " + required_text());
  const bool has_gaps = array.rank() > 0 && array.size() > 0 &&
                        array.extent(array.rank() - 1) > 1 && array.stride(array.rank() - 1) != 1;
  KINDRED_THROW_IF(has_gaps, std::string(given.name) + " is " + to_string(array) +
                                 "; the elements of its last dimension must be consecutive");
  if (array.size() > 0) require_aligned(given.name, array.data(), size_of(type));
}

void require_no_stream(const std::optional<Stream>& stream, std::string_view what) {
  KINDRED_THROW_IF(stream.has_value(), "a stream is given, and " + std::string(what) +
                                           " lie in host memory; a stream orders calls on arrays "
                                           "on its device");
}

void require_no_stream(const std::optional<Stream>& stream, Space space) {
  KINDRED_THROW_IF(stream && space != Space::cuda,
                   "a stream is given, and the requested space is " +
                       std::string(to_string(space)) + "; a stream orders calls on cuda");
}

void require_host(const NamedArray& given) {
  KINDRED_THROW_IF(given.array.on_device() && given.array.size() > 0,
                   std::string(given.name) + " is " + to_string(given.array) +
                       "; this call takes arrays in host memory: copy it");
}

std::span<const std::uint64_t> host_offsets(const NamedArray& given) {
  require_host(given);
  require_array(given, DataType::int64, {any_extent});
  const auto offsets = given.array.host_values<std::int64_t>();
  const auto negative =
      std::find_if(offsets.begin(), offsets.end(), [](std::int64_t offset) { return offset < 0; });
  KINDRED_THROW_IF(negative != offsets.end(),
                   std::string(given.name) + "[" + std::to_string(negative - offsets.begin()) +
                       "] is " + std::to_string(*negative) + "; it must not be negative");
  // The unsigned type may alias its signed one.
  return {reinterpret_cast<const std::uint64_t*>(offsets.data()), offsets.size()};
}

std::uint64_t row_stride(const NamedArray& given) {
  const ConstArray& array = given.array;
  if (array.rank() < 2 || array.extent(0) <= 1)
    return static_cast<std::uint64_t>(array.extent(array.rank() - 1));
  KINDRED_THROW_IF(array.stride(0) < array.extent(1),
                   std::string(given.name) + " is " + to_string(array) +
                       "; its rows must follow one another without overlap");
  return static_cast<std::uint64_t>(array.stride(0));
}

std::uint64_t checked_bytes(const NamedArray& given) {
  const ConstArray& array = given.array;
  const std::size_t size = size_of(array.type());
  const auto bytes = array.rank() == 2 ? checked_extent(static_cast<std::uint64_t>(array.extent(0)),
                                                        static_cast<std::uint64_t>(array.extent(1)),
                                                        row_stride(given), size)
                                       : checked_product({array.size(), size});
  KINDRED_THROW_IF(!bytes, std::string(given.name) + " is " + to_string(array) +
                               ", which exceeds 64 bits; use smaller arrays");
  return *bytes;
}

void require_apart(const NamedArray& read, const NamedArray& written) {
  KINDRED_THROW_IF(overlap(ByteRange(read.array), ByteRange(written.array)),
                   std::string(read.name) + " and " + written.name +
                       " overlap; the results need memory of their own");
}

std::optional<Space> space_of(const Context& context, std::span<const NamedArray> arrays) {
  const NamedArray* device = nullptr;
  const NamedArray* host = nullptr;
  for (const NamedArray& given : arrays) {
    if (given.array.size() == 0) continue;
    const NamedArray*& first = given.array.on_device() ? device : host;
    if (first == nullptr) first = &given;
  }
  if (device == nullptr && host == nullptr) {
    // Nothing is read or written; a stream of the device may be given all the same.
    for (const NamedArray& given : arrays)
      if (given.array.on_device()) device = &given;
  }
  if (device == nullptr) return {};
  KINDRED_THROW_IF(host != nullptr, std::string(device->name) + " lies on a device and " +
                                        host->name +
                                        " does not; give all arrays of a call in the same memory");
  const SpaceInfo& info = context.info(Space::cuda);
  if (!info.usable) {
    throw SpaceUnavailable(std::string(device->name) +
                           " lies on a device, and space cuda cannot be used: " + info.why_not);
  }
  for (const NamedArray& given : arrays) {
    if (given.array.size() == 0 || given.array.device() == info.device_index) continue;
    throw SpaceUnavailable(std::string(given.name) + " lies on device " +
                           std::to_string(given.array.device()) + ", and the context uses device " +
                           std::to_string(info.device_index) +
                           "; use a context of that device, or copy the array");
  }
  return Space::cuda;
}

}  // namespace Kindred::Impl
