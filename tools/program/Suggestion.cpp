// SPDX-License-Identifier: Apache-2.0
#include "program/Suggestion.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/Similarity.hpp>

#include <algorithm>

namespace Kindred::Tools {

namespace {

std::string_view without_dashes(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of('-'), text.size()));
}

}  // namespace

std::string suggestion(std::string_view wrong, const std::vector<std::string>& known) {
  const std::string_view text = without_dashes(wrong);
  if (text.size() < 2) return {};
  std::vector<std::string> beginning;
  for (const std::string& each : known) {
    if (without_dashes(each).starts_with(text)) beginning.push_back(each);
  }
  if (beginning.size() == 1) return beginning.front();
  try {
    const PreparedQuery query(Measure::lcs, text);
    // A changed character is two operations of the measure, a missing or an additional one is one.
    constexpr double operations_max = 4;
    std::string best;
    double best_similarity = 0.6;
    for (const std::string& each : known) {
      const std::string_view candidate = without_dashes(each);
      const double similarity = query.similarity(candidate);
      const double operations =
          (1 - similarity) * static_cast<double>(text.size() + candidate.size());
      if (operations > operations_max || similarity <= best_similarity) continue;
      best = each;
      best_similarity = similarity;
    }
    return best;
  } catch (const InvalidArgument&) {
    return {};  // not UTF-8
  }
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known) {
  const std::string found = suggestion(wrong, known);
  return found.empty() ? found : "; did you mean " + found + "?";
}

}  // namespace Kindred::Tools
