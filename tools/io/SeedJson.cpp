// SPDX-License-Identifier: Apache-2.0
#include "io/SeedJson.hpp"

#include "io/AppendJson.hpp"
#include "io/JsonLines.hpp"
#include "program/Errors.hpp"

#include <kindred/matcher/SeedLayer.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <system_error>

namespace Kindred::Tools {

namespace {

using Json = nlohmann::json;

/// A file that contains one JSON object with arrays of one entry per seed.
class SeedJson {
 public:
  explicit SeedJson(const std::string& path) : m_path(path) {
    std::error_code none;  // a path that cannot be queried cannot be opened either
    if (std::filesystem::is_directory(path, none)) throw InputError(path + ": cannot be read");
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) throw InputError(path + ": cannot be read");
    // The representation of infinity is out of the range of the parser.
    for (std::size_t at = text.find("1e999"); at != text.npos; at = text.find("1e999", at))
      text.replace(at, 5, "1e300");
    try {
      m_object = Json::parse(text);
    } catch (const Json::exception& error) {
      fail(fmt::format("not JSON: {}", json_reason(error.what())));
    }
    if (!m_object.is_object()) fail("it must be a JSON object, {\"…\": […]}");
  }

  [[noreturn]] void fail(const std::string& why) const { throw InputError(m_path + ": " + why); }
  bool has(const char* field) const { return m_object.contains(field); }

  /// Rejects unknown fields, which are probably misspelt.
  void expect_only(std::initializer_list<const char*> fields) const {
    for (const auto& [name, value] : m_object.items()) {
      if (std::find(fields.begin(), fields.end(), name) != fields.end()) continue;
      fail(fmt::format("there is no {}; the fields are {}", json_summary(name),
                       fmt::join(fields, ", ")));
    }
  }
  /// The entries of \p field; the first array read sets the length for all.
  const Json::array_t& array(const char* field) {
    const auto found = m_object.find(field);
    if (found == m_object.end()) fail(fmt::format("\"{}\" is missing", field));
    if (!found->is_array()) fail(fmt::format("\"{}\" must be an array", field));
    const auto& entries = found->get_ref<const Json::array_t&>();
    if (m_first == nullptr) {
      m_first = field;
      m_seeds = entries.size();
    }
    if (entries.size() != m_seeds) {
      fail(fmt::format("\"{}\" has {} entries; \"{}\" has {}", field, entries.size(), m_first,
                       m_seeds));
    }
    return entries;
  }
  std::size_t seeds() const { return m_seeds; }

  /// `read(entry)` returns the value of an entry, or nothing if it does not have the given \p form.
  template <class T, class Read>
  void column(const char* field, std::vector<T>& out, const std::string& form, const Read& read) {
    if (!has(field)) return;
    const auto& entries = array(field);
    std::vector<T> values;
    values.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::optional<T> value = read(entries[i]);
      if (!value) refuse(field, i, entries[i], form);
      values.push_back(*value);
    }
    out = std::move(values);
  }
  [[noreturn]] void refuse(const char* field, std::size_t seed, const Json& entry,
                           const std::string& form) const {
    fail(fmt::format("\"{}\" of seed {} is {}; it must be {}", field, seed, json_summary(entry),
                     form));
  }

  /// Accepts a name of the enumeration or its code.
  template <HasNames Enum>
  void codes(const char* field, std::vector<Enum>& out) {
    const auto& names = enum_names<Enum>;
    column<Enum>(
        field, out,
        fmt::format("a code from 0 to {} or one of {}", names.size() - 1, fmt::join(names, ", ")),
        code_of<Enum>);
  }
  template <HasNames Enum>
  static std::optional<Enum> code_of(const Json& entry) {
    if (entry.is_string()) return from_string<Enum>(entry.get_ref<const std::string&>());
    if (!entry.is_number_unsigned() || entry.get<std::uint64_t>() >= enum_names<Enum>.size())
      return {};
    return static_cast<Enum>(entry.get<std::uint64_t>());
  }

