// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/VectorArray.hpp>

#include <kindred/core/arch/Elements.hpp>
#include <kindred/core/common/CheckedSize.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "VectorSections.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

namespace KINDRED_PUBLIC Kindred {

namespace {

constexpr std::uint32_t magnitude_mask = 0x7FFFFFFFU;
constexpr std::uint32_t infinity_bits = 0x7F800000U;
constexpr float int8_max = 127.0F;

/// \p value as an IEEE binary16 number; infinity if it is beyond the range.
std::uint16_t to_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16U) & 0x8000U;
  const std::uint32_t magnitude = bits & magnitude_mask;
  std::uint32_t half = 0;
  if (magnitude > infinity_bits) {
    half = 0x7E00U;
  } else if (magnitude >= 0x477FF000U) {  // 65520, halfway to the next number if there were one
    half = 0x7C00U;
  } else if (magnitude < 0x38800000U) {
    // The result is a multiple of 2⁻²⁴, which is the unit in the last place of floats in [0.5, 1).
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3F000000U;
  } else {
    const std::uint32_t odd = (magnitude >> 13U) & 1U;
    half = (magnitude - (112U << 23U) + 0xFFFU + odd) >> 13U;
  }
  return static_cast<std::uint16_t>(sign | half);
}

/// \p value as bfloat16, rounded to nearest even.
std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & magnitude_mask) > infinity_bits)
    return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}

[[noreturn]] void refuse(std::uint64_t row, std::size_t place, float value,
                         const std::string& why) {
  throw InvalidArgument("row " + std::to_string(row) + ", place " + std::to_string(place) + ": " +
                        std::to_string(value) + " " + why);
}

/// \param infinity the bits of an infinity, without the sign
template <class Convert>
void encode_half(std::span<const float> row, std::uint64_t number, std::byte* out,
                 std::uint16_t infinity, const char* why, const Convert& convert) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::uint16_t half = convert(row[i]);
    if ((half & 0x7FFFU) == infinity && !std::isinf(row[i])) refuse(number, i, row[i], why);
    std::memcpy(out + 2 * i, &half, 2);
  }
}

/// Encodes a row and returns its scale.
float encode_int8(std::span<const float> row, std::uint64_t number, std::byte* out) {
  float largest = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!std::isfinite(row[i]))
      refuse(number, i, row[i], "is not finite, which int8 cannot represent");
    largest = std::max(largest, std::fabs(row[i]));
  }
  const float scale = largest / int8_max;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const float level = scale > 0 ? std::nearbyint(row[i] / scale) : 0;
    const auto value = static_cast<std::int8_t>(std::clamp(level, -int8_max, int8_max));
    std::memcpy(out + i, &value, 1);
  }
  return scale;
}

}  // namespace

VectorArray::VectorArray(DataType element, std::uint64_t count, std::uint64_t dimension) try
    : m_element(element),
      m_dimension(dimension),
      m_bytes(size_product("rows × dimension × bytes of an element",
                           {count, dimension, size_of(element)})) {
  Impl::check_element(element);
  KINDRED_THROW_IF(dimension == 0, "the dimension is 0; it must be at least 1");
  m_values = std::make_unique_for_overwrite<std::byte[]>(m_bytes);
  if (element == DataType::int8) m_scales.resize(count);
} catch (...) {
  Impl::rethrow_translated("Kindred::VectorArray");
}

void encode_rows(std::span<const float> floats, std::size_t dimension, DataType element,
                 std::span<std::byte> values, std::span<float> scales,
                 std::uint64_t first_row) try {
  Impl::check_element(element);
  KINDRED_THROW_IF(dimension == 0, "the dimension is 0; it must be at least 1");
  const std::size_t count = floats.size() / dimension;
  const std::size_t scale_count = element == DataType::int8 ? count : 0;
  KINDRED_THROW_IF(floats.size() % dimension != 0 ||
                       values.size() != floats.size() * size_of(element) ||
                       scales.size() != scale_count,
                   std::to_string(floats.size()) + " numbers in rows of " +
                       std::to_string(dimension) + ", " + std::to_string(values.size()) +
                       " bytes and " + std::to_string(scales.size()) + " scales do not match");
  const std::size_t row_bytes =
      size_product("dimension × bytes of an element", {dimension, size_of(element)});
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = floats.subspan(i * dimension, dimension);
    std::byte* const out = values.data() + i * row_bytes;
    switch (element) {
      case DataType::float32:
        std::memcpy(out, row.data(), row_bytes);
        break;
      case DataType::float16:
        encode_half(row, first_row + i, out, 0x7C00U, "exceeds the float16 limit of 65504",
                    to_float16);
        break;
      case DataType::bfloat16:
        encode_half(row, first_row + i, out, 0x7F80U, "exceeds the bfloat16 limit of 3.3895e38",
                    to_bfloat16);
        break;
      case DataType::int8:
        scales[i] = encode_int8(row, first_row + i, out);
        break;
      default:
        break;  // refused above
    }
  }
} catch (...) {
  Impl::rethrow_translated("Kindred::encode_rows");
}

