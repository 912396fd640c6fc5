// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_SEQUENCE_MATCHER_BODIES_HPP
#define KINDRED_PYTHON_SEQUENCE_MATCHER_BODIES_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

// What is special of SequenceMatcher.
namespace Kindred::Python::Matchers {

namespace {

/// A matcher with the context that it needs.
struct Shared {
  SharedContext context;
  SequenceMatcher matcher;
};
using Handle = EngineHandle<Shared>;

constexpr std::array<Choice<DataType>, 4> score_types{{{"float32", DataType::float32},
                                                       {"float64", DataType::float64},
                                                       {"int32", DataType::int32},
                                                       {"uint8", DataType::uint8}}};

ClusterOptions cluster_options(nb::handle threshold, nb::handle linkage, nb::handle measure,
                               nb::handle space) {
  ClusterOptions options;
  options.linkage = value_of(linkage, "linkage", linkage_names);
  options.matching = GivenMatchOptions({}, threshold, measure, {}, {}, {}, space, {}).options;
  return options;
}

/// `(offsets, symbols)`: int64 and uint32
nb::object sequences_of(const Ragged<Symbol>& found) {
  return nb::make_tuple(ids_array_of(found.offsets),
                        array_of(std::span<const Symbol>(found.values)));
}

nb::object clusters_of(const ClusterResults& found) {
  return nb::make_tuple(ids_array_of(found.cluster_of), ids_array_of(found.members.offsets),
                        ids_array_of(found.members.values), ids_array_of(found.representatives));
}

nb::object score_all(const Handle& self, nb::handle queries, nb::handle dtype,
                     nb::handle score_cutoff, nb::handle measure, nb::handle value,
                     nb::handle autojunk, nb::handle space, nb::handle out) {
  const std::shared_ptr<Shared> shared = self.open();
  const PairOptions options =
      GivenPairOptions(score_cutoff, measure, value, autojunk, space).options;
  const Sequences given(queries, "queries");
  nb::object made = nb::borrow(out);
  if (out.is_none()) {
    const bool is_count = options.value == PairValue::distance && counts_edits(options.measure);
    const DataType type = dtype.is_none() ? is_count ? DataType::int32 : DataType::float32
                                          : value_of(dtype, "dtype", score_types);
    const std::size_t rows = given.span().rows();
    const std::size_t columns = shared->matcher.size();
    check_free_memory(*shared->context, static_cast<double>(rows) * static_cast<double>(columns) *
                                            static_cast<double>(size_of(type)));
    made = empty_array(type, {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)});
  } else if (!dtype.is_none()) {
    refuse("dtype is given with out; the values have the type of out");
  }
  const Output output(made, "out");
  keep_record(
      unlocked([&] { return shared->matcher.score_all(given.span(), output.array(), options); }));
  return made;
}

/// \brief The values of one query and all patterns as a ranking; \p value(i) is a count of matched
/// symbols, or a similarity.
template <class Value>
void rank(Ranking& ranking, std::size_t query_length, std::span<const std::uint32_t> lengths,
          std::span<const std::int64_t> positions, const Value& value) {
  const ScoreRule& rule = ranking.rule();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t length = lengths[i];
    const auto found = value(i);
    double score = 0;
    if constexpr (std::is_integral_v<decltype(found)>) {
      if (found < ranking.needed(length)) continue;
      score = rule.of_count(found, query_length, length);
    } else {
      score = rule.of_similarity(found);
      if (!ranking.enters(score)) continue;
    }
    ranking.add(score, positions.empty() ? i : static_cast<std::size_t>(positions[i]), length, {});
  }
}

