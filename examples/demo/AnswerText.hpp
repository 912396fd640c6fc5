// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_EXAMPLES_DEMO_ANSWER_TEXT_HPP
#define KINDRED_EXAMPLES_DEMO_ANSWER_TEXT_HPP

#include "Answer.hpp"

#include <string>
#include <vector>

namespace Kindred::Tools {

/// All words of a synset and its part of speech: `leopard, Panthera pardus (noun)`.
std::string synset_title(const Synset& synset);

/// The ranking in human-readable form, with lines of about 100 columns at most.
std::string answer_text(const Corpus& corpus, const std::string& query,
                        const std::vector<AnswerHit>& hits);

/// The ranking as one JSON object, without a newline.
std::string answer_json(const Corpus& corpus, const std::string& query,
                        const std::vector<AnswerHit>& hits);

/// The ranking in the form used by the report.
std::vector<ReportHit> report_hits(const Corpus& corpus, const std::vector<AnswerHit>& hits);

}  // namespace Kindred::Tools

#endif  // KINDRED_EXAMPLES_DEMO_ANSWER_TEXT_HPP
