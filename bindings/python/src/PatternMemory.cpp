// SPDX-License-Identifier: Apache-2.0
#include <kindred/matcher/PatternMemory.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Calls.hpp"
#include "Context.hpp"
#include "Engines.hpp"
#include "Errors.hpp"
#include "MatchArguments.hpp"
#include "Options.hpp"
#include "PatternArguments.hpp"
#include "Results.hpp"
#include "Sequences.hpp"
#include "Texts.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nb = nanobind;

namespace Kindred::Python {

// A namespace per file: several files are compiled together.
namespace Patterns {

namespace {

/// A memory with the context that it needs.
struct Shared {
  SharedContext context;
  PatternMemory memory;
};
using Handle = EngineHandle<Shared>;

constexpr std::array<Choice<Level>, 2> levels{
    {{"token", Level::token}, {"character", Level::character}}};

Level level_of(nb::handle given) { return value_of(given, "level", levels); }
/// None: that of the memory.
Level level_of(nb::handle given, const PatternMemory& memory) {
  return given.is_none() ? memory.level() : level_of(given);
}

template <class Make>
Handle made(const SharedContext& context, const Make& make) {
  return {"memory", shared_of<Shared>(context, make)};
}

nb::object learn(const Handle& self, nb::handle events, nb::handle name, nb::handle times) {
  const std::shared_ptr<Shared> shared = self.open();
  Events given = events_of(events, "events");
  std::optional<std::string> given_name;
  if (!name.is_none()) given_name = bytes_of_text(name, "name");
  const auto count = static_cast<std::uint64_t>(integer_of(times, "times", 1));
  const LearnedPattern found = unlocked([&] {
    return shared->memory.learn(
        given.span(), given_name ? std::optional<std::string_view>(*given_name) : std::nullopt,
        count);
  });
  return nb::make_tuple(found.index, found.frequency, found.is_new);
}

/// `(indices, frequencies, is_new)`: int64, uint64 and bool
nb::object arrays_of(const std::vector<LearnedPattern>& learned) {
  const auto array = [&]<class T>(DataType type, T /*element*/, auto member) {
    nb::object made = empty_array(type, {static_cast<std::int64_t>(learned.size())});
    const Output out(made, "results");
    auto* const data = static_cast<T*>(out.array().data());
    for (std::size_t i = 0; i < learned.size(); ++i) data[i] = static_cast<T>(learned[i].*member);
    return made;
  };
  return nb::make_tuple(array(DataType::int64, std::int64_t{}, &LearnedPattern::index),
                        array(DataType::uint64, std::uint64_t{}, &LearnedPattern::frequency),
                        array(DataType::boolean, bool{}, &LearnedPattern::is_new));
}

nb::object learn_all(const Handle& self, nb::handle patterns, nb::handle dictionary,
                     nb::handle names, nb::handle times) {
  const std::shared_ptr<Shared> shared = self.open();
  LearnOptions options;
  std::vector<std::optional<std::string_view>> views;
  std::optional<OptionalTexts> given_names;
  if (!names.is_none()) {
    views = given_names.emplace(names, "names").views();
    options.names = views;
  }
  std::vector<std::uint64_t> counts;
  if (!times.is_none()) {
    counts = ids_of(times, "times");
    options.times = counts;
  }
  // Empty lists would mean none.
  const auto check = [&](std::size_t count) {
    if ((!names.is_none() && views.size() != count) || (!times.is_none() && counts.size() != count))
      refuse("names or times has another number of items than the " + std::to_string(count) +
             " patterns");
  };
  if (nb::hasattr(patterns, "lims") && nb::hasattr(patterns, "event_lims")) {
    const Offsets lims(patterns.attr("lims"), "patterns.lims");
    const Offsets event_lims(patterns.attr("event_lims"), "patterns.event_lims");
    const Input symbols(patterns.attr("symbols"), "patterns.symbols", nullptr, Copying::if_needed,
                        Layout::dense);
    symbols.require_rank(1, 1);
    const EventLists<Symbol> given{lims.span(), {event_lims.span(), symbols.host_values<Symbol>()}};
    check(given.size());
    if (dictionary.is_none())
      return arrays_of(unlocked([&] { return shared->memory.learn_all(given, options); }));
    const OptionalTexts texts(dictionary, "dictionary");
    const std::vector<std::string_view> words = texts.required("dictionary");
    options.dictionary = words;
    return arrays_of(unlocked([&] { return shared->memory.learn_all(given, options); }));
  }
  if (!dictionary.is_none())
    refuse_type("dictionary is for patterns of numbers, in a pykindred.EventLists");
  Events events;
  std::size_t count = 0;
  require_collection(patterns, "patterns", "a value");
  ItemLoop loop;
  for (const nb::handle pattern : patterns) {
    loop.next();
    events.append(pattern, "patterns");
    ++count;
  }
  check(count);
  return arrays_of(unlocked([&] { return shared->memory.learn_all(events.lists(), options); }));
}

/// Queries as symbols: `Sequences`, or patterns of texts.
class Queries {
 public:
  Queries(nb::handle given, const PatternMemory& memory, Level level) {
    if (nb::hasattr(given, "lims") && nb::hasattr(given, "symbols")) {
      m_span = m_sequences.emplace(given, "queries").span();
      return;
    }
    require_collection(given, "queries", "a value");
    std::vector<Events> all;
    ItemLoop loop;
    for (const nb::handle query : given) {
      loop.next();
      all.push_back(events_of(query, "queries"));
    }
    unlocked([&] {
      for (Events& query : all) memory.encode(query.span(), m_encoded, level);
    });
    m_span = m_encoded;
  }
  Queries(const Queries&) = delete;
  Queries& operator=(const Queries&) = delete;
  RaggedSpan<Symbol> span() const noexcept { return m_span; }