  /// Whole numbers from \p least to the maximum of T.
  template <class T>
  void integers(const char* field, std::vector<T>& out, std::int64_t least) {
    constexpr auto most = static_cast<std::int64_t>(std::numeric_limits<T>::max());
    column<T>(field, out, fmt::format("a whole number from {} to {}", least, most),
              [&](const Json& entry) -> std::optional<T> {
                if (!entry.is_number_integer()) return {};
                if (entry.is_number_unsigned() &&
                    entry.get<std::uint64_t>() > static_cast<std::uint64_t>(most))
                  return {};
                const auto value = entry.get<std::int64_t>();
                if (value < least || value > most) return {};
                return static_cast<T>(value);
              });
  }
  void numbers(const char* field, std::vector<float>& out, double least, double most,
               const char* form) {
    column<float>(field, out, form, [&](const Json& entry) -> std::optional<float> {
      if (!entry.is_number()) return {};
      const auto value = entry.get<double>();
      if (!(value >= least && value <= most)) return {};
      return static_cast<float>(value);
    });
  }
  const Json& object() const { return m_object; }

 private:
  std::string m_path;
  Json m_object;
  const char* m_first = nullptr;
  std::size_t m_seeds = 0;
};

/// Reads `"history": [[["dormant", "germinated"], …], …]`, newest first.
void read_history(SeedJson& json, SeedState& state) {
  if (!json.has("history")) return;
  const auto& seeds = json.array("history");
  const std::string form = fmt::format("a list of at most {} pairs of states", seed_history);
  for (std::size_t seed = 0; seed < seeds.size(); ++seed) {
    const Json& list = seeds[seed];
    if (!list.is_array() || list.size() > seed_history) json.refuse("history", seed, list, form);
    std::size_t place = seed * seed_history + list.size();
    for (const Json& pair : list) {
      --place;
      if (!pair.is_array() || pair.size() != 2) json.refuse("history", seed, list, form);
      const auto from = SeedJson::code_of<Lifecycle>(pair[0]);
      const auto to = SeedJson::code_of<Lifecycle>(pair[1]);
      if (!from || !to) json.refuse("history", seed, list, form);
      state.history_from[place] = *from;
      state.history_to[place] = *to;
    }
    state.history_count[seed] = static_cast<std::uint8_t>(list.size());
    state.history_next[seed] = static_cast<std::uint8_t>(list.size() % seed_history);
  }
}

void read_schedules(SeedJson& json, SeedStateFile& out) {
  if (!json.has("schedule_state")) return;
  const auto& seeds = json.array("schedule_state");
  out.schedules.resize(seeds.size());
  for (std::size_t seed = 0; seed < seeds.size(); ++seed) {
    if (seeds[seed].is_null()) continue;
    std::vector<double> numbers;
    bool is_list = seeds[seed].is_array();
    for (std::size_t i = 0; is_list && i < seeds[seed].size(); ++i) {
      is_list = seeds[seed][i].is_number();
      if (is_list) numbers.push_back(seeds[seed][i].get<double>());
    }
    if (!is_list) json.refuse("schedule_state", seed, seeds[seed], "null or a list of numbers");
    out.schedules[seed] = std::move(numbers);
  }
}

/// Appends `"name": [`, entries written by \p put, and `]`.
template <class Put>
void append_array(std::string& out, const char* name, std::size_t size, const Put& put) {
  append_key(out, name);
  append_list(out, std::size_t{0}, size, put);
}

/// Calls `visit(name, member)` for each measurement of a telemetry, in the order of the fields.
template <class Visit>
void each_measurement(const Visit& visit) {
  visit("mean", &SeedTelemetry::mean);
  visit("variance", &SeedTelemetry::variance);
  visit("min", &SeedTelemetry::min);
  visit("max", &SeedTelemetry::max);
  visit("dead_ratio", &SeedTelemetry::dead_ratio);
}

}  // namespace

std::string json_summary(const nlohmann::json& value) {
  if (value.is_array()) return "a list of " + std::to_string(value.size());
  if (value.is_object()) return "an object";
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).substr(0, 60);
}

