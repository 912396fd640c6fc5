// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_BULK_STATE_HPP
#define KINDRED_MATCHER_BULK_BULK_STATE_HPP

#include "ListCall.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/BulkOperationInfo.hpp>

#include <optional>
#include <utility>

namespace Kindred {

namespace Impl {

template <class T>
BulkTask<element_of<T>> element_task(ElementWise op, Operation operation) {
  BulkTask<element_of<T>> task;
  task.kind = BulkKind::element_wise;
  task.operation = operation;
  task.op = op;
  return task;
}

/// \throws InvalidArgument if there is one
inline void require_no_stream(const std::optional<Stream>& stream) {
  KINDRED_THROW_IF(
      stream.has_value(),
      "a stream is given for arrays in host memory; it is only for arrays on a device");
}

}  // namespace Impl

struct KINDRED_HIDDEN Bulk::State {
  explicit State(Context& given) : context(given) {
    context.dispatcher().register_operations({Operations::transform, Operations::element_wise,
                                              Operations::reduction, Operations::random_generation,
                                              Operations::matrix_multiply, Operations::matrix_add});
  }

  template <class T>
  BulkReport run(Impl::BulkTask<T> task, const BulkOptions& options,
                 Impl::bulk_result<T>* results = nullptr) {
    Impl::require_no_stream(options.stream);
    return Impl::ListCall<T>(context, calls, std::move(task), options, results).run();
  }
  template <class T>
  BulkReport run(ElementWise op, Operation operation, BulkArrays<T> arrays, BulkArrays<T> others,
                 BulkResults<T> results, const BulkOptions& options) {
    Impl::check_operands(op, true);
    auto task = Impl::element_task<T>(op, operation);
    task.items = Impl::as_elements(Impl::checked_items(arrays, &others, &results, Space::serial));
    return run(std::move(task), options);
  }
  /// \param results one per array, not rounded to T
  template <class T>
  BulkReport reduce(Reduction reduction, BulkArrays<T> arrays, Impl::bulk_result<T>* results,
                    const BulkOptions& options) {
    for (std::size_t i = 0; i < arrays.size(); ++i)
      Impl::check_reducible(reduction, arrays[i].size(), i);
    if constexpr (BulkInteger<T>) Impl::check_integer_reduction(reduction);
    Impl::BulkTask<T> task;
    task.kind = Impl::BulkKind::reduce;
    task.operation = Operations::reduction;
    task.reduction = reduction;
    task.items = Impl::checked_items<T>(arrays, nullptr, nullptr, Space::serial);
    return run(std::move(task), options, results);
  }

  Context& context;
  Impl::BulkCalls calls{"Kindred::Bulk::failed"};
};

}  // namespace Kindred

#endif  // KINDRED_MATCHER_BULK_BULK_STATE_HPP
