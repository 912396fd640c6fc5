// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_MATCHER_LATTICE_BATCH_HPP
#define KINDRED_MATCHER_LATTICE_BATCH_HPP

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

namespace Kindred {

// What is done with a lattice of a batch.

/// `Lattice::metrics`: LatticeMetrics.
struct AnalyzeLattice {};
/// `Lattice::measure`: GraphStructure.
struct MeasureLattice {};
/// `Lattice::path`: its nodes.
struct FindLatticePath {
  LatticePair ends;
};
/// `Lattice::rows`: LatticeRows.
struct BuildLattice {};
/// `Lattice::save`: LatticeMetrics of what was saved.
struct SaveLattice {
  std::string path;
};
/// `Bulk::xor_bytes` of one array: BulkReport. The shape of the lattice is not looked at.
struct XorLatticeBytes {
  std::span<const std::uint8_t> array;
  std::span<const std::uint8_t> key;
  std::span<std::uint8_t> result;
};
/// `Bulk::multiply` of one pair: BulkReport. The shape of the lattice is not looked at.
template <BulkNumber T>
struct MultiplyLatticeMatrices {
  MatrixPair<T> pair;
};

struct LatticeTask {
  std::uint32_t dimensions = 4;
  std::uint32_t size = 10;
  LatticeBlocks blocks = {};  ///< of a path
  std::variant<AnalyzeLattice, MeasureLattice, FindLatticePath, BuildLattice, SaveLattice,
               XorLatticeBytes, MultiplyLatticeMatrices<float>, MultiplyLatticeMatrices<double>>
      work;
};

struct LatticeResult {
  /// Of the kind that the task's work names; the first where it failed.
  std::variant<std::monostate, LatticeMetrics, GraphStructure, std::vector<std::uint64_t>,
               LatticeRows, BulkReport>
      answer;
  std::exception_ptr error;  ///< what the task threw; null: nothing
  double seconds = 0;
};

struct LatticeBatchOptions {
  int workers = 0;  ///< tasks at once, at most 512; 0: as many as the context has threads
  /// Nothing: every worker computes on its own thread, and a single one where the dispatcher likes.
  std::optional<Space> space;
  /// \brief Told of every task in order, as soon as those before it have been told of; a task's
  /// result is given away. Runs on the thread that called `run_lattices`, under no lock; what it
  /// throws ends the run when the tasks under way have ended, and is thrown on.
  std::function<void(std::size_t task, LatticeResult result)> on_result;
  std::stop_token stop;  ///< no task begins once it is asked for; those that have begun are told of
};

struct LatticeBatchReport {
  std::size_t done = 0;    ///< tasks that were told of, which are the first ones
  std::size_t failed = 0;  ///< of them
  bool cancelled = false;  ///< there are others
};

/// \brief Many lattices at once, one a worker. A task that fails is a result, and stops no other.
/// Workers are at most four tasks each ahead of what was told.
/// \param tasks what they name stays until the end \throws InvalidArgument for workers out of range
/// before anything is begun; what `on_result` throws
LatticeBatchReport run_lattices(Context& context, std::span<const LatticeTask> tasks,
                                const LatticeBatchOptions& options = {});

}  // namespace Kindred

#endif  // KINDRED_MATCHER_LATTICE_BATCH_HPP
