// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_OUTPUT_PATH_HPP
#define KINDRED_TOOLS_IO_OUTPUT_PATH_HPP

#include <string>
#include <vector>

namespace Kindred::Tools {

/// Refuses to write over what is read, and two files to one place. Empty paths are not given.
/// \throws UsageError when an output is the file of an input or of another output
void check_outputs(const char* command, const std::vector<std::string>& outputs,
                   const std::vector<std::string>& inputs);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_OUTPUT_PATH_HPP
