// SPDX-License-Identifier: Apache-2.0
#include "BulkState.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <tuple>

namespace Kindred {

namespace {

/// The arrays are in host memory, regardless of where the call runs.
constexpr Space host = Space::serial;

/// \brief Products of matrices in host memory. On a device they are processed in batches of
/// products of equal shape.
template <class T>
class ProductCall {
 public:
  ProductCall(Context& context, Impl::BulkCalls& calls, std::span<const MatrixPair<T>> pairs,
              const ProductOptions& options)
      : m_context(context),
        m_calls(calls),
        m_products(Impl::products_of(pairs)),
        m_options(options) {}

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
      tiles += Impl::host_tiles(product);
    }
    constexpr std::uint64_t many = 0xFFFFFFFF;
    workload.pieces = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(tiles, 1, many));
    m_report.record = m_calls.run(
        m_context, workload, m_options.space,
        [&]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                  Impl::BulkWorkspace<ExecutionSpace>& workspace, Space space) {
          m_report.batches = m_report.batch_bytes = m_report.splits = 0;
          if (m_products.empty()) return;
          if constexpr (Arch::is_device<ExecutionSpace>) {
            run_batches(exec_space, workspace,
                        Impl::batch_bytes_of(m_context, space, Operations::matrix_multiply,
                                             m_options.batch_bytes, workspace.batch.bytes()));
          } else {
            Impl::Products<ExecutionSpace, T>(exec_space, workspace.lists,
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
  void run_batches(const ExecutionSpace& exec_space, Impl::BulkWorkspace<ExecutionSpace>& workspace,
                   std::uint64_t batch_bytes) {
    std::stable_sort(m_products.begin(), m_products.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.m, a.n, a.k) < std::tuple(b.m, b.n, b.k);
    });
    // Space for the matrices and for the alignment of the first matrix of each of the three
    // operands.
    constexpr std::uint64_t gaps = 3 * Impl::device_alignment;
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
    m_report.splits =
        Impl::make_batch_buffer(workspace.batch, *workspace.memory, buffer_bytes, least);
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
  void run_batch(const ExecutionSpace& exec_space, Impl::BulkWorkspace<ExecutionSpace>& workspace,
                 std::size_t first, std::size_t end) {
    Impl::BatchCopies<ExecutionSpace> copies(exec_space, workspace.batch.view());
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
    Impl::Products<ExecutionSpace, T> launch(exec_space, workspace.lists,
                                             workspace.template library<T>(), products,
                                             m_options.reproducible);
    launch.run(exec_space);
    copies.download_all();
  }

  Context& m_context;
  Impl::BulkCalls& m_calls;
  std::vector<MatrixProduct<T>> m_products;
  ProductOptions m_options;
  BulkReport m_report;
};

}  // namespace

Bulk::Bulk(Context& context) try : m_state(std::make_unique<State>(context)) {
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk");
}
BulkReport Bulk::xor_bytes(BulkArrays<std::uint8_t> arrays, BulkArrays<std::uint8_t> keys,
                           BulkResults<std::uint8_t> results, const BulkOptions& options) const
    try {
  Impl::BulkTask<std::uint8_t> task;
  task.items = Impl::checked_items(arrays, &keys, &results, host, {"arrays", "keys"});
  return m_state->run(std::move(task), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::xor_bytes");
}

BulkReport Bulk::xor_with_new_keys(BulkArrays<std::uint8_t> arrays, BulkResults<std::uint8_t> keys,
                                   BulkResults<std::uint8_t> results,
                                   std::optional<std::uint64_t> seed,
                                   const BulkOptions& options) const try {
  std::vector<std::span<const std::uint8_t>> made(keys.begin(), keys.end());
  const BulkArrays<std::uint8_t> made_keys(made);
  // Everything is validated before the first key is generated, and the keys are complete before an
  // array is read.
  (void)Impl::checked_items(arrays, &made_keys, &results, host, {"arrays", "keys"});
  for (std::size_t i = 0; i < made.size(); ++i) {
    KINDRED_THROW_IF(!made[i].empty() && (made[i].data() == arrays[i].data() ||
                                          made[i].data() == results[i].data()),
                     "keys[" + std::to_string(i) +
                         "] is the array or its result; a new key needs " + "separate memory");
  }
  if (!seed) {
    std::random_device source;
    seed = static_cast<std::uint64_t>(source()) << 32U | source();
  }
  random_fill(keys, *seed, 0, options);
  return xor_bytes(arrays, made_keys, results, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::xor_with_new_keys");
}

template <BulkElement T>
BulkReport Bulk::element_wise(ElementWise op, BulkArrays<T> arrays, BulkResults<T> results,
                              const BulkOptions& options) const try {
  Impl::check_operands(op, false);
  if constexpr (BulkInteger<T>) Impl::check_integer_operation(op);
  auto task = Impl::element_task<T>(op, Operations::element_wise);
  task.items = Impl::as_elements(Impl::checked_items<T>(arrays, nullptr, &results, host));
  return m_state->run(std::move(task), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::element_wise");
}

template <BulkElement T>
BulkReport Bulk::element_wise(ElementWise op, BulkArrays<T> arrays, T number,
                              BulkResults<T> results, const BulkOptions& options) const try {
  Impl::check_operands(op, true);
  auto task = Impl::element_task<T>(op, Operations::element_wise);
  task.number = static_cast<Impl::element_of<T>>(number);
  task.items = Impl::as_elements(Impl::checked_items<T>(arrays, nullptr, &results, host));
  return m_state->run(std::move(task), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::element_wise");
}

template <BulkElement T>
BulkReport Bulk::element_wise(ElementWise op, BulkArrays<T> arrays, BulkArrays<T> others,
                              BulkResults<T> results, const BulkOptions& options) const try {
  return m_state->run<T>(op, Operations::element_wise, arrays, others, results, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::element_wise");
}

template <BulkNumber T>
BulkReport Bulk::add_matrices(BulkArrays<T> a, BulkArrays<T> b, BulkResults<T> results,
                              const BulkOptions& options) const try {
  return m_state->run<T>(ElementWise::add, Operations::matrix_add, a, b, results, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::add_matrices");
}

template <BulkNumber T>
BulkReport Bulk::normalise(BulkArrays<T> arrays, BulkResults<T> results,
                           const BulkOptions& options) const try {
  Impl::BulkTask<T> task;
  task.kind = Impl::BulkKind::normalise;
  task.operation = Operations::element_wise;
  task.items = Impl::checked_items<T>(arrays, nullptr, &results, host);
  return m_state->run(std::move(task), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::normalise");
}

template <class T>
BulkReport Bulk::random_fill(BulkResults<T> results, std::uint64_t seed, std::uint64_t offset,
                             const BulkOptions& options) const try {
  return m_state->run(Impl::random_task(results, seed, offset, host), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::random_fill");
}

template <BulkNumber T>
BulkReport Bulk::reduce(Reduction reduction, BulkArrays<T> arrays, std::span<T> results,
                        const BulkOptions& options) const try {
  Impl::check_results(results.size(), arrays.size());
  std::vector<double> wide(arrays.size());
  const BulkReport report = m_state->reduce(reduction, arrays, wide.data(), options);
  for (std::size_t i = 0; i < wide.size(); ++i) results[i] = static_cast<T>(wide[i]);
  return report;
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::reduce");
}

template <BulkInteger T>
BulkReport Bulk::reduce(Reduction reduction, BulkArrays<T> arrays,
                        std::span<BulkIntegerResult<T>> results, const BulkOptions& options) const
    try {
  Impl::check_results(results.size(), arrays.size());
  KINDRED_THROW_IF(reduction == Reduction::mean,
                   "the mean of integers is float64; pass results of that type");
  std::vector<std::uint64_t> wide(arrays.size());
  const BulkReport report = m_state->reduce(reduction, arrays, wide.data(), options);
  for (std::size_t i = 0; i < wide.size(); ++i)
    results[i] = static_cast<BulkIntegerResult<T>>(wide[i]);
  return report;
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::reduce");
}

template <BulkInteger T>
BulkReport Bulk::reduce(Reduction reduction, BulkArrays<T> arrays, std::span<double> results,
                        const BulkOptions& options) const try {
  Impl::check_results(results.size(), arrays.size());
  KINDRED_THROW_IF(
      reduction == Reduction::sum || reduction == Reduction::min || reduction == Reduction::max,
      "sums and extremes of integers are integers of 64 bits; pass results of that type");
  std::vector<std::uint64_t> wide(arrays.size());
  const BulkReport report = m_state->reduce(reduction, arrays, wide.data(), options);
  for (std::size_t i = 0; i < wide.size(); ++i) results[i] = std::bit_cast<double>(wide[i]);
  return report;
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::reduce");
}

template <BulkNumber T>
BulkReport Bulk::multiply(std::span<const MatrixPair<T>> pairs, const ProductOptions& options) const
    try {
  Impl::require_no_stream(options.stream);
  Impl::check_pairs(pairs, host);
  return ProductCall<T>(m_state->context, m_state->calls, pairs, options).run();
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::multiply");
}

#define KINDRED_INSTANTIATE_ELEMENTS(T)                                                    \
  template BulkReport Bulk::element_wise<T>(ElementWise, BulkArrays<T>, BulkResults<T>,    \
                                            const BulkOptions&) const;                     \
  template BulkReport Bulk::element_wise<T>(ElementWise, BulkArrays<T>, T, BulkResults<T>, \
                                            const BulkOptions&) const;                     \
  template BulkReport Bulk::element_wise<T>(ElementWise, BulkArrays<T>, BulkArrays<T>,     \
                                            BulkResults<T>, const BulkOptions&) const;
#define KINDRED_INSTANTIATE_INTEGERS(T)                                                          \
  KINDRED_INSTANTIATE_ELEMENTS(T)                                                                \
  template BulkReport Bulk::reduce<T>(Reduction, BulkArrays<T>, std::span<BulkIntegerResult<T>>, \
                                      const BulkOptions&) const;                                 \
  template BulkReport Bulk::reduce<T>(Reduction, BulkArrays<T>, std::span<double>,               \
                                      const BulkOptions&) const;
#define KINDRED_INSTANTIATE(T)                                                                     \
  KINDRED_INSTANTIATE_ELEMENTS(T)                                                                  \
  template BulkReport Bulk::add_matrices<T>(BulkArrays<T>, BulkArrays<T>, BulkResults<T>,          \
                                            const BulkOptions&) const;                             \
  template BulkReport Bulk::normalise<T>(BulkArrays<T>, BulkResults<T>, const BulkOptions&) const; \
  template BulkReport Bulk::random_fill<T>(BulkResults<T>, std::uint64_t, std::uint64_t,           \
                                           const BulkOptions&) const;                              \
  template BulkReport Bulk::reduce<T>(Reduction, BulkArrays<T>, std::span<T>, const BulkOptions&)  \
      const;                                                                                       \
  template BulkReport Bulk::multiply<T>(std::span<const MatrixPair<T>>, const ProductOptions&)     \
      const;
KINDRED_INSTANTIATE_INTEGERS(std::int8_t)
KINDRED_INSTANTIATE_INTEGERS(std::int16_t)
KINDRED_INSTANTIATE_INTEGERS(std::int32_t)
KINDRED_INSTANTIATE_INTEGERS(std::int64_t)
KINDRED_INSTANTIATE_INTEGERS(std::uint8_t)
KINDRED_INSTANTIATE_INTEGERS(std::uint16_t)
KINDRED_INSTANTIATE_INTEGERS(std::uint32_t)
KINDRED_INSTANTIATE_INTEGERS(std::uint64_t)
KINDRED_INSTANTIATE(float)
KINDRED_INSTANTIATE(double)
#undef KINDRED_INSTANTIATE
#undef KINDRED_INSTANTIATE_INTEGERS
#undef KINDRED_INSTANTIATE_ELEMENTS
template BulkReport Bulk::random_fill<std::uint8_t>(BulkResults<std::uint8_t>, std::uint64_t,
                                                    std::uint64_t, const BulkOptions&) const;

}  // namespace Kindred
