// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_VECTOR_SEGMENT_HPP
#define KINDRED_MATCHER_VECTOR_VECTOR_SEGMENT_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/vector/QuantizedRows.hpp>
#include <kindred/core/vector/TileSelect.hpp>
#include <kindred/core/vector/VectorRows.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorSpan.hpp>
#include <kindred/memory/Buffer.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "kit/LiveParts.hpp"
#include "kit/MadeOnce.hpp"

namespace Kindred::Impl {

/// The rows of a segment in memory of \p ExecutionSpace.
template <class ExecutionSpace>
struct ResidentRows {
  using memory_space = typename ExecutionSpace::memory_space;

  ResidentRows() = default;
  /// Allocates \p count rows. \throws OutOfMemory
  ResidentRows(MemoryResource& memory, DataType element_, std::size_t dimension_, std::size_t count,
               bool numbered)
      : values(memory, "Kindred::VectorIndex::rows", count * dimension_ * size_of(element_)),
        scales(memory, "Kindred::VectorIndex::scales", element_ == DataType::int8 ? count : 0),
        norms(memory, "Kindred::VectorIndex::norms", count),
        ids(memory, "Kindred::VectorIndex::ids", numbered ? count : 0),
        element(element_),
        dimension(dimension_) {}

  std::size_t count() const noexcept { return norms.size(); }
  std::uint64_t bytes() const noexcept {
    return values.bytes() + scales.bytes() + norms.bytes() + ids.bytes();
  }
  VectorRows<ExecutionSpace> view() const {
    return {values.const_view(), element,          scales.const_view(),
            norms.const_view(),  ids.const_view(), dimension};
  }
  /// The rows `begin … begin + length`.
  VectorRows<ExecutionSpace> view(std::size_t begin, std::size_t length) const {
    const auto part = [&](const auto& buffer, std::size_t unit) {
      auto all = buffer.const_view();
      using view_type = decltype(all);
      return all.size() == 0 ? all : view_type(all.data() + begin * unit, length * unit);
    };
    return {part(values, dimension * size_of(element)),
            element,
            part(scales, 1),
            part(norms, 1),
            part(ids, 1),
            dimension};
  }

  Buffer<std::byte, memory_space> values;
  Buffer<float, memory_space> scales;
  Buffer<double, memory_space> norms;
  Buffer<std::uint32_t, memory_space> ids;
  DataType element = DataType::float32;
  std::size_t dimension = 0;
};

/// The quantized copy of a segment's rows in memory of \p ExecutionSpace.
template <class ExecutionSpace>
struct QuantizedBuffers {
  using memory_space = typename ExecutionSpace::memory_space;

  QuantizedBuffers() = default;
  /// Allocates \p count rows. \throws OutOfMemory
  QuantizedBuffers(MemoryResource& memory, std::size_t dimension, std::size_t count)
      : values(memory, "Kindred::VectorIndex::quantized", count * quantized_stride(dimension)),
        scales(memory, "Kindred::VectorIndex::quantized_scales", count),
        errors(memory, "Kindred::VectorIndex::quantized_errors", count),
        norms(memory, "Kindred::VectorIndex::quantized_norms", count),
        stride(quantized_stride(dimension)) {}

  std::uint64_t bytes() const noexcept {
    return values.bytes() + scales.bytes() + errors.bytes() + norms.bytes();
  }
  QuantizedRows<ExecutionSpace> view() const {
    return {values.const_view(), scales.const_view(), errors.const_view(), norms.const_view(),
            stride};
  }
  /// Builds the copy of \p rows. Does not fence.
  void build(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows) const {
    quantize_rows<ExecutionSpace>(exec_space, rows, values.view(), scales.view(), errors.view(),
                                  norms.view());
  }

  Buffer<std::int8_t, memory_space> values;
  Buffer<float, memory_space> scales;
  Buffer<float, memory_space> errors;
  Buffer<float, memory_space> norms;
  std::uint64_t stride = 0;
};

/// The rounded copy of a segment's rows for the tiles of a GEMM, in memory of \p ExecutionSpace.
template <class ExecutionSpace>
struct RoundedBuffers {
  using memory_space = typename ExecutionSpace::memory_space;
  using element = Arch::Float16;

