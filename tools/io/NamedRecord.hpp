// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_NAMED_RECORD_HPP
#define KINDRED_TOOLS_IO_NAMED_RECORD_HPP

#include "io/JsonLines.hpp"
#include "program/Errors.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace Kindred::Tools {

/// \brief A record with an optional string `"name"`; derived classes handle the other fields.
class NamedRecord : public JsonRecord {
 public:
  void begin() final {
    m_name_seen = false;
    m_name.reset();
    begin_record();
  }
  bool field(std::string_view key) final {
    m_in_name = key == "name";
    if (!m_in_name) return other_field(key);
    if (m_name_seen) throw RecordError("\"name\" is given twice");
    m_name_seen = true;
    return true;
  }
  void begin_array() final {
    if (m_in_name) throw RecordError("\"name\" must be a string, but is an array");
    begin_other_array();
  }
  void end_array() final { end_other_array(); }
  void value(const JsonValue& value) final {
    if (!m_in_name) {
      other_value(value);
    } else if (value.kind == JsonValue::Kind::string) {
      m_name = value.text;
    } else if (value.kind != JsonValue::Kind::null) {
      throw RecordError("\"name\" must be a string, but is " + value.shown());
    }
  }
  void end() final { end_record(m_name); }

 private:
  virtual void begin_record() = 0;
  virtual bool other_field(std::string_view key) = 0;
  virtual void begin_other_array() = 0;
  virtual void end_other_array() = 0;
  virtual void other_value(const JsonValue& value) = 0;
  virtual void end_record(const std::optional<std::string>& name) = 0;

  bool m_in_name = false;
  bool m_name_seen = false;
  std::optional<std::string> m_name;
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_NAMED_RECORD_HPP
