// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_SHELL_TEXT_HPP
#define KINDRED_TOOLS_IO_SHELL_TEXT_HPP

#include <string>
#include <vector>

namespace Kindred::Tools {

/// \p arguments as a shell reads them.
std::string shell_text(const std::vector<std::string>& arguments);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_SHELL_TEXT_HPP
