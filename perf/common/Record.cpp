// SPDX-License-Identifier: Apache-2.0
#include "common/Record.hpp"

#include <kindred/core/common/Error.hpp>

#include <fstream>

namespace Kindred::Perf {

Json read_record(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw NotFound(path + ": cannot be opened");
  Json record = Json::parse(file, nullptr, false);
  const bool is_record =
      record.is_object() && record.contains("context") && record["context"].is_object();
  if (!is_record) throw CorruptFile(path, 0, "not a record of kindred-perf; --out writes one");
  const Json format = record["context"].value("record_format", Json(0));
  if (format != record_format)
    throw CorruptFile(path, 0,
                      "a record of format " + format.dump() +
                          "; this version of kindred-perf reads format " +
                          std::to_string(record_format) + ", so measure again");
  if (!record.contains("rows") || !record["rows"].is_array())
    throw CorruptFile(path, 0, "a record without rows; rows and sweep write those with rows");
  return record;
}

}  // namespace Kindred::Perf
