// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LATTICE_BATCH_HPP
#define KINDRED_MATCHER_LATTICE_BATCH_HPP

#include <kindred/core/common/Public.hpp>
#include <kindred/matcher/Bulk.hpp>
#include <kindred/matcher/Lattice.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

namespace KINDRED_PUBLIC Kindred {

// The tasks of a batch.

/// `Lattice::statistics`; returns LatticeStatistics.
struct AnalyzeLattice {};
/// `Lattice::measure`; returns GraphStructure.
struct MeasureLattice {};
/// `Lattice::path`; returns the nodes of the path.
struct FindLatticePath {
  LatticePair ends;
};
/// `Lattice::rows`; returns LatticeRows.
struct BuildLattice {};
/// `Lattice::save`; returns the LatticeStatistics of the saved lattice.
struct SaveLattice {
  std::string path;
};
/// `Bulk::xor_elements` of one array; returns BulkReport. The shape of the lattice is ignored.
struct XorLatticeBytes {
  std::span<const std::uint8_t> array = {};
  std::span<const std::uint8_t> key = {};
  std::span<std::uint8_t> result = {};
};
/// `Bulk::multiply`; returns BulkReport. The shape of the lattice is ignored.
struct MultiplyLatticeMatrices {
  ConstArray a = {};
  ConstArray b = {};
  Array c = {};
};

struct LatticeTask {
  std::uint32_t dimensions = 4;
  std::uint32_t size = 10;
  LatticeBlocks blocks = {};  ///< for FindLatticePath only
  std::variant<AnalyzeLattice, MeasureLattice, FindLatticePath, BuildLattice, SaveLattice,
               XorLatticeBytes, MultiplyLatticeMatrices>
      work = {};
};

struct LatticeResult {
  /// The result type of the task, or std::monostate if the task failed.
  std::variant<std::monostate, LatticeStatistics, GraphStructure, std::vector<std::uint64_t>,
               LatticeRows, BulkReport>
      answer;
  std::exception_ptr error;  ///< the exception thrown by the task, or null
  double seconds = 0;
};

struct LatticeBatchOptions {
  int workers =
      0;  ///< number of concurrent tasks, at most 512; 0: the number of threads of the context
  /// By default, several workers each compute on their own thread, and a single worker where the
  /// dispatcher chooses.
  std::optional<Space> space = {};
  /// \brief Called for every task in order with its result, as soon as the task and all earlier
  /// ones are done. Runs on the thread that called `run_lattices`, without holding a lock. If it
  /// throws, the run ends after the running tasks, and the exception is rethrown.
  std::function<void(std::size_t task, LatticeResult result)> on_result = {};
  /// After a stop request no task starts; tasks that have started are still reported.
  std::stop_token stop = {};
};

struct LatticeBatchReport {
  std::size_t done = 0;    ///< number of reported tasks, which are the first ones
  std::size_t failed = 0;  ///< reported tasks that failed
  bool cancelled = false;  ///< whether some tasks were not run
};

/// \brief Runs many lattice tasks in parallel, one per worker. A failed task is reported as a
/// result and does not stop the others. Workers run at most four tasks each ahead of the reported
/// ones.
/// \param tasks the data that they refer to must stay valid until the end
/// \throws InvalidArgument, before any task starts, for a number of workers out of range, and for
/// products of shapes or types that `Bulk::multiply` refuses; what `on_result` throws; Cancelled
/// after the running tasks, none of which is reported
LatticeBatchReport run_lattices(Context& context, std::span<const LatticeTask> tasks,
                                const LatticeBatchOptions& options = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_LATTICE_BATCH_HPP
