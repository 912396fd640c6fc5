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

  std::string name;    ///< `lcs-200`
  std::string kind;    ///< what the peers' script calls it
  std::string detail;  ///< for the reader
  std::string unit;    ///< of `items`
  double items = 0;
  double target = 0;      ///< least ratio per core to the fastest peer; 0: context only
  double bytes = 0;       ///< read at least once a call, unless `bytes_read` knows better
  double word_steps = 0;  ///< of the LCS recurrence a call

  /// Writes the input of the peers.
  virtual void write(JobFolder& folder) const = 0;
  /// One call of our engine on \p space.
  virtual void run(Space space) const = 0;
  /// What `run_beside` is, measured in turn with the rest; empty: nothing.
  std::string beside;
  /// One call of our engine that `run` is to be compared with.
  virtual void run_beside(Space /*space*/) const {}
  /// What the last `run` read at least once.
  virtual double bytes_read() const { return bytes; }
  /// How the last `run` went: the path, what it screened.
  virtual Json reported() const { return Json::object(); }
  /// Empty when \p answer of \p peer agrees with ours, else what differs; what there is to tell
  /// besides starts with "=".
  virtual std::string compare(const std::string& peer, const PeerAnswer& answer) const = 0;
};

struct WorkName {
  const char* topic;  ///< what `--only` names
  const char* name;
};

/// Every piece of work, in order.
const std::vector<WorkName>& work_names();
/// \param scale of the sizes: 1 is a 2-core machine's
std::unique_ptr<Work> make_work(Context& context, const std::string& name, double scale,
                                std::uint64_t seed);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_PEERS_WORK_HPP
