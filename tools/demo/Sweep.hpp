// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_DEMO_SWEEP_HPP
#define KINDRED_TOOLS_DEMO_SWEEP_HPP

#include "Corpus.hpp"

#include "report/Report.hpp"

#include <vector>

namespace Kindred::Tools {

/// \brief Times every operation over growing batches: left to the dispatcher first, then forced to
/// each usable space.
///
/// A batch grows by the number of synsets, then by the number of queries. Times are the least of
/// some calls, results included. Takes some seconds; a size that would take long is left out.
/// \param whole the engines over all of \p corpus
std::vector<ReportSweep> sweep(Context& context, const Corpus& corpus, const Engines& whole);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_DEMO_SWEEP_HPP
