// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_VECTOR_VECTOR_SEGMENT_HPP
#define KINDRED_MATCHER_VECTOR_VECTOR_SEGMENT_HPP

#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/PerSpace.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/SharedMutex.hpp>
#include <kindred/core/vector/QuantizedRows.hpp>
#include <kindred/core/vector/TileSelect.hpp>
#include <kindred/core/vector/VectorRows.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorSpan.hpp>
#include <kindred/memory/Buffer.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

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
  /// Builds the rows `begin … begin + length` from \p rows, which are these rows only. Does not
  /// fence.
  void build(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
             std::size_t begin, std::size_t length) const {
    const auto part = [&](const auto& buffer, std::size_t unit) {
      return Kokkos::subview(buffer.view(), std::pair(begin * unit, (begin + length) * unit));
    };
    quantize_rows<ExecutionSpace>(exec_space, rows, part(values, stride), part(scales, 1),
                                  part(errors, 1), part(norms, 1));
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
  /// Rounds the positions `begin … begin + count`, multiples of a block. Does not fence.
  void build(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
             std::size_t begin, std::size_t count) const {
    const auto part = [&](const auto& buffer, std::size_t unit) {
      return Kokkos::subview(buffer.view(), std::pair(begin * unit, (begin + count) * unit));
    };
    round_tile_rows<ExecutionSpace, element>(
        exec_space, rows, TileOrder<ExecutionSpace>::of(rows.norms.size()), begin, layout,
        part(values, layout.stride), part(squares, 1));
  }
  /// Rounds \p row again. Does not fence.
  void rebuild(const ExecutionSpace& exec_space, const VectorRows<ExecutionSpace>& rows,
               std::size_t row) const {
    constexpr std::size_t block = TileLayout::block_vectors;
    const auto order = TileOrder<ExecutionSpace>::of(rows.norms.size());
    build(exec_space, rows, order.position_of(row) / block * block, block);
  }

  Buffer<element, memory_space> values;
  Buffer<float, memory_space> squares;
  TileLayout layout;
};

/// \brief What a host segment keeps beside the values of rows: one entry per row.
struct RowColumns {
  /// \param stride_ of the quantized copies; 0: none \throws std::bad_alloc
  RowColumns(std::size_t rows, std::uint64_t stride_)
      : stride(stride_),
        norms(rows),
        quantized(rows * stride),
        quantized_scales(stride == 0 ? 0 : rows),
        quantized_errors(stride == 0 ? 0 : rows),
        quantized_norms(stride == 0 ? 0 : rows) {}

  /// Computes the entries `begin … begin + count` of \p rows, which are these rows only. Does not
  /// fence.
  void compute(const HostSpace& exec_space, const VectorRows<HostSpace>& rows, std::size_t begin,
               std::size_t count);

  std::uint64_t stride;
  std::vector<double> norms;
  std::vector<std::int8_t> quantized;
  std::vector<float> quantized_scales;
  std::vector<float> quantized_errors;
  std::vector<float> quantized_norms;
};

/// How borrowed memory of a segment may be used.
enum class StoredAccess : std::uint8_t {
  read,  ///< shared with others: copied before the first change
  write  ///< writes are private, as in a private file mapping
};

/// \brief Contiguously stored rows with ascending ids: on the host, and on the device if they fit
/// there.
///
/// Calls that change rows must not run concurrently with any other call.
class VectorSegment {
 public:
  /// Allocates space for rows on the host. \param first_id id of row 0; ids are consecutive \throws
  /// OutOfMemory
  VectorSegment(Context& context, DataType element, std::size_t dimension, std::size_t count,
                std::uint32_t first_id);
  /// Uses rows in place and keeps their owner. \throws OutOfMemory
  VectorSegment(Context& context, const StoredVectors& stored, StoredAccess access);
  /// Copies the rows of \p parts that were not removed. \throws OutOfMemory
  VectorSegment(Context& context, std::span<const std::shared_ptr<VectorSegment>> parts);

