// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_PRODUCTS_HPP
#define KINDRED_MATCHER_BULK_PRODUCTS_HPP

#include "ListLaunch.hpp"

#include <kindred/core/arch/StartCopy.hpp>
#include <kindred/core/common/Alignment.hpp>

#include <kindred/backends/vendor/DeviceGemm.hpp>
#include <kindred/backends/vendor/HostGemm.hpp>
#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/bulk/MatrixProduct.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/launch/ForEachIndex.hpp>
#include <kindred/memory/Copies.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace Kindred::Impl {

/// Whether the product is empty. Libraries do not handle these; C is set to zeros.
template <class T>
bool is_empty(const MatrixProduct<T>& product) {
  return product.m == 0 || product.n == 0 || product.k == 0;
}

template <class T>
GemmShape shape_of(const MatrixProduct<T>& product) {
  GemmShape shape;
  shape.m = product.m;
  shape.n = product.n;
  shape.k = product.k;
  shape.lda = product.k;
  shape.ldb = product.n;
  shape.ldc = product.n;
  shape.input = sizeof(T) == 8 ? GemmType::float64 : GemmType::float32;
  shape.output = shape.input;
  shape.plain_b = true;
  shape.choice = GemmChoice::fixed;
  return shape;
}

/// The part of a product that a host thread processes at a time: a small product as a whole,
/// otherwise a tile whose size does not depend on the number of threads.
struct HostTile {
  template <class T>
  explicit HostTile(const MatrixProduct<T>& product) : rows(product.m), columns(product.n) {
    constexpr double whole_max = 0x1p25;  // multiply-adds
    const double steps = static_cast<double>(product.m) * static_cast<double>(product.n) *
                         static_cast<double>(product.k);
    if (steps <= whole_max) return;
    rows = 256;
    columns = 512;
  }
  std::uint64_t rows;
  std::uint64_t columns;
};

/// Number of tiles of \p product.
template <class T>
std::uint64_t host_tiles(const MatrixProduct<T>& product) {
  if (is_empty(product)) return 0;
  const HostTile tile(product);
  return quotient_up(product.m, tile.rows) * quotient_up(product.n, tile.columns);
}

/// \brief Products by a library of the host, one \ref HostTile at a time.
template <class ExecutionSpace, class T>
class HostLibraryProducts {
 public:
  /// \param workspace,library must outlive this object
  HostLibraryProducts(const ExecutionSpace& exec_space, ListWorkspace<ExecutionSpace>& workspace,
                      const HostMultiply& library, std::span<const MatrixProduct<T>> products)
      : m_library(library) {
    m_tiles.reserve(products.size());
    for (const MatrixProduct<T>& product : products) {
      if (is_empty(product)) {
        m_zeros.push_back(product);
        continue;
      }
      const auto [rows, columns] = HostTile(product);
      for (std::uint64_t column = 0; column < product.n; column += columns) {
        for (std::uint64_t row = 0; row < product.m; row += rows) {
          m_tiles.push_back({product.a + row * product.k, product.b + column,
                             product.c + row * product.n + column, std::min(rows, product.m - row),
                             std::min(columns, product.n - column), product.k, product.n});
        }
      }
    }
    m_workers = std::min<std::uint64_t>(
        m_tiles.size(), static_cast<std::uint64_t>(std::max(1, Arch::concurrency(exec_space))));
    if constexpr (has_copies) allocate_copies(workspace);
  }

  void run(const ExecutionSpace& exec_space) {
    for (const MatrixProduct<T>& product : m_zeros)
      std::fill_n(product.c, product.m * product.n, T{0});
    if (m_tiles.empty()) return;
    std::atomic<std::uint64_t> next{0};
    const std::uint64_t at_once = std::clamp<std::uint64_t>(m_tiles.size() / m_workers / 16, 1, 64);
    const auto work = [&](const std::uint64_t worker, const Launch::SharedWork& shared) {
      const HostMultiply::OnThisThread one_thread;
      const Tile* copied = nullptr;
      while (true) {
        const std::uint64_t first = next.fetch_add(at_once);
        if (first >= m_tiles.size()) return;
        const std::uint64_t end = std::min<std::uint64_t>(first + at_once, m_tiles.size());
        for (std::uint64_t i = first; i < end; ++i) {
          if (shared.is_over()) return;
          multiply(m_tiles[i], worker, copied);
        }
      }
    };
    Launch::for_each_worker(exec_space, "Kindred::Bulk::host_products", m_workers, work);
  }

