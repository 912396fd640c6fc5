// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_COMPLETION_HPP
#define KINDRED_TOOLS_COMPLETION_HPP

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace Kindred::Tools {

/// The commands of \p app with a callback of their own, groups and \p app itself, in the order of
/// the help.
std::vector<const CLI::App*> all_commands(const CLI::App& app);

// Scripts that complete the commands and flags of \p app in a shell, and file names elsewhere.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_COMPLETION_HPP
