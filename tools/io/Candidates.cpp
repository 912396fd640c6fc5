// SPDX-License-Identifier: Apache-2.0
#include "io/Candidates.hpp"

#include "io/NamedRecord.hpp"
#include "program/Errors.hpp"

#include <fmt/format.h>

#include <optional>

namespace Kindred::Tools {

namespace {

class CandidateRecord final : public NamedRecord {
 public:
  CandidateRecord(std::uint64_t rows, Candidates& out) : m_rows(rows), m_out(out) {}

 private:
  void begin_record() override {
    m_seen = false;
    m_open = false;
  }
  bool other_field(std::string_view key) override {
    if (key != "ids") return false;
    if (m_seen) throw RecordError("\"ids\" is given twice");
    m_seen = true;
    return true;
  }
  void begin_other_array() override {
    if (m_open) throw RecordError("\"ids\" must be an array of row ids, but has an array in it");
    m_open = true;
  }
  void end_other_array() override { m_open = false; }
  void other_value(const JsonValue& value) override {
    if (!m_open)
      throw RecordError(fmt::format("\"ids\" must be an array, but is {}", value.shown()));
    if (value.kind != JsonValue::Kind::integer)
      throw RecordError(fmt::format("\"ids\" has {}, which is not a whole number", value.shown()));
    if (value.negative || value.magnitude >= m_rows) {
      throw RecordError(fmt::format("\"ids\" has {}; an id must be in [0, {}), there are {} rows",
                                    value.shown(), m_rows, m_rows));
    }
    m_out.ids.values.push_back(value.magnitude);
  }
  void end_record(const std::optional<std::string>& name) override {
    if (!m_seen) throw RecordError("\"ids\" is missing");
    m_out.ids.close_row();
    m_out.names.push(name);
  }

  std::uint64_t m_rows;
  Candidates& m_out;
  bool m_seen = false;
  bool m_open = false;
};

}  // namespace

Candidates read_candidates(const std::string& path, std::uint64_t rows,
                           const ReadProgress& progress) {
  Candidates candidates;
  CandidateRecord record(rows, candidates);
  JsonLines lines(path, progress);
  while (lines.next(record)) continue;
  return candidates;
}

}  // namespace Kindred::Tools
