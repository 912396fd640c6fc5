// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_VECTOR_VECTOR_ANSWERS_HPP
#define KINDRED_TESTS_VECTOR_VECTOR_ANSWERS_HPP

#include <kindred/matcher/PreparedScore.hpp>
#include <kindred/matcher/RowFunctions.hpp>
#include <kindred/reference/Reference.hpp>

#include <optional>

#include "ColumnsOf.hpp"
#include "VectorKinds.hpp"

namespace Kindred::Testing {

inline constexpr SearchPath all_paths[] = {SearchPath::brute_force, SearchPath::quantized,
                                           SearchPath::gemm};

/// Ids and the bits of their scores, best first.
using Ranking = std::vector<std::pair<std::int64_t, std::uint32_t>>;

inline Ranking ranking_of(std::span<const std::int64_t> ids, std::span<const float> scores) {
  Ranking out;
  for (std::size_t i = 0; i < ids.size(); ++i)
    out.emplace_back(ids[i], std::bit_cast<std::uint32_t>(scores[i]));
  return out;
}
inline Ranking ranking_of(const SearchResults& results) {
  return ranking_of(results.ids, results.scores);
}
inline Ranking ranking_of(std::span<const ScoredId> items) {
  Ranking out;
  for (const ScoredId& item : items)
    out.emplace_back(item.id, std::bit_cast<std::uint32_t>(item.score));
  return out;
}
/// The id −2 marks the end of each query.
inline Ranking ranking_of(const ScoreResults& results) {
  Ranking out;
  for (std::size_t row = 0; row < results.results.rows(); ++row) {
    for (const auto& item : ranking_of(results.results[row])) out.push_back(item);
    out.emplace_back(-2, 0);
  }
  return out;
}

/// What is asked of rows: every call on every space, without a filter, with one for all queries and
/// with one for each.
struct Asked {
  std::vector<float> queries;
  std::vector<std::size_t> tops{1, 10};
  std::vector<std::size_t> lengths{};  ///< of the lists of candidates; empty: random
  std::uint64_t every = 3;             ///< a filter passes one row in so many
  std::vector<Metric> metrics{std::begin(all_metrics), std::end(all_metrics)};
  std::size_t searches = 1;    ///< of each kind
  bool only_searches = false;  ///< no other calls, and none with a filter
  Context* in = &context();    ///< of the index, whose usable spaces are compared
};

/// The first difference between answers and those of the reference; empty if there is none.
struct Difference {
  template <class T, class... Parts>
  void expect_equal(const std::vector<T>& found, const std::vector<T>& expected,
                    const Parts&... parts) {
    if (!text.empty() || found == expected) return;
    const auto [a, b] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    text = described(parts..., "place", a - found.begin(), "of", found.size(), "and of",
                     expected.size(), "expected");
    if (a != found.end() && b != expected.end())
      text += ": " + ::testing::PrintToString(*a) + " instead of " + ::testing::PrintToString(*b);
  }
  std::string text;
};

/// Rows as floats, in the order of their ids, and what the reference answers about them.
struct RowsByReference {
  std::size_t dimension;
  std::vector<std::uint64_t> ids;
  std::vector<float> floats;

