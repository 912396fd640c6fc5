// SPDX-License-Identifier: Apache-2.0
#include <kindred/backends/vendor/ThresholdGemm.hpp>
#include <kindred/core/numeric/Rank.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "GemmData.hpp"
#include "ToHost.hpp"
#include "ToSpace.hpp"

namespace ThresholdGemmTest {

using namespace Kindred;
using namespace Testing;
using Impl::ThresholdGemm;

TEST(TileLayout, GivesEveryElementAUniqueOffset) {
  for (const TileLayout layout : {TileLayout{192, true}, TileLayout{48, false}}) {
    std::set<std::uint64_t> places;
    const std::uint64_t vectors = 256;
    for (std::uint64_t vector = 0; vector < vectors; ++vector) {
      for (std::uint64_t element = 0; element < layout.stride; ++element) {
        const std::uint64_t place = layout.at(vector, element);
        places.insert(place);
        ASSERT_EQ(place, layout.at(vector, element / 8 * 8) + element % 8);
      }
    }
    EXPECT_EQ(places.size(), vectors * layout.stride);
    EXPECT_EQ(*places.rbegin(), vectors * layout.stride - 1);
  }
}

TEST(TileLayout, SwizzlesSixteenByteUnitsOf128Bytes) {
  const TileLayout layout{128, true};
  EXPECT_EQ(layout.at(0, 0), 0U);
  EXPECT_EQ(layout.at(1, 0), 64U + 8);
  EXPECT_EQ(layout.at(3, 17), 3U * 64 + 1 * 8 + 1);  // 2 XOR 3 is 1
  EXPECT_EQ(layout.at(0, 64), 128U * 64);
  EXPECT_EQ(layout.at(128, 0), 128U * 128);
}

#if KINDRED_HAS_DEVICE

/// Rows of float16 in blocks, padded with zeros.
std::vector<Arch::Float16> in_blocks(const std::vector<std::byte>& rows, std::uint64_t count,
                                     std::uint64_t length, std::uint64_t unit) {
  const TileLayout layout{(length + 63) / 64 * 64, true};
  std::vector<Arch::Float16> out((count + unit - 1) / unit * unit * layout.stride,
                                 Arch::Float16{0});
  for (std::uint64_t row = 0; row < count; ++row) {
    for (std::uint64_t i = 0; i < length; ++i)
      std::memcpy(&out[layout.at(row, i)], rows.data() + 2 * (row * length + i), 2);
  }
  return out;
}

/// \brief Every product, taken from the query lists with a threshold that all products pass.
std::vector<float> fused(const DeviceSpace& exec_space, const GemmData& data, bool weighted) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::uint64_t queries = data.shape.m;
  const std::uint64_t rows = data.shape.n;
  const std::uint64_t block = TileLayout::block_vectors;
  const std::uint64_t padded = (rows + block - 1) / block * block;
  const auto a =
      to_space(exec_space, in_blocks(data.a, queries, data.shape.k, ThresholdGemm::query_multiple));
  const auto b = to_space(exec_space, in_blocks(data.b, rows, data.shape.k, block));
  std::vector<float> bounds(4 * padded, 0.0F);
  for (std::uint64_t row = 0; row < padded; ++row) {
    const auto index = static_cast<std::uint32_t>(padded - row);
    bounds[row] = 1.0F;
    bounds[padded + row] = row < rows ? 0.0F : -infinity;
    std::memcpy(&bounds[3 * padded + row], &index, sizeof(index));
  }
  const auto bounds_view = to_space(exec_space, bounds);
  const auto weights = to_space(exec_space, std::vector<float>(queries, 0.0F));
  const auto zeros = [&](std::size_t count) {
    return to_space(exec_space, std::vector<std::uint32_t>(count, 0));
  };
  const auto found = zeros(queries * rows), uppers = zeros(queries * rows);
  const auto counts = zeros(queries), widths = zeros(queries), not_numbers = zeros(1);
  const auto thresholds = to_space(exec_space, std::vector<float>(queries, -infinity));
  Impl::ThresholdTile<DeviceSpace> tile;
  tile.rows = a.size() == 0 ? nullptr : b.data();
  tile.queries = a.data();
  tile.stride = (data.shape.k + 63) / 64 * 64;
  tile.bounds = TileBounds::of(bounds_view.data(), padded);
  tile.weights = weighted ? weights.data() : nullptr;
  tile.lists = {found, uppers, counts, thresholds, widths, not_numbers, rows};
  const ThresholdGemm gemm;
  for (const std::uint64_t last : {block, padded}) {
    tile.first = tile.last;
    tile.last = std::min(last, padded);
    gemm.run(exec_space, tile);
  }
  const auto host_found = to_host(exec_space, found);
  const auto host_uppers = to_host(exec_space, uppers);
  const auto host_counts = to_host(exec_space, counts);
  std::vector<float> out(queries * rows, std::numeric_limits<float>::quiet_NaN());
  for (std::uint64_t query = 0; query < queries; ++query) {
    EXPECT_EQ(host_counts[query], rows) << "query " << query;
    for (std::uint64_t i = 0; i < rows; ++i) {
      const std::uint64_t row = padded - host_found[query * rows + i];
      if (row < rows)
        out[query * rows + row] = Impl::score_from_ascending_bits(host_uppers[query * rows + i]);
    }
  }
  return out;
}

TEST(ThresholdGemm, StaysWithinItsErrorModel) {
  if (!context().is_usable(Space::cuda) || !ThresholdGemm::is_usable())
    GTEST_SKIP() << "needs a Hopper device (compute capability 9.0)";
  Impl::with_instance(context(), Space::cuda, [&](const auto& exec_space) {
    if constexpr (std::is_same_v<std::decay_t<decltype(exec_space)>, DeviceSpace>) {
      for (const auto& [queries, rows, length] : {std::array{1UL, 1UL, 1UL},
                                                  {70UL, 300UL, 768UL},
                                                  {300UL, 129UL, 100UL},
                                                  {8UL, 520UL, 2048UL}}) {
        for (const bool weighted : {false, true})
          expect_within_model(
              dense_shape(queries, rows, length, Impl::GemmType::float16),
              [&](const GemmData& data) { return fused(exec_space, data, weighted); });
      }
    }
  });
}

#endif

}  // namespace ThresholdGemmTest
