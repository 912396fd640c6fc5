// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_PEERS_WORK_CATALOGUE_HPP
#define KINDRED_PERF_PEERS_WORK_CATALOGUE_HPP

#include "peers/Work.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace Kindred::Perf {

/// An entry of the catalogue of work items.
struct WorkEntry {
  const char* topic;  ///< accepted by `--only`
  const char* name;   ///< likewise
  std::function<std::unique_ptr<Work>(Context& context, double scale, std::uint64_t seed)> make;
};

/// All work items in order.
const std::vector<WorkEntry>& work_catalogue();

/// \param scale of the sizes: 1 is suitable for a machine with 2 cores
std::unique_ptr<Work> make_work(const WorkEntry& entry, Context& context, double scale,
                                std::uint64_t seed);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_PEERS_WORK_CATALOGUE_HPP
