// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_CHECK_OUTPUTS_HPP
#define KINDRED_TOOLS_IO_CHECK_OUTPUTS_HPP

#include <string>
#include <vector>

namespace Kindred::Tools {

/// Checks that no output overwrites an input or another output. Empty paths are ignored.
/// \throws UsageError if an output is the same file as an input or another output
void check_outputs(const std::string& command, const std::vector<std::string>& outputs,
                   const std::vector<std::string>& inputs);
/// The same for one output; also checks that it can be written, before hours of work.
void check_output(const std::string& command, const std::string& output,
                  const std::vector<std::string>& inputs);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_CHECK_OUTPUTS_HPP
