// SPDX-License-Identifier: Apache-2.0
#include "CheckOutputs.hpp"

#include "program/Errors.hpp"

#include <kindred/memory/AtomicFile.hpp>

#include <filesystem>
#include <set>
#include <system_error>

namespace Kindred::Tools {

void check_outputs(const std::string& command, const std::vector<std::string>& outputs,
                   const std::vector<std::string>& inputs) {
  std::set<std::filesystem::path> places;
  for (const std::string& output : outputs) {
    if (output.empty()) continue;
    std::error_code unknown;  // a missing folder is reported when the file is created
    const auto place =
        std::filesystem::weakly_canonical(std::filesystem::absolute(output, unknown), unknown);
    if (!places.insert(place).second && !unknown)
      throw UsageError(command + ": two outputs are " + output);
    for (const std::string& input : inputs) {
      if (input.empty()) continue;
      std::error_code none;  // a file that does not exist is not an input
      if (std::filesystem::equivalent(output, input, none)) {
        throw UsageError(command + ": " + output +
                         " would be written over the input; name another file");
      }
    }
  }
}

void check_output(const std::string& command, const std::string& output,
                  const std::vector<std::string>& inputs) {
  check_outputs(command, {output}, inputs);
  const AtomicFile probe(output);
}

}  // namespace Kindred::Tools
