// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SequenceMatcher.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "MatchArguments.hpp"
#include "Measures.hpp"
#include "Options.hpp"
#include "Ranking.hpp"
#include "Results.hpp"
#include "Sequences.hpp"
#include "Texts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace nb = nanobind;

namespace Kindred::Python {

// A namespace per file: several files are compiled together.
namespace Matchers {

namespace {

/// A matcher with the context that it needs.
struct Shared {
  SharedContext context;
  SequenceMatcher matcher;
};
using Handle = EngineHandle<Shared>;

constexpr std::array<Choice<Linkage>, 2> linkages{
    {{"single", Linkage::single}, {"complete", Linkage::complete}}};
constexpr std::array<Choice<PairValue>, 3> pair_values{{{"similarity", PairValue::similarity},
                                                        {"distance", PairValue::distance},
                                                        {"percentage", PairValue::percentage}}};
constexpr std::array<Choice<DataType>, 4> score_types{{{"float32", DataType::float32},
                                                       {"float64", DataType::float64},
                                                       {"int32", DataType::int32},
                                                       {"uint8", DataType::uint8}}};

nb::object match(const Handle& self, nb::handle queries, nb::handle measure, nb::handle threshold,
                 nb::handle top, nb::handle blocks, nb::handle autojunk, nb::handle postings,
                 nb::handle filter, nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  MatchOptions options = match_options(measure, threshold, top, autojunk, space);
  options.blocks = flag_of(blocks, "blocks");
  options.postings = value_of(postings, "postings", postings_uses);
  const AllowedPatterns allowed(filter, options);
  const Sequences given(queries, "queries");
  const MatchResults found = unlocked([&] { return shared->matcher.match(given.span(), options); });
  keep_record(found.record);
  return matches_of(found, options.blocks);
}

/// `(lims, symbols)`: int64 and uint32
nb::object patterns(const Handle& self) {
  const std::shared_ptr<Shared> shared = self.open();
  const Ragged<Symbol> found = unlocked([&] { return shared->matcher.patterns(); });
  const std::vector<std::int64_t> lims(found.offsets.begin(), found.offsets.end());
  return nb::make_tuple(array_of(std::span<const std::int64_t>(lims)),
                        array_of(std::span<const Symbol>(found.values)));
}

nb::object score_all(const Handle& self, nb::handle queries, nb::handle measure, nb::handle value,
                     nb::handle dtype, nb::handle score_cutoff, nb::handle autojunk, nb::handle out,
                     nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  PairOptions options;
  options.measure = measure_of(measure);
  options.value = value_of(value, "value", pair_values);
  if (!score_cutoff.is_none()) options.cutoff = number_of(score_cutoff, "score_cutoff");
  options.autojunk = flag_of(autojunk, "autojunk");
  options.space = space_of(space);
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
  options.measure = measure_of(measure);
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

nb::object match_self(const Handle& self, nb::handle measure, nb::handle threshold, nb::handle top,
                      nb::handle autojunk, nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  const MatchOptions options = match_options(measure, threshold, top, autojunk, space);
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

nb::object cluster(const Handle& self, nb::handle threshold, nb::handle linkage, nb::handle measure,
                   nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  ClusterOptions options;
  options.linkage = value_of(linkage, "linkage", linkages);
  options.matching = match_options(measure, threshold, nb::none(), nb::bool_(false), space);
  const ClusterResults found = unlocked([&] { return shared->matcher.cluster(options); });
  keep_record(found.record);
  return nb::make_tuple(ids_array_of(found.cluster_of), ids_array_of(found.members.offsets),
                        ids_array_of(found.members.values), ids_array_of(found.representatives));
}

}  // namespace

}  // namespace Matchers

void register_sequence_matcher(Module& module) {
  using namespace Matchers;
  Class<Handle>(module, "SequenceMatcher")
      .def(
          "__init__",
          [](Handle* self, nb::handle patterns, nb::handle residency, nb::handle context) {
            const Residency where = residency_of(residency);
            const SharedContext given = context_of(context);
            const Sequences sequences(patterns, "patterns");
            if (sequences.is_one())
              refuse_type("patterns is one sequence; it must be a collection of sequences");
            new (self) Handle{"matcher", shared_of<Shared>(given, [&] {
                                return SequenceMatcher(*given, sequences.span(), where);
                              })};
          },
          nb::arg("patterns").none(), nb::arg("residency").none(), nb::arg("context").none())
      .def("close", &Handle::close)
      .def("is_closed", &Handle::is_closed)
      .def("patterns", patterns)
      .def("size", [](const Handle& self) { return self.open()->matcher.size(); })
      .def(
          "bytes",
          [](const Handle& self, nb::handle space) {
            const std::shared_ptr<Shared> shared = self.open();
            const Space given = space_of(space).value_or(Space::serial);
            return unlocked([&] { return shared->matcher.bytes(given); });
          },
          nb::arg("space").none())
      .def("match", match, nb::arg("queries").none(), nb::arg("measure").none(),
           nb::arg("threshold").none(), nb::arg("top").none(), nb::arg("blocks").none(),
           nb::arg("autojunk").none(), nb::arg("postings").none(), nb::arg("filter").none(),
           nb::arg("space").none())
      .def("score_all", score_all, nb::arg("queries").none(), nb::arg("measure").none(),
           nb::arg("value").none(), nb::arg("dtype").none(), nb::arg("score_cutoff").none(),
           nb::arg("autojunk").none(), nb::arg("out").none(), nb::arg("space").none())
      .def("best", best, nb::arg("query").none(), nb::arg("measure").none(),
           nb::arg("lengths").none(), nb::arg("positions").none(), nb::arg("choices").none(),
           nb::arg("keys").none(), nb::arg("rule").none(), nb::arg("score_cutoff").none(),
           nb::arg("limit").none())
      .def("match_self", match_self, nb::arg("measure").none(), nb::arg("threshold").none(),
           nb::arg("top").none(), nb::arg("autojunk").none(), nb::arg("space").none())
      .def("cluster", cluster, nb::arg("threshold").none(), nb::arg("linkage").none(),
           nb::arg("measure").none(), nb::arg("space").none());
}

}  // namespace Kindred::Python
