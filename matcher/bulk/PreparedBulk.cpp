// SPDX-License-Identifier: Apache-2.0
#include "ListLaunch.hpp"
#include "Products.hpp"
#include "kit/Preparation.hpp"

#include <kindred/backends/impl/Device.hpp>
#include <kindred/core/arch/Process.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/OwnedState.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include <utility>

namespace Kindred {

/// The launches of a list in the memory of a space. \see PreparedOn
class PreparedBulk::Launch {
 public:
  Launch() = default;
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;
  virtual ~Launch() = default;
  virtual void run() = 0;
  virtual void wait() const = 0;
};

namespace {

template <class ExecutionSpace, class T>
class PreparedList {
 public:
  static constexpr const char* wait_label = "Kindred::PreparedBulk::wait";

  PreparedList(const ExecutionSpace& exec_space, MemoryResource& memory, Impl::BulkTask<T>& task,
               Impl::bulk_result<T>* results)
      : m_workspace(memory), m_launch(exec_space, m_workspace), m_results(results) {
    m_workspace.template reserve<T>(task.kind, task.items.size(), plan_bulk(std::span(task.items)));
    m_launch.set(task, task.items, task.offsets);
  }
  void run(const ExecutionSpace& exec_space) {
    m_launch.run_on(exec_space);
    m_launch.run(m_results);
  }

 private:
  Impl::ListWorkspace<ExecutionSpace> m_workspace;
  Impl::ListLaunch<ExecutionSpace, T> m_launch;
  Impl::bulk_result<T>* m_results;
};

template <class ExecutionSpace, class T>
class PreparedProducts {
 public:
  static constexpr const char* wait_label = "Kindred::PreparedBulk::wait";

  PreparedProducts(const ExecutionSpace& exec_space, MemoryResource& memory,
                   const std::vector<MatrixProduct<T>>& products, bool reproducible)
      : m_workspace(memory),
        m_products(exec_space, m_workspace, m_library, products, reproducible) {}
  void run(const ExecutionSpace& exec_space) { m_products.run(exec_space); }

