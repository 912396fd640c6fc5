// SPDX-License-Identifier: Apache-2.0
#include "HostLibrary.hpp"

#include <kindred/Version.hpp>

#include <algorithm>
#include <cstdint>

namespace Kindred::Impl {

namespace {

// A tile of C is held in registers: its columns are the elements of a few vector registers, which
// the compiler makes of the inner loop.
constexpr std::uint64_t tile_rows = 4;
constexpr std::uint64_t tile_columns = 32;

/// `rows` rows of A times a panel of B, `tile_columns` adjacent elements per k: C = alpha · A · B,
/// or added to C. Sums are in the order of k.
template <class T, std::uint64_t rows>
void multiply_tile(const GemmShape& shape, const T* a, const T* panel, std::uint64_t panel_stride,
                   std::uint64_t columns, T* c, bool adds) {
  T sums[rows][tile_columns] = {};
  for (std::uint64_t k = 0; k < shape.k; ++k) {
    const T* b = panel + k * panel_stride;
    for (std::uint64_t i = 0; i < rows; ++i) {
      const T value = a[i * shape.lda + k];
      for (std::uint64_t j = 0; j < tile_columns; ++j) sums[i][j] += value * b[j];
    }
  }
  const T alpha = shape.alpha;
  for (std::uint64_t i = 0; i < rows; ++i) {
    T* out = c + i * shape.ldc;
    for (std::uint64_t j = 0; j < columns; ++j)
      out[j] = adds ? out[j] + alpha * sums[i][j] : alpha * sums[i][j];
  }
}

/// All rows of A times a panel, of which \p columns columns are stored.
template <class T>
void multiply_panel(const GemmShape& shape, const T* a, const T* panel, std::uint64_t panel_stride,
                    std::uint64_t columns, T* c, bool adds) {
  std::uint64_t i = 0;
  for (; i + tile_rows <= shape.m; i += tile_rows)
    multiply_tile<T, tile_rows>(shape, a + i * shape.lda, panel, panel_stride, columns,
                                c + i * shape.ldc, adds);
  for (; i < shape.m; ++i)
    multiply_tile<T, 1>(shape, a + i * shape.lda, panel, panel_stride, columns, c + i * shape.ldc,
                        adds);
}

/// C = alpha · A · B for a B of k × n. Panels are copied in pieces of k, which stay in the cache
/// while all rows of A are multiplied: in place, every row of a panel is on another page. Few rows
/// do not pay for the copy, unless the panel is narrower than a tile.
template <class T>
void multiply_matrices(const GemmShape& shape, const T* a, const T* b, T* c, bool adds) {
  constexpr std::uint64_t depth = 256;
  constexpr std::uint64_t least_rows = 8;
  T panel[depth * tile_columns];
  GemmShape piece = shape;
  for (std::uint64_t j = 0; j < shape.n; j += tile_columns) {
    const std::uint64_t columns = std::min(tile_columns, shape.n - j);
    if (shape.m < least_rows && columns == tile_columns) {
      multiply_panel(shape, a, b + j, shape.ldb, columns, c + j, adds);
      continue;
    }
    if (columns < tile_columns) std::fill_n(panel, depth * tile_columns, T{0});
    for (std::uint64_t k = 0; k < shape.k; k += depth) {
      piece.k = std::min(depth, shape.k - k);
      for (std::uint64_t row = 0; row < piece.k; ++row)
        std::copy_n(b + (k + row) * shape.ldb + j, columns, panel + row * tile_columns);
      multiply_panel(piece, a + k, panel, tile_columns, columns, c + j, adds || k > 0);
    }
  }
}

/// B is packed in panels of `tile_columns` of its rows, transposed and padded with zeros.
class OwnPackedProduct : public PackedProduct {
 public:
  explicit OwnPackedProduct(const GemmShape& shape) : m_shape(shape) {}

  std::size_t packed_bytes() const noexcept override {
    return panels() * m_shape.k * tile_columns * sizeof(float);
  }
  std::size_t scratch_bytes() const noexcept override { return 0; }
  void pack(const void* b, void* packed) const override {
    const auto* from = static_cast<const float*>(b);
    auto* to = static_cast<float*>(packed);
    for (std::uint64_t p = 0; p < panels(); ++p) {
      for (std::uint64_t k = 0; k < m_shape.k; ++k) {
        for (std::uint64_t j = 0; j < tile_columns; ++j, ++to) {
          const std::uint64_t row = p * tile_columns + j;
          *to = row < m_shape.n ? from[row * m_shape.ldb + k] : 0.0F;
        }
      }
    }
  }
  void run(const void* a, const void* packed, float* c, void*) const override {
    const auto* panel = static_cast<const float*>(packed);
    for (std::uint64_t p = 0; p < panels(); ++p, panel += m_shape.k * tile_columns) {
      const std::uint64_t first = p * tile_columns;
      multiply_panel(m_shape, static_cast<const float*>(a), panel, tile_columns,
                     std::min(tile_columns, m_shape.n - first), c + first, false);
    }
  }

 private:
  std::uint64_t panels() const noexcept { return (m_shape.n + tile_columns - 1) / tile_columns; }

  GemmShape m_shape;
};

/// \brief Our own products in plain C++: always there, and on any processor.
class OwnLibrary : public HostLibrary {
 public:
  std::string version() const override { return KINDRED_VERSION_STRING; }
  std::string why_not(GemmType input) const override {
    return input == GemmType::float32 ? "" : "our own product is for float32 only";
  }
  std::unique_ptr<PackedProduct> prepare(const GemmShape& shape, std::string&) const override {
    return std::make_unique<OwnPackedProduct>(shape);
  }
  bool multiplies(GemmType type) const override {
    return type == GemmType::float32 || type == GemmType::float64;
  }
  bool multiply(const GemmShape& shape, const float* a, const float* b, float* c,
                bool adds) const override {
    multiply_matrices(shape, a, b, c, adds);
    return true;
  }
  bool multiply(const GemmShape& shape, const double* a, const double* b,
                double* c) const override {
    multiply_matrices(shape, a, b, c, false);
    return true;
  }
};

}  // namespace

const HostLibrary& own_library() {
  static const OwnLibrary library;
  return library;
}

}  // namespace Kindred::Impl
