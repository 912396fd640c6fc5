// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_STORED_VECTORS_HPP
#define KINDRED_MATCHER_STORED_VECTORS_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/matcher/FileSource.hpp>
#include <kindred/matcher/VectorFile.hpp>
#include <kindred/matcher/VectorSpan.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

class Context;

/// \brief The int8-quantized copy of rows, with the data that bounds its error
/// (core/vector/QuantizedRows.hpp).
struct StoredQuantizedRows {
  std::span<const std::int8_t> values;  ///< count × stride, row-major
  std::span<const float> scales;        ///< one per row
  std::span<const float> errors;        ///< one per row
  std::span<const float> norms;         ///< one per row
  std::uint64_t stride = 0;             ///< 0: there is no quantized copy
};

/// The contents of a store file.
struct StoredVectorsFileInfo {
  DataType element = DataType::float32;
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  std::uint64_t end_id = 0;  ///< all ids below it have been assigned: end_id − rows were removed
  std::uint64_t not_finite = 0;       ///< rows with a NaN or an infinity
  std::uint64_t row_bytes = 0;        ///< of all rows, with scales
  std::uint64_t quantized_bytes = 0;  ///< of the quantized copy
  std::uint64_t bytes = 0;            ///< of the file
};

/// Options of `StoredVectors::build`.
struct StoredVectorsOptions {
  /// If empty, the type that holds the file's numbers exactly, \see natural_element.
  std::optional<DataType> element = {};
  bool quantized_copy = true;  ///< also write the quantized copy of rows that are not int8, which
                               ///< the first search would otherwise build
};

/// \brief Non-owning view of the rows of a store, in ascending order of their ids.
struct StoredVectors {
  VectorSpan rows;
  std::span<const double>
      norms;  ///< √Σx² of each row, as the reproducible double sum, not rounded to float32
  std::span<const std::uint32_t> ids;  ///< ascending; if empty, row r has the id first_id + r
  std::uint32_t first_id = 0;
  std::span<const std::uint64_t>
      live;  ///< one bit per row, set if the row was not removed; empty: no row was removed
  StoredQuantizedRows quantized;
  std::uint64_t end_id = 0;           ///< all ids below it have been assigned
  std::shared_ptr<const void> owner;  ///< keeps the memory mapped if it belongs to a file

  /// \brief Maps a store file and validates every byte and every number that an index uses.
  /// Complexity O(bytes), divided among the threads. Does not fence.
  /// \param threads maximum number of threads; 0: the number of hardware threads
  /// \throws NotFound; InvalidArgument if the path is not a regular file; CorruptFile with the byte
  /// offset and the reason; OutOfMemory
  static StoredVectors load(const FileSource& source, int threads = 0);
  /// \brief Validates a store file as `load` does, and describes its contents. Complexity, fences
  /// and exceptions as `load`.
  static StoredVectorsFileInfo inspect(const FileSource& source, int threads = 0);

  /// \brief Converts the rows of \p file to a store file. Works in blocks, so the file may be
  /// larger than memory. The id of a row is its number in the file. Complexity O(rows · dimension);
  /// the file is read twice if a quantized copy is written. Fences the host's instance.
  /// \param context its host space computes the norms and the quantized copy
  /// \param progress called with the number of rows written so far
  /// \throws as `VectorFile`, `encode_rows` and `save`; a file already at \p path is then unchanged
  static void build(Context& context, const VectorFile& file, const std::string& path,
                    const StoredVectorsOptions& options = {},
                    const std::function<void(std::uint64_t)>& progress = {});

  /// \brief Writes a store file with the rows that were not removed, and the quantized copy if
  /// there is one. The file is written atomically and replaces an existing store. Complexity
  /// O(bytes); all bytes are hashed. Does not fence.
  /// \throws InvalidArgument for arrays of inconsistent sizes, ids that do not ascend or are not
  /// below `end_id`, negative scales or norms, or a path that cannot be written; Busy while another
  /// process writes it; Error for failed writes
  void save(const std::string& path) const;
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_STORED_VECTORS_HPP
