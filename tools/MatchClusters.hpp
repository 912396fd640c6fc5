// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_MATCH_CLUSTERS_HPP
#define KINDRED_TOOLS_MATCH_CLUSTERS_HPP

#include "MatchFlags.hpp"
#include "Session.hpp"
#include "io/NameTable.hpp"

#include <kindred/matcher/SequenceMatcher.hpp>

#include <CLI/CLI.hpp>

namespace Kindred::Tools {

/// Adds `--clusters` to \p command.
void add_clusters_flag(CLI::App& command, MatchFlags& flags);

/// Checks what goes with `--clusters`, if it is given. \throws UsageError
void check_clusters(const MatchFlags& flags);

/// Prints one line for every cluster of the patterns, whose names are \p names.
void print_clusters(const SequenceMatcher& matcher, const NameTable& names, const MatchFlags& flags,
                    Session& session);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_MATCH_CLUSTERS_HPP
