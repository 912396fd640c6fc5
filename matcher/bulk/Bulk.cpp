// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Bulk.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "BulkCall.hpp"
#include "ListCall.hpp"
#include "ProductCall.hpp"
#include "RowLaunch.hpp"
#include "kit/Preparation.hpp"

#include <kindred/core/arch/Fence.hpp>

#include <bit>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace Kindred {

namespace {

using Impl::BulkCall;
using Impl::BulkKind;
using Impl::BulkTask;
using Impl::GivenArrays;

/// The task of a checked call on elements of type T, without its items.
template <class T>
BulkTask<T> task_of(const BulkCall& call) {
  BulkTask<T> task;
  task.kind = call.kind;
  task.operation = call.operation;
  task.op = call.op;
  task.reduction = call.reduction;
  task.seed = call.seed;
  if (call.kind == BulkKind::element_wise && call.type() == DataType::boolean) {
    task.kind = BulkKind::bytes;
    task.bytes =
        call.op == ElementWise::add ? BytesOperation::inclusive_or : BytesOperation::conjunction;
  }
  if (call.has_number()) std::memcpy(&task.number, call.others[0].data(), sizeof(T));
  return task;
}

/// Calls `body(task)` with the task of a checked call: integers that wrap around are unsigned.
template <class Body>
auto with_task(const BulkCall& call, const Body& body) {
  if (call.kind == BulkKind::bytes) return body(task_of<std::uint8_t>(call));
  const auto with_signed = [&]<class T>(T) {
    if (call.kind == BulkKind::element_wise) return body(task_of<std::make_unsigned_t<T>>(call));
    return body(task_of<T>(call));
  };
  switch (call.type()) {
    case DataType::int8:
      return with_signed(std::int8_t());
    case DataType::int16:
      return with_signed(std::int16_t());
    case DataType::int32:
      return with_signed(std::int32_t());
    case DataType::int64:
      return with_signed(std::int64_t());
    case DataType::uint16:
      return body(task_of<std::uint16_t>(call));
    case DataType::uint32:
      return body(task_of<std::uint32_t>(call));
    case DataType::uint64:
      return body(task_of<std::uint64_t>(call));
    case DataType::float32:
      return body(task_of<float>(call));
    case DataType::float64:
      return body(task_of<double>(call));
    default:  // bool and uint8; `check` refuses the others
      return body(task_of<std::uint8_t>(call));
  }
}

/// The rows of array \p i and of its operands, as elements of type T.
template <class T>
BulkItems<T> rows_of(const BulkCall& call, std::size_t i) {
  const Impl::RowShape shape = call.rows(i);
  BulkItems<T> rows;
  std::uint64_t scale = 1;  // elements of T per element: more than one for bytes of integers
  const auto place = [&](const auto& array, auto*& first, std::uint64_t& step) {
    scale = size_of(array.type()) / sizeof(T);
    first = static_cast<std::remove_reference_t<decltype(first)>>(array.data());
    step = (shape.count > 1 && array.rank() == 2 ? static_cast<std::uint64_t>(array.stride(0))
                                                 : shape.length) *
           scale;
  };
  if (call.kind != BulkKind::random_fill) place(call.arrays[i], rows.first.input, rows.input_step);
  if (call.others.size() > 0 && !call.has_number())
    place(call.others[i], rows.first.other, rows.other_step);
  if (call.kind != BulkKind::reduce) place(call.results[i], rows.first.output, rows.output_step);
  rows.count = static_cast<std::uint32_t>(shape.count);
  rows.first.count = shape.length * scale;
  return rows;
}

/// Adds all rows of the arrays.
template <class T>
void add_items(BulkTask<T>& task, const BulkCall& call) {
  std::uint64_t offset = call.offset;
  for (std::size_t i = 0; i < call.size(); ++i) {
    const BulkItems<T> rows = rows_of<T>(call, i);
    for (std::uint32_t row = 0; row < rows.count; ++row) {
      task.items.push_back(rows[row]);
      if (call.kind != BulkKind::random_fill) continue;
      task.offsets.push_back(offset);
      offset += rows.first.count;
    }
  }
}

/// The results of a reduction.
Impl::RowResults reduced(const BulkCall& call) {
  if (call.kind != BulkKind::reduce || call.results.size() == 0) return {};
  return {call.results[0].type(), call.results[0].data()};
}

/// What a prepared call launches.
template <class ExecutionSpace, class T>
class PreparedList {
 public:
  PreparedList(const ExecutionSpace& exec_space, MemoryResource& memory, BulkTask<T>& task,
               void* results)
      : m_workspace(memory),
        m_launch(exec_space, m_workspace),
        m_results(static_cast<Impl::bulk_result<T>*>(results)) {
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

/// The arrays of a call that lie in its space.
template <class Use>
auto use_arrays(const BulkCall& call, const Use& use) {
  const BulkArrays none;
  return use(GivenArrays{"arrays", call.arrays},
             GivenArrays{call.name_of_others, call.has_number() ? none : call.others},
             GivenArrays{"results", call.results});
}

Prepared prepared(Context& context, const BulkCall& call, const BulkOptions& options) {
  Impl::check(call);
  const void* const own = reduced(call).data;
  KINDRED_THROW_IF(own != nullptr && size_of(reduced(call).type) != sizeof(std::uint64_t),
                   "results is " + to_string(ConstArray(call.results[0])) +
                       "; the results of a prepared reduction have 64 bits");
  const Space space =
      Impl::prepared_space(context, options, call.arrays, call.others, call.results);
  return with_task(call, [&]<class T>(BulkTask<T> task) {
    return Impl::prepare_on(
        context, space, options.stream,
        [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
          use_arrays(call, [&](const auto&... lists) { (Impl::check_memory(lists, space), ...); });
          add_items(task, call);
          return PreparedList<ExecutionSpace, T>(exec_space, context.memory(space), task,
                                                 reduced(call).data);
        });
  });
}

/// Calls `body(products)` with the checked products.
template <class Body>
auto with_products(const BulkArrays& a, const BulkArrays& b, const BulkResults& c,
                   const Body& body) {
  const auto products = [&]<class T>(T) {
    std::vector<MatrixProduct<T>> all;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const ConstArray left = a[i];
      const auto extent = [&](const ConstArray& array, std::size_t from_last) {
        return static_cast<std::uint64_t>(array.extent(array.rank() - from_last));
      };
      const std::uint64_t m = extent(left, 2);
      const std::uint64_t k = extent(left, 1);
      const std::uint64_t n = extent(b[i], 1);
      const std::uint64_t batch = left.rank() == 3 ? extent(left, 3) : 1;
      for (std::uint64_t j = 0; j < batch; ++j)
        all.push_back({static_cast<const T*>(left.data()) + j * m * k,
                       static_cast<const T*>(b[i].data()) + j * k * n,
                       static_cast<T*>(c[i].data()) + j * m * n, m, n, k, 0});
    }
    return all;
  };
  if (Impl::checked_product_type(a, b, c) == DataType::float64) return body(products(double()));
  return body(products(float()));
}

BulkCall xor_call(const BulkArrays& arrays, const BulkArrays& keys, const BulkResults& results) {
  return {.arrays = arrays, .others = keys, .results = results, .name_of_others = "keys"};
}
BulkCall element_wise_call(ElementWise op, const BulkArrays& arrays, const BulkArrays& others,
                           const BulkResults& results,
                           Operation operation = Operations::element_wise) {
  return {.kind = BulkKind::element_wise,
          .operation = operation,
          .arrays = arrays,
          .others = others,
          .results = results,
          .op = op};
}
BulkCall normalise_call(const BulkArrays& arrays, const BulkResults& results) {
  return {.kind = BulkKind::normalise,
          .operation = Operations::element_wise,
          .arrays = arrays,
          .results = results};
}
BulkCall random_call(const BulkResults& results, std::uint64_t seed, std::uint64_t offset) {
  return {.kind = BulkKind::random_fill,
          .operation = Operations::random_generation,
          .results = results,
          .seed = seed,
          .offset = offset};
}
BulkCall reduce_call(Reduction reduction, const BulkArrays& arrays, const BulkResults& results) {
  return {.kind = BulkKind::reduce,
          .operation = Operations::reduction,
          .arrays = arrays,
          .results = results,
          .reduction = reduction};
}

}  // namespace

struct KINDRED_HIDDEN Bulk::State {
  explicit State(Context& given) : context(given) {
    context.dispatcher().register_operations({Operations::transform, Operations::element_wise,
                                              Operations::reduction, Operations::random_generation,
                                              Operations::matrix_multiply, Operations::matrix_add});
  }

