// SPDX-License-Identifier: Apache-2.0
#include "Answer.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/matcher/RankFusion.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace Kindred::Tools {
namespace {

constexpr std::size_t ranking_length = 50;
constexpr std::size_t sources_max = 4;
constexpr double fusion_constant = 10;
constexpr float cosine_min =
    3.0F / 16;  // chance stays within three standard deviations of 1 / √256
constexpr double spread_weight =
    2;  // match and search use the same words, links add new information
constexpr std::array<const char*, 3> ranking_names{"match", "search", "spread"};

std::vector<RankedItem> match_ranking(const Engines& engines, std::span<const Symbol> query) {
  Ragged<Symbol> queries;
  queries.push_row(query);
  MatchOptions options;
  options.top = 4 * ranking_length;
  const MatchResults results = engines.matcher.match(queries, options);
  std::vector<RankedItem> ranking;
  for (const Match& match : results.matches.values) {
    if (2 * match.matched >= query.size() && ranking.size() < ranking_length)
      ranking.push_back({match.index, match.similarity});
  }
  return ranking;
}

std::vector<RankedItem> search_ranking(const Engines& engines, std::span<const float> query) {
  SearchOptions options;
  options.top = std::min(ranking_length, engines.index.size());
  const SearchResults results = engines.index.search(query, options);
  std::vector<RankedItem> ranking;
  for (std::size_t i = 0; i < results.ids.size(); ++i) {
    if (results.scores[i] >= cosine_min)
      ranking.push_back({static_cast<std::uint64_t>(results.ids[i]), results.scores[i]});
  }
  return ranking;
}

std::vector<Activation> spread_sources(const std::vector<RankedItem>& match,
                                       const std::vector<RankedItem>& search) {
  const std::array rankings{match, search};
  FusionOptions options;
  options.constant = fusion_constant;
  options.top = sources_max;
  std::vector<Activation> sources;
  for (const FusedHit& hit : fuse_rankings(rankings, options)) {
    double best = 0;
    for (const FusionReason& reason : hit.reasons) best = std::max(best, reason.score);
    sources.push_back(
        {static_cast<std::uint32_t>(hit.id), static_cast<float>(std::min(best, 1.0))});
  }
  return sources;
}

std::vector<RankedItem> spread_ranking(const Engines& engines,
                                       std::span<const Activation> sources) {
  Ragged<Activation> queries;
  queries.push_row(sources);
  SpreadOptions options;
  options.top = ranking_length;
  const SpreadResults results = engines.graph.spread(queries, options);
  std::vector<RankedItem> ranking;
  for (const Activation& activation : results.activations.values)
    ranking.push_back({activation.node, activation.value});
  return ranking;
}

/// The words of a longest common subsequence, in order.
std::vector<Symbol> common_words(std::span<const Symbol> a, std::span<const Symbol> b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::uint32_t> length((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      length[i * width + j] =
          a[i] == b[j] ? length[(i + 1) * width + j + 1] + 1
                       : std::max(length[(i + 1) * width + j], length[i * width + j + 1]);
    }
  }
  std::vector<Symbol> words;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) {
      words.push_back(a[i]);
      ++i;
      ++j;
    } else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return words;
}

std::string joined(const Corpus& corpus, std::span<const Symbol> words) {
  std::string text;
  for (const Symbol word : words)
    text += (text.empty() ? "" : ", ") + std::string(corpus.words.text(word));
  return text;
}

std::string match_detail(const Corpus& corpus, std::uint32_t synset,
                         std::span<const Symbol> query) {
  const std::vector<Symbol> words = common_words(corpus.patterns[synset], query);
  return std::to_string(words.size()) + " of " + std::to_string(query.size()) +
         " words in order: " + joined(corpus, words);
}

std::string search_detail(const Corpus& corpus, std::uint32_t synset,
                          std::span<const Symbol> query) {
  std::vector<Symbol> shared;
  for (const Symbol word : query) {
    const std::span<const Symbol> pattern = corpus.patterns[synset];
    if (std::find(pattern.begin(), pattern.end(), word) != pattern.end() &&
        std::find(shared.begin(), shared.end(), word) == shared.end())
      shared.push_back(word);
  }
  if (shared.empty()) return "no word in common, but words that occur in similar texts";
  std::stable_sort(shared.begin(), shared.end(), [&](Symbol a, Symbol b) {
    return corpus.indexing.rarity(a) > corpus.indexing.rarity(b);
  });
  return "near in meaning; shares, rarest first: " + joined(corpus, shared);
}

