// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Bulk.hpp>
#include <kindred/memory/TranslateOutOfMemory.hpp>

#include "BulkCall.hpp"
#include "ListCall.hpp"
#include "ProductCall.hpp"
#include "RowLaunch.hpp"
#include "kit/Overlap.hpp"
#include "kit/Preparation.hpp"

#include <kindred/backends/impl/KeptObjects.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/ElementType.hpp>

#include <bit>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace Kindred {

namespace {

using Impl::BulkCall;
using Impl::BulkKind;
using Impl::BulkTask;
using Impl::CheckedArrays;
using Impl::GivenArrays;

/// The task of a checked call on elements of type T, without its items.
template <class T>
BulkTask<T> task_of(const BulkCall& call, const CheckedArrays& arrays) {
  BulkTask<T> task;
  task.kind = call.kind;
  task.operation = call.operation;
  task.op = call.op;
  task.reduction = call.reduction;
  task.seed = call.seed;
  if (call.kind == BulkKind::element_wise && arrays.type == DataType::boolean) {
    task.kind = BulkKind::bytes;
    task.bytes =
        call.op == ElementWise::add ? BytesOperation::inclusive_or : BytesOperation::conjunction;
  }
  if (arrays.has_number) std::memcpy(&task.number, call.others[0].data(), sizeof(T));
  return task;
}

/// Calls `body(task)` with the task of a checked call: integers that wrap around are unsigned.
template <class Body>
auto with_task(const BulkCall& call, const CheckedArrays& arrays, const Body& body) {
  if (call.kind == BulkKind::bytes) return body(task_of<std::uint8_t>(call, arrays));
  return with_element_type(arrays.type, [&]<class T>(T) {
    using element_type = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    if constexpr (std::is_integral_v<element_type>)
      if (call.kind == BulkKind::element_wise)
        return body(task_of<std::make_unsigned_t<element_type>>(call, arrays));
    return body(task_of<element_type>(call, arrays));
  });
}

/// \p rows as elements of type T. \param scale elements of T per element: more than one for bytes
/// of integers
template <class T>
BulkItems<T> items_of(const Impl::BulkRows& rows, std::uint64_t scale) {
  BulkItems<T> items;
  items.count = static_cast<std::uint32_t>(rows.count);
  items.first.count = rows.length * scale;
  items.first.input = static_cast<const T*>(rows.input);
  items.first.other = static_cast<const T*>(rows.other);
  items.first.output = static_cast<T*>(rows.output);
  items.input_step = rows.input_step * scale;
  items.other_step = rows.other_step * scale;
  items.output_step = rows.output_step * scale;
  return items;
}

/// Adds all rows of the arrays.
template <class T>
void add_items(BulkTask<T>& task, const BulkCall& call, const CheckedArrays& arrays) {
  const std::uint64_t scale = size_of(arrays.type) / sizeof(T);
  std::uint64_t offset = call.offset;
  task.items.reserve(arrays.rows.size());
  for (const Impl::BulkRows& one : arrays.rows) {
    const BulkItems<T> rows = items_of<T>(one, scale);
    for (std::uint32_t row = 0; row < rows.count; ++row) {
      task.items.push_back(rows[row]);
      if (call.kind != BulkKind::random_fill) continue;
      task.offsets.push_back(offset);
      offset += rows.first.count;
    }
  }
}

/// Requires that the arrays can be accessed on \p space.
void require_reached(const BulkCall& call, const CheckedArrays& arrays, Space space) {
  for (std::size_t i = 0; i < arrays.rows.size(); ++i) {
    const Impl::BulkRows& rows = arrays.rows[i];
    Impl::require_reached(call.arrays, i, rows.input, arrays.type, space);
    Impl::require_reached(call.others, i, rows.other, arrays.type, space);
    Impl::require_reached(call.results, i, rows.output, arrays.type, space);
  }
  if (arrays.reduced.size() > 0)
    Impl::require_reached(call.results, 0, arrays.reduced.data(), arrays.reduced.type(), space);
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

Prepared prepared(Context& context, const BulkCall& call, const BulkOptions& options) {
  const CheckedArrays arrays = Impl::checked(call);
  const Array& results = arrays.reduced;
  KINDRED_THROW_IF(results.size() > 0 && size_of(results.type()) != sizeof(std::uint64_t),
                   "results is " + to_string(ConstArray(results)) +
                       "; the results of a prepared reduction have 64 bits");
  const Space space = Impl::prepared_space(context, options, arrays.rows);
  return with_task(call, arrays, [&]<class T>(BulkTask<T> task) {
    return Impl::prepare_on(context, space, options.stream,
                            [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                              require_reached(call, arrays, space);
                              add_items(task, call, arrays);
                              return PreparedList<ExecutionSpace, T>(
                                  exec_space, context.memory(space), task, results.data());
                            });
  });
}

/// Checked products.
struct Products {
  Products(const BulkArrays& a, const BulkArrays& b, const BulkResults& c)
      : arrays{{a, "a"}, {b, "b"}, {c, "c"}}, rows(Impl::checked(arrays)) {}

  /// Requires that the arrays can be accessed on \p space.
  void require_reached(Space space) const {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Impl::require_reached(arrays.a, i, rows[i].a, type, space);
      Impl::require_reached(arrays.b, i, rows[i].b, type, space);
      Impl::require_reached(arrays.c, i, rows[i].c, type, space);
    }
  }
  /// Calls `body(products)`.
  template <class Body>
  auto visit(const Body& body) const {
    const auto products = [&]<class T>(T) {
      std::vector<MatrixProduct<T>> all;
      all.reserve(rows.size());
      for (const auto& [a, b, c, batch, m, n, k, on_device] : rows)
        for (std::uint64_t j = 0; j < batch; ++j)
          all.push_back({static_cast<const T*>(a) + j * m * k, static_cast<const T*>(b) + j * k * n,
                         static_cast<T*>(c) + j * m * n, m, n, k, 0});
      return all;
    };
    return type == DataType::float64 ? body(products(double())) : body(products(float()));
  }

  Impl::ProductArrays arrays;
  std::vector<Impl::ProductRows> rows;
  DataType type = arrays.a.size() == 0 ? DataType::float32 : arrays.a[0].type();
};

BulkCall xor_call(const BulkArrays& arrays, const BulkArrays& keys, const BulkResults& results) {
  return {BulkKind::bytes,
          Operations::transform,
          {arrays, "arrays"},
          {keys, "keys"},
          {results, "results"}};
}
BulkCall element_wise_call(ElementWise op, const BulkArrays& arrays, const BulkArrays& others,
                           const BulkResults& results) {
  BulkCall call{BulkKind::element_wise,
                Operations::element_wise,
                {arrays, "arrays"},
                {others, "others"},
                {results, "results"}};
  call.op = op;
  return call;
}
BulkCall normalise_call(const BulkArrays& arrays, const BulkResults& results) {
  return {
      BulkKind::normalise, Operations::element_wise, {arrays, "arrays"}, {}, {results, "results"}};
}
BulkCall random_call(const BulkResults& results, std::uint64_t seed, std::uint64_t offset) {
  BulkCall call{BulkKind::random_fill, Operations::random_generation, {}, {}, {results, "results"}};
  call.seed = seed;
  call.offset = offset;
  return call;
}
BulkCall reduce_call(Reduction reduction, const BulkArrays& arrays, const BulkResults& results) {
  BulkCall call{
      BulkKind::reduce, Operations::reduction, {arrays, "arrays"}, {}, {results, "results"}};
  call.reduction = reduction;
  return call;
}

}  // namespace

