// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_SUGGESTION_HPP
#define KINDRED_TOOLS_PROGRAM_SUGGESTION_HPP

#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Tools {

/// \brief The text of \p known that \p wrong probably stands for, or an empty text.
///
/// These are, in this order: the only one that begins with \p wrong (of 2 characters or more), and
/// the most similar one that one or two changed characters turn into \p wrong.
std::string suggestion(std::string_view wrong, const std::vector<std::string>& known);

/// `; did you mean X?`, or an empty text without a suggestion.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRAM_SUGGESTION_HPP
