// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_VECTOR_SECTIONS_HPP
#define KINDRED_MATCHER_VECTOR_VECTOR_SECTIONS_HPP

#include "storage/SectionWriter.hpp"

#include <kindred/core/common/Array.hpp>

#include <kindred/matcher/StoredVectors.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace Kindred::Impl {

// The sections of a file of kind `vectors`, as specified in docs/internals/file-format.md.

inline constexpr const char* vectors_kind = "vectors";
/// Exclusive limit of ids: 32 bits, without the last value.
inline constexpr std::uint64_t id_limit = 0xFFFFFFFFU;

/// The section `head`.
struct VectorsHead {
  std::uint64_t element = 0;  ///< a DataType
  std::uint64_t dimension = 0;
  std::uint64_t rows = 0;
  std::uint64_t end_id = 0;
  std::uint64_t quantized_stride = 0;  ///< 0: there is no quantized copy
};

/// \throws InvalidArgument for a number that is not one of the element types
void check_element(DataType element);
/// \throws InvalidArgument for another element type than those of vectors, rows with a part of a
/// row, or another number of scales
void check_sizes(const VectorSpan& rows);
/// \brief Checks everything about the rows of \p parts that an index or a file of them relies on,
/// but not that norms and quantized copies belong to their rows. O(rows).
/// \throws InvalidArgument
VectorsHead checked_head(std::span<const StoredVectors> parts, std::uint64_t end_id);

/// \brief As `StoredVectors::save`, for the rows of several parts as one store. The quantized copy
/// is written if every part has one with the same stride.
/// \param parts at least one, all of the same element type and dimension. Rows are written in
/// ascending order of their ids, of which no two that were not removed may be equal
/// \param end_id of the store, greater than every id; that of the parts is ignored
/// \param more writes more sections of the same commit
void save_vectors(FileTarget target, std::span<const StoredVectors> parts, std::uint64_t end_id,
                  const std::function<void(SectionWriter&)>& more = {});

void write_head(SectionWriter& writer, const VectorsHead& head);

/// Calls `body(T())`, where T is the type of the elements in their section.
template <class Body>
decltype(auto) with_element_type(DataType element, const Body& body) {
  switch (element) {
    case DataType::float32:
      return body(float());
    case DataType::float16:
    case DataType::bfloat16:
      return body(std::uint16_t());
    default:
      return body(std::int8_t());
  }
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_VECTOR_SECTIONS_HPP
