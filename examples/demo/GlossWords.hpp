// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_EXAMPLES_DEMO_GLOSS_WORDS_HPP
#define KINDRED_EXAMPLES_DEMO_GLOSS_WORDS_HPP

#include <string>
#include <string_view>
#include <vector>

namespace Kindred::Tools {

/// \p gloss without the quoted examples after its definition.
std::string_view definition(std::string_view gloss) noexcept;

/// \brief The words of \p text that carry meaning: runs of ASCII letters and digits, in lower case
/// and in order, without English function words ("a", "of", "the", …).
std::vector<std::string> content_words(std::string_view text);

}  // namespace Kindred::Tools

#endif  // KINDRED_EXAMPLES_DEMO_GLOSS_WORDS_HPP