void decode_rows(const VectorSpan& rows, std::span<float> out) try {
  Impl::check_element(rows.element);
  const std::size_t count = rows.count();
  const std::size_t scales = rows.element == DataType::int8 ? count : 0;
  KINDRED_THROW_IF(rows.scales.size() != scales || out.size() != count * rows.dimension,
                   std::to_string(rows.scales.size()) + " scales and " +
                       std::to_string(out.size()) + " floats for " + std::to_string(count) +
                       " rows of " + std::to_string(rows.dimension) + " " +
                       std::string(to_string(rows.element)));
  const auto decode = [&](auto element) {
    using Element = decltype(element);
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::memcpy(&element, rows.values.data() + i * sizeof(Element), sizeof(Element));
      out[i] = Arch::to_float(element);
    }
  };
  switch (rows.element) {
    case DataType::float32:
      decode(0.0F);
      break;
    case DataType::float16:
      decode(Arch::Float16{});
      break;
    case DataType::bfloat16:
      decode(Arch::BFloat16{});
      break;
    case DataType::int8:
      decode(std::int8_t{});
      for (std::size_t i = 0; i < out.size(); ++i) out[i] *= rows.scales[i / rows.dimension];
      break;
    default:
      break;  // refused above
  }
} catch (...) {
  Impl::rethrow_translated("Kindred::decode_rows");
}

DataType natural_element(DataType type) noexcept {
  switch (type) {
    case DataType::float16:
    case DataType::uint8:
      return DataType::float16;
    case DataType::int8:
      return DataType::int8;
    default:
      return DataType::float32;
  }
}

void read_rows(const VectorFile& file, std::uint64_t first, std::uint64_t count, DataType element,
               std::span<std::byte> values, std::span<float> scales) try {
  if (file.type() == element) {
    KINDRED_THROW_IF(scales.size() != (element == DataType::int8 ? count : 0),
                     std::to_string(scales.size()) + " scales for " + std::to_string(count) +
                         " rows of " + std::string(to_string(element)));
    const auto elements = static_cast<std::int64_t>(values.size() / size_of(element));
    file.read(first, count, Array(values.data(), file.type(), {&elements, 1}));
    std::fill(scales.begin(), scales.end(), 1.0F);
    return;
  }
  constexpr std::uint64_t buffer_bytes = std::uint64_t{1} << 20U;
  const std::uint64_t dimension = file.dimension();
  const std::uint64_t row_bytes = dimension * size_of(element);
  KINDRED_THROW_IF(checked_product({count, row_bytes}) != values.size(),
                   std::to_string(values.size()) + " bytes for " + std::to_string(count) +
                       " rows of " + std::to_string(row_bytes));
  const std::uint64_t piece =
      std::min(count, std::max<std::uint64_t>(1, buffer_bytes / (dimension * sizeof(float))));
  std::vector<float> floats(piece * dimension);
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t now = std::min(piece, count - done);
    const auto part = std::span(floats).first(now * dimension);
    file.read(first + done, now, part);
    try {
      encode_rows(part, dimension, element, values.subspan(done * row_bytes, now * row_bytes),
                  scales.empty() ? scales : scales.subspan(done, now), first + done);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(file.path() + ": " + error.what());
    }
    done += now;
  }
} catch (...) {
  Impl::rethrow_translated("Kindred::read_rows");
}

VectorArray read_rows(const VectorFile& file, DataType element,
                      const std::function<void(std::uint64_t)>& progress) try {
  constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 26U;
  VectorArray array(element, file.rows(), file.dimension());
  const std::uint64_t row_bytes = file.dimension() * size_of(element);
  const std::uint64_t piece = std::max<std::uint64_t>(1, piece_bytes / row_bytes);
  for (std::uint64_t first = 0; first < file.rows();) {
    const std::uint64_t count = std::min(piece, file.rows() - first);
    const auto scales = array.scales();
    read_rows(file, first, count, element,
              array.values().subspan(first * row_bytes, count * row_bytes),
              scales.empty() ? scales : scales.subspan(first, count));
    first += count;
    if (progress) progress(first);
  }
  return array;
} catch (...) {
  Impl::rethrow_translated("Kindred::read_rows");
}

}  // namespace Kindred
