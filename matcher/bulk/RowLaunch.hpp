// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_BULK_ROW_LAUNCH_HPP
#define KINDRED_MATCHER_BULK_ROW_LAUNCH_HPP

#include "ListLaunch.hpp"

#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/common/Array.hpp>

#include <cstdint>

namespace Kindred::Impl {

/// Where the results of reductions are written: one element per row.
struct RowResults {
  DataType type = DataType::float64;
  void* data = nullptr;
};

/// \brief Launches \p task over rows in memory of the space, without a table. Does not fence,
/// unless the workspace grows: the launches before this one may still use it.
template <class ExecutionSpace, class T>
void launch_rows(const ExecutionSpace& exec_space, ListWorkspace<ExecutionSpace>& workspace,
                 const BulkTask<T>& task, BulkItems<T> rows, const RowResults& results) {
  const std::uint64_t chunks = plan_rows(rows);
  if (!workspace.template has_partials<T>(task.kind, rows.count, chunks)) {
    Arch::fence(exec_space, "Kindred::Bulk::grow");
    workspace.template reserve_partials<T>(task.kind, rows.count, chunks);
  }
  ListLaunch<ExecutionSpace, T> launch(exec_space, workspace);
  launch.set_rows(task, rows);
  if (task.kind != BulkKind::reduce) return launch.run();
  if (size_of(results.type) == sizeof(bulk_result<T>))
    return launch.run(static_cast<bulk_result<T>*>(results.data));
  launch.run();
  store_results<ExecutionSpace>(
      exec_space,
      ArrayView<const std::uint64_t, ExecutionSpace>(
          reinterpret_cast<const std::uint64_t*>(launch.results().data()), rows.count),
      results.type, results.data);
}

}  // namespace Kindred::Impl

#endif  // KINDRED_MATCHER_BULK_ROW_LAUNCH_HPP
