// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_PROBLEMS_PROBLEM_HPP
#define KINDRED_PERF_PROBLEMS_PROBLEM_HPP

#include <kindred/backends/Context.hpp>

#include "problems/Peers.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Perf {

/// \brief One call of an engine on seeded data, which can be timed on each space, compared bitwise,
/// checked, and compared with other libraries.
class Problem {
 public:
  virtual ~Problem() = default;

  std::string name;                                             ///< such as `BM_Match_lcs`
  std::vector<std::pair<std::string, std::int64_t>> arguments;  ///< part of the benchmark's name
  double items = 0;  ///< numerator of the rate: patterns, rows or candidates × queries, or edges
  std::string unit = "items";  ///< of `items`
  double bytes = 0;            ///< minimum number of bytes that one call reads
  double cell_updates = 0;     ///< sequences: Σ pattern length × query length
  double multiply_adds = 0;    ///< vectors and graphs, in double
  bool same_bits = true;       ///< the answer has the same bits on every space
  std::string job = {};        ///< name of this work in the peers' scripts; empty: none does it

  virtual bool reaches(Space space) const = 0;
  /// Selects the input of the next run. Consecutive calls get different inputs if a single input
  /// would stay in the caches. The first call has the number 0.
  virtual void turn(std::size_t /*call*/) {}
  /// Runs the call and keeps its answer on the host. Fences.
  virtual DispatchRecord run(std::optional<Space> space) = 0;
  /// Hash of the bits of the last answer.
  virtual std::uint64_t digest() const = 0;
  /// Checks a sample of the last answer against `Kindred::Reference`; returns the error, or an
  /// empty string.
  virtual std::string check() const = 0;

  /// Seconds per call of many calls enqueued before one fence (0 if not supported), and the error
  /// in their answers.
  struct Queued {
    double seconds = 0;
    std::string wrong = {};
  };
  virtual Queued queued(Space /*space*/, int /*repeats*/) { return {}; }

  /// Writes the input of the peers.
  virtual void write(JobFolder& /*folder*/) const {}
  /// C++ libraries that do the same in this process.
  virtual std::vector<std::unique_ptr<NativePeer>> native_peers(Space /*space*/) const {
    return {};
  }
  /// Empty if \p answer of \p peer agrees with ours, otherwise the difference. Texts that start
  /// with "=" are remarks.
  virtual std::string compare(const std::string& /*peer*/, const PeerAnswer& /*answer*/) {
    return {};
  }
};

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_PROBLEMS_PROBLEM_HPP
