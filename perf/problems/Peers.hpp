// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_PROBLEMS_PEERS_HPP
#define KINDRED_PERF_PROBLEMS_PEERS_HPP

#include "common/JsonOutput.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
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

/// \brief A folder with the raw arrays and `job.json` of one job for the peers' scripts, removed on
/// destruction.
class JobFolder {
 public:
  /// \throws Error if it cannot be created
  JobFolder();
  ~JobFolder();
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;

  template <class T>
  void add(const std::string& name, const char* dtype, std::span<const T> values,
           const std::vector<std::size_t>& shape) {
    write(name, values.data(), values.size_bytes());
    parameters["arrays"][name] = {{"file", name + ".raw"}, {"dtype", dtype}, {"shape", shape}};
  }
  /// Writes `job.json` from `parameters`.
  void write_job() const;
  const std::filesystem::path& path() const noexcept { return m_path; }

  Json parameters;

 private:
  void write(const std::string& name, const void* data, std::size_t bytes) const;
  std::filesystem::path m_path;
};

/// Answers with many values are compared on a sample of this many.
inline constexpr std::size_t sampled_values = 4096;

/// Empty if both lists have the same values within \p tolerance, relative to values above 1.
template <class Ours>
std::string compare_values(const Ours& ours, const std::vector<double>& theirs, double tolerance) {
  if (ours.size() != theirs.size())
    return "ours has " + std::to_string(ours.size()) + " results, theirs " +
           std::to_string(theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto value = static_cast<double>(ours[i]);
    if (!(std::fabs(value - theirs[i]) <= tolerance * std::fmax(1.0, std::fabs(value))))
      return "place " + std::to_string(i) + ": ours " + std::to_string(value) + ", theirs " +
             std::to_string(theirs[i]);
  }
  return {};
}

/// Every k-th of `value(0)` … `value(count - 1)`, some \p wanted of them, as the scripts sample.
template <class Value>
std::vector<double> sampled(std::size_t count, std::size_t wanted, const Value& value) {
  std::vector<double> out;
  const std::size_t step = std::max<std::size_t>(1, count / wanted);
  for (std::size_t i = 0; i < count; i += step) out.push_back(static_cast<double>(value(i)));
  return out;
}

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_PROBLEMS_PEERS_HPP