  BulkReport run(const BulkCall& call, const BulkOptions& options) {
    Impl::check(call);
    const std::optional<Space> memory = use_arrays(
        call, [&](const auto&... lists) { return Impl::memory_of(context, options, lists...); });
    KINDRED_THROW_IF(memory && (call.kind == BulkKind::normalise || !call.arrays.size()),
                     "the arrays lie on a device; this call takes arrays in host memory: copy "
                     "them, or prepare the call");
    return with_task(call, [&]<class T>(BulkTask<T> task) {
      const Impl::RowResults results = reduced(call);
      if (memory) {
        const BulkItems<T> rows = rows_of<T>(call, 0);
        return run_in_place(task.operation, rows.count * rows.first.count, 1, options,
                            [&](const auto& exec_space, auto& workspace) {
                              Impl::launch_rows(exec_space, workspace.lists, task, rows, results);
                            });
      }
      add_items(task, call);
      std::vector<Impl::bulk_result<T>> wide(call.kind == BulkKind::reduce ? task.items.size() : 0);
      const BulkReport report = Impl::ListCall<T>(context, calls, std::move(task), options,
                                                  wide.empty() ? nullptr : wide.data())
                                    .run();
      for (std::size_t i = 0; i < wide.size(); ++i)
        store_result(std::bit_cast<std::uint64_t>(wide[i]), results.type, size_of(results.type),
                     results.data, i);
      return report;
    });
  }