  std::size_t size() const noexcept { return m_host.count(); }
  std::size_t removed() const noexcept { return m_removed; }
  std::uint32_t id(std::size_t row) const noexcept {
    return m_host.ids.size() == 0 ? m_first_id + static_cast<std::uint32_t>(row)
                                  : m_host.ids.data()[row];
  }
  std::uint32_t last_id() const noexcept { return id(size() - 1); }
  /// Whether row r has the id r + `id(0)`.
  bool is_contiguous() const noexcept { return last_id() - id(0) + 1 == size(); }
  /// The row of \p id, unless it was removed or belongs to another segment.
  std::optional<std::size_t> find(std::uint64_t id) const noexcept;

  /// Copies \p rows to the rows `begin …` on the host. Call `finish` after the last call.
  void fill(std::size_t begin, const VectorSpan& rows);
  /// Computes the norms.
  void finish();
  /// Copies all rows to the device. \throws OutOfMemory; no rows are then on the device
  void make_device_resident();
  bool on_device() const noexcept { return m_on_device; }

  /// Performs the steps of `remove` that can fail. \throws std::bad_alloc
  void prepare_to_remove();
  void remove(std::size_t row) noexcept;
  /// View of the host data for writing a file; valid until the next change.
  StoredVectors stored() const;

  /// A row on the host.
  VectorSpan row(std::size_t row) const noexcept;
  /// Of the quantized copy on the host; 0 if there is none.
  std::uint64_t quantized_stride() const noexcept { return m_quantized.get<HostSpace>().stride; }
  /// Copies what is kept beside a row to entry \p i.
  void read(std::size_t row, RowColumns& columns, std::size_t i) const noexcept;
  /// Copies shared memory to owned memory, before rows are written. \throws OutOfMemory; nothing is
  /// then changed
  void make_writable();
  /// Writes a row on the host, with entry \p i of \p columns.
  void write(std::size_t row, const VectorSpan& value, const RowColumns& columns,
             std::size_t i) noexcept;
  /// Copies \p rows (ascending) from the host to the device, and makes their quantized and rounded
  /// copies there again. Fences the instance of the device.
  void write_to_device(std::span<const std::size_t> rows);
  /// The rows on the device are not used any more.
  void leave_device() noexcept { m_on_device = false; }

  /// One bit per row, set if the row was not removed; empty if no row was removed.
  const std::vector<std::uint64_t>& live() const noexcept { return m_live; }
  /// Calls `visit(row)` for the rows `begin … end` that were not removed.
  template <class Visit>
  void for_each_live(std::size_t begin, std::size_t end, const Visit& visit) const {
    for (std::size_t row = begin; row < end; ++row)
      if (m_live.empty() || (m_live[row / 64] >> (row % 64) & 1U) != 0) visit(row);
  }
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
  std::uint64_t quantized_bytes(Space space) const noexcept {
    return m_quantized_bytes[space == Space::cuda ? 1 : 0].load(std::memory_order_relaxed);
  }

  /// \brief The rounded copy of `resident` in \p layout, built by the first call. Empty if it would
  /// take more than half of the budget together with everything else, or memory runs out;
  /// searches do without it then. Concurrent calls are safe. Fences when it builds the copy.
  /// \param positions of the copy: at least those of its order, a multiple of a block
  template <class ExecutionSpace>
  RoundedRows<ExecutionSpace, Arch::Float16> rounded(const ExecutionSpace& exec_space,
                                                     MemoryResource& memory,
                                                     const TileLayout& layout,
                                                     std::size_t positions) const;
  std::uint64_t rounded_bytes(Space space) const;

 private:
  void put(std::size_t row, const VectorSpan& value) noexcept;
  /// Whether \p bytes fit into half of the device's budget, with everything that is in use.
  bool has_memory_for(std::uint64_t bytes) const;

