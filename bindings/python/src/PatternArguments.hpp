// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PYTHON_PATTERN_ARGUMENTS_HPP
#define KINDRED_PYTHON_PATTERN_ARGUMENTS_HPP

#include <kindred/matcher/PatternMemory.hpp>

#include <nanobind/nanobind.h>

#include "Arrays.hpp"
#include "Errors.hpp"
#include "Options.hpp"
#include "Sequences.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// Patterns, names and settings as arguments of a pattern memory.
namespace Kindred::Python::Patterns {

inline void require_collection(nanobind::handle given, const char* name, const char* what) {
  if (is_collection(given)) return;
  refuse_type(std::string(name) + " has " + what + " of type " + type_text(given) +
              "; a pattern is a sequence of events, and an event a sequence of texts");
}

/// Patterns, each a sequence of events of texts, with the bytes of the texts.
class Events {
 public:
  void append(nanobind::handle pattern, const char* name) {
    require_collection(pattern, name, "a pattern");
    for (const nanobind::handle event : pattern) {
      require_collection(event, name, "an event");
      for (const nanobind::handle text : event) {
        m_bytes += bytes_of_text(text, name);
        m_ends.push_back(m_bytes.size());
      }
      m_offsets.push_back(m_ends.size());
    }
    m_patterns.push_back(m_offsets.size() - 1);
  }
  /// Valid until the next call of a member.
  RaggedSpan<std::string_view> span() {
    m_texts.clear();
    std::size_t begin = 0;
    for (const std::size_t end : m_ends) {
      m_texts.emplace_back(m_bytes.data() + begin, end - begin);
      begin = end;
    }
    return {m_offsets, m_texts};
  }
  EventLists<std::string_view> lists() { return {m_patterns, span()}; }

 private:
  std::string m_bytes;
  std::vector<std::size_t> m_ends;
  std::vector<std::string_view> m_texts;
  std::vector<std::uint64_t> m_offsets{0};
  std::vector<std::uint64_t> m_patterns{0};
};

inline Events events_of(nanobind::handle given, const char* name) {
  Events events;
  events.append(given, name);
  return events;
}

/// Texts, or None, of an argument, with their bytes.
class OptionalTexts {
 public:
  OptionalTexts(nanobind::handle given, const char* name) {
    if (!is_collection(given))
      refuse_type(std::string(name) + " is of type " + type_text(given) +
                  "; it must be a collection of texts");
    for (const nanobind::handle text : given) {
      m_present.push_back(!text.is_none());
      m_bytes.push_back(text.is_none() ? std::string() : bytes_of_text(text, name));
    }
  }
  std::vector<std::optional<std::string_view>> views() const {
    std::vector<std::optional<std::string_view>> out(m_bytes.size());
    for (std::size_t i = 0; i < out.size(); ++i)
      if (m_present[i]) out[i] = m_bytes[i];
    return out;
  }
  /// \throws InvalidType if one is None
  std::vector<std::string_view> required(const char* name) const {
    if (std::find(m_present.begin(), m_present.end(), false) != m_present.end())
      refuse_type(std::string(name) + " has an item of type NoneType; a text is a str or bytes");
    return {m_bytes.begin(), m_bytes.end()};
  }

 private:
  std::vector<std::string> m_bytes;
  std::vector<bool> m_present;
};

/// An int64 array of numbers that are not negative, as offsets.
class Offsets {
 public:
  Offsets(nanobind::handle given, const char* name)
      : m_array(given, name, nullptr, Copying::if_needed, Layout::dense) {
    m_array.require_rank(1, 1);
    const std::span<const std::int64_t> values = m_array.host_values<std::int64_t>();
    for (const std::int64_t value : values)
      if (value < 0)
        refuse(std::string(name) + " has the negative number " + std::to_string(value));
    m_span = {reinterpret_cast<const std::uint64_t*>(values.data()), values.size()};
  }
  std::span<const std::uint64_t> span() const noexcept { return m_span; }

 private:
  Input m_array;
  std::span<const std::uint64_t> m_span;
};

/// The weights of symbols, which must live until the call ends.
class Weights {
 public:
  void set(nanobind::handle given, PredictionOptions& options) {
    if (given.is_none()) return;
    m_array.emplace(given, "weights", nullptr, Copying::if_needed, Layout::dense);
    m_array->require_rank(1, 1);
    options.weights = m_array->host_values<double>();
    // An empty array would mean none.
    if (options.weights.empty()) refuse("weights is empty; give None for no weights");
  }

 private:
  std::optional<Input> m_array;
};

/// None, or a text.
inline std::optional<std::string> optional_name(nanobind::handle given, const char* name) {
  if (given.is_none()) return {};
  return bytes_of_text(given, name);
}

/// \param given None, or a `pykindred.PatternSettings`, which has the fields in this order
inline PatternSettings settings_of(nanobind::handle given) {
  PatternSettings settings;
  if (given.is_none()) return settings;
  if (!nanobind::hasattr(given, "max_bulk_patterns"))
    refuse_type("settings is of type " + type_text(given) +
                "; it must be pykindred.PatternSettings or None");
  const nanobind::object names = given.attr("_fields");
  std::size_t position = 0;
  const auto read_one = [&]<class T>(T& setting) {
    const std::string name = bytes_of_text(names[position], "settings");
    const nanobind::object value = given[position++];
    if constexpr (std::is_same_v<T, bool>) {
      setting = flag_of(value, name.c_str());
    } else if constexpr (std::is_same_v<T, double>) {
      setting = number_of(value, name.c_str());
    } else if (!value.is_none() || std::is_integral_v<T>) {
      setting = static_cast<std::uint64_t>(integer_of(value, name.c_str(), 0));
    }
  };
  const auto read = [&](auto&... fields) { (read_one(fields), ...); };
  read(settings.enabled, settings.fallback_to_host, settings.min_compute_capability,
       settings.max_pattern_length, settings.memory_fraction, settings.growth_fraction,
       settings.max_bulk_patterns, settings.sync_threshold, settings.sync_interval_seconds,
       settings.background_sync, settings.log_memory_usage, settings.log_kernel_timing);
  return settings;
}

}  // namespace Kindred::Python::Patterns

#endif  // KINDRED_PYTHON_PATTERN_ARGUMENTS_HPP
