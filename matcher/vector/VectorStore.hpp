// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_VECTOR_STORE_HPP
#define KINDRED_MATCHER_VECTOR_VECTOR_STORE_HPP

#include "VectorSegment.hpp"

#include <kindred/matcher/VectorIndex.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief The rows of an index as of one change, and the end of the assigned ids: segments, of
/// which each is more than twice as long as the next one. Ids ascend within a segment; a row that
/// was replaced has moved to a later segment, so that the ids of segments overlap.
///
/// Never changes: a change makes another store, which shares the segments that stay.
class VectorStore {
 public:
  /// \throws InvalidArgument, SpaceUnavailable, OutOfMemory
  VectorStore(Context& context, const VectorSpan& rows, const VectorIndexOptions& options);

  /// \brief Uses rows in place. \throws InvalidArgument, SpaceUnavailable, OutOfMemory
  VectorStore(Context& context, const StoredVectors& stored, const VectorIndexOptions& options);
  /// \brief The segments in the form in which files store them, each the owner of what is only
  /// made for that. Small segments get a quantized copy if others have one. \throws OutOfMemory
  std::vector<StoredVectors> stored() const;

  std::size_t size() const noexcept { return m_size; }
  std::uint64_t end_id() const noexcept { return m_end_id; }
  std::size_t dimension() const noexcept { return m_dimension; }
  DataType element() const noexcept { return m_element; }
  Residency residency() const noexcept { return m_options.residency; }
  QuantizedCopy quantized_copy() const noexcept { return m_options.quantized_copy; }
  std::span<const LiveSegment> segments() const noexcept { return m_segments; }
  /// Whether all rows are on the device.
  bool on_device() const noexcept;
  /// Whether a device streams rows from the host.
  bool streams() const noexcept { return residency() == Residency::automatic && !on_device(); }
  /// The rows that have no quantized copy in memory of \p space; int8 rows need none.
  std::size_t rows_without_copy(Space space) const noexcept;
  VectorStatistics statistics() const;

  /// With \p rows behind the others, from `end_id` on. \throws InvalidArgument, OutOfMemory
  VectorStore with(const VectorSpan& rows) const;
  /// \brief With the rows of \p ids, which are distinct, replaced by those of \p rows at \p
  /// replacements, and with those at \p added behind the others, in this order.
  /// \throws NotFound, InvalidArgument, OutOfMemory
  VectorStore with(const VectorSpan& rows, std::span<const std::uint64_t> ids,
                   std::span<const std::size_t> replacements,
                   std::span<const std::size_t> added) const;
  /// With \p row, a single one, as the row \p id. \throws NotFound, InvalidArgument, OutOfMemory
  VectorStore with(std::uint64_t id, const VectorSpan& row) const;
  /// Without the rows of \p ids. \throws NotFound
  VectorStore without(std::span<const std::uint64_t> ids) const;

  /// The segment and row of \p id; a null segment if no row has it.
  std::pair<const LiveSegment*, std::size_t> find(std::uint64_t id) const noexcept;

  /// The numbers of a segment's rows that were not removed, counted in the order of all ids.
  struct Numbers {
    std::size_t first = 0;            ///< of the segment, if its rows follow one another;
    std::vector<std::uint32_t> each;  ///< otherwise that of each row
  };
  /// Of all segments. O(segments), or O(rows) if their ids overlap.
  std::vector<Numbers> numbers() const;

 private:
  using Segments = std::vector<LiveSegment>;

  void check_options() const;
  void check(const VectorSpan& rows) const;
  /// Removes rows of \p ids, which ascend. \param missing the message for an id without a row
  template <class Missing>
  void remove(std::span<const std::uint64_t> ids, const Missing& missing);
  /// Appends \p added rows, which \p segment has beside replaced ones.
  void append(const std::shared_ptr<VectorSegment>& segment, std::size_t added);
  /// \throws InvalidArgument if there are not enough ids for \p added rows
  void require_ids(std::size_t added) const;
  /// Copies a segment to the device according to the options. \throws OutOfMemory if residency on
  /// the device is required
  void place(VectorSegment& segment) const;
  /// \brief One segment of the rows of \p parts that were not removed; null if there is no memory
  /// for it, or none on the device where the parts are. \throws Cancelled
  std::shared_ptr<const VectorSegment> merge(std::span<const LiveSegment> parts) const;
  /// \brief Merges segments of similar size, and rebuilds those with many removed rows. What lacks
  /// memory stays as it is, and is tried again after twice as many changes as before. \throws
  /// std::bad_alloc, Cancelled
  void compact();

  Context* m_context;
  DataType m_element;
  std::size_t m_dimension;
  VectorIndexOptions m_options;
  Segments m_segments;
  std::uint64_t m_end_id = 0;
  std::size_t m_size = 0;
  std::size_t m_too_large = 0;  ///< rows of the merge that lacked memory
  unsigned m_pause = 0;         ///< changes until it is tried again
  unsigned m_last_pause = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_VECTOR_STORE_HPP