SeedStateFile read_seed_state(const std::string& path) {
  SeedJson json(path);
  json.expect_only({"lifecycle", "blueprint", "mode", "alpha", "schedule", "epochs", "parent",
                    "checkpoint", "evaluation", "errors", "history", "schedule_state", "epoch"});
  SeedStateFile out;
  out.state = SeedState(json.array("lifecycle").size());
  SeedState& state = out.state;
  json.codes("lifecycle", state.lifecycle);
  json.integers("blueprint", state.blueprint, -1);
  json.codes("mode", state.mode);
  json.numbers("alpha", state.alpha, 0, 1, "in [0, 1]");
  json.codes("schedule", state.schedule);
  json.integers("epochs", state.epochs, 0);
  json.codes("parent", state.parent);
  json.integers("checkpoint", state.checkpoint, -1);
  constexpr double finite = std::numeric_limits<float>::max();
  json.numbers("evaluation", state.evaluation, -finite, finite, "finite in float32");
  json.integers("errors", state.errors, 0);
  read_history(json, state);
  read_schedules(json, out);
  if (json.has("epoch")) {
    const auto& epoch = json.object()["epoch"];
    if (!epoch.is_number_unsigned()) json.fail("\"epoch\" must be a whole number from 0 on");
    out.epoch = epoch.get<std::uint64_t>();
  }
  return out;
}

void append_seed_state(std::string& out, const SeedStateFile& file) {
  const SeedState& state = file.state;
  const std::size_t seeds = state.seeds();
  const auto names = [&](const char* name, const auto& codes) {
    append_array(out, name, seeds, [&](std::size_t i) { append_json(out, to_string(codes[i])); });
  };
  const auto integers = [&](const char* name, const auto& values) {
    append_array(out, name, seeds, [&](std::size_t i) {
      out += std::to_string(static_cast<std::int64_t>(values[i]));
    });
  };
  out += '{';
  names("lifecycle", state.lifecycle);
  integers("blueprint", state.blueprint);
  names("mode", state.mode);
  append_array(out, "alpha", seeds, [&](std::size_t i) { append_json(out, state.alpha[i]); });
  names("schedule", state.schedule);
  integers("epochs", state.epochs);
  names("parent", state.parent);
  integers("checkpoint", state.checkpoint);
  append_array(out, "evaluation", seeds,
               [&](std::size_t i) { append_json(out, state.evaluation[i]); });
  integers("errors", state.errors);
  append_array(out, "history", seeds, [&](std::size_t i) {
    append_list(out, state.history(i), [&](const SeedChange& change) {
      out += fmt::format("[\"{}\", \"{}\"]", to_string(change.from), to_string(change.to));
    });
  });
  if (!file.schedules.empty()) {
    append_array(out, "schedule_state", seeds, [&](std::size_t i) {
      if (!file.schedules[i]) {
        out += "null";
        return;
      }
      append_list(out, *file.schedules[i], [&](double number) { append_json(out, number); });
    });
  }
  out += fmt::format(", \"epoch\": {}}}\n", file.epoch);
}

void append_telemetry(std::string& out, std::span<const SeedTelemetry> telemetry, bool health) {
  const auto column = [&](const char* name, const auto& value) {
    append_array(out, name, telemetry.size(), [&](std::size_t i) {
      append_json(out, double{std::invoke(value, telemetry[i])});
    });
  };
  out += '{';
  append_array(out, "count", telemetry.size(),
               [&](std::size_t i) { out += std::to_string(telemetry[i].count); });
  each_measurement(column);
  if (health) column("health", seed_health);
  out += '}';
}

std::vector<SeedTelemetry> read_telemetry(const std::string& path) {
  SeedJson json(path);
  std::vector<SeedTelemetry> out(json.array("count").size());
  std::vector<std::int64_t> counts;
  json.integers("count", counts, 0);
  for (std::size_t i = 0; i < out.size(); ++i) out[i].count = static_cast<std::uint64_t>(counts[i]);
  each_measurement([&]<class Value>(const char* name, Value SeedTelemetry::*member) {
    std::vector<double> values;
    json.array(name);
    json.column<double>(name, values, "a number or null",
                        [](const Json& entry) -> std::optional<double> {
                          if (entry.is_null()) return std::numeric_limits<double>::quiet_NaN();
                          if (!entry.is_number()) return {};
                          return entry.get<double>();
                        });
    for (std::size_t i = 0; i < out.size(); ++i) out[i].*member = static_cast<Value>(values[i]);
  });
  return out;
}

}  // namespace Kindred::Tools