 private:
  Impl::ListWorkspace<ExecutionSpace> m_workspace;
  typename Impl::Products<ExecutionSpace, T>::library_type m_library;
  Impl::Products<ExecutionSpace, T> m_products;
};

template <class T>
struct PreparedOf {
  template <class ExecutionSpace>
  using List = PreparedList<ExecutionSpace, T>;
  template <class ExecutionSpace>
  using Products = PreparedProducts<ExecutionSpace, T>;
};

template <class T>
std::unique_ptr<PreparedBulk::Launch> prepared(const Impl::Preparation& prepare,
                                               Impl::BulkTask<T> task,
                                               Impl::bulk_result<T>* results = nullptr) {
  return prepare.launches<PreparedBulk::Launch, PreparedOf<T>::template List>(task, results);
}

}  // namespace

PreparedBulk::PreparedBulk(std::unique_ptr<Launch> launch) : m_launch(std::move(launch)) {}
void PreparedBulk::run() const try {
  Arch::require_usable_process();
  m_launch->run();
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedBulk::run");
}
void PreparedBulk::wait() const try {
  Arch::require_usable_process();
  m_launch->wait();
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedBulk::wait");
}

PreparedBulk PreparedBulk::xor_bytes(Context& context, BulkArrays<std::uint8_t> arrays,
                                     BulkArrays<std::uint8_t> keys,
                                     BulkResults<std::uint8_t> results, Space space,
                                     const std::optional<Stream>& stream) try {
  const Impl::Preparation prepare(context, space, stream);
  Impl::BulkTask<std::uint8_t> task;
  task.items = Impl::checked_items(arrays, &keys, &results, space, {"arrays", "keys"});
  return PreparedBulk(prepared(prepare, std::move(task)));
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedBulk::xor_bytes");
}

template <BulkNumber T>
PreparedBulk PreparedBulk::element_wise(Context& context, ElementWise op, BulkArrays<T> arrays,
                                        BulkArrays<T> others, T number, BulkResults<T> results,
                                        Space space, const std::optional<Stream>& stream) try {
  const Impl::Preparation prepare(context, space, stream);
  Impl::BulkTask<T> task;
  task.kind = Impl::BulkKind::element_wise;
  task.op = op;
  task.number = number;
  Impl::check_operands(op,
                       !others.empty() || op == ElementWise::add || op == ElementWise::multiply);
  task.items = Impl::checked_items(arrays, others.empty() ? nullptr : &others, &results, space);
  return PreparedBulk(prepared(prepare, std::move(task)));
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedBulk::element_wise");
}

template <BulkNumber T>
PreparedBulk PreparedBulk::normalise(Context& context, BulkArrays<T> arrays, BulkResults<T> results,
                                     Space space, const std::optional<Stream>& stream) try {
  const Impl::Preparation prepare(context, space, stream);
  Impl::BulkTask<T> task;
  task.kind = Impl::BulkKind::normalise;
  task.items = Impl::checked_items<T>(arrays, nullptr, &results, space);
  return PreparedBulk(prepared(prepare, std::move(task)));
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedBulk::normalise");
}

template <class T>
PreparedBulk PreparedBulk::random_fill(Context& context, BulkResults<T> results, std::uint64_t seed,
                                       std::uint64_t offset, Space space,
                                       const std::optional<Stream>& stream) try {
  const Impl::Preparation prepare(context, space, stream);
  return PreparedBulk(prepared(prepare, Impl::random_task(results, seed, offset, space)));
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedBulk::random_fill");
}

template <BulkNumber T>
PreparedBulk PreparedBulk::reduce(Context& context, Reduction reduction, BulkArrays<T> arrays,
                                  std::span<double> results, Space space,
                                  const std::optional<Stream>& stream) try {
  const Impl::Preparation prepare(context, space, stream);
  Impl::check_results(results.size(), arrays.size());
  KINDRED_THROW_IF(
      space == Space::cuda && !results.empty() && !Impl::device_reaches(results.data()),
      "results are not in device memory");
  Impl::BulkTask<T> task;
  task.kind = Impl::BulkKind::reduce;
  task.reduction = reduction;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    Impl::check_reducible(reduction, arrays[i].size(), i);
  task.items = Impl::checked_items<T>(arrays, nullptr, nullptr, space);
  return PreparedBulk(prepared(prepare, std::move(task), results.data()));
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedBulk::reduce");
}

template <BulkNumber T>
PreparedBulk PreparedBulk::multiply(Context& context, std::span<const MatrixPair<T>> pairs,
                                    bool reproducible, Space space,
                                    const std::optional<Stream>& stream) try {
  const Impl::Preparation prepare(context, space, stream);
  Impl::check_pairs(pairs, space);
  return PreparedBulk(prepare.launches<Launch, PreparedOf<T>::template Products>(
      Impl::products_of(pairs), reproducible));
} catch (...) {
  Impl::rethrow_translated("Kindred::PreparedBulk::multiply");
}

#define KINDRED_INSTANTIATE(T)                                                                     \
  template PreparedBulk PreparedBulk::element_wise<T>(Context&, ElementWise, BulkArrays<T>,        \
                                                      BulkArrays<T>, T, BulkResults<T>, Space,     \
                                                      const std::optional<Stream>&);               \
  template PreparedBulk PreparedBulk::normalise<T>(Context&, BulkArrays<T>, BulkResults<T>, Space, \
                                                   const std::optional<Stream>&);                  \
  template PreparedBulk PreparedBulk::reduce<T>(                                                   \
      Context&, Reduction, BulkArrays<T>, std::span<double>, Space, const std::optional<Stream>&); \
  template PreparedBulk PreparedBulk::multiply<T>(Context&, std::span<const MatrixPair<T>>, bool,  \
                                                  Space, const std::optional<Stream>&);            \
  template PreparedBulk PreparedBulk::random_fill<T>(Context&, BulkResults<T>, std::uint64_t,      \
                                                     std::uint64_t, Space,                         \
                                                     const std::optional<Stream>&);
KINDRED_INSTANTIATE(float)
KINDRED_INSTANTIATE(double)
#undef KINDRED_INSTANTIATE
template PreparedBulk PreparedBulk::random_fill<std::uint8_t>(Context&, BulkResults<std::uint8_t>,
                                                              std::uint64_t, std::uint64_t, Space,
                                                              const std::optional<Stream>&);

}  // namespace Kindred
