// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_DEMO_ANSWER_HPP
#define KINDRED_TOOLS_DEMO_ANSWER_HPP

#include "Corpus.hpp"

#include "report/Report.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace Kindred::Tools {

struct AnswerHit {
  std::uint32_t synset = 0;
  double score = 0;
  std::vector<ReportReason> reasons;  ///< `match`, `search`, `spread`, those that found it
};

/// \brief Recalls the synsets that \p query brings to mind.
///
/// *match*: longest common subsequence of content words, at least half of the query's. *search*:
/// cosine of the vectors, beyond chance. *spread*: activation from the four best of both along
/// WordNet's pointers. The first fifty of each are fused by `fuse_rankings` with constant 10, which
/// lets a high place in one ranking count, and weight 2 for *spread*: the other two read the same
/// words. \throws InvalidArgument when no word of the query stands in any gloss
std::vector<AnswerHit> answer(const Corpus& corpus, const Engines& engines,
                              const std::string& query, std::size_t top);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_DEMO_ANSWER_HPP
