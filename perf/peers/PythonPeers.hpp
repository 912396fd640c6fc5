// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_PEERS_PYTHON_PEERS_HPP
#define KINDRED_PERF_PEERS_PYTHON_PEERS_HPP

#include "common/JsonOutput.hpp"
#include "common/JsonProcess.hpp"
#include "problems/Peers.hpp"

#include <string>
#include <vector>

namespace Kindred::Perf {

/// The folder of the peers' scripts that belongs to this program, built or installed.
std::string peers_folder();

/// \brief A Python process that runs the peers of a job on request. \see peers/protocol.py
class PythonPeers {
 public:
  /// \param threads value of `OMP_NUM_THREADS` and similar variables in that process
  /// \throws Error if it cannot be started or ends, with the names of missing modules
  PythonPeers(const std::string& python, const std::string& script, const JobFolder& folder,
              int threads);

  const std::vector<std::string>& names() const noexcept { return m_names; }
  const Json& versions() const noexcept { return m_versions; }
  /// Seconds of one run of \p peer.
  double run(const std::string& peer);
  /// Runs \p peer once more and returns its answer.
  PeerAnswer answer(const std::string& peer);

 private:
  const JobFolder& m_folder;
  JsonProcess m_process;
  std::vector<std::string> m_names;
  Json m_versions;
};

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_PEERS_PYTHON_PEERS_HPP