  Context* m_context;
  ResidentRows<HostSpace> m_host;
  std::shared_ptr<const void> m_owner;    ///< of the borrowed memory of `m_host`
  bool m_is_shared = false;               ///< whether others use the borrowed memory of `m_host`
  Arch::PerSpace<ResidentRows> m_device;  ///< the slot of the host stays empty
  std::uint32_t m_first_id = 0;
  std::vector<std::uint64_t> m_live;
  std::size_t m_removed = 0;
  bool m_on_device = false;
  mutable SharedMutex m_quantized_mutex;
  mutable Arch::PerSpace<QuantizedBuffers> m_quantized;
  /// On the host and on a device: every search reads them.
  mutable std::array<std::atomic<std::uint64_t>, 2> m_quantized_bytes{};
  mutable SharedMutex m_rounded_mutex;
  mutable Arch::PerSpace<RoundedBuffers> m_rounded;
  mutable bool m_lacks_memory = false;  ///< for the rounded copy
};

/// \brief Finds rows by ids, optimised for many lookups in one segment.
class RowFinder {
 public:
  explicit RowFinder(const VectorSegment& segment)
      : m_segment(segment),
        m_first_id(segment.size() > 0 ? segment.id(0) : 0),
        m_count(segment.live().empty() && segment.size() > 0 && segment.is_contiguous()
                    ? segment.size()
                    : 0) {}

  /// \see VectorSegment::find
  std::optional<std::size_t> operator()(std::uint64_t id) const noexcept {
    const std::uint64_t row = id - m_first_id;
    return row < m_count ? row : m_segment.find(id);
  }

 private:
  const VectorSegment& m_segment;
  std::uint64_t m_first_id;
  std::size_t m_count;  // 0 if ids are not consecutive from `m_first_id` on
};

template <class ExecutionSpace>
QuantizedRows<ExecutionSpace> VectorSegment::quantized(const ExecutionSpace& exec_space,
                                                       MemoryResource& memory) const {
  const ResidentRows<ExecutionSpace>& rows = resident<ExecutionSpace>();
  if (rows.element == DataType::int8) return rows_as_quantized(rows.view());
  QuantizedBuffers<ExecutionSpace>& quantized = m_quantized.get<ExecutionSpace>();
  {
    const std::shared_lock lock(m_quantized_mutex);
    if (quantized.stride != 0) return quantized.view();
  }
  const std::lock_guard lock(m_quantized_mutex);
  if (quantized.stride == 0) {
    QuantizedBuffers<ExecutionSpace> made(memory, rows.dimension, size());
    made.build(exec_space, rows.view(), 0, size());
    Arch::fence(exec_space, "Kindred::VectorIndex::quantized");
    quantized = std::move(made);
    m_quantized_bytes[Arch::is_device<ExecutionSpace> ? 1 : 0] = quantized.bytes();
  }
  return quantized.view();
}

template <class ExecutionSpace>
RoundedRows<ExecutionSpace, Arch::Float16> VectorSegment::rounded(const ExecutionSpace& exec_space,
                                                                  MemoryResource& memory,
                                                                  const TileLayout& layout,
                                                                  std::size_t positions) const {
  RoundedBuffers<ExecutionSpace>& rounded = m_rounded.get<ExecutionSpace>();
  {
    const std::shared_lock lock(m_rounded_mutex);
    if (rounded.values.size() != 0 || m_lacks_memory) return rounded.view();
  }
  const std::lock_guard lock(m_rounded_mutex);
  if (rounded.values.size() == 0 && !m_lacks_memory) {
    try {
      m_lacks_memory = !has_memory_for(RoundedBuffers<ExecutionSpace>::bytes_of(layout, positions));
      if (m_lacks_memory) return {};
      RoundedBuffers<ExecutionSpace> made(memory, layout, positions);
      made.build(exec_space, resident<ExecutionSpace>().view(), 0, positions);
      Arch::fence(exec_space, "Kindred::VectorIndex::rounded");
      rounded = std::move(made);
    } catch (const OutOfMemory&) {
      m_lacks_memory = true;
    }
  }
  return rounded.view();
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_VECTOR_VECTOR_SEGMENT_HPP
