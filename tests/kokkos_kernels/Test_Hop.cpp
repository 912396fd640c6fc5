// SPDX-License-Identifier: Apache-2.0
// Kokkos Kernels in double precision as the oracle of hops.
#include <gtest/gtest.h>
#include <kindred/matcher/SpreadingEngine.hpp>

#include "ColumnsOf.hpp"
#include "Support.hpp"

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace KokkosKernelsHopTest {

using namespace Kindred;

using Host = Kokkos::DefaultHostExecutionSpace;
using Device = Kokkos::Device<Host, Kokkos::HostSpace>;
using Matrix = KokkosSparse::CrsMatrix<double, int, Device, void, std::size_t>;
using Columns = Kokkos::View<double**, Kokkos::LayoutRight, Device>;
using Column = Kokkos::View<double*, Kokkos::LayoutRight, Device>;

Matrix matrix_of(const std::vector<Edge>& edges, std::size_t nodes, bool against) {
  Matrix::row_map_type::non_const_type first("first", nodes + 1);
  Matrix::index_type to("to", edges.size());
  Matrix::values_type values("values", edges.size());
  const auto row = [&](const Edge& edge) { return against ? edge.from : edge.to; };
  for (const Edge& edge : edges) ++first(row(edge) + 1);
  for (std::size_t node = 0; node < nodes; ++node) first(node + 1) += first(node);
  std::vector<std::size_t> next(first.data(), first.data() + nodes);
  for (const Edge& edge : edges) {
    const std::size_t place = next[row(edge)]++;
    to(place) = static_cast<int>(against ? edge.to : edge.from);
    values(place) = edge.weight;
  }
  const auto size = static_cast<int>(nodes);
  return {"W", size, size, edges.size(), values, first, to};
}

/// Column 0 by SpMV, or all columns by SpMM.
Columns multiplied(const Matrix& matrix, const Columns& x) {
  Columns y("y", x.extent(0), x.extent(1));
  if (x.extent(1) == 1) {
    KokkosSparse::spmv(Host(), "N", 1.0, matrix, Column(x.data(), x.extent(0)), 0.0,
                       Column(y.data(), y.extent(0)));
  } else {
    KokkosSparse::spmv(Host(), "N", 1.0, matrix, x, 0.0, y);
  }
  Host().fence("multiplied");
  return y;
}

/// Parallel edges, rows without edges, and one row that has a third of them.
std::vector<Edge> random_edges(std::mt19937_64& generator, std::size_t nodes, std::size_t count) {
  std::uniform_real_distribution<float> weight(-1, 1);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = static_cast<std::uint32_t>(generator() % nodes);
    const auto to =
        static_cast<std::uint32_t>(i % 3 == 0 ? nodes / 2 : generator() % nodes / 2 * 2);
    edges.push_back({from, to, weight(generator)});
  }
  return edges;
}

TEST(KokkosKernels, GivesTheSameHops) {
  auto generator = Testing::generator("KokkosKernels hops");
  std::uniform_real_distribution<float> value(-1, 1);
  for (const std::size_t nodes : {1UL, 2UL, 33UL, 1000UL, 20000UL}) {
    const std::vector<Edge> edges = random_edges(generator, nodes, nodes * 12);
    const SpreadingEngine engine(Testing::context(), {nodes, edges});
    for (const HopDirection direction : {HopDirection::along, HopDirection::against}) {
      const bool against = direction == HopDirection::against;
      const Matrix matrix = matrix_of(edges, nodes, against);
      for (const std::size_t columns : {1UL, 3UL, 8UL, 33UL}) {
        std::vector<float> x(nodes * columns);
        Columns wide("x", nodes, columns);
        for (std::size_t i = 0; i < x.size(); ++i) wide.data()[i] = x[i] = value(generator);
        const Columns expected = multiplied(matrix, wide);
        std::vector<double> scale(x.size());  // the sums of the magnitudes
        for (const auto& [start, end, weight] : edges) {
          const std::size_t row = against ? start : end;
          const std::size_t other = against ? end : start;
          for (std::size_t c = 0; c < columns; ++c)
            scale[row * columns + c] += std::abs(double{weight} * double{x[other * columns + c]});
        }
        for (const Space space : Testing::spaces()) {
          std::vector<float> y(nodes * columns);
          engine.hop(Testing::columns_of(x, columns), Testing::columns_of(y, columns),
                     {.direction = direction, .space = space});
          for (std::size_t i = 0; i < y.size(); ++i) {
            const double theirs = expected.data()[i];
            // Ours is rounded to float32 once; both sum in double, in different orders.
            const double bound = 0x1p-24 * std::abs(theirs) +
                                 static_cast<double>(edges.size()) * 0x1p-51 * scale[i] + 0x1p-149;
            ASSERT_LE(std::abs(y[i] - theirs), bound)
                << to_string(space) << ", " << nodes << " nodes, " << columns << " columns, place "
                << i << ": " << y[i] << ", Kokkos Kernels " << theirs;
          }
        }
      }
    }
  }
}

}  // namespace KokkosKernelsHopTest