  /// The best of the rows at \p places.
  Ranking best(Metric metric, std::span<const float> query,
               const std::vector<std::uint64_t>& places, std::size_t top) const {
    Ranking out;
    for (const auto& item : Reference::score_candidates(metric, floats, query, places, top))
      out.emplace_back(static_cast<std::int64_t>(ids[item.index]),
                       std::bit_cast<std::uint32_t>(item.score));
    return out;
  }
  /// The best of the rows for which `passes(query, id)`, for every query.
  std::vector<Ranking> ranked(
      Metric metric, std::span<const float> queries,
      const std::function<bool(std::size_t, std::uint64_t)>& passes = {}) const {
    std::vector<Ranking> out;
    for (std::size_t q = 0; q < queries.size() / dimension; ++q) {
      std::vector<std::uint64_t> places;
      for (std::size_t place = 0; place < ids.size(); ++place)
        if (!passes || passes(q, ids[place])) places.push_back(place);
      out.push_back(best(metric, row_of(queries, dimension, q), places, ids.size()));
    }
    return out;
  }
  std::vector<std::uint32_t> scores(Metric metric, std::span<const float> queries) const {
    std::vector<float> out;
    for (std::size_t q = 0; q < queries.size() / dimension; ++q)
      for (std::size_t row = 0; row < ids.size(); ++row)
        out.push_back(Reference::score(metric, row_of(queries, dimension, q),
                                       row_of(floats, dimension, row)));
    return bits(out);
  }
};

/// The rows with the numbers from 0 on as ids.
inline RowsByReference numbered(const std::vector<float>& rows, std::size_t dimension) {
  return {dimension, numbers_from(0, rows.size() / dimension), rows};
}

/// The answer of a search: \p top places per query, of which those without a result are empty.
inline Ranking with_padding(const std::vector<Ranking>& ranked, std::size_t top, Metric metric) {
  Ranking out;
  for (Ranking one : ranked) {
    one.resize(top, {-1, std::bit_cast<std::uint32_t>(padding_score(metric))});
    out.insert(out.end(), one.begin(), one.end());
  }
  return out;
}
/// The answer of a search for the scores that \p limit is not better than.
inline Ranking within(const std::vector<Ranking>& ranked, float limit, Metric metric) {
  Ranking out;
  for (const Ranking& one : ranked) {
    for (const auto& [id, score_bits] : one) {
      const auto score = std::bit_cast<float>(score_bits);
      if (metric == Metric::l2 ? score <= limit : score >= limit) out.emplace_back(id, score_bits);
    }
    out.emplace_back(-2, 0);
  }
  return out;
}

/// Compares every call of \p index, which has the rows \p known, with the reference.
inline std::string difference(const VectorIndex& index, const RowsByReference& known,
                              const Asked& asked) {
  Difference out;
  std::vector<Space> usable(std::begin(all_spaces), std::end(all_spaces));
  std::erase_if(usable, [&](Space space) { return !asked.in->is_usable(space); });
  const std::size_t count = asked.queries.size() / known.dimension;
  const std::size_t words = (index.end_id() + 63) / 64;
  std::vector<std::uint8_t> bytes(index.end_id());
  for (auto& byte : bytes)
    if (random_below(asked.every) == 0) byte = static_cast<std::uint8_t>(1 + random_below(255));
  std::vector<std::uint64_t> bits_of_queries(count * words);
  for (auto& word : bits_of_queries) word = generator()();
  std::vector<std::vector<std::uint64_t>> places(count);  // with duplicates
  Ragged<std::uint64_t> lists;
  for (std::size_t q = 0; q < count; ++q) {
    const std::size_t length = asked.lengths.empty() ? random_below(60) : asked.lengths[q];
    for (std::size_t i = 0; i < length && index.size() > 0; ++i) {
      places[q].push_back(random_below(index.size()));
      lists.values.push_back(known.ids[places[q].back()]);
    }
    lists.close_row();
  }
  for (const Metric metric : asked.metrics) {
    const auto scores = known.scores(metric, asked.queries);
    for (const Space space : usable) {
      if (asked.only_searches) break;
      std::vector<float> found(scores.size());
      index.score_all(asked.queries, found, {metric, space, {}});
      out.expect_equal(bits(found), scores, metric, space, "score_all");
    }
    for (const int filtered : {0, 1, 2}) {
      if (filtered > 0 && asked.only_searches) break;
      SearchOptions options{.metric = metric};
      if (filtered == 1) options.filter = bytes;
      if (filtered == 2) options.filter_bits = bits_of_queries;
      const auto passes = [&](std::size_t q, std::uint64_t id) {
        if (filtered == 2) return (bits_of_queries[q * words + id / 64] >> id % 64 & 1U) != 0;
        return filtered == 0 || bytes[id] != 0;
      };
      const auto ranked = known.ranked(metric, asked.queries, passes);
      std::vector<Ranking> chosen;
      for (std::size_t q = 0; q < count; ++q) {
        auto passing = places[q];
        std::erase_if(passing, [&](std::uint64_t place) { return !passes(q, known.ids[place]); });
        chosen.push_back(
            known.best(metric, row_of(asked.queries, known.dimension, q), passing, index.size()));
      }
      for (const Space space : usable) {
        options.space = space;
        const bool is_streamed =
            space == Space::cuda && index.bytes(space) == 0 && index.size() > 0;
        const auto compare = [&](const auto& found, const auto& expected, const auto&... parts) {
          out.expect_equal(found, expected, metric, space, "filter", filtered, "top", options.top,
                           parts...);
        };
        for (const SearchPath path : all_paths) {
          // There is no other memory to read from where rows do not fit on a device.
          if (is_streamed && path == SearchPath::quantized) continue;
          options.path = path;
          for (std::size_t call = 0; call < asked.tops.size() * asked.searches; ++call) {
            const std::size_t top = options.top = asked.tops[call % asked.tops.size()];
            const SearchResults results = index.search(asked.queries, options);
            compare(ranking_of(results), with_padding(ranked, std::min(top, index.size()), metric),
                    path);
            if (count == 0 || ranked[0].empty() || is_streamed) continue;
            const bool is_long = known.dimension > 4096;  // products are not made of such rows
            if (results.record.chosen != space ||
                (results.report.path != to_string(path) && !is_long))
              out.text += "; another path or space was taken";
          }
          if (asked.only_searches) continue;
          // The scores of some results as limits: rows at a limit are included.
          for (const std::size_t third : {0UL, 1UL, 3UL}) {
            if (count == 0 || ranked[0].empty()) continue;
            const std::size_t place = std::min(ranked[0].size() * third / 3, ranked[0].size() - 1);
            const auto limit = std::bit_cast<float>(ranked[0][place].second);
            if (!std::isnan(limit))
              compare(ranking_of(index.search_at_least(asked.queries, limit, options)),
                      within(ranked, limit, metric), "at least", limit, path);
          }
        }
        if (asked.only_searches) continue;
        options.path = {};
        for (const std::size_t top : asked.tops) {
          options.top = top;
          std::optional<PreparedScore> prepared;
          if (filtered < 2) prepared.emplace(index, lists.values.size() + 1, options);
          Ranking best;
          for (std::size_t q = 0; q < count; ++q) {
            Ranking first = chosen[q];
            first.resize(std::min(top, first.size()));
            if (prepared)
              compare(
                  ranking_of(prepared->score(row_of(asked.queries, known.dimension, q), lists[q])),
                  first, "prepared", q);
            best.insert(best.end(), first.begin(), first.end());
            best.emplace_back(-2, 0);
          }
          compare(ranking_of(index.score(asked.queries, lists, options)), best, "score");
        }
      }
    }
  }
  return out.text;
}

/// Compares the functions of rows that belong to the caller with the reference, on no space and on
/// every space.
inline std::string difference(const VectorSpan& rows, const RowsByReference& known,
                              const Asked& asked) {
  Difference out;
  std::vector<std::optional<Space>> choices{std::nullopt};
  for (const Space space : spaces()) choices.emplace_back(space);
  for (const Metric metric : asked.metrics) {
    const auto scores = known.scores(metric, asked.queries);
    const auto ranked = known.ranked(metric, asked.queries);
    for (const auto& space : choices) {
      const int number = space ? static_cast<int>(*space) : -1;
      std::vector<float> found(scores.size());
      row_scores(context(), asked.queries, rows, found, {metric, space});
      out.expect_equal(bits(found), scores, metric, "space", number, "row_scores");
      for (const std::size_t top : asked.tops) {
        const auto best = top_rows(context(), asked.queries, rows, {metric, space, top});
        out.expect_equal(ranking_of(best),
                         with_padding(ranked, std::min(top, known.ids.size()), metric), metric,
                         "space", number, "top_rows", top);
        const std::size_t places = std::min(top, known.ids.size() + 3);  // some without a row
        std::vector<float> written(asked.queries.size() / known.dimension * places);
        std::vector<std::int64_t> ids(written.size());
        if (asked.queries.size() == known.dimension) {  // one query needs no dimension for it
          top_rows(context(), asked.queries, rows, {metric, space}, {written, ids});
        } else {
          top_rows(context(), columns_of(asked.queries, known.dimension), rows, {metric, space},
                   {columns_of(written, places), columns_of(ids, places)});
        }
        out.expect_equal(ranking_of(ids, written), with_padding(ranked, places, metric), metric,
                         "space", number, "top_rows to arrays", places);
      }
    }
  }
  return out.text;
}

/// Compares every call on \p rows, which decode to \p floats, with the reference.
inline std::string difference(const VectorSpan& rows, const std::vector<float>& floats,
                              const Asked& asked) {
  const RowsByReference known = numbered(floats, rows.dimension);
  const VectorIndex index(context(), rows, VectorIndexOptions());
  return difference(index, known, asked) + difference(rows, known, asked);
}
inline std::string difference(const std::vector<float>& rows, std::size_t dimension,
                              const Asked& asked) {
  return difference(VectorSpan(rows, dimension), rows, asked);
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_VECTOR_VECTOR_ANSWERS_HPP
