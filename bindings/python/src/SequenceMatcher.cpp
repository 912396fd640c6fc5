// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/SequenceMatcher.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "MatchArguments.hpp"
#include "Measures.hpp"
#include "Options.hpp"
#include "Results.hpp"
#include "Sequences.hpp"

#include <array>
#include <memory>

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
constexpr std::array<Choice<PairValue>, 2> pair_values{
    {{"similarity", PairValue::similarity}, {"distance", PairValue::distance}}};
constexpr std::array<Choice<DataType>, 4> score_types{{{"float32", DataType::float32},
                                                       {"float64", DataType::float64},
                                                       {"int32", DataType::int32},
                                                       {"uint8", DataType::uint8}}};

nb::object match(const Handle& self, nb::handle queries, nb::handle measure, nb::handle threshold,
                 nb::handle top, nb::handle blocks, nb::handle autojunk, nb::handle postings,
                 nb::handle only, nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  MatchOptions options = match_options(measure, threshold, top, autojunk, space);
  options.blocks = flag_of(blocks, "blocks");
  options.postings = value_of(postings, "postings", postings_uses);
  const AllowedPatterns allowed(only, options);
  const Sequences given(queries, "queries");
  const MatchResults found = unlocked([&] { return shared->matcher.match(given.span(), options); });
  keep_record(found.record);
  return matches_of(found, options.blocks);
}

nb::object scores(const Handle& self, nb::handle queries, nb::handle measure, nb::handle value,
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
      unlocked([&] { return shared->matcher.scores(given.span(), output.array(), options); }));
  return made;
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

void register_sequence_matcher(nb::module_& module) {
  using namespace Matchers;
  nb::class_<Handle>(module, "SequenceMatcher")
      .def(
          "__init__",
          [](Handle* self, nb::handle patterns, nb::handle residency, nb::handle context) {
            const Residency where = residency_of(residency);
            const SharedContext given = context_of(context);
            const Sequences sequences(patterns, "patterns");
            if (sequences.is_one())
              refuse_type("patterns is one sequence; it must be a collection of sequences");
            new (self)
                Handle{"matcher", unlocked([&] {
                         return std::shared_ptr<Shared>(
                             new Shared{given, SequenceMatcher(*given, sequences.span(), where)},
                             UnlockedDelete());
                       })};
          },
          nb::arg("patterns").none(), nb::arg("residency").none(), nb::arg("context").none())
      .def("close", &Handle::close)
      .def("is_closed", &Handle::is_closed)
      .def("size", [](const Handle& self) { return self.open()->matcher.size(); })
      .def("bytes",
           [](const Handle& self, nb::handle space) {
             return self.open()->matcher.bytes(space_of(space).value_or(Space::serial));
           })
      .def("match", match, nb::arg("queries").none(), nb::arg("measure").none(),
           nb::arg("threshold").none(), nb::arg("top").none(), nb::arg("blocks").none(),
           nb::arg("autojunk").none(), nb::arg("postings").none(), nb::arg("only").none(),
           nb::arg("space").none())
      .def("scores", scores, nb::arg("queries").none(), nb::arg("measure").none(),
           nb::arg("value").none(), nb::arg("dtype").none(), nb::arg("score_cutoff").none(),
           nb::arg("autojunk").none(), nb::arg("out").none(), nb::arg("space").none())
      .def("match_self", match_self, nb::arg("measure").none(), nb::arg("threshold").none(),
           nb::arg("top").none(), nb::arg("autojunk").none(), nb::arg("space").none())
      .def("cluster", cluster, nb::arg("threshold").none(), nb::arg("linkage").none(),
           nb::arg("measure").none(), nb::arg("space").none());
}

}  // namespace Kindred::Python
