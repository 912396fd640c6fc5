// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_MATCH_FROM_STORE_HPP
#define KINDRED_TOOLS_MATCH_FROM_STORE_HPP

#include "MatchFlags.hpp"
#include "program/Options.hpp"

namespace Kindred::Tools {

/// Answers queries from a store. \param flags already checked
void match_from_store(const GlobalOptions& global, const MatchFlags& flags,
                      const PredictionOptions& prediction);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_MATCH_FROM_STORE_HPP
