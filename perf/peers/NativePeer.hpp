// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_PEERS_NATIVE_PEER_HPP
#define KINDRED_PERF_PEERS_NATIVE_PEER_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace Kindred::Perf {

/// The answer of a peer: ids (empty if it returns a score for every item) and scores.
struct PeerAnswer {
  std::vector<std::int64_t> ids;
  std::vector<double> scores;
};

/// \brief A C++ library that does the same work in this process.
class NativePeer {
 public:
  virtual ~NativePeer() = default;

  std::string name;

  /// One call, which has ended when this returns.
  virtual void run() = 0;
  /// The answer of the last call.
  virtual PeerAnswer answer() const = 0;
};

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_PEERS_NATIVE_PEER_HPP
