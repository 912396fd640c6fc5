// SPDX-License-Identifier: Apache-2.0
#include "io/Affinities.hpp"

#include "io/JsonLines.hpp"
#include "program/Errors.hpp"

#include <kindred/matcher/Prediction.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace Kindred::Tools {

namespace {

constexpr double affinity_max = 1e99;

class AffinityRecord final : public JsonRecord {
 public:
  void begin() override {
    m_symbol.reset();
    m_affinity.reset();
  }
  bool field(std::string_view key) override {
    m_field = key == "symbol" ? Field::symbol : key == "affinity" ? Field::affinity : Field::other;
    if ((m_field == Field::symbol && m_symbol) || (m_field == Field::affinity && m_affinity))
      throw RecordError(fmt::format("\"{}\" is given twice", key));
    return m_field != Field::other;
  }
  void begin_array() override { refuse("an array"); }
  void end_array() override {}
  void value(const JsonValue& value) override {
    if (m_field == Field::symbol) {
      if (value.kind != JsonValue::Kind::string) refuse(value.shown());
      m_symbol = value.text;
      return;
    }
    const bool is_number =
        value.kind == JsonValue::Kind::integer || value.kind == JsonValue::Kind::real;
    if (!is_number || !(std::abs(value.real) <= affinity_max)) refuse(value.shown());
    m_affinity = value.real;
  }
  void end() override {
    if (!m_symbol) throw RecordError("\"symbol\" is missing");
    if (!m_affinity) throw RecordError("\"affinity\" is missing");
  }

  const std::string& symbol() const { return *m_symbol; }
  double affinity() const { return *m_affinity; }

 private:
  enum class Field : std::uint8_t { symbol, affinity, other };

  [[noreturn]] void refuse(const std::string& shown) const {
    throw RecordError(
        m_field == Field::symbol
            ? fmt::format("\"symbol\" must be a string, but is {}", shown)
            : fmt::format("\"affinity\" must be a number in [-1e99, 1e99], but is {}", shown));
  }

  Field m_field = Field::other;
  std::optional<std::string> m_symbol;
  std::optional<double> m_affinity;
};

}  // namespace

std::vector<double> read_affinity_weights(const std::string& path, const Vocabulary& vocabulary,
                                          std::span<const std::uint64_t> occurrences) {
  std::vector<double> affinities(vocabulary.size(), 0.0);
  AffinityRecord record;
  JsonLines lines(path);
  while (lines.next(record)) {
    const Symbol symbol = vocabulary.find(record.symbol());
    if (symbol != unknown_symbol) affinities[symbol] += record.affinity();
  }
  for (double& affinity : affinities) affinity = std::clamp(affinity, -affinity_max, affinity_max);
  std::vector<double> weights = affinity_weights(affinities, occurrences);
  if (weights.empty())
    weights.push_back(weight_floor);  // weights were given, but there are no symbols
  return weights;
}

}  // namespace Kindred::Tools
