// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_SPREAD_FLAGS_HPP
#define KINDRED_TOOLS_SPREAD_FLAGS_HPP

#include "GraphText.hpp"

#include <kindred/matcher/SpreadingEngine.hpp>

namespace Kindred::Tools {

/// Flags of `spread`.
struct SpreadFlags {
  std::string graph;
  GraphText text;  ///< how `graph` is read if it is text
  std::string sources;
  std::string decay = "exponential:0.7";  ///< as it was written
  std::vector<std::string> strengths;
  std::vector<std::string> fans;
  bool confidence = false;
  SpreadOptions options;                        ///< those that one flag determines
  std::vector<const CLI::Option*> of_hops;      ///< not valid with PageRank
  std::vector<const CLI::Option*> of_pagerank;  ///< valid only with PageRank
};

std::string name_of(SpreadMode mode);

void add_spread_flags(CLI::App& command, SpreadFlags& flags);

/// \throws UsageError for a flag that does not belong to the mode, or an invalid value
SpreadOptions options_of(const SpreadFlags& flags);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_SPREAD_FLAGS_HPP
