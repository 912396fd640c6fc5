// SPDX-License-Identifier: Apache-2.0
#include "io/Candidates.hpp"

#include "io/JsonLines.hpp"

#include <fmt/format.h>

namespace Kindred::Tools {

Candidates read_candidates(const std::string& path, std::uint64_t rows,
                           const ReadProgress& progress) {
  Candidates out;
  read_json_lines(path, {"name", "ids"}, progress, [&](const JsonRecord& record) {
    const JsonValue& ids = record.at("ids");
    if (ids.kind != JsonKind::array)
      throw RecordError(fmt::format("\"ids\" must be an array, but is {}", ids.shown()));
    for (const JsonValue& id : ids) {
      if (id.kind == JsonKind::array)
        throw RecordError("\"ids\" must be an array of row ids, but has an array in it");
      if (id.kind != JsonKind::integer)
        throw RecordError(fmt::format("\"ids\" has {}, which is not a whole number", id.shown()));
      if (id.negative || id.magnitude >= rows) {
        throw RecordError(fmt::format("\"ids\" has {}; an id must be in [0, {}), there are {} rows",
                                      id.shown(), rows, rows));
      }
      out.ids.values.push_back(id.magnitude);
    }
    out.ids.close_row();
    out.names.push(record.name());
  });
  return out;
}

}  // namespace Kindred::Tools
