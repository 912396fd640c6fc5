// SPDX-License-Identifier: Apache-2.0
#include "peers/CompareValues.hpp"
#include "peers/WorkFactories.hpp"

#include <algorithm>
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

class StringWork final : public Work {
 public:
  StringWork(Context& context, const StringShape& shape, std::uint64_t seed)
      : m_peer_measure(shape.peer_measure),
        m_patterns(random_texts(shape.patterns, shape.length, shape.words, seed)),
        m_queries(noisy_texts(m_patterns, shape.queries, seed + 1)),
        m_query_views(m_queries.views()),
        m_matcher(context, m_patterns.views()),
        m_matrix(shape.matrix ? shape.patterns * shape.queries : 0) {
    kind = "strings";
    unit = "pairs";
    items = static_cast<double>(shape.patterns * shape.queries);
    bytes = static_cast<double>(m_patterns.characters.size());
    m_options.measure = shape.measure;
    m_options.threshold = 0;
    m_options.top = results_per_query;
  }

  void write(JobFolder& folder) const override {
    const auto add = [&](const char* name, const Texts& texts) {
      folder.add<char>(name, "uint8", texts.characters, {texts.count(), texts.length});
    };
    add("patterns", m_patterns);
    add("queries", m_queries);
    folder.parameters["measure"] = m_peer_measure;
    folder.parameters["top"] = results_per_query;
  }
  void run(Space space) const override {
    if (!m_matrix.empty()) {
      PairOptions options;
      options.measure = m_options.measure;
      options.space = space;
      m_matcher.score_all(m_query_views, std::span(m_matrix), options);
      return;
    }
    MatchOptions options = m_options;
    options.space = space;
    m_matcher.match(m_query_views, options);
  }
  std::string compare(const std::string& peer, const PeerAnswer& answer) const override {
    if (!m_matrix.empty()) {
      run(Space::serial);
      return compare_values(best_of_rows(), answer.scores, 1e-6);
    }
    const MatchResults ours = m_matcher.match(m_query_views, m_options);
    std::vector<double> values;
    for (const Match& match : ours.matches.values) values.push_back(match.similarity);
    // `cdist` returns float32, or distances. RapidFuzz computes the similarity of `indel` as
    // 1 − distance.
    const bool is_extract = peer.find("extract") != std::string::npos;
    std::string difference = compare_values(values, answer.scores, is_extract ? 1e-12 : 1e-6);
    if (!difference.empty() || !is_extract) return difference;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto index = static_cast<std::int64_t>(ours.matches.values[i].index);
      if (index != answer.ids[i])
        return "result " + std::to_string(i) + " is pattern " + std::to_string(index) +
               ", theirs " + std::to_string(answer.ids[i]);
    }
    return {};
  }

 private:
  /// The largest values of each row of the matrix, largest first, which the peers return.
  std::vector<double> best_of_rows() const {
    std::vector<double> values;
    for (std::size_t q = 0; q < m_queries.count(); ++q) {
      const auto row = std::span(m_matrix).subspan(q * m_patterns.count(), m_patterns.count());
      std::vector<double> sorted(row.begin(), row.end());
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      sorted.resize(std::min(sorted.size(), results_per_query));
      values.insert(values.end(), sorted.begin(), sorted.end());
    }
    return values;
  }

  std::string m_peer_measure;
  Texts m_patterns;
  Texts m_queries;
  std::vector<std::string_view> m_query_views;
  SequenceMatcher m_matcher;
  MatchOptions m_options;
  mutable std::vector<float> m_matrix;  ///< written by `run`; empty: the best are found instead
};

}  // namespace

std::unique_ptr<Work> string_work(Context& context, const StringShape& shape, std::uint64_t seed) {
  return std::make_unique<StringWork>(context, shape, seed);
}

}  // namespace Kindred::Perf