/// \brief The best patterns for one query, \see Ranking::results.
/// \param lengths uint32, of the patterns \param positions int64, of the patterns among the
/// choices; empty: all choices are patterns, in order
nb::object best(const Handle& self, nb::handle query, nb::handle measure, nb::handle lengths,
                nb::handle positions, nb::handle choices, nb::handle keys, nb::handle rule,
                nb::handle score_cutoff, nb::handle limit) {
  const std::shared_ptr<Shared> shared = self.open();
  PairOptions options;
  options.measure = value_of(measure, "measure", measure_names);
  const Sequences given(query, "query");
  if (given.span().rows() != 1) refuse_type("query is not one sequence");
  const std::size_t length = given.span().length(0);
  const Input pattern_lengths(lengths, "lengths", nullptr, Copying::if_needed, Layout::dense);
  const Input pattern_positions(positions, "positions", nullptr, Copying::if_needed, Layout::dense);
  const std::span<const std::uint32_t> patterns = pattern_lengths.host_values<std::uint32_t>();
  const std::span<const std::int64_t> places = pattern_positions.host_values<std::int64_t>();
  if (patterns.size() != shared->matcher.size() ||
      (!places.empty() && places.size() != patterns.size()))
    refuse("lengths and positions are not those of the patterns");
  Ranking ranking(ScoreRule::of(rule), length, score_cutoff, limit);
  // One byte holds every distance from short texts.
  const std::uint32_t longest =
      patterns.empty() ? 0 : *std::max_element(patterns.begin(), patterns.end());
  const bool counts = ranking.rule().counts;
  const DataType type = !counts                   ? DataType::float64
                        : longest + length <= 255 ? DataType::uint8
                                                  : DataType::int32;
  if (counts) {
    options.value = PairValue::distance;
    const bool is_distance = ranking.rule().kind == ScoreRule::Kind::distance &&
                             ranking.rule().largest_is_sum == (options.measure == Measure::lcs);
    // Choices whose lengths differ more are not compared.
    if (is_distance && ranking.cutoff() >= 0 && ranking.cutoff() < longest + length)
      options.cutoff = std::floor(ranking.cutoff());
  }
  std::vector<std::byte> values;
  keep_record(unlocked([&] {
    values.resize(patterns.size() * size_of(type));
    const std::array<std::int64_t, 1> shape{static_cast<std::int64_t>(patterns.size())};
    const DispatchRecord record =
        shared->matcher.score_all(given.span(), Array(values.data(), type, shape), options);
    const auto count_of = [&](std::size_t i, std::uint64_t distance) {
      return static_cast<std::uint32_t>(
          options.measure == Measure::lcs ? (length + patterns[i] - distance) / 2
                                          : std::max<std::size_t>(length, patterns[i]) - distance);
    };
    if (type == DataType::float64) {
      const auto* const similarities = reinterpret_cast<const double*>(values.data());
      rank(ranking, length, patterns, places, [&](std::size_t i) { return similarities[i]; });
    } else if (type == DataType::uint8) {
      rank(ranking, length, patterns, places,
           [&](std::size_t i) { return count_of(i, std::to_integer<std::uint8_t>(values[i])); });
    } else {
      const auto* const distances = reinterpret_cast<const std::int32_t*>(values.data());
      rank(ranking, length, patterns, places,
           [&](std::size_t i) { return count_of(i, static_cast<std::uint64_t>(distances[i])); });
    }
    return record;
  }));
  return ranking.results(choices, keys);
}

nb::object match_self(const Handle& self, nb::handle top, nb::handle threshold, nb::handle measure,
                      nb::handle autojunk, nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  const MatchOptions options =
      GivenMatchOptions(top, threshold, measure, {}, autojunk, {}, space, {}).options;
  MatchResults all;
  unlocked([&] {
    shared->matcher.match_self(options, [&](std::size_t /*first*/, const MatchResults& group) {
      for (std::size_t row = 0; row < group.matches.rows(); ++row)
        all.matches.push_row(group.matches[row]);
      all.record = group.record;
    });
  });
  keep_record(all.record);
  return matches_of(all, false);
}

}  // namespace

}  // namespace Kindred::Python::Matchers

#endif  // KINDRED_PYTHON_SEQUENCE_MATCHER_BODIES_HPP
