// SPDX-License-Identifier: Apache-2.0
#include "io/Affinities.hpp"

#include "io/JsonLines.hpp"
#include "program/Errors.hpp"

#include <kindred/matcher/Prediction.hpp>

#include <algorithm>
#include <cmath>

namespace Kindred::Tools {

std::vector<double> read_affinity_weights(const std::string& path, const Vocabulary& vocabulary,
                                          std::span<const std::uint64_t> occurrences) {
  constexpr double affinity_max = 1e99;
  std::vector<double> affinities(vocabulary.size(), 0.0);
  read_json_lines(path, {"symbol", "affinity"}, {}, [&](const JsonRecord& record) {
    const JsonValue& symbol = record.at("symbol");
    if (symbol.kind != JsonKind::string)
      throw RecordError("\"symbol\" must be a string, but is " + symbol.shown());
    const JsonValue& affinity = record.at("affinity");
    if (!affinity.is_number() || !(std::abs(affinity.real) <= affinity_max)) {
      throw RecordError("\"affinity\" must be a number in [-1e99, 1e99], but is " +
                        affinity.shown());
    }
    const Symbol known = vocabulary.find(symbol.text);
    if (known != unknown_symbol) affinities[known] += affinity.real;
  });
  for (double& affinity : affinities) affinity = std::clamp(affinity, -affinity_max, affinity_max);
  std::vector<double> weights = affinity_weights(affinities, occurrences);
  if (weights.empty())
    weights.push_back(weight_floor);  // weights were given, but there are no symbols
  return weights;
}

}  // namespace Kindred::Tools
