// SPDX-License-Identifier: Apache-2.0
#include "OutputPath.hpp"

#include "InputError.hpp"

#include <filesystem>
#include <system_error>

namespace Kindred::Tools {

void check_outputs(const char* command, const std::vector<std::string>& outputs,
                   const std::vector<std::string>& inputs) {
  for (const std::string& output : outputs) {
    for (const std::string& input : inputs) {
      if (output.empty() || input.empty()) continue;
      std::error_code none;  // a file that is not there is no other
      if (std::filesystem::equivalent(output, input, none)) {
        throw UsageError(std::string(command) + ": " + output +
                         " would be written over the input; name another file");
      }
    }
  }
}

}  // namespace Kindred::Tools
