// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_ARRAY_HPP
#define KINDRED_MATCHER_VECTOR_ARRAY_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/matcher/VectorFile.hpp>
#include <kindred/matcher/VectorSpan.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

/// \brief An owning row-major array of rows of any element type.
class VectorArray {
 public:
  VectorArray() = default;
  /// Allocates uninitialized rows. \throws InvalidArgument for a dimension of 0 or a size that
  /// exceeds 64 bits; std::bad_alloc
  VectorArray(DataType element, std::uint64_t count, std::uint64_t dimension);

  /// A view of all rows, valid while this object lives.
  VectorSpan span() const noexcept {
    return {m_element, {m_values.get(), m_bytes}, m_dimension, m_scales};
  }
  /// For writing: count × dimension elements; `scales` holds one scale per row of int8.
  std::span<std::byte> values() noexcept { return {m_values.get(), m_bytes}; }
  std::span<float> scales() noexcept { return m_scales; }

 private:
  DataType m_element = DataType::float32;
  std::size_t m_dimension = 0;
  std::size_t m_bytes = 0;
  std::unique_ptr<std::byte[]> m_values;
  std::vector<float> m_scales;
};

/// \brief Converts float32 rows to rows of \p element, rounding to nearest, ties to even.
///
/// float16 and bfloat16 preserve NaN and infinities. int8 has one scale per row, the largest
/// magnitude / 127 rounded to float32; each value is x / scale rounded to the nearest integer in
/// [−127, 127]. A row whose scale rounds to 0 becomes zeros. Complexity O(count · dimension), on
/// the calling thread.
/// \param floats count × dimension
/// \param first_row the number of the first row, used in messages
/// \param values count × dimension elements
/// \param scales one per row; only for int8
/// \throws InvalidArgument for a finite value outside the range of float16 or bfloat16 (65504,
/// 3.39e38), a non-finite value with int8, or inconsistent sizes
void encode_rows(std::span<const float> floats, std::size_t dimension, DataType element,
                 std::span<std::byte> values, std::span<float> scales, std::uint64_t first_row = 0);

/// \brief Decodes \p rows to float32. Exact, except that an int8 is multiplied by its scale and
/// rounded once. Complexity O(count · dimension), on the calling thread.
/// \param out count × dimension
/// \throws InvalidArgument for inconsistent sizes
void decode_rows(const VectorSpan& rows, std::span<float> out);

/// The smallest element type that represents every number of \p type exactly: float16 for float16
/// and uint8, int8 (with scale 1) for int8, float32 for all others.
DataType natural_element(DataType type) noexcept;

/// \brief The rows [\p first, \p first + \p count) of \p file as rows of \p element: unchanged if
/// the type is the same, otherwise converted as by `encode_rows`. Complexity O(count · dimension).
/// \param values count × dimension elements
/// \param scales one per row; only for int8
/// \throws as `VectorFile::read` and `encode_rows`
void read_rows(const VectorFile& file, std::uint64_t first, std::uint64_t count, DataType element,
               std::span<std::byte> values, std::span<float> scales);

/// \brief All rows of \p file, read in blocks of 64 MiB. Complexity O(rows · dimension).
/// \param progress called with the number of rows read so far
/// \throws as `VectorFile::read` and `encode_rows`; std::bad_alloc
VectorArray read_rows(const VectorFile& file, DataType element,
                      const std::function<void(std::uint64_t)>& progress = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VECTOR_ARRAY_HPP
