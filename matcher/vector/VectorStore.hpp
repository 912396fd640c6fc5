// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_VECTOR_STORE_HPP
#define KINDRED_MATCHER_VECTOR_VECTOR_STORE_HPP

#include "RowChange.hpp"
#include "VectorSegment.hpp"

#include <kindred/matcher/VectorIndex.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief The rows of an index as segments of ascending ids, each less than half as long as the
/// previous one, and the end of the assigned ids.
///
/// Not thread-safe: changes need exclusive access.
class VectorStore {
 public:
  /// \throws InvalidArgument, SpaceUnavailable, OutOfMemory
  VectorStore(Context& context, const VectorSpan& rows, const VectorIndexOptions& options);

  /// \brief Uses rows in place. \throws InvalidArgument, SpaceUnavailable, OutOfMemory
  VectorStore(Context& context, const StoredVectors& stored, const VectorIndexOptions& options,
              StoredAccess access = StoredAccess::read);
  /// The segments in the form in which files store them; valid until the next change.
  std::vector<StoredVectors> stored() const;

  std::size_t size() const noexcept { return m_size; }
  std::uint64_t end_id() const noexcept { return m_end_id; }
  std::size_t dimension() const noexcept { return m_dimension; }
  DataType element() const noexcept { return m_element; }
  Residency residency() const noexcept { return m_options.residency; }
  QuantizedCopy quantized_copy() const noexcept { return m_options.quantized_copy; }
  std::span<const std::shared_ptr<VectorSegment>> segments() const noexcept { return m_segments; }
  /// Whether all rows are on the device.
  bool on_device() const noexcept;
  /// Whether all rows are int8 or have their quantized copy in memory of \p space.
  bool has_quantized_copy(Space space) const;
  VectorStatistics statistics() const;

  std::uint64_t add(const VectorSpan& rows);
  void remove(std::span<const std::uint64_t> ids);
  void replace(std::uint64_t id, const VectorSpan& row);
  /// \brief Replaces the rows of \p ids, which are distinct, by those of \p rows at \p
  /// replacements, and adds those at \p added, in this order. On an exception nothing is changed.
  /// \return the id of the first added row
  std::uint64_t upsert(const VectorSpan& rows, std::span<const std::uint64_t> ids,
                       std::span<const std::size_t> replacements,
                       std::span<const std::size_t> added);

  /// The segment and row of \p id; a null segment if no row has it.
  std::pair<const VectorSegment*, std::size_t> find(std::uint64_t id) const noexcept;

 private:
  using Segments = std::vector<std::shared_ptr<VectorSegment>>;

  void check_options() const;
  void check(const VectorSpan& rows) const;
  /// The segments with the rows of \p rows at \p positions behind them; without a list, all of
  /// them.
  Segments with(const VectorSpan& rows,
                std::optional<std::span<const std::size_t>> positions) const;
  /// Uses \p next, which has \p added rows more, and returns the id of the first of these.
  std::uint64_t publish(Segments next, std::size_t added) noexcept;
  /// Where \p ids are in \p segments. \throws NotFound
  std::vector<RowChange::Place> places_of(const Segments& segments,
                                          std::span<const std::uint64_t> ids,
                                          std::span<const std::size_t> positions) const;
  /// Copies a segment to the device according to the options. \throws OutOfMemory if residency on
  /// the device is required
  void place(VectorSegment& segment) const;
  /// Reclaims the space of removed rows, if memory permits.
  void compact_quietly() noexcept;
  /// Merges segments of similar size, and rebuilds those with many removed rows.
  Segments compacted(Segments segments) const;

  Context* m_context;
  DataType m_element;
  std::size_t m_dimension;
  VectorIndexOptions m_options;
  Segments m_segments;
  std::uint64_t m_end_id = 0;
  std::size_t m_size = 0;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_VECTOR_STORE_HPP