 private:
  /// Smaller than a `GemmShape` by a factor of three, because there may be thousands of tiles.
  struct Tile {
    const T* a;
    const T* b;
    T* c;
    std::uint64_t m;
    std::uint64_t n;
    std::uint64_t k;
    std::uint64_t stride;  ///< of B and C

    GemmShape shape() const {
      GemmShape shape = shape_of(MatrixProduct<T>{a, b, c, m, n, k});
      shape.ldb = shape.ldc = stride;
      return shape;
    }
  };
  static constexpr bool has_copies = sizeof(T) == 4;
  static constexpr std::uint64_t copied_rows = 2048;  ///< rows of B per copy
  static std::uint64_t copied_stride(std::uint64_t columns) { return (columns + 31) / 16 * 16; }

  /// One copy of a part of B per worker; if memory is short, the library reads B in place.
  void allocate_copies(ListWorkspace<ExecutionSpace>& workspace) {
    std::uint64_t most = 0;
    for (const Tile& tile : m_tiles) {
      if (m_library.wants_other_stride(tile.shape()))
        most = std::max(most, std::min(tile.k, copied_rows) * copied_stride(tile.n));
    }
    if (most == 0) return;
    try {
      m_copies = workspace.template items<T>(m_workers * most).data();
      m_copy_size = most;
    } catch (const OutOfMemory&) {
      m_copies = nullptr;
    }
  }

  /// \param copied the tile of which \p worker has a complete copy of B; null: none
  void multiply(const Tile& tile, std::uint64_t worker, const Tile*& copied) const {
    GemmShape shape = tile.shape();
    if constexpr (has_copies) {
      if (m_copies != nullptr && m_library.wants_other_stride(shape)) {
        T* copy = m_copies + worker * m_copy_size;
        const bool is_there = copied != nullptr && copied->b == tile.b && copied->n == tile.n &&
                              copied->k == tile.k && copied->stride == tile.stride;
        shape.ldb = copied_stride(tile.n);
        for (std::uint64_t from = 0; from < tile.k; from += copied_rows) {
          shape.k = std::min(copied_rows, tile.k - from);
          if (!is_there) {
            for (std::uint64_t row = 0; row < shape.k; ++row)
              std::copy_n(tile.b + (from + row) * tile.stride, tile.n, copy + row * shape.ldb);
          }
          m_library.run(shape, tile.a + from, copy, tile.c, from > 0);
        }
        copied = tile.k <= copied_rows ? &tile : nullptr;
        return;
      }
    }
    m_library.run(shape, tile.a, tile.b, tile.c);
  }

  const HostMultiply& m_library;
  std::vector<Tile> m_tiles;
  std::vector<MatrixProduct<T>> m_zeros;
  std::uint64_t m_workers = 1;
  T* m_copies = nullptr;
  std::uint64_t m_copy_size = 0;
};