  /// Calls `launch(exec_space, workspace)` for arrays on the device. \param work per item
  template <class Launch>
  BulkReport run_in_place(Operation operation, std::uint64_t items, double work,
                          const BulkOptions& options, const Launch& launch) {
    Workload workload;
    workload.operation = operation;
    workload.items = items;
    workload.work = static_cast<double>(items) * work;
    workload.waits = !options.stream;
    BulkReport report;
    report.record =
        calls.run(context, workload, Space::cuda,
                  [&]<class ExecutionSpace>(const ExecutionSpace& exec_space,
                                            Impl::BulkWorkspace<ExecutionSpace>& workspace, Space) {
                    if constexpr (Arch::is_device<ExecutionSpace>) {
                      if (options.stream)
                        return workspace.run_on(context, exec_space, *options.stream, launch);
                      launch(exec_space, workspace);
                      Arch::fence(exec_space, "Kindred::Bulk::run");
                    }
                  });
    report.batches = 1;
    return report;
  }

  Context& context;
  Impl::BulkCalls calls{"Kindred::Bulk::failed"};
};

Bulk::Bulk(Context& context) try : m_state(std::make_unique<State>(context)) {
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk");
}

BulkReport Bulk::xor_elements(const BulkArrays& arrays, const BulkArrays& keys,
                              const BulkResults& results, const BulkOptions& options) const try {
  return m_state->run(xor_call(arrays, keys, results), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::xor_elements");
}

BulkReport Bulk::xor_with_new_keys(const BulkArrays& arrays, const BulkResults& keys,
                                   const BulkResults& results, std::optional<std::uint64_t> seed,
                                   const BulkOptions& options) const try {
  std::vector<ConstArray> made;
  for (std::size_t i = 0; i < keys.size(); ++i) made.push_back(keys[i]);
  // Everything is validated before the first key is generated, and the keys are complete before an
  // array is read.
  const BulkCall call = xor_call(arrays, made, results);
  Impl::check(call);
  (void)use_arrays(call, [&](const auto&... lists) {
    return Impl::memory_of(m_state->context, options, lists...);
  });
  for (std::size_t i = 0; i < made.size(); ++i) {
    KINDRED_THROW_IF(made[i].type() != DataType::uint8,
                     "keys[" + std::to_string(i) + "] is " + to_string(made[i]) +
                         "; new keys are bytes: its elements must be uint8");
    KINDRED_THROW_IF(made[i].size() > 0 && (made[i].data() == arrays[i].data() ||
                                            made[i].data() == results[i].data()),
                     "keys[" + std::to_string(i) +
                         "] is the array or its result; a new key needs separate memory");
  }
  if (!seed) {
    std::random_device source;
    seed = static_cast<std::uint64_t>(source()) << 32U | source();
  }
  random_fill(keys, *seed, 0, options);
  return m_state->run(call, options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::xor_with_new_keys");
}

BulkReport Bulk::element_wise(ElementWise op, const BulkArrays& arrays, const BulkArrays& others,
                              const BulkResults& results, const BulkOptions& options) const try {
  return m_state->run(element_wise_call(op, arrays, others, results), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::element_wise");
}

BulkReport Bulk::add_matrices(const BulkArrays& a, const BulkArrays& b, const BulkResults& results,
                              const BulkOptions& options) const try {
  return m_state->run(element_wise_call(ElementWise::add, a, b, results, Operations::matrix_add),
                      options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::add_matrices");
}

BulkReport Bulk::normalise(const BulkArrays& arrays, const BulkResults& results,
                           const BulkOptions& options) const try {
  return m_state->run(normalise_call(arrays, results), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::normalise");
}

BulkReport Bulk::random_fill(const BulkResults& results, std::uint64_t seed, std::uint64_t offset,
                             const BulkOptions& options) const try {
  return m_state->run(random_call(results, seed, offset), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::random_fill");
}

BulkReport Bulk::reduce(Reduction reduction, const BulkArrays& arrays, const BulkResults& results,
                        const BulkOptions& options) const try {
  return m_state->run(reduce_call(reduction, arrays, results), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::reduce");
}

BulkReport Bulk::multiply(const BulkArrays& a, const BulkArrays& b, const BulkResults& c,
                          const BulkOptions& options) const try {
  return with_products(a, b, c, [&]<class T>(std::vector<MatrixProduct<T>> products) {
    const std::optional<Space> memory = Impl::memory_of(
        m_state->context, options, GivenArrays{"a", a}, GivenArrays{"b", b}, GivenArrays{"c", c});
    if (!memory)
      return Impl::ProductCall<T>(m_state->context, m_state->calls, std::move(products), options)
          .run();
    const ConstArray left = a[0];
    return m_state->run_in_place(
        Operations::matrix_multiply, c[0].size(), static_cast<double>(left.extent(left.rank() - 1)),
        options, [&]<class ExecutionSpace>(const ExecutionSpace& exec_space, auto& workspace) {
          // The products of an earlier call may still use the table that is replaced.
          if (options.reproducible && options.stream)
            Arch::fence(exec_space, "Kindred::Bulk::multiply");
          Impl::Products<ExecutionSpace, T>(exec_space, workspace.lists,
                                            workspace.template library<T>(), products,
                                            options.reproducible)
              .run(exec_space);
        });
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::multiply");
}

Prepared Bulk::prepare_xor(Context& context, const BulkArrays& arrays, const BulkArrays& keys,
                           const BulkResults& results, const BulkOptions& options) try {
  return prepared(context, xor_call(arrays, keys, results), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::prepare_xor");
}

Prepared Bulk::prepare_element_wise(Context& context, ElementWise op, const BulkArrays& arrays,
                                    const BulkArrays& others, const BulkResults& results,
                                    const BulkOptions& options) try {
  return prepared(context, element_wise_call(op, arrays, others, results), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::prepare_element_wise");
}

Prepared Bulk::prepare_normalise(Context& context, const BulkArrays& arrays,
                                 const BulkResults& results, const BulkOptions& options) try {
  return prepared(context, normalise_call(arrays, results), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::prepare_normalise");
}

Prepared Bulk::prepare_random_fill(Context& context, const BulkResults& results, std::uint64_t seed,
                                   std::uint64_t offset, const BulkOptions& options) try {
  return prepared(context, random_call(results, seed, offset), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::prepare_random_fill");
}

Prepared Bulk::prepare_reduce(Context& context, Reduction reduction, const BulkArrays& arrays,
                              const BulkResults& results, const BulkOptions& options) try {
  return prepared(context, reduce_call(reduction, arrays, results), options);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::prepare_reduce");
}

Prepared Bulk::prepare_multiply(Context& context, const BulkArrays& a, const BulkArrays& b,
                                const BulkResults& c, const BulkOptions& options) try {
  return with_products(a, b, c, [&]<class T>(const std::vector<MatrixProduct<T>>& products) {
    const Space space = Impl::prepared_space(context, options, a, b, c);
    return Impl::prepare_on(context, space, options.stream,
                            [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                              Impl::check_memory(GivenArrays{"a", a}, space);
                              Impl::check_memory(GivenArrays{"b", b}, space);
                              Impl::check_memory(GivenArrays{"c", c}, space);
                              return PreparedProducts<ExecutionSpace, T>(
                                  exec_space, context.memory(space), products,
                                  options.reproducible);
                            });
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::prepare_multiply");
}

}  // namespace Kindred
