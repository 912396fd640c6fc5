// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_PEERS_WORK_HPP
#define KINDRED_PERF_PEERS_WORK_HPP

#include <kindred/backends/Context.hpp>

#include "peers/PythonPeers.hpp"

#include <memory>
#include <string>
#include <vector>

namespace Kindred::Perf {

/// \brief The same work for our engine and for the peers.
class Work {
 public:
  virtual ~Work() = default;

  std::string name;    ///< such as `lcs-200`
  std::string kind;    ///< name of the work in the peers' script
  std::string detail;  ///< human-readable description
  std::string unit;    ///< unit of `items`
  double items = 0;
  double target = 0;  ///< minimum ratio per core to the fastest peer; 0: for context only
  double bytes = 0;   ///< minimum number of bytes read per call, unless `bytes_read` is overridden
  double word_steps = 0;  ///< steps of the LCS recurrence per call

  /// Writes the input of the peers.
  virtual void write(JobFolder& folder) const = 0;
  /// Runs one call of our engine on \p space.
  virtual void run(Space space) const = 0;
  /// Name of the alternative call, measured in turn with the others; empty: none.
  std::string beside;
  /// Runs one alternative call of our engine, which `run` is compared with.
  virtual void run_beside(Space /*space*/) const {}
  /// C++ libraries that do the same in this process.
  virtual std::vector<std::unique_ptr<NativePeer>> native_peers(Space /*space*/) const {
    return {};
  }
  /// Minimum number of bytes that the last `run` read.
  virtual double bytes_read() const { return bytes; }
  /// Details of the last `run`, such as its path and how many rows the prefilter passed.
  virtual Json reported() const { return Json::object(); }
  /// Empty if \p answer of \p peer agrees with ours, otherwise the difference. Texts that start
  /// with "=" are remarks.
  virtual std::string compare(const std::string& peer, const PeerAnswer& answer) const = 0;
};

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_PEERS_WORK_HPP