/// \brief Products by the library of a device: products of equal shape at a constant stride form
/// one batch. \tparam Gemm `DeviceGemm`
template <class ExecutionSpace, class T, class Gemm>
class DeviceLibraryProducts {
 public:
  /// \param gemm must outlive this object
  DeviceLibraryProducts(Gemm& gemm, std::span<const MatrixProduct<T>> products) : m_gemm(gemm) {
    std::vector<MatrixProduct<T>> order(products.begin(), products.end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.m, a.n, a.k) < std::tuple(b.m, b.n, b.k);
    });
    for (std::size_t i = 0; i < order.size();) i = add_run(order, i);
    for (const Run& run : m_runs) {
      if (!run.is_zeros) m_gemm.prepare(run.shape);
    }
  }

  void run(const ExecutionSpace& exec_space) {
    for (const Run& run : m_runs) {
      if (run.is_zeros) {
        const ArrayView<T, ExecutionSpace> zeros(run.first.c, run.first.m * run.first.n);
        Arch::start_fill(exec_space, zeros, T{0});
      } else {
        m_gemm.run(exec_space, run.shape, run.first.a, run.first.b, run.first.c);
      }
    }
  }

 private:
  struct Run {
    MatrixProduct<T> first;
    GemmShape shape;
    bool is_zeros = false;
  };

  /// Launches the run that starts at \p i; returns the start of the next one.
  std::size_t add_run(const std::vector<MatrixProduct<T>>& order, std::size_t i) {
    const MatrixProduct<T>& first = order[i];
    if (is_empty(first)) {
      m_runs.push_back({first, {}, true});
      return i + 1;
    }
    constexpr std::size_t run_max = 65535;
    GemmShape shape = shape_of(first);
    const auto step = [&](auto matrix, std::size_t at) {
      return order[at].*matrix - order[at - 1].*matrix;
    };
    using Product = MatrixProduct<T>;
    const auto same_shape = [&](std::size_t at) {
      return order[at].m == first.m && order[at].n == first.n && order[at].k == first.k;
    };
    std::size_t end = i + 1;
    if (end < order.size() && same_shape(end) && step(&Product::a, end) >= 0 &&
        step(&Product::b, end) >= 0 && step(&Product::c, end) > 0) {
      const auto a_step = step(&Product::a, end);
      const auto b_step = step(&Product::b, end);
      const auto c_step = step(&Product::c, end);
      while (end < order.size() && end - i < run_max && same_shape(end) &&
             step(&Product::a, end) == a_step && step(&Product::b, end) == b_step &&
             step(&Product::c, end) == c_step)
        ++end;
      shape.batch = end - i;
      shape.a_step = static_cast<std::uint64_t>(a_step);
      shape.b_step = static_cast<std::uint64_t>(b_step);
      shape.c_step = static_cast<std::uint64_t>(c_step);
    }
    const std::uint64_t steps = (shape.a_step | shape.b_step | shape.c_step) * sizeof(T);
    const auto all_begin_at = [&](std::uint32_t bytes) {
      return begin_at(bytes, first.a, first.b, first.c) && steps % bytes == 0;
    };
    shape.alignment = all_begin_at(256) ? 256 : all_begin_at(16) ? 16 : sizeof(T);
    m_runs.push_back({first, shape});
    return end;
  }

  Gemm& m_gemm;
  std::vector<Run> m_runs;
};

/// \brief The product library of a space, which is expensive to create and therefore kept by
/// frequent callers.
template <class ExecutionSpace, class T>
struct ProductLibrary {
  using products_type = DeviceLibraryProducts<ExecutionSpace, T, DeviceGemm>;
  DeviceGemm value;
};
template <class T>
struct ProductLibrary<HostSpace, T> {
  using products_type = HostLibraryProducts<HostSpace, T>;
  HostMultiply value{sizeof(T) == 8 ? GemmType::float64 : GemmType::float32};
};

/// \brief Products by the kernel of reproducible sums.
template <class ExecutionSpace, class T>
class ReproducibleProducts {
 public:
  /// \param workspace this uses its items \throws OutOfMemory
  ReproducibleProducts(const ExecutionSpace& exec_space, ListWorkspace<ExecutionSpace>& workspace,
                       std::vector<MatrixProduct<T>> products)
      : m_work_items(plan_products<ExecutionSpace, T>(std::span(products))) {
    const auto items = workspace.template items<MatrixProduct<T>>(products.size());
    upload(exec_space, items, products.data(), products.size());
    m_products = items;
  }
  void run(const ExecutionSpace& exec_space) {
    reproducible_products<ExecutionSpace, T>(exec_space, m_work_items, m_products);
  }

 private:
  std::uint64_t m_work_items;
  ArrayView<const MatrixProduct<T>, ExecutionSpace> m_products;
};

/// \brief Products over memory of one space.
template <class ExecutionSpace, class T>
class Products {
 public:
  using library_type = std::optional<ProductLibrary<ExecutionSpace, T>>;

  /// \param workspace, library must outlive this object; the library is created on demand \throws
  /// OutOfMemory, SpaceUnavailable
  Products(const ExecutionSpace& exec_space, ListWorkspace<ExecutionSpace>& workspace,
           library_type& library, const std::vector<MatrixProduct<T>>& products,
           bool reproducible) {
    if (reproducible) {
      m_reproducible.emplace(exec_space, workspace, products);
    } else {
      if (!library) library.emplace();
      const std::span<const MatrixProduct<T>> all(products);
      if constexpr (Arch::is_device<ExecutionSpace>) {
        m_library.emplace(library->value, all);
      } else {
        m_library.emplace(exec_space, workspace, library->value, all);
      }
    }
  }
  void run(const ExecutionSpace& exec_space) {
    if (m_reproducible) m_reproducible->run(exec_space);
    if (m_library) m_library->run(exec_space);
  }

 private:
  std::optional<ReproducibleProducts<ExecutionSpace, T>> m_reproducible;
  std::optional<typename ProductLibrary<ExecutionSpace, T>::products_type> m_library;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_PRODUCTS_HPP
