// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Fence.hpp>
#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>

#include "VectorSections.hpp"
#include "kit/Hash.hpp"
#include "storage/SectionWriter.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/vector/QuantizedRows.hpp>
#include <kindred/core/vector/VectorScores.hpp>
#include <kindred/memory/Buffer.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <vector>

namespace Kindred {

namespace {

/// The rows of a file, read in pieces and converted to an element type.
class Pieces {
 public:
  Pieces(const VectorFile& file, DataType element)
      : m_file(file),
        m_element(element),
        m_row_bytes(file.dimension() * size_of(element)),
        m_piece(std::min(file.rows(), std::max<std::uint64_t>(1, piece_bytes / m_row_bytes))),
        m_values(m_piece * m_row_bytes),
        m_scales(element == DataType::int8 ? m_piece : 0),
        m_hashes(m_piece == 0 ? 0 : quotient_up(file.rows(), m_piece)) {}

  std::uint64_t size() const { return m_piece; }

  /// Calls `visit(rows, first, count)` for every piece. \throws Error if the rows differ from those
  /// of the previous pass
  template <class Visit>
  void for_each(const Visit& visit) {
    std::size_t number = 0;
    for (std::uint64_t first = 0; first < m_file.rows(); first += m_piece, ++number) {
      const std::uint64_t count = std::min(m_piece, m_file.rows() - first);
      const auto values = std::span(m_values).first(count * m_row_bytes);
      const auto scales = std::span(m_scales).first(m_scales.empty() ? 0 : count);
      read_rows(m_file, first, count, m_element, values, scales);
      const std::uint64_t hash = Impl::hash64(values.data(), values.size());
      if (m_again && m_hashes[number] != hash)
        throw Error(m_file.path() + ": has changed while it was read; build the store again");
      m_hashes[number] = hash;
      VectorRows<HostSpace> rows;
      rows.values = ArrayView<const std::byte, HostSpace>(values.data(), values.size());
      rows.element = m_element;
      rows.scales = ArrayView<const float, HostSpace>(scales.data(), scales.size());
      rows.dimension = m_file.dimension();
      visit(rows, first, count);
    }
    m_again = true;
  }

 private:
  static constexpr std::uint64_t piece_bytes = std::uint64_t{16} << 20U;

  const VectorFile& m_file;
  DataType m_element;
  std::uint64_t m_row_bytes;
  std::uint64_t m_piece;
  std::vector<std::byte> m_values;
  std::vector<float> m_scales;
  std::vector<std::uint64_t> m_hashes;
  bool m_again = false;
};

void write_rows(const HostSpace& exec_space, Impl::SectionWriter& writer, Pieces& pieces,
                std::uint64_t count, DataType element,
                const std::function<void(std::uint64_t)>& progress) {
  std::vector<double> norms(count);
  std::vector<float> scales;
  Impl::with_element_type(element, [&](auto zero) {
    using T = decltype(zero);
    writer.begin<T>("value");
    pieces.for_each([&](const auto& rows, std::uint64_t first, std::uint64_t length) {
      vector_norms(exec_space, rows, ArrayView<double, HostSpace>(norms.data() + first, length));
      Arch::fence(exec_space, "Kindred::StoredVectors::build::norms");
      scales.insert(scales.end(), rows.scales.data(), rows.scales.data() + rows.scales.size());
      writer.put<T>(std::span<const T>(reinterpret_cast<const T*>(rows.values.data()),
                                       rows.values.size() / sizeof(T)));
      if (progress) progress(first + length);
    });
  });
  if (element == DataType::int8) writer.write<float>("scale", scales);
  writer.write<double>("norm", norms);
}

void write_quantized(const HostSpace& exec_space, MemoryResource& memory,
                     Impl::SectionWriter& writer, Pieces& pieces, std::uint64_t count,
                     std::uint64_t stride) {
  std::vector<float> scales(count);
  std::vector<float> errors(count);
  std::vector<float> norms(count);
  const Buffer<std::int8_t, HostSpace::memory_space> values(
      memory, "Kindred::StoredVectors::build::quantized", pieces.size() * stride);
  writer.begin<std::int8_t>("shadow.value");
  pieces.for_each([&](const auto& rows, std::uint64_t first, std::uint64_t length) {
    using Floats = ArrayView<float, HostSpace>;
    quantize_rows(exec_space, rows,
                  ArrayView<std::int8_t, HostSpace>(values.data(), length * stride),
                  Floats(scales.data() + first, length), Floats(errors.data() + first, length),
                  Floats(norms.data() + first, length));
    Arch::fence(exec_space, "Kindred::StoredVectors::build::quantized");
    writer.put<std::int8_t>(std::span<const std::int8_t>(values.data(), length * stride));
  });
  writer.write<float>("shadow.scale", scales);
  writer.write<float>("shadow.error", errors);
  writer.write<float>("shadow.norm", norms);
}

}  // namespace

void StoredVectors::build(Context& context, const VectorFile& file, const std::string& path,
                          const StoredVectorsOptions& options,
                          const std::function<void(std::uint64_t)>& progress) try {
  const DataType element = options.element ? *options.element : natural_element(file.type());
  const std::uint64_t rows = file.rows();
  KINDRED_THROW_IF(rows >= Impl::id_limit, file.path() + ": " + std::to_string(rows) +
                                               " rows; a store has fewer than " +
                                               std::to_string(Impl::id_limit));
  // int8 rows are their own quantized copy.
  const bool quantized = options.quantized_copy && element != DataType::int8;
  const std::uint64_t stride = quantized ? quantized_stride(file.dimension()) : 0;
  const Space space = context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
  const Impl::HostLease lease(context, space);
  const HostSpace& exec_space = lease.get();
  Impl::SectionWriter writer(path, Impl::vectors_kind);
  Impl::write_head(writer,
                   {static_cast<std::uint64_t>(element), file.dimension(), rows, rows, stride});
  Pieces pieces(file, element);
  write_rows(exec_space, writer, pieces, rows, element, progress);
  if (quantized) write_quantized(exec_space, context.memory(space), writer, pieces, rows, stride);
  writer.commit();
} catch (...) {
  Impl::rethrow_translated("Kindred::StoredVectors::build");
}

}  // namespace Kindred
