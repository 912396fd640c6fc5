// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMON_ROOFLINE_HPP
#define KINDRED_PERF_COMMON_ROOFLINE_HPP

#include "machine/Limits.hpp"
#include "problems/Problem.hpp"

#include <algorithm>

namespace Kindred::Perf {

/// \brief The least seconds that a call can take on a machine with these limits: to read its bytes
/// from memory, and to do its arithmetic (Williams et al., *Roofline*, CACM 2009). 0: not known
struct Roofline {
  double memory = 0;
  double arithmetic = 0;

  Roofline(const Problem& problem, const Limits& limits)
      : memory(problem.bytes / limits.read),
        arithmetic(problem.cell_updates > 0 ? problem.cell_updates / 64 / limits.word_steps
                                            : problem.multiply_adds / limits.multiply_adds) {}

  double seconds() const { return std::max(memory, arithmetic); }
  const char* limit() const { return memory >= arithmetic ? "memory" : "arithmetic"; }
};

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMON_ROOFLINE_HPP
