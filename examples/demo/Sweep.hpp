// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_EXAMPLES_DEMO_SWEEP_HPP
#define KINDRED_EXAMPLES_DEMO_SWEEP_HPP

#include "Corpus.hpp"

#include "report/Report.hpp"

#include <vector>

namespace Kindred::Tools {

/// \brief Times every operation for batches of growing size, first on the space chosen by the
/// dispatcher, then on each usable space.
///
/// A batch grows by the number of synsets, then by the number of queries. Times are the minimum of
/// several calls and include copying the results. Takes some seconds; sizes that would take too
/// long are omitted.
/// \param whole the engines over all of \p corpus
std::vector<ReportSweep> sweep(Context& context, const Corpus& corpus, const Engines& whole);

}  // namespace Kindred::Tools

#endif  // KINDRED_EXAMPLES_DEMO_SWEEP_HPP
