// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_PATTERN_MEMORY_BODIES_HPP
#define KINDRED_PYTHON_PATTERN_MEMORY_BODIES_HPP

#include <kindred/matcher/PatternMemory.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "Texts.hpp"

// What is special of PatternMemory.
namespace Kindred::Python::Patterns {

namespace {

/// A memory with the context that it needs.
struct Shared {
  SharedContext context;
  PatternMemory memory;
};
using Handle = EngineHandle<Shared>;

/// None: that of the memory.
Level level_of(nb::handle given, const PatternMemory& memory) {
  return given.is_none() ? memory.level() : value_of(given, "level", level_names);
}
std::string level(const Handle& self) {
  return std::string(level_names[static_cast<std::size_t>(self.open()->memory.level())].name);
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
  const auto learn = [&](const auto& given) {
    // Empty lists would mean none.
    if ((!names.is_none() && views.size() != given.size()) ||
        (!times.is_none() && counts.size() != given.size()))
      refuse("names or times has another number of items than the " + std::to_string(given.size()) +
             " patterns");
    return arrays_of(unlocked([&] { return shared->memory.learn_all(given, options); }));
  };
  if (nb::hasattr(patterns, "offsets") && nb::hasattr(patterns, "event_offsets")) {
    const Offsets offsets(patterns.attr("offsets"), "patterns.offsets");
    const Offsets event_offsets(patterns.attr("event_offsets"), "patterns.event_offsets");
    const Input symbols(patterns.attr("symbols"), "patterns.symbols", nullptr, Copying::if_needed,
                        Layout::dense);
    symbols.require_rank(1, 1);
    std::optional<OptionalTexts> texts;
    std::vector<std::string_view> words;
    if (!dictionary.is_none()) {
      words = texts.emplace(dictionary, "dictionary").required("dictionary");
      options.dictionary = words;
    }
    return learn(
        EventLists<Symbol>{offsets.span(), {event_offsets.span(), symbols.host_values<Symbol>()}});
  }
  if (!dictionary.is_none())
    refuse_type("dictionary is for patterns of numbers, in a pykindred.EventLists");
  Events events;
  require_collection(patterns, "patterns", "a value");
  ItemLoop loop;
  for (const nb::handle pattern : patterns) {
    loop.next();
    events.append(pattern, "patterns");
  }
  return learn(events.lists());
}

/// Queries as symbols: `Sequences`, or patterns of texts.
class Queries {
 public:
  Queries(nb::handle given, const PatternMemory& memory, Level level) {
    if (nb::hasattr(given, "offsets") && nb::hasattr(given, "symbols")) {
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

nb::object object_of(const std::string& text) { return text_of_bytes(text); }
nb::object object_of(const std::optional<std::string>& text) {
  return text ? text_of_bytes(*text) : nb::none();
}
nb::object object_of(std::span<const char> text) {
  return text_of_bytes({text.data(), text.size()});
}
nb::object object_of(const std::optional<std::uint64_t>& number) {
  return number ? nb::object(nb::int_(*number)) : nb::none();
}
nb::object object_of(const std::optional<double>& number) {
  return number ? nb::object(nb::float_(*number)) : nb::none();
}
nb::object object_of(const Anomaly& one) {
  return nb::make_tuple(object_of(one.observed), object_of(one.expected), one.similarity);
}
nb::object object_of(const SymbolTexts& event);
nb::object object_of(const Prediction& given);

template <class T>
nb::list list_of(const std::vector<T>& items) {
  nb::list out;
  for (const T& item : items) out.append(object_of(item));
  return out;
}
nb::list list_of(const Ragged<char>& texts) {
  nb::list out;
  for (std::size_t row = 0; row < texts.rows(); ++row) out.append(object_of(texts[row]));
  return out;
}

nb::object object_of(const SymbolTexts& event) { return list_of(event); }
/// The fields of `pykindred.Prediction` in their order.
nb::object object_of(const Prediction& given) {
  return nb::make_tuple(
      given.index, object_of(given.name), given.matched, given.frequency, list_of(given.matches),
      list_of(given.past), list_of(given.present), list_of(given.future), list_of(given.missing),
      list_of(given.extras), list_of(given.anomalies), array_of_blocks(given.blocks), given.flat,
      given.evidence, given.confidence, given.similarity, given.fragmentation, given.snr,
      given.entropy, given.normalized_entropy, given.global_normalized_entropy, given.confluence,
      given.tfidf_score, given.itfdf_similarity, given.bayesian_prior, given.bayesian_likelihood,
      given.bayesian_posterior, given.predictive_information, given.potential,
      object_of(given.weighted_similarity), object_of(given.weighted_evidence),
      object_of(given.weighted_confidence), object_of(given.weighted_snr));
}

nb::object indices_of(const std::vector<std::optional<std::uint64_t>>& found) {
  std::vector<std::int64_t> out;
  for (const std::optional<std::uint64_t>& index : found)
    out.push_back(index ? static_cast<std::int64_t>(*index) : -1);
  return array_of(std::span<const std::int64_t>(out));
}

/// By name or by events.
nb::object find(const Handle& self, nb::handle given) {
  const std::shared_ptr<Shared> shared = self.open();
  if (is_text(given)) {
    const std::string name = bytes_of_text(given, "pattern");
    return object_of(unlocked([&] { return shared->memory.find(std::string_view(name)); }));
  }
  Events events = events_of(given, "pattern");
  return object_of(unlocked([&] { return shared->memory.find(events.span()); }));
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

/// `(index, name, events, frequency)`
nb::object tuple_of(const StoredPattern& pattern, const Vocabulary& vocabulary) {
  const std::vector<std::string_view> texts =
      unlocked([&] { return vocabulary.decode(pattern.events.values); });
  nb::list events;
  for (std::size_t row = 0; row < pattern.events.rows(); ++row) {
    nb::list event;
    for (std::uint64_t i = pattern.events.offsets[row]; i < pattern.events.offsets[row + 1]; ++i)
      event.append(text_of_bytes(texts[i]));
    events.append(event);
  }
  return nb::make_tuple(pattern.index, object_of(pattern.name), events, pattern.frequency);
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
  out["symbols"] = shared->memory.vocabulary().size();
  out["host_bytes"] = found.bytes[space_index(Space::serial)];
  out["device_bytes"] = found.bytes[space_index(Space::cuda)];
  return out;
}

nb::dict sync_statistics(const Handle& self) {
  const std::shared_ptr<Shared> shared = self.open();
  const SyncStatistics found = unlocked([&] { return shared->memory.sync_statistics(); });
  nb::dict syncs;
  for (const Choice<SyncTrigger>& trigger : sync_trigger_names)
    syncs[trigger.name.data()] = found.syncs[static_cast<std::size_t>(trigger.value)];
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

}  // namespace

}  // namespace Kindred::Python::Patterns

#endif  // KINDRED_PYTHON_PATTERN_MEMORY_BODIES_HPP
