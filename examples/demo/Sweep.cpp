// SPDX-License-Identifier: Apache-2.0
#include "Sweep.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

namespace Kindred::Tools {
namespace {

constexpr double call_max = 0.25;    // seconds: after a slower size, no larger one is measured
constexpr double point_time = 0.03;  // seconds: minimum total time of the repetitions of a point
constexpr std::size_t repetitions_min = 5;
constexpr std::size_t repetitions_max = 25;

using Call = std::function<DispatchRecord(std::optional<Space>)>;

/// The minimum time of several repetitions, which is least affected by other programs.
double least_seconds(const Call& call, Space space) {
  double least = call(space).taken;  // the first call warms caches and workspaces
  if (least > call_max) return least;
  double sum = 0;
  for (std::size_t i = 0; i < repetitions_min || (sum < point_time && i < repetitions_max); ++i) {
    const double seconds = call(space).taken;
    least = std::min(least, seconds);
    sum += seconds;
  }
  return least;
}

/// Adds a point; returns whether a larger size can be measured in reasonable time.
bool add_point(const Context& context, const Call& call, ReportSweep& sweep) {
  DispatchRecord own = call({});
  if (own.why == Reason::probe) own = call({});
  ReportSweepPoint point;
  point.items = static_cast<double>(own.items);
  point.predicted = own.predicted;
  point.chosen = own.chosen;
  double slowest = 0;
  for (const Space space : all_spaces) {
    if (!context.is_usable(space)) continue;
    double& taken = point.taken[static_cast<std::size_t>(space)];
    taken = least_seconds(call, space);
    slowest = std::max(slowest, taken);
  }
  if (own.items > 0) sweep.points.push_back(point);
  return slowest < call_max;
}

/// One query over a given number of synsets, for every operation.
class SweepQueries {
 public:
  SweepQueries(const Corpus& corpus, std::size_t count, std::size_t queries) {
    const std::size_t dimension = corpus.indexing.dimension();
    for (std::size_t query = 0; query < queries; ++query) {
      const std::size_t synset = (2 * query + 1) * corpus.size() / (2 * queries);
      patterns.push_row(corpus.patterns[synset]);
      const float* row = corpus.vectors.data() + synset * dimension;
      vectors.insert(vectors.end(), row, row + dimension);
      for (std::size_t i = 0; i < count; ++i)
        candidates.values.push_back(i * corpus.size() / count);
      candidates.close_row();
      for (std::size_t i = 0; i < 4; ++i) {
        const auto node = static_cast<std::uint32_t>((query + i * count / 4) % count);
        sources.values.push_back({node, 1.0F});
      }
      sources.close_row();
    }
  }

  Ragged<Symbol> patterns;
  std::vector<float> vectors;
  Ragged<std::uint64_t> candidates;
  Ragged<Activation> sources;
};

Call match_call(const SequenceMatcher& matcher, const SweepQueries& requested, Measure measure) {
  return [&matcher, &requested, measure](std::optional<Space> space) {
    MatchOptions options;
    options.measure = measure;
    options.space = space;
    return matcher.match(requested.patterns, options).record;
  };
}

SearchOptions search_options(const VectorIndex& index, std::optional<Space> space) {
  SearchOptions options;
  options.top = std::min<std::size_t>(10, index.size());
  options.space = space;
  return options;
}

}  // namespace

std::vector<ReportSweep> sweep(Context& context, const Corpus& corpus, const Engines& whole) {
  struct Operation {
    ReportSweep sweep;
    std::function<Call(const Engines& part, const Engines& whole, const SweepQueries& requested)>
        call;
    bool open = true;
  };
  std::array<Operation, 5> operations{{
      {{"lcs", "patterns × queries", {}},
       [](const Engines& part, const Engines&, const SweepQueries& requested) {
         return match_call(part.matcher, requested, Measure::lcs);
       }},
      {{"difflib", "patterns × queries", {}},
       [](const Engines& part, const Engines&, const SweepQueries& requested) {
         return match_call(part.matcher, requested, Measure::difflib);
       }},
      {{"search", "rows × queries", {}},
       [](const Engines& part, const Engines&, const SweepQueries& requested) -> Call {
         return [&](std::optional<Space> space) {
           return part.index.search(requested.vectors, search_options(part.index, space)).record;
         };
       }},
      {{"score", "candidates", {}},
       [](const Engines&, const Engines& whole, const SweepQueries& requested) -> Call {
         return [&](std::optional<Space> space) {
           return whole.index
               .score(requested.vectors, requested.candidates, search_options(whole.index, space))
               .record;
         };
       }},
      {{"spread", "edges × queries", {}},
       [](const Engines& part, const Engines&, const SweepQueries& requested) -> Call {
         return [&](std::optional<Space> space) {
           SpreadOptions options;
           options.space = space;
           return part.graph.spread(requested.sources, options).record;
         };
       }},
  }};

  struct Size {
    std::size_t synsets;
    std::size_t queries;
  };
  std::vector<Size> sizes;
  for (std::size_t count = 32; count < corpus.size(); count *= 4) sizes.push_back({count, 1});
  for (const std::size_t queries : {1, 4, 16}) sizes.push_back({corpus.size(), queries});

  for (const Size& size : sizes) {
    const SweepQueries requested(corpus, size.synsets, size.queries);
    std::optional<Engines> first;
    if (size.synsets < corpus.size()) first.emplace(context, corpus, size.synsets);
    const Engines& part = first ? *first : whole;
    for (Operation& operation : operations) {
      if (operation.open)
        operation.open =
            add_point(context, operation.call(part, whole, requested), operation.sweep);
    }
  }
  std::vector<ReportSweep> sweeps;
  for (Operation& operation : operations) sweeps.push_back(std::move(operation.sweep));
  return sweeps;
}

}  // namespace Kindred::Tools
