// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_SWEEP_PROBLEMS_HPP
#define KINDRED_PERF_SWEEP_PROBLEMS_HPP

#include <kindred/backends/Context.hpp>

#include "common/ProblemFactories.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace Kindred::Perf {

/// Creates the problem of an operation at a given size.
class Problems {
 public:
  /// \param small_spreads the sizes of `spread` count the edges that one query reads
  Problems(Context& context, std::uint64_t seed, bool small_spreads = false)
      : m_context(context), m_seed(seed), m_small_spreads(small_spreads) {}

  std::unique_ptr<Problem> make(Operation operation, std::size_t size);
  /// Host memory in bytes that the problem needs: input, engine and staging buffers of a device.
  static double bytes(Operation operation, double size);
  /// Unit of the size.
  static const char* unit(Operation operation);

 private:
  static constexpr std::size_t dimension = 768;
  static constexpr std::size_t candidate_corpus = 65536;

  /// Describes how the problem of one operation is created.
  struct Kind;
  using Make = std::unique_ptr<Problem> (*)(Problems&, Operation, std::size_t size);
  static const Kind& kind_of(Operation operation);

  std::unique_ptr<Problem> match(std::size_t size, Measure measure);
  std::unique_ptr<Problem> search(std::size_t size, SearchPath path);
  std::unique_ptr<Problem> spread(std::size_t size);
  std::shared_ptr<Lattice> lattice(std::size_t size);
  static std::unique_ptr<Problem> bulk(Problems& on, Operation operation, std::size_t size);
  std::unique_ptr<Problem> small_spread(std::size_t touched, SpreadOptions& options);
  std::shared_ptr<PatternSet> patterns(std::size_t count, std::uint32_t vocabulary) {
    return std::make_shared<PatternSet>(m_context, count, 100, vocabulary, m_seed);
  }
  std::shared_ptr<RowSet> rows(std::size_t count) {
    return std::make_shared<RowSet>(m_context, count, dimension, m_seed);
  }
  std::shared_ptr<const RowSet> candidate_rows() {
    if (!m_candidates) m_candidates = rows(candidate_corpus);
    return m_candidates;
  }

  Context& m_context;
  std::uint64_t m_seed;
  bool m_small_spreads;
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
