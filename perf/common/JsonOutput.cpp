// SPDX-License-Identifier: Apache-2.0
#include "common/JsonOutput.hpp"

#include <kindred/core/common/Error.hpp>
#include <kindred/memory/AtomicFile.hpp>

#include <iostream>

namespace Kindred::Perf {

void write_json(const Json& json, const std::string& path) {
  if (path.empty() || path == "-") {
    std::cout << json.dump(2) << '\n' << std::flush;
    if (!std::cout) throw Error("standard output cannot be written: is the disk full?");
    return;
  }
  AtomicFile::replace(path, json.dump(2) + '\n');
}

}  // namespace Kindred::Perf