  RoundedBuffers() = default;
  /// Allocates \p positions positions. \throws OutOfMemory
  RoundedBuffers(MemoryResource& memory, const TileLayout& layout_, std::size_t positions)
      : values(memory, "Kindred::VectorIndex::rounded", positions * layout_.stride),
        squares(memory, "Kindred::VectorIndex::rounded_squares", positions),
        layout(layout_) {}

  static std::uint64_t bytes_of(const TileLayout& layout, std::size_t positions) noexcept {
    return positions * (layout.stride * sizeof(element) + sizeof(float));
  }
  std::uint64_t bytes() const noexcept { return values.bytes() + squares.bytes(); }
  RoundedRows<ExecutionSpace, element> view() const {
    return {values.const_view(), squares.const_view(), layout};
  }
  /// Rounds all positions. Does not fence.
  void build(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows) const {
    round_tile_rows<ExecutionSpace, element>(exec_space, rows,
                                             TileOrder<ExecutionSpace>::of(rows.norms.size()), 0,
                                             layout, values.view(), squares.view());
  }

  Buffer<element, memory_space> values;
  Buffer<float, memory_space> squares;
  TileLayout layout;
};

/// \brief Contiguously stored rows with ascending ids: on the host, and on the device if they fit
/// there. They never change once others use them, so that several versions of an index share them.
class VectorSegment {
 public:
  /// A row of a new segment: its id, and its number among the given rows.
  struct Row {
    std::uint64_t id;
    std::size_t given;
  };

  /// Copies \p rows, at least one. \param first_id id of row 0; ids are consecutive \throws
  /// OutOfMemory, Cancelled
  VectorSegment(Context& context, const VectorSpan& rows, std::uint64_t first_id);
  /// Copies those of \p rows that are \p chosen, at least one, in ascending order of their ids.
  /// \throws OutOfMemory, Cancelled
  VectorSegment(Context& context, const VectorSpan& rows, std::span<const Row> chosen);
  /// Uses rows in place, \see StoredVectors, and keeps their owner. \throws OutOfMemory
  VectorSegment(Context& context, const StoredVectors& stored);
  /// Copies the rows of \p parts that were not removed, at least one. \throws OutOfMemory
  VectorSegment(Context& context, std::span<const LivePart<VectorSegment>> parts);

  std::size_t size() const noexcept { return m_host.count(); }
  std::uint32_t id(std::size_t row) const noexcept {
    return m_host.ids.size() == 0 ? m_first_id + static_cast<std::uint32_t>(row)
                                  : m_host.ids.data()[row];
  }
  std::uint32_t last_id() const noexcept { return id(size() - 1); }
  /// Whether row r has the id r + `id(0)`.
  bool is_contiguous() const noexcept { return last_id() - id(0) + 1 == size(); }
  /// The row of \p id, unless it belongs to another segment.
  std::optional<std::size_t> find_id(std::uint64_t id) const noexcept;

  /// Copies all rows to the device, before others use them. \throws OutOfMemory; no rows are then
  /// on the device
  void make_device_resident();
  bool on_device() const noexcept { return m_on_device; }

  /// All rows, on the host.
  VectorSpan rows() const noexcept;
  /// The same with all that is kept beside them, for a file.
  StoredVectors stored() const;

  template <class ExecutionSpace>
  const ResidentRows<ExecutionSpace>& resident() const {
    if constexpr (std::is_same_v<ExecutionSpace, HostSpace>) {
      return m_host;
    } else {
      return m_device.get<ExecutionSpace>();
    }
  }
  const ResidentRows<HostSpace>& host() const noexcept { return m_host; }

  /// \brief The quantized copy of `resident`, built by the first call; int8 rows are their own
  /// copy. Concurrent calls are safe. Fences when it builds the copy. \throws OutOfMemory
  template <class ExecutionSpace>
  QuantizedRows<ExecutionSpace> quantized(const ExecutionSpace& exec_space,
                                          MemoryResource& memory) const;
  /// Of the quantized copy in memory of \p space; 0 if there is none.
  std::uint64_t quantized_bytes(Space space) const noexcept { return bytes_of(m_quantized, space); }

