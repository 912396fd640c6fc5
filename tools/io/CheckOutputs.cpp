// SPDX-License-Identifier: Apache-2.0
#include "CheckOutputs.hpp"

#include "program/Errors.hpp"

#include <filesystem>
#include <set>
#include <system_error>

namespace Kindred::Tools {

void check_outputs(const char* command, const std::vector<std::string>& outputs,
                   const std::vector<std::string>& inputs) {
  std::set<std::filesystem::path> places;
  for (const std::string& output : outputs) {
    if (output.empty()) continue;
    std::error_code unknown;  // a missing folder is reported when the file is created
    if (!places.insert(std::filesystem::weakly_canonical(output, unknown)).second && !unknown)
      throw UsageError(std::string(command) + ": two outputs are " + output);
    for (const std::string& input : inputs) {
      if (input.empty()) continue;
      std::error_code none;  // a file that does not exist is not an input
      if (std::filesystem::equivalent(output, input, none)) {
        throw UsageError(std::string(command) + ": " + output +
                         " would be written over the input; name another file");
      }
    }
  }
}

}  // namespace Kindred::Tools
