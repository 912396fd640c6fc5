// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_ARRAY_HPP
#define KINDRED_MATCHER_VECTOR_ARRAY_HPP

#include <kindred/matcher/VectorFile.hpp>
#include <kindred/matcher/VectorSpan.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace Kindred {

/// \brief Rows of any element type in memory of their own, row-major.
class VectorArray {
 public:
  VectorArray() = default;
  /// Rows whose values are not set. \throws InvalidArgument for a dimension of 0 or more bytes than
  /// there can be; std::bad_alloc
  VectorArray(VectorElement element, std::uint64_t count, std::uint64_t dimension);

  /// All rows, as long as this lives.
  VectorSpan span() const noexcept {
    return {m_element, {m_values.get(), m_bytes}, m_dimension, m_scales};
  }
  /// To write to: count × dimension elements, and a scale a row of int8.
  std::span<std::byte> values() noexcept { return {m_values.get(), m_bytes}; }
  std::span<float> scales() noexcept { return m_scales; }

 private:
  VectorElement m_element = VectorElement::float32;
  std::size_t m_dimension = 0;
  std::size_t m_bytes = 0;
  std::unique_ptr<std::byte[]> m_values;
  std::vector<float> m_scales;
};

/// \brief Float32 rows as rows of \p element: to the nearest, ties to even.
///
/// float16 and bfloat16 keep NaN and infinities. int8 has a scale a row, the largest magnitude /
/// 127 rounded to float32; values v are the nearest to x / scale, in [−127, 127]. A row whose scale
/// rounds to 0 becomes zeros. Complexity O(count · dimension), on the calling thread.
/// \param floats count × dimension \param first_row the number of the first row, for messages
/// \param values count × dimension elements
/// \param scales one per row; only for int8
/// \throws InvalidArgument for a finite value that float16 or bfloat16 has not (beyond 65504,
/// 3.39e38) and, under int8, a value that is not finite; sizes that do not go together
void encode_rows(std::span<const float> floats, std::size_t dimension, VectorElement element,
                 std::span<std::byte> values, std::span<float> scales, std::uint64_t first_row = 0);

/// \brief The float32 rows that \p rows decode to, exactly; an int8 is multiplied by its scale and
/// rounded once. Complexity O(count · dimension), on the calling thread.
/// \param out count × dimension \throws InvalidArgument for sizes that do not go together
void decode_rows(const VectorSpan& rows, std::span<float> out);

/// The element that holds every number of \p type exactly in the fewest bytes: float16 and uint8
/// are float16, int8 is int8 (of scale 1), all others are float32.
VectorElement natural_element(NumberType type) noexcept;

/// \brief The rows [\p first, \p first + \p count) of \p file as rows of \p element: as the file
/// has them where the type is the same, else \see encode_rows. Complexity O(count · dimension).
/// \param values count × dimension elements
/// \param scales one per row; only for int8
/// \throws as `VectorFile::read` and `encode_rows`
void read_rows(const VectorFile& file, std::uint64_t first, std::uint64_t count,
               VectorElement element, std::span<std::byte> values, std::span<float> scales);

/// \brief All rows of \p file, read in pieces of 64 MiB. Complexity O(rows · dimension).
/// \param progress is told the rows so far \throws as `VectorFile::read` and `encode_rows`;
/// std::bad_alloc
VectorArray read_rows(const VectorFile& file, VectorElement element,
                      const std::function<void(std::uint64_t)>& progress = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_VECTOR_ARRAY_HPP