  /// \brief The rounded copy of `resident` in \p layout, built by the first call. Empty if it would
  /// take more than half of the budget together with everything else, or memory runs out;
  /// searches do without it then. Concurrent calls are safe. Fences when it builds the copy.
  /// \param positions of the copy: at least those of its order, a multiple of a block
  template <class ExecutionSpace>
  RoundedRows<ExecutionSpace, Arch::Float16> rounded(const ExecutionSpace& exec_space,
                                                     MemoryResource& memory,
                                                     const TileLayout& layout,
                                                     std::size_t positions) const;
  std::uint64_t rounded_bytes(Space space) const noexcept { return bytes_of(m_rounded, space); }

 private:
  template <class ExecutionSpace>
  using LazyQuantized = MadeOnce<QuantizedBuffers<ExecutionSpace>>;
  template <class ExecutionSpace>
  using LazyRounded = MadeOnce<RoundedBuffers<ExecutionSpace>>;

  /// The bytes of a copy in memory of \p space; 0 if it is not made.
  template <class Copies>
  static std::uint64_t bytes_of(const Copies& copies, Space space) noexcept {
    const auto of = [](const auto* copy) { return copy == nullptr ? 0 : copy->bytes(); };
    if (space != Space::cuda) return of(copies.template get<HostSpace>().get());
    if constexpr (KINDRED_HAS_DEVICE != 0) {
      return of(copies.template get<DeviceSpace>().get());
    } else {
      return 0;
    }
  }
  void compute_norms();
  /// Whether \p bytes fit into half of the device's budget, with everything that is in use.
  bool has_memory_for(std::uint64_t bytes) const;

  Context* m_context;
  ResidentRows<HostSpace> m_host;
  std::shared_ptr<const void> m_owner;    ///< of the borrowed memory of `m_host`
  Arch::PerSpace<ResidentRows> m_device;  ///< the slot of the host stays empty
  std::uint32_t m_first_id = 0;
  bool m_on_device = false;
  mutable Arch::PerSpace<LazyQuantized> m_quantized;
  mutable Arch::PerSpace<LazyRounded> m_rounded;
};

/// A segment of an index, and which of its rows were not removed.
using LiveSegment = LivePart<VectorSegment>;

/// \brief Finds rows by ids, optimised for many lookups in one segment.
class RowFinder {
 public:
  explicit RowFinder(const LiveSegment& segment)
      : m_segment(segment),
        m_first_id(segment.id(0)),
        m_count(segment.live().has_all() && segment->is_contiguous() ? segment.size() : 0) {}

  /// \see LivePart::find
  std::optional<std::size_t> operator()(std::uint64_t id) const noexcept {
    const std::uint64_t row = id - m_first_id;
    return row < m_count ? row : m_segment.find(id);
  }

 private:
  const LiveSegment& m_segment;
  std::uint64_t m_first_id;
  std::size_t m_count;  // 0 if ids are not consecutive from `m_first_id` on
};

template <class ExecutionSpace>
QuantizedRows<ExecutionSpace> VectorSegment::quantized(const ExecutionSpace& exec_space,
                                                       MemoryResource& memory) const {
  const ResidentRows<ExecutionSpace>& rows = resident<ExecutionSpace>();
  if (rows.element == DataType::int8) return rows_as_quantized(rows.view());
  return m_quantized.get<ExecutionSpace>()
      .get([&] {
        QuantizedBuffers<ExecutionSpace> made(memory, rows.dimension, size());
        made.build(exec_space, rows.view());
        Arch::fence(exec_space, "Kindred::VectorIndex::quantized");
        return made;
      })
      .view();
}

template <class ExecutionSpace>
RoundedRows<ExecutionSpace, Arch::Float16> VectorSegment::rounded(const ExecutionSpace& exec_space,
                                                                  MemoryResource& memory,
                                                                  const TileLayout& layout,
                                                                  std::size_t positions) const {
  using buffers_type = RoundedBuffers<ExecutionSpace>;
  return m_rounded.get<ExecutionSpace>()
      .get([&] {
        if (!has_memory_for(buffers_type::bytes_of(layout, positions))) return buffers_type();
        try {
          buffers_type made(memory, layout, positions);
          made.build(exec_space, resident<ExecutionSpace>().view());
          Arch::fence(exec_space, "Kindred::VectorIndex::rounded");
          return made;
        } catch (const OutOfMemory&) {
          return buffers_type();
        }
      })
      .view();
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_VECTOR_SEGMENT_HPP
