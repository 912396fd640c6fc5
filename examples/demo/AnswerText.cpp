// SPDX-License-Identifier: Apache-2.0
#include "AnswerText.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace Kindred::Tools {
namespace {

constexpr std::size_t columns = 100;

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::string line(indent, ' ');
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    if (line.size() > indent && line.size() + 1 + word.size() > columns) {
      out += line + '\n';
      line.assign(indent, ' ');
    }
    if (line.size() > indent) line += ' ';
    line += word;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out + line + '\n';
}

}  // namespace

std::string synset_title(const Synset& synset) {
  std::string title;
  for (const std::string& word : synset.words) title += (title.empty() ? "" : ", ") + word;
  return title + " (" + std::string(part_of_speech(synset.type)) + ")";
}

std::string answer_text(const Corpus& corpus, const std::string& query,
                        const std::vector<AnswerHit>& hits) {
  std::string out = "Query: " + query + "\n\n";
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const Synset& synset = corpus.net.synsets[hits[i].synset];
    out += fmt::format("{:3}. {}  [{:.4f}]\n", i + 1, synset_title(synset), hits[i].score);
    out += wrapped(synset.gloss, 5);
    for (const ReportReason& reason : hits[i].reasons) {
      out += fmt::format("       {:<6} #{:<2} {:.3f}  {}\n", reason.ranking, reason.place,
                         reason.score, reason.detail);
    }
    out += '\n';
  }
  return out;
}

std::string answer_json(const Corpus& corpus, const std::string& query,
                        const std::vector<AnswerHit>& hits) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const AnswerHit& hit : hits) {
    const Synset& synset = corpus.net.synsets[hit.synset];
    nlohmann::ordered_json reasons = nlohmann::ordered_json::array();
    for (const ReportReason& reason : hit.reasons) {
      reasons.push_back({{"ranking", reason.ranking},
                         {"place", reason.place},
                         {"score", reason.score},
                         {"contribution", reason.contribution},
                         {"detail", reason.detail}});
    }
    results.push_back({{"synset", fmt::format("{:08}-{}", synset.offset, synset.type)},
                       {"words", synset.words},
                       {"gloss", synset.gloss},
                       {"score", hit.score},
                       {"reasons", reasons}});
  }
  const nlohmann::ordered_json answer = {{"query", query}, {"results", results}};
  return answer.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<ReportHit> report_hits(const Corpus& corpus, const std::vector<AnswerHit>& hits) {
  std::vector<ReportHit> shown;
  for (const AnswerHit& hit : hits) {
    const Synset& synset = corpus.net.synsets[hit.synset];
    shown.push_back({synset_title(synset), synset.gloss, hit.score, hit.reasons});
  }
  return shown;
}

}  // namespace Kindred::Tools
