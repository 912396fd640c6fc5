// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/StoredVectors.hpp>
#include <kindred/matcher/VectorArray.hpp>

#include "SectionWriter.hpp"
#include "VectorSections.hpp"

#include <kindred/backends/Context.hpp>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/vector/VectorScores.hpp>

#include <algorithm>
#include <vector>

namespace Kindred {

void build_vectors(Context& context, const VectorFile& file, const std::string& path,
                   std::optional<VectorElement> element,
                   const std::function<void(std::uint64_t)>& progress) {
  constexpr std::uint64_t piece_bytes = std::uint64_t{16} << 20U;
  const VectorElement chosen = element ? *element : natural_element(file.type());
  const std::uint64_t rows = file.rows();
  const std::uint64_t dimension = file.dimension();
  KINDRED_THROW_IF(rows >= Impl::id_limit, file.path() + ": " + std::to_string(rows) +
                                               " rows; a store has fewer than " +
                                               std::to_string(Impl::id_limit));
  Impl::SectionWriter writer(path, Impl::vectors_kind);
  Impl::write_head(writer, {static_cast<std::uint64_t>(chosen), dimension, rows, rows, 0});

  const Space space = context.is_usable(Space::openmp) ? Space::openmp : Space::serial;
  const HostSpace& exec_space = Impl::host_instance(context, space);
  std::vector<double> norms(rows);
  std::vector<float> scales(chosen == VectorElement::int8 ? rows : 0);
  const std::uint64_t row_bytes = dimension * size_of(chosen);
  const std::uint64_t piece = std::min(rows, std::max<std::uint64_t>(1, piece_bytes / row_bytes));
  std::vector<std::byte> values(piece * row_bytes);
  Impl::with_element_type(chosen, [&](auto zero) {
    using T = decltype(zero);
    writer.begin<T>("value");
    for (std::uint64_t first = 0; first < rows;) {
      const std::uint64_t count = std::min(piece, rows - first);
      const auto part = std::span(values).first(count * row_bytes);
      const auto part_scales =
          scales.empty() ? std::span<float>() : std::span(scales).subspan(first, count);
      read_rows(file, first, count, chosen, part, part_scales);
      VectorRows<HostSpace> view;
      view.values = {part.data(), part.size()};
      view.element = chosen;
      view.scales = {part_scales.data(), part_scales.size()};
      view.dimension = dimension;
      vector_norms(exec_space, view, {norms.data() + first, count});
      exec_space.fence("Kindred::build_vectors");
      writer.put<T>(std::span<const T>(reinterpret_cast<const T*>(part.data()), count * dimension));
      first += count;
      if (progress) progress(first);
    }
  });
  if (!scales.empty()) writer.write<float>("scale", scales);
  writer.write<double>("norm", norms);
  writer.commit();
}

}  // namespace Kindred