/// \brief The strongest single path of pointers from a source to each node it reaches.
class Paths {
 public:
  Paths(const Corpus& corpus, std::span<const Activation> sources, const SpreadOptions& options)
      : m_corpus(corpus) {
    std::vector<std::uint32_t> frontier;
    for (const Activation& source : sources) {
      m_steps[source.node] = {source.value, {}};
      frontier.push_back(source.node);
    }
    for (std::uint32_t hop = 1; hop <= options.hops; ++hop)
      frontier = follow(frontier, decay_at(options.decay, hop));
  }

  std::string add_to_report(std::uint32_t node) const {
    auto step = m_steps.find(node);
    if (step == m_steps.end()) return "reached by many weak paths";
    if (!step->second.by) return "a source: among the best of match and search";
    std::string text;
    while (step->second.by) {
      const Pointer& pointer = *step->second.by;
      text = " → " + std::string(pointer_kinds()[pointer.kind].name) + " " +
             m_corpus.name(pointer.to) + text;
      step = m_steps.find(pointer.from);
    }
    return m_corpus.name(step->first) + text;
  }

 private:
  struct Step {
    double strength = 0;
    std::optional<Pointer> by;
  };

  std::vector<std::uint32_t> follow(const std::vector<std::uint32_t>& frontier, double decay) {
    std::vector<std::uint32_t> next;
    for (const std::uint32_t node : frontier) {
      const double strength = m_steps[node].strength;
      const auto& pointers = m_corpus.net.pointers;
      auto pointer =
          std::lower_bound(pointers.begin(), pointers.end(), node,
                           [](const Pointer& p, std::uint32_t from) { return p.from < from; });
      for (; pointer != pointers.end() && pointer->from == node; ++pointer) {
        const double reached = strength * decay * pointer_kinds()[pointer->kind].weight;
        Step& step = m_steps[pointer->to];
        if (reached > step.strength) {
          step = {reached, *pointer};
          next.push_back(pointer->to);
        }
      }
    }
    return next;
  }

  const Corpus& m_corpus;
  std::map<std::uint32_t, Step> m_steps;
};

}  // namespace

std::vector<AnswerHit> answer(const Corpus& corpus, const Engines& engines,
                              const std::string& query, std::size_t top) {
  const std::vector<Symbol> words = corpus.symbols(query);
  if (std::all_of(words.begin(), words.end(), [](Symbol w) { return w == unknown_symbol; })) {
    throw InvalidArgument("no content word of the query \"" + query.substr(0, 100) +
                          "\" stands in any gloss; use other words");
  }
  const std::vector<RankedItem> match = match_ranking(engines, words);
  const std::vector<RankedItem> search =
      search_ranking(engines, corpus.indexing.embed(std::span<const Symbol>(words)));
  const std::vector<Activation> sources = spread_sources(match, search);
  const std::array rankings{match, search, spread_ranking(engines, sources)};

  FusionOptions options;
  options.constant = fusion_constant;
  options.weights = {1, 1, spread_weight};
  options.top = top;
  const Paths paths(corpus, sources, SpreadOptions{});
  std::vector<AnswerHit> hits;
  for (const FusedHit& hit : fuse_rankings(rankings, options)) {
    AnswerHit shown;
    shown.synset = static_cast<std::uint32_t>(hit.id);
    shown.score = hit.score;
    for (const FusionReason& reason : hit.reasons) {
      const std::string detail = reason.ranking == 0   ? match_detail(corpus, shown.synset, words)
                                 : reason.ranking == 1 ? search_detail(corpus, shown.synset, words)
                                                       : paths.add_to_report(shown.synset);
      shown.reasons.push_back(
          {ranking_names[reason.ranking], reason.place, reason.score, reason.contribution, detail});
    }
    hits.push_back(std::move(shown));
  }
  return hits;
}

}  // namespace Kindred::Tools
