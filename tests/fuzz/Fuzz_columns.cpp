// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a table: rejected with a position, or read identically with and without
// looking ahead.
#include "TextTarget.hpp"
#include "io/ColumnReader.hpp"

#include <vector>

namespace Kindred::Testing {

using namespace Tools;

/// The fields and messages of bad records, in order.
std::vector<std::string> fields(const std::string& path, const Column& column, bool look_ahead) {
  std::vector<std::string> out;
  try {
    ColumnReader reader(path, column);
    while (true) {
      const bool buffered = look_ahead && reader.buffered();
      try {
        const auto field = reader.next();
        require(field || !buffered);
        if (!field) return out;
        out.emplace_back(*field);
      } catch (const BadLine& bad) {
        require(bad.line() > 0 && !bad.why().empty());
        out.emplace_back(bad.what());
      }
    }
  } catch (const InputError& error) {
    out.push_back(located(error, path));
  }
  return out;
}

void read_text(const std::string& path, std::size_t size) {
  const Column column{"a", size % 2 == 0 ? ',' : '\t'};
  require(fields(path, column, false) == fields(path, column, true));
}

}  // namespace Kindred::Testing
