// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_SWEEP_PROBLEMS_HPP
#define KINDRED_PERF_SWEEP_PROBLEMS_HPP

#include <kindred/backends/Context.hpp>

#include "problems/ProblemFactories.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace Kindred::Perf {

/// What does not vary with the size of a problem.
struct ProblemShape {
  std::size_t dimension = 768;   ///< of vectors
  std::size_t rows = 65536;      ///< of the index whose candidates are scored, or that many search
  std::size_t queries = 1;       ///< of a call of `match`, `search` and `spread`
  std::size_t top = 0;           ///< results of a query; 0: 100 patterns, 10 rows
  std::size_t length = 100;      ///< of patterns
  std::size_t query_length = 0;  ///< 0: 64, or 80 by difflib
  std::uint32_t vocabulary = 0;  ///< symbols; 0: 4,096, or 70 by difflib
  bool small_spreads = false;    ///< the sizes of `spread` count the edges that one query reads
};

/// Creates the problem of an operation at a given size.
class Problems {
 public:
  Problems(Context& context, std::uint64_t seed, ProblemShape shape = {})
      : m_context(context), m_seed(seed), m_shape(shape) {}

  std::unique_ptr<Problem> make(Operation operation, std::size_t size);
  /// Host memory in bytes that the problem needs: input, engine and staging buffers of a device.
  double bytes(Operation operation, double size) const;
  /// Host memory in bytes that a problem may need.
  double memory_allowed() const;
  /// The largest size that needs no more.
  double largest_size(Operation operation) const;
  /// Unit of the size.
  std::string unit(Operation operation) const;

 private:
  /// Describes how the problem of one operation is created.
  struct Kind;
  using Make = std::unique_ptr<Problem> (*)(Problems&, Operation, std::size_t size);
  static const Kind& kind_of(Operation operation);

  double bytes_of_rows(const Kind& kind) const;
  /// The results of a query over \p rows.
  std::size_t top_rows(std::size_t rows) const;
  std::unique_ptr<Problem> match(std::size_t size, Measure measure);
  std::unique_ptr<Problem> search(std::size_t size, SearchPath path);
  std::unique_ptr<Problem> spread(std::size_t size);
  std::shared_ptr<Lattice> lattice(std::size_t size);
  static std::unique_ptr<Problem> bulk(Problems& on, Operation operation, std::size_t size);
  std::unique_ptr<Problem> small_spread(std::size_t touched, SpreadOptions& options);
  std::shared_ptr<PatternSet> patterns(std::size_t count, std::uint32_t vocabulary) {
    return std::make_shared<PatternSet>(m_context, count, m_shape.length, vocabulary, m_seed);
  }
  std::shared_ptr<RowSet> rows(std::size_t count) {
    return std::make_shared<RowSet>(m_context, count, m_shape.dimension, m_seed);
  }
  std::shared_ptr<const RowSet> candidate_rows() {
    if (!m_candidates) m_candidates = rows(m_shape.rows);
    return m_candidates;
  }

  Context& m_context;
  std::uint64_t m_seed;
  ProblemShape m_shape;
  std::shared_ptr<const RowSet> m_candidates;
};

/// Parses a comma-separated list of operations: names, `routed` (those that KA Lattice routes by
/// type and size) or `all`. \throws InvalidArgument
std::vector<Operation> operations_from(const std::string& text);

/// The workload described by \p record, as passed to the dispatcher.
inline Workload workload_of(const DispatchRecord& record, SpaceSet resident) {
  return {.operation = record.operation,
          .items = record.items,
          .work = record.work,
          .transfer_bytes = record.transfer_bytes,
          .resident = resident,
          .starts = record.starts,
          .pieces = record.pieces};
}

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_SWEEP_PROBLEMS_HPP