 private:
  std::optional<Sequences> m_sequences;
  Ragged<Symbol> m_encoded;
  RaggedSpan<Symbol> m_span;
};

nb::object encode(const Handle& self, nb::handle queries, nb::handle level) {
  const std::shared_ptr<Shared> shared = self.open();
  const Queries given(queries, shared->memory, level_of(level, shared->memory));
  const RaggedSpan<Symbol> span = given.span();
  return nb::make_tuple(
      ids_array_of(std::vector<std::uint64_t>(span.offsets.begin(), span.offsets.end())),
      array_of(span.values));
}

nb::object match(const Handle& self, nb::handle queries, nb::handle level, nb::handle measure,
                 nb::handle threshold, nb::handle top, nb::handle blocks, nb::handle autojunk,
                 nb::handle postings, nb::handle filter, nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  const Level at = level_of(level, shared->memory);
  MatchOptions options = match_options(measure, threshold, top, autojunk, space);
  options.blocks = flag_of(blocks, "blocks");
  options.postings = value_of(postings, "postings", postings_uses);
  const AllowedPatterns allowed(filter, options);
  const Queries given(queries, shared->memory, at);
  const MatchResults found =
      unlocked([&] { return shared->memory.match(given.span(), options, at); });
  keep_record(found.record);
  return matches_of(found, options.blocks);
}

nb::list list_of(const SymbolTexts& texts) {
  nb::list out;
  for (const std::string& text : texts) out.append(text_of_bytes(text));
  return out;
}
nb::list list_of(const EventTexts& events) {
  nb::list out;
  for (const SymbolTexts& event : events) out.append(list_of(event));
  return out;
}

nb::dict dictionary_of(const Prediction& given) {
  nb::dict out;
  out["index"] = given.index;
  out["name"] = text_of_bytes(given.name);
  out["matched"] = given.matched;
  out["frequency"] = given.frequency;
  out["matches"] = list_of(given.matches);
  out["past"] = list_of(given.past);
  out["present"] = list_of(given.present);
  out["future"] = list_of(given.future);
  out["missing"] = list_of(given.missing);
  out["extras"] = list_of(given.extras);
  nb::list anomalies;
  for (const Anomaly& one : given.anomalies)
    anomalies.append(
        nb::make_tuple(text_of_bytes(one.observed), text_of_bytes(one.expected), one.similarity));
  out["anomalies"] = anomalies;
  out["blocks"] = array_of_blocks(given.blocks);
  out["flat"] = given.flat;
  out["evidence"] = given.evidence;
  out["confidence"] = given.confidence;
  out["similarity"] = given.similarity;
  out["fragmentation"] = given.fragmentation;
  out["snr"] = given.snr;
  out["entropy"] = given.entropy;
  out["normalized_entropy"] = given.normalized_entropy;
  out["global_normalized_entropy"] = given.global_normalized_entropy;
  out["confluence"] = given.confluence;
  out["tfidf_score"] = given.tfidf_score;
  out["itfdf_similarity"] = given.itfdf_similarity;
  out["bayesian_prior"] = given.bayesian_prior;
  out["bayesian_likelihood"] = given.bayesian_likelihood;
  out["bayesian_posterior"] = given.bayesian_posterior;
  out["predictive_information"] = given.predictive_information;
  out["potential"] = given.potential;
  const auto weighted = [&](const char* name, const std::optional<double>& value) {
    out[name] = value ? nb::object(nb::float_(*value)) : nb::none();
  };
  weighted("weighted_similarity", given.weighted_similarity);
  weighted("weighted_evidence", given.weighted_evidence);
  weighted("weighted_confidence", given.weighted_confidence);
  weighted("weighted_snr", given.weighted_snr);
  return out;
}

nb::object predict(const Handle& self, nb::handle query, nb::handle level, nb::handle measure,
                   nb::handle autojunk, nb::handle threshold, nb::handle top, nb::handle rank_by,
                   nb::handle fuzzy_token_threshold, nb::handle single_symbol_fast_path,
                   nb::handle weights, nb::handle filter, nb::handle threads, nb::handle space) {
  const std::shared_ptr<Shared> shared = self.open();
  const Level at = level_of(level, shared->memory);
  MatchOptions matching = match_options(measure, threshold, nb::none(), autojunk, space);
  const AllowedPatterns allowed(filter, matching);
  PredictionOptions options;
  options.threshold = matching.threshold;
  options.top = static_cast<std::size_t>(integer_of(top, "top", 1));
  if (PyUnicode_Check(rank_by.ptr()) == 0)
    refuse_type("rank_by is of type " + type_text(rank_by) + "; it must be a str");
  options.rank_by = parse<RankBy>(bytes_of_text(rank_by, "rank_by"), "rank_by");
  options.fuzzy_token_threshold = number_of(fuzzy_token_threshold, "fuzzy_token_threshold");
  options.single_symbol_fast_path = flag_of(single_symbol_fast_path, "single_symbol_fast_path");
  std::optional<Input> given_weights;
  if (!weights.is_none()) {
    given_weights.emplace(weights, "weights", nullptr, Copying::if_needed, Layout::dense);
    given_weights->require_rank(1, 1);
    options.weights = given_weights->host_values<double>();
    // An empty array would mean none.
    if (options.weights.empty()) refuse("weights is empty; give None for no weights");
  }
  options.threads =
      static_cast<int>(std::min<std::int64_t>(integer_of(threads, "threads", 0), 1 << 16));
  Events given = events_of(query, "query");
  const PredictionResults found =
      unlocked([&] { return shared->memory.predict(given.span(), matching, options, at); });
  keep_record(found.record);
  nb::list out;
  for (const Prediction& one : found.predictions) out.append(dictionary_of(one));
  return out;
}

nb::object number_or_none(const std::optional<std::uint64_t>& number) {
  return number ? nb::object(nb::int_(*number)) : nb::none();
}

/// By name or by events.
nb::object find(const Handle& self, nb::handle given) {
  const std::shared_ptr<Shared> shared = self.open();
  if (is_text(given)) {
    const std::string name = bytes_of_text(given, "pattern");
    return number_or_none(unlocked([&] { return shared->memory.find(std::string_view(name)); }));
  }
  Events events = events_of(given, "pattern");
  return number_or_none(unlocked([&] { return shared->memory.find(events.span()); }));
}

/// By index or by name.
bool forget(const Handle& self, nb::handle given) {
  const std::shared_ptr<Shared> shared = self.open();
  if (is_text(given)) {
    const std::string name = bytes_of_text(given, "pattern");
    return unlocked([&] { return shared->memory.forget(std::string_view(name)); });
  }
  const auto index = static_cast<std::uint64_t>(integer_of(given, "pattern", 0));
  return unlocked([&] { return shared->memory.forget(index); });
}

nb::object find_all(const Handle& self, nb::handle names) {
  const std::shared_ptr<Shared> shared = self.open();
  const OptionalTexts given(names, "names");
  const std::vector<std::string_view> views = given.required("names");
  const auto found = unlocked([&] { return shared->memory.find_all(views); });
  std::vector<std::int64_t> out(found.size(), -1);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i]) out[i] = static_cast<std::int64_t>(*found[i]);
  return array_of(std::span<const std::int64_t>(out));
}

nb::object names(const Handle& self, nb::handle indices) {
  const std::shared_ptr<Shared> shared = self.open();
  const std::vector<std::uint64_t> given = ids_of(indices, "indices");
  const auto found = unlocked([&] { return shared->memory.names(given); });
  nb::list out;
  for (const std::optional<std::string>& name : found)
    out.append(name ? text_of_bytes(*name) : nb::none());
  return out;
}

/// `(index, name, events, frequency)`
nb::object pattern(const Handle& self, nb::handle index) {
  const std::shared_ptr<Shared> shared = self.open();
  const auto number = static_cast<std::uint64_t>(integer_of(index, "index", 0));
  const StoredPattern found = unlocked([&] { return shared->memory.pattern(number); });
  const Vocabulary& vocabulary = shared->memory.vocabulary();
  nb::list events;
  for (std::size_t row = 0; row < found.events.rows(); ++row) {
    nb::list event;
    for (const Symbol symbol : found.events[row])
      event.append(text_of_bytes(unlocked([&] { return vocabulary.text(symbol); })));
    events.append(event);
  }
  return nb::make_tuple(found.index, found.name ? text_of_bytes(*found.name) : nb::none(), events,
                        found.frequency);
}

nb::object tuple_of(const SyncRecord& record) {
  return nb::make_tuple(std::string(to_string(record.trigger)), record.moved, record.left,
                        record.seconds, record.why_left);
}

nb::dict statistics(const Handle& self) {
  const std::shared_ptr<Shared> shared = self.open();
  const PatternStatistics found = unlocked([&] { return shared->memory.statistics(); });
  nb::dict out;
  out["patterns"] = found.patterns;
  out["learned"] = found.learned;
  out["total_frequency"] = found.total_frequency;
  out["bulk"] = found.bulk;
  out["recent"] = found.recent;
  out["segments"] = found.segments;
  out["queries"] = found.queries;
  out["symbols"] = unlocked([&] { return shared->memory.vocabulary().size(); });
  out["host_bytes"] = found.bytes[space_index(Space::serial)];
  out["device_bytes"] = found.bytes[space_index(Space::cuda)];
  return out;
}

nb::dict sync_statistics(const Handle& self) {
  const std::shared_ptr<Shared> shared = self.open();
  const SyncStatistics found = unlocked([&] { return shared->memory.sync_statistics(); });
  nb::dict syncs;
  for (std::size_t i = 0; i < enum_names<SyncTrigger>.size(); ++i)
    syncs[std::string(to_string(static_cast<SyncTrigger>(i))).c_str()] = found.syncs[i];
  nb::dict out;
  out["syncs"] = syncs;
  out["patterns_synced"] = found.patterns_synced;
  out["incomplete"] = found.incomplete;
  out["recent"] = found.recent;
  out["background"] = found.background;
  out["training"] = found.training;
  out["last"] = tuple_of(found.last);
  return out;
}

nb::dict inspect(nb::handle path) {
  const std::string file = path_of(path, "path");
  const PatternFileInfo found = unlocked([&] { return PatternMemory::inspect(file); });
  nb::dict out;
  out["patterns"] = found.patterns;
  out["learned"] = found.learned;
  out["total_frequency"] = found.total_frequency;
  out["symbols"] = found.symbols;
  out["vocabulary"] = found.vocabulary;
  out["segments"] = found.segments;
  out["bulk"] = found.bulk;
  out["commits"] = found.commits;
  out["bytes"] = found.bytes;
  out["uncommitted_bytes"] = found.uncommitted_bytes;
  return out;
}

}  // namespace

}  // namespace Patterns

