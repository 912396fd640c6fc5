// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_PATTERN_STORE_INPUT_HPP
#define KINDRED_TOOLS_IO_PATTERN_STORE_INPUT_HPP

#include <kindred/matcher/PatternMemory.hpp>

#include <string>

namespace Kindred::Tools {

/// Settings of a pattern memory for commands: without a background thread.
PatternSettings store_settings();

/// \throws InputError, NotFound, CorruptFile
PatternMemory load_store(Context& context, const std::string& path, Level level = Level::token);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_PATTERN_STORE_INPUT_HPP
