// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_PRODUCT_CALL_HPP
#define KINDRED_MATCHER_BULK_PRODUCT_CALL_HPP

#include "BulkWorkspace.hpp"
#include "DeviceBatches.hpp"

#include <kindred/core/arch/Fence.hpp>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace Kindred::Impl {

/// \brief Products of matrices in host memory. On a device they are processed in batches of
/// products of equal shape.
template <class T>
class ProductCall {
 public:
  ProductCall(Context& context, BulkCalls& calls, std::vector<MatrixProduct<T>> products,
              const BulkOptions& options)
      : m_context(context), m_calls(calls), m_products(std::move(products)), m_options(options) {}

  BulkReport run() {
    Workload workload;
    workload.operation = Operations::matrix_multiply;
    std::uint64_t tiles = 0;
    for (const MatrixProduct<T>& product : m_products) {
      workload.items += product.m * product.n;
      workload.work += static_cast<double>(product.m) * static_cast<double>(product.n) *
                       static_cast<double>(product.k);
      workload.transfer_bytes += bytes_of(product);
      workload.device_bytes = std::max(workload.device_bytes, bytes_of(product));
      tiles += host_tiles(product);
    }
    constexpr std::uint64_t many = 0xFFFFFFFF;
    workload.pieces = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(tiles, 1, many));
    m_report.record = m_calls.run(
        m_context, workload, m_options.space,
        [&]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                  BulkWorkspace<ExecutionSpace>& workspace, Space space) {
          m_report.batches = m_report.batch_bytes = m_report.splits = 0;
          if (m_products.empty()) return;
          if constexpr (Arch::is_device<ExecutionSpace>) {
            run_batches(exec_space, workspace,
                        batch_bytes_of(m_context, space, Operations::matrix_multiply,
                                       m_options.batch_bytes, workspace.batch.bytes()));
          } else {
            Products<ExecutionSpace, T>(exec_space, workspace.lists,
                                        workspace.template library<T>(), m_products,
                                        m_options.reproducible)
                .run(exec_space);
            Arch::fence(exec_space, "Kindred::Bulk::multiply");
            m_report.batches = 1;
          }
        });
    return m_report;
  }

 private:
  static std::uint64_t bytes_of(const MatrixProduct<T>& p) {
    return (p.m * p.k + p.k * p.n + p.m * p.n) * sizeof(T);
  }
  static bool same_shape(const MatrixProduct<T>& a, const MatrixProduct<T>& b) {
    return a.m == b.m && a.n == b.n && a.k == b.k;
  }

  template <class ExecutionSpace>
  void run_batches(const ExecutionSpace& exec_space, BulkWorkspace<ExecutionSpace>& workspace,
                   std::uint64_t batch_bytes) {
    std::stable_sort(m_products.begin(), m_products.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.m, a.n, a.k) < std::tuple(b.m, b.n, b.k);
    });
    // Space for the matrices and for the alignment of the first matrix of each of the three
    // operands.
    constexpr std::uint64_t gaps = 3 * device_alignment;
    std::uint64_t least = 0;
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < m_products.size(); ++i) {
      const bool is_new = i == 0 || !same_shape(m_products[i], m_products[i - 1]);
      least = std::max(least, bytes_of(m_products[i]) + gaps);
      all += bytes_of(m_products[i]) + (is_new ? gaps : 0);
    }
    std::uint64_t buffer_bytes = std::min(all, std::max(batch_bytes, least));
    // Allocated now, so that no failure is possible once there are results.
    (void)workspace.lists.template items<MatrixProduct<T>>(m_products.size());
    m_report.splits = make_batch_buffer(workspace.batch, *workspace.memory, buffer_bytes, least);
    m_report.batch_bytes = buffer_bytes;
    for (std::size_t first = 0; first < m_products.size();) {
      std::size_t end = first;
      std::uint64_t used = 0;
      while (end < m_products.size()) {
        const bool is_new = end == first || !same_shape(m_products[end], m_products[end - 1]);
        const std::uint64_t more = bytes_of(m_products[end]) + (is_new ? gaps : 0);
        if (end > first && used + more > buffer_bytes) break;
        used += more;
        ++end;
      }
      run_batch(exec_space, workspace, first, end);
      ++m_report.batches;
      first = end;
    }
  }

  template <class ExecutionSpace>
  void run_batch(const ExecutionSpace& exec_space, BulkWorkspace<ExecutionSpace>& workspace,
                 std::size_t first, std::size_t end) {
    BatchCopies<ExecutionSpace> copies(exec_space, workspace.batch.view());
    std::vector<MatrixProduct<T>> products(m_products.begin() + static_cast<std::ptrdiff_t>(first),
                                           m_products.begin() + static_cast<std::ptrdiff_t>(end));
    for (std::size_t begin = 0; begin < products.size();) {
      std::size_t stop = begin + 1;
      while (stop < products.size() && same_shape(products[begin], products[stop])) ++stop;
      const auto place = [&](const void* from, void* to, std::uint64_t count, bool aligned) {
        return reinterpret_cast<T*>(copies.add(from, to, count * sizeof(T), aligned));
      };
      for (std::size_t i = begin; i < stop; ++i)
        products[i].a = place(products[i].a, nullptr, products[i].m * products[i].k, i == begin);
      for (std::size_t i = begin; i < stop; ++i)
        products[i].b = place(products[i].b, nullptr, products[i].k * products[i].n, i == begin);
      for (std::size_t i = begin; i < stop; ++i)
        products[i].c = place(nullptr, products[i].c, products[i].m * products[i].n, i == begin);
      begin = stop;
    }
    copies.upload_all();
    Products<ExecutionSpace, T> launch(exec_space, workspace.lists, workspace.template library<T>(),
                                       products, m_options.reproducible);
    launch.run(exec_space);
    copies.download_all();
  }

  Context& m_context;
  BulkCalls& m_calls;
  std::vector<MatrixProduct<T>> m_products;
  BulkOptions m_options;
  BulkReport m_report;
};

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_PRODUCT_CALL_HPP