void register_pattern_memory(Module& module) {
  using namespace Patterns;
  Class<Handle>(module, "PatternMemory")
      .def(
          "__init__",
          [](Handle* self, nb::handle level, nb::handle settings, nb::handle context) {
            const Level at = level_of(level);
            const PatternSettings given = settings_of(settings);
            const SharedContext shared = context_of(context);
            new (self) Handle(made(shared, [&] { return PatternMemory(*shared, given, at); }));
          },
          nb::arg("level").none(), nb::arg("settings").none(), nb::arg("context").none())
      .def_static(
          "load",
          [](nb::handle path, nb::handle level, nb::handle settings, nb::handle context) {
            const std::string file = path_of(path, "path");
            const Level at = level_of(level);
            const PatternSettings given = settings_of(settings);
            const SharedContext shared = context_of(context);
            return made(shared, [&] { return PatternMemory::load(*shared, file, given, at); });
          },
          nb::arg("path").none(), nb::arg("level").none(), nb::arg("settings").none(),
          nb::arg("context").none())
      .def_static(
          "from_bytes",
          [](nb::handle bytes, nb::handle level, nb::handle settings, nb::handle context) {
            const Input data(bytes, "bytes", nullptr, Copying::if_needed, Layout::dense);
            const std::span<const std::byte> file = data.host_bytes();
            const Level at = level_of(level);
            const PatternSettings given = settings_of(settings);
            const SharedContext shared = context_of(context);
            return made(shared, [&] { return PatternMemory::load(*shared, file, given, at); });
          },
          nb::arg("bytes").none(), nb::arg("level").none(), nb::arg("settings").none(),
          nb::arg("context").none())
      .def_static("inspect", inspect, nb::arg("path").none())
      .def("close", &Handle::close)
      .def("is_closed", &Handle::is_closed)
      .def("size",
           [](const Handle& self) {
             const auto shared = self.open();
             return unlocked([&] { return shared->memory.size(); });
           })
      .def("level",
           [](const Handle& self) {
             return std::string(levels[self.open()->memory.level() == Level::token ? 0 : 1].name);
           })
      .def("statistics", statistics)
      .def("sync_statistics", sync_statistics)
      .def("learn", learn, nb::arg("events").none(), nb::arg("name").none(),
           nb::arg("times").none())
      .def("learn_all", learn_all, nb::arg("patterns").none(), nb::arg("dictionary").none(),
           nb::arg("names").none(), nb::arg("times").none())
      .def(
          "set_frequency",
          [](const Handle& self, nb::handle index, nb::handle frequency) {
            const auto shared = self.open();
            const auto number = static_cast<std::uint64_t>(integer_of(index, "index", 0));
            const auto count = static_cast<std::uint64_t>(integer_of(frequency, "frequency", 1));
            unlocked([&] { shared->memory.set_frequency(number, count); });
          },
          nb::arg("index").none(), nb::arg("frequency").none())
      .def("forget", forget, nb::arg("pattern").none())
      .def("clear",
           [](const Handle& self) {
             const auto shared = self.open();
             unlocked([&] { shared->memory.clear(); });
           })
      .def("find", find, nb::arg("pattern").none())
      .def("find_all", find_all, nb::arg("names").none())
      .def("names", names, nb::arg("indices").none())
      .def("pattern", pattern, nb::arg("index").none())
      .def(
          "frequency",
          [](const Handle& self, nb::handle index) {
            const auto shared = self.open();
            const auto number = static_cast<std::uint64_t>(integer_of(index, "index", 0));
            return unlocked([&] { return shared->memory.frequency(number); });
          },
          nb::arg("index").none())
      .def("symbols",
           [](const Handle& self) {
             const auto shared = self.open();
             const Vocabulary& vocabulary = shared->memory.vocabulary();
             SymbolTexts texts;
             unlocked([&] {
               const auto count = static_cast<Symbol>(vocabulary.size());
               for (Symbol symbol = 0; symbol < count; ++symbol)
                 texts.emplace_back(vocabulary.text(symbol));
             });
             return list_of(texts);
           })
      .def("symbol_frequencies",
           [](const Handle& self) {
             const auto shared = self.open();
             return ids_array_of(unlocked([&] { return shared->memory.symbol_frequencies(); }));
           })
      .def("encode", encode, nb::arg("queries").none(), nb::arg("level").none())
      .def("match", match, nb::arg("queries").none(), nb::arg("level").none(),
           nb::arg("measure").none(), nb::arg("threshold").none(), nb::arg("top").none(),
           nb::arg("blocks").none(), nb::arg("autojunk").none(), nb::arg("postings").none(),
           nb::arg("filter").none(), nb::arg("space").none())
      .def("predict", predict, nb::arg("query").none(), nb::arg("level").none(),
           nb::arg("measure").none(), nb::arg("autojunk").none(), nb::arg("threshold").none(),
           nb::arg("top").none(), nb::arg("rank_by").none(),
           nb::arg("fuzzy_token_threshold").none(), nb::arg("single_symbol_fast_path").none(),
           nb::arg("weights").none(), nb::arg("filter").none(), nb::arg("threads").none(),
           nb::arg("space").none())
      .def("sync",
           [](const Handle& self) {
             const auto shared = self.open();
             return tuple_of(unlocked([&] { return shared->memory.sync(); }));
           })
      .def("begin_training",
           [](const Handle& self) {
             const auto shared = self.open();
             unlocked([&] { shared->memory.begin_training(); });
           })
      .def("end_training",
           [](const Handle& self) {
             const auto shared = self.open();
             return tuple_of(unlocked([&] { return shared->memory.end_training(); }));
           })
      .def(
          "save",
          [](const Handle& self, nb::handle path) {
            const auto shared = self.open();
            const std::string file = path_of(path, "path");
            unlocked([&] { shared->memory.save(file); });
          },
          nb::arg("path").none())
      .def(
          "append",
          [](const Handle& self, nb::handle path) {
            const auto shared = self.open();
            const std::string file = path_of(path, "path");
            unlocked([&] { shared->memory.append(file); });
          },
          nb::arg("path").none())
      .def("to_bytes", [](const Handle& self) {
        const auto shared = self.open();
        return bytes_of(unlocked([&] { return shared->memory.to_bytes(); }));
      });
}

}  // namespace Kindred::Python
