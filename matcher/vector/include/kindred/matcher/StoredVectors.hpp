// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORED_VECTORS_HPP
#define KINDRED_MATCHER_STORED_VECTORS_HPP

#include <kindred/matcher/VectorFile.hpp>
#include <kindred/matcher/VectorSpan.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace Kindred {

class Context;

/// \brief Rows of int8 near the rows, and what bounds the difference
/// (core/vector/QuantizedRows.hpp).
struct StoredQuantizedRows {
  std::span<const std::int8_t> values;  ///< count × stride, row-major
  std::span<const float> scales;        ///< one per row
  std::span<const float> errors;        ///< one per row
  std::span<const float> norms;         ///< one per row
  std::uint64_t stride = 0;             ///< 0: there is no shadow
};

/// \brief Rows of a store that someone else holds, by ascending ids.
struct StoredVectors {
  VectorSpan rows;
  std::span<const double> norms;       ///< √Σx² of each row, canonical, unrounded
  std::span<const std::uint32_t> ids;  ///< ascending; empty: row r has the id first_id + r
  std::uint32_t first_id = 0;
  std::span<const std::uint64_t> live;  ///< a bit a row that was not removed; empty: all are there
  StoredQuantizedRows quantized;
  std::uint64_t end_id = 0;           ///< all ids below it have been assigned
  std::shared_ptr<const void> owner;  ///< of the memory, where it is a file's
};

/// \brief Writes a store: the rows of \p parts that were not removed. It appears whole or not at
/// all; a store that is there is replaced.
///
/// A shadow is written where every part has one of the same stride. Complexity O(bytes), all of
/// which are hashed. Does not fence. \param parts of one element and
/// dimension, at least one; ids ascend from part to part \param end_id above all of them
/// \throws InvalidArgument for parts that do not go together or a place that cannot be written;
/// Busy when another writes it; Error
void save_vectors(const std::string& path, std::span<const StoredVectors> parts,
                  std::uint64_t end_id);

/// \brief Maps a store and checks every byte and every number that an index is made of.
/// Complexity O(bytes), divided among the threads. Does not fence.
/// \param threads at most; 0: as many as the processor has
/// \throws NotFound; InvalidArgument for what is no file; CorruptFile with the byte and the reason
StoredVectors load_vectors(const std::string& path, int threads = 0);

/// What a store holds.
struct StoredVectorsInfo {
  VectorElement element = VectorElement::float32;
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  std::uint64_t end_id = 0;  ///< all ids below it have been assigned: end_id − rows were removed
  std::uint64_t not_finite = 0;       ///< rows with a NaN or an infinity
  std::uint64_t row_bytes = 0;        ///< of all rows, with scales
  std::uint64_t quantized_bytes = 0;  ///< of all shadow rows
  std::uint64_t bytes = 0;            ///< of the file
};
/// \brief Checks a store as loading it does, and tells what it holds. Complexity, fence and
/// \throws as `load_vectors`
StoredVectorsInfo inspect_vectors(const std::string& path, int threads = 0);

struct BuildVectorsOptions {
  /// Nothing: the one that holds the file's numbers exactly, \see natural_element.
  std::optional<VectorElement> element = {};
  bool quantized_copy = true;  ///< of rows that are not int8: what a search would make first
};

/// \brief Makes a store of the rows of \p file, in pieces: it may be larger than memory. An id is
/// the number of a row. Complexity O(rows · dimension); the file is read twice where a shadow is
/// written. Fences the host's instance.
/// \param context whose host computes norms and shadows
/// \param progress is told the rows so far
/// \throws as VectorFile, `encode_rows` and `save_vectors`; the place is then as it was
void build_vectors(Context& context, const VectorFile& file, const std::string& path,
                   const BuildVectorsOptions& options = {},
                   const std::function<void(std::uint64_t)>& progress = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_STORED_VECTORS_HPP
