// SPDX-License-Identifier: Apache-2.0
#include "PrintIntact.hpp"

#include "io/AppendJson.hpp"
#include "program/Output.hpp"

#include <fmt/format.h>

#include <iterator>

namespace Kindred::Tools {

void print_intact(const GlobalOptions& global, const char* kind, const std::string& path,
                  const std::string& contents, std::uint64_t bytes) {
  Output output;
  std::string& out = output.text();
  if (global.json) {
    out = fmt::format("{{\"{}\": ", kind);
    append_json(out, path);
    fmt::format_to(std::back_inserter(out), ", \"intact\": true, \"bytes\": {}}}\n", bytes);
  } else {
    out = fmt::format("{}: intact, {} in {} bytes\n", path, contents, bytes);
  }
  output.flush();
}

}  // namespace Kindred::Tools
