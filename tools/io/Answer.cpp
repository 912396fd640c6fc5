// SPDX-License-Identifier: Apache-2.0
#include "io/Answer.hpp"

#include "io/Text.hpp"

namespace Kindred::Tools {

void append_name(std::string& out, std::optional<std::string_view> name) {
  if (name) {
    append_json(out, *name);
  } else {
    out += "null";
  }
}

void append_query(std::string& out, std::optional<std::string_view> name, std::size_t index) {
  out += "{\"query\": ";
  if (name) {
    append_json(out, *name);
  } else {
    out += std::to_string(index);
  }
}

}  // namespace Kindred::Tools
