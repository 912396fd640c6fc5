// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_ROW_CHANGE_HPP
#define KINDRED_MATCHER_VECTOR_ROW_CHANGE_HPP

#include "VectorSegment.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/matcher/VectorSpan.hpp>

#include <cstddef>
#include <vector>

namespace Kindred::Impl {

/// \brief New values for rows of segments, with their norms and quantized copies: everything that
/// can fail on the host is done by the constructor.
class RowChange {
 public:
  /// A row of a segment, and the one of the given rows that replaces it.
  struct Place {
    VectorSegment* segment;
    std::size_t row;
    std::size_t given;
  };

  /// \param rows checked; must outlive this object \param places distinct, those of a segment next
  /// to each other and ascending
  /// \throws OutOfMemory, std::bad_alloc, Cancelled; no row is then changed
  RowChange(Context& context, const VectorSpan& rows, std::vector<Place> places);

  /// \brief Writes the rows, everywhere. Fences the device that holds them.
  /// \throws Error if the device fails; the rows are then unchanged, and only on the host if they
  /// could not be restored on the device
  void apply();

 private:
  /// Calls `visit(segment, begin, end)` with the places of every segment.
  template <class Visit>
  void for_each_segment(const Visit& visit) const;
  void write_to_device() const;

  VectorSpan m_rows;
  std::vector<Place> m_places;
  RowColumns m_columns;  ///< by place
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_ROW_CHANGE_HPP
