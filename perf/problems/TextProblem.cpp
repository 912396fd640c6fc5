// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/Similarity.hpp>

#include "problems/Checking.hpp"
#include "problems/ProblemFactories.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Perf {

namespace {

constexpr std::size_t results_per_query = 100;

/// Texts of one length, stored one after the other.
struct Texts {
  std::size_t length;
  std::string characters;

  std::size_t count() const { return characters.size() / length; }
  std::vector<std::string_view> views() const {
    std::vector<std::string_view> out;
    for (std::size_t i = 0; i < count(); ++i)
      out.push_back(std::string_view(characters).substr(i * length, length));
    return out;
  }
};

char random_letter(std::uint64_t word) { return static_cast<char>('a' + (word >> 32U) % 26); }

/// Uniform letters. \param words one character in six is a space
Texts random_texts(std::size_t count, std::size_t length, bool words, std::uint64_t seed) {
  Texts texts{length, std::string(count * length, ' ')};
  for (std::size_t i = 0; i < texts.characters.size(); ++i) {
    const std::uint64_t word = random_word(seed, i);
    if (!words || word % 6 != 0) texts.characters[i] = random_letter(word);
  }
  return texts;
}

/// The first \p count of \p texts with one character in ten replaced by a random letter.
Texts noisy_texts(const Texts& texts, std::size_t count, std::uint64_t seed) {
  Texts out{texts.length, texts.characters.substr(0, count * texts.length)};
  for (std::size_t i = 0; i < out.characters.size(); ++i) {
    const std::uint64_t word = random_word(seed, i);
    if (word % 10 == 0) out.characters[i] = random_letter(word);
  }
  return out;
}

/// The best patterns of each query, or the similarities of all pairs.
class TextProblem final : public Problem {
 public:
  TextProblem(Context& context, const TextShape& shape, std::uint64_t seed)
      : m_peer_measure(shape.peer_measure),
        m_patterns(random_texts(shape.patterns, shape.length, shape.words, seed)),
        m_queries(noisy_texts(m_patterns, shape.queries, seed + 1)),
        m_pattern_views(m_patterns.views()),
        m_query_views(m_queries.views()),
        m_matcher(context, m_pattern_views),
        m_matrix(shape.matrix ? shape.patterns * shape.queries : 0) {
    name = (shape.matrix ? "BM_Matrix_" : "BM_Texts_") + std::string(to_string(shape.measure));
    arguments = {{"patterns", static_cast<std::int64_t>(shape.patterns)},
                 {"length", static_cast<std::int64_t>(shape.length)},
                 {"queries", static_cast<std::int64_t>(shape.queries)}};
    job = "strings";
    unit = "pairs";
    items = static_cast<double>(shape.patterns * shape.queries);
    bytes = static_cast<double>(m_patterns.characters.size());
    cell_updates = items * static_cast<double>(shape.length * shape.length);
    m_options.measure = shape.measure;
    m_options.threshold = 0;
    m_options.top = results_per_query;
  }
  bool reaches(Space space) const override { return m_matcher.bytes(space) > 0; }
  DispatchRecord run(std::optional<Space> space) override {
    if (!m_matrix.empty()) {
      PairOptions options;
      options.measure = m_options.measure;
      options.space = space;
      return m_matcher.score_all(m_query_views, std::span(m_matrix), options);
    }
    m_options.space = space;
    m_answer = m_matcher.match(m_query_views, m_options);
    return m_answer.record;
  }
  std::uint64_t digest() const override {
    Digest digest;
    for (const float value : m_matrix) digest.add(value);
    for (const Match& match : m_answer.matches.values) {
      digest.add(match.index);
      digest.add(match.similarity);
    }
    return digest.value();
  }
  std::string check() const override {
    const auto wrong = [&](std::size_t pattern, std::size_t query, double found, double allowed) {
      const double expected = similarity(m_options.measure, std::string(m_pattern_views[pattern]),
                                         std::string(m_query_views[query]));
      return std::fabs(found - expected) <= allowed
                 ? std::string()
                 : difference("similarity", pattern, found, expected);
    };
    for (const std::uint64_t place : sample(m_matrix.size())) {
      const std::size_t query = place / m_patterns.count();
      const std::string text = wrong(place % m_patterns.count(), query, m_matrix[place], 1e-6);
      if (!text.empty()) return text;
    }
    const RaggedSpan<Match> lists = m_answer.matches;
    for (std::size_t query = 0; query < lists.rows(); ++query) {
      if (lists[query].empty()) return "query " + std::to_string(query) + " has no results";
      const Match& best = lists[query][0];
      const std::string text = wrong(best.index, query, best.similarity, 0);
      if (!text.empty()) return text;
    }
    return {};
  }

  void write(JobFolder& folder) const override {
    const auto add = [&](const char* what, const Texts& texts) {
      folder.add<char>(what, "uint8", texts.characters, {texts.count(), texts.length});
    };
    add("patterns", m_patterns);
    add("queries", m_queries);
    folder.parameters["measure"] = m_peer_measure;
    folder.parameters["top"] = results_per_query;
  }
  std::string compare(const std::string& peer, const PeerAnswer& answer) override {
    run(Space::serial);
    if (!m_matrix.empty()) return compare_values(best_of_rows(), answer.scores, 1e-6);
    const std::vector<Match>& matches = m_answer.matches.values;
    std::vector<double> values;
    for (const Match& match : matches) values.push_back(match.similarity);
    // `cdist` returns float32, or distances. RapidFuzz computes the similarity of `indel` as
    // 1 − distance.
    const bool is_extract = peer.find("extract") != std::string::npos;
    std::string wrong = compare_values(values, answer.scores, is_extract ? 1e-12 : 1e-6);
    for (std::size_t i = 0; i < values.size() && is_extract && wrong.empty(); ++i) {
      if (static_cast<std::int64_t>(matches[i].index) != answer.ids[i])
        wrong = difference("pattern", i, static_cast<double>(matches[i].index),
                           static_cast<double>(answer.ids[i]));
    }
    return wrong;
  }

 private:
  /// The largest values of each row of the matrix, largest first, which the peers return.
  std::vector<double> best_of_rows() const {
    std::vector<double> values;
    for (std::size_t q = 0; q < m_queries.count(); ++q) {
      const auto row = std::span(m_matrix).subspan(q * m_patterns.count(), m_patterns.count());
      std::vector<double> sorted(row.begin(), row.end());
      std::ranges::sort(sorted, std::greater<>());
      sorted.resize(std::min(sorted.size(), results_per_query));
      values.insert(values.end(), sorted.begin(), sorted.end());
    }
    return values;
  }

  std::string m_peer_measure;
  Texts m_patterns;
  Texts m_queries;
  std::vector<std::string_view> m_pattern_views;
  std::vector<std::string_view> m_query_views;
  SequenceMatcher m_matcher;
  MatchOptions m_options;
  MatchResults m_answer;
  std::vector<float> m_matrix;  ///< empty: the best are found instead
};

}  // namespace

std::unique_ptr<Problem> text_problem(Context& context, const TextShape& shape,
                                      std::uint64_t seed) {
  return std::make_unique<TextProblem>(context, shape, seed);
}

}  // namespace Kindred::Perf