struct KINDRED_HIDDEN Bulk::State {
  explicit State(Context& given) : context(given) {
    context.dispatcher().register_operations({Operations::transform, Operations::element_wise,
                                              Operations::reduction, Operations::random_generation,
                                              Operations::matrix_multiply, Operations::matrix_add});
  }

  /// Where the arrays of a checked call are.
  std::optional<Space> memory_of(const BulkCall& call, const CheckedArrays& arrays,
                                 const BulkOptions& options) const {
    const std::optional<Space> memory = Impl::space_of_call(
        context, options, arrays.rows, call.arrays,
        arrays.has_number ? GivenArrays<const void>{} : call.others, call.results);
    require_reached(call, arrays, memory.value_or(Space::serial));
    return memory;
  }

  BulkReport run(const BulkCall& call, const BulkOptions& options) {
    const CheckedArrays arrays = Impl::checked(call);
    const std::optional<Space> memory = memory_of(call, arrays, options);
    KINDRED_THROW_IF(
        memory && (call.kind == BulkKind::normalise || call.kind == BulkKind::random_fill),
        "the arrays lie on a device; this call takes arrays in host memory: copy them, or prepare "
        "the call");
    return with_task(call, arrays, [&]<class T>(BulkTask<T> task) {
      const Impl::RowResults results{arrays.reduced.type(), arrays.reduced.data()};
      if (memory && !arrays.rows.empty()) {
        const auto items = items_of<T>(arrays.rows[0], size_of(arrays.type) / sizeof(T));
        return run_in_place(task.operation, items.count * items.first.count, 1, options,
                            [&](const auto& exec_space, auto& workspace) {
                              Impl::launch_rows(exec_space, workspace.lists, task, items, results);
                            });
      }
      add_items(task, call, arrays);
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

const Bulk& Bulk::of(Context& context) try {
  return Impl::kept_objects(context).get<Bulk>(context);
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::of");
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
  (void)m_state->memory_of(call, Impl::checked(call), options);
  for (std::size_t i = 0; i < made.size(); ++i) {
    KINDRED_THROW_IF(made[i].type() != DataType::uint8,
                     "keys[" + std::to_string(i) + "] is " + to_string(made[i]) +
                         "; new keys are bytes: its elements must be uint8");
    const Impl::ByteRange key(made[i]);
    KINDRED_THROW_IF(
        overlap(key, Impl::ByteRange(arrays[i])) || overlap(key, Impl::ByteRange(results[i])),
        "keys[" + std::to_string(i) +
            "] overlaps the array or its result; a new key needs separate memory");
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
  return m_state->run(
      {BulkKind::element_wise, Operations::matrix_add, {a, "a"}, {b, "b"}, {results, "results"}},
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
  const Products given(a, b, c);
  const std::optional<Space> memory = Impl::space_of_call(
      m_state->context, options, given.rows, given.arrays.a, given.arrays.b, given.arrays.c);
  given.require_reached(memory.value_or(Space::serial));
  return given.visit([&]<class T>(std::vector<MatrixProduct<T>> products) {
    if (!memory)
      return Impl::ProductCall<T>(m_state->context, m_state->calls, std::move(products), options)
          .run();
    return m_state->run_in_place(
        Operations::matrix_multiply, c[0].size(), static_cast<double>(given.rows[0].k), options,
        [&]<class ExecutionSpace>(const ExecutionSpace& exec_space, auto& workspace) {
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
  const Products given(a, b, c);
  const Space space = Impl::prepared_space(context, options, given.rows);
  return given.visit([&]<class T>(const std::vector<MatrixProduct<T>>& products) {
    return Impl::prepare_on(context, space, options.stream,
                            [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) {
                              given.require_reached(space);
                              return PreparedProducts<ExecutionSpace, T>(
                                  exec_space, context.memory(space), products,
                                  options.reproducible);
                            });
  });
} catch (...) {
  Impl::rethrow_translated("Kindred::Bulk::prepare_multiply");
}

}  // namespace Kindred
