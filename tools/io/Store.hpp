// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_STORE_HPP
#define KINDRED_TOOLS_IO_STORE_HPP

#include <kindred/matcher/PatternMemory.hpp>

#include <string>

namespace Kindred::Tools {

/// What commands know of a pattern memory's settings: the environment's, without a thread.
PatternSettings store_settings();

/// \throws InputError, NotFound, CorruptFile; InvalidArgument for the environment
PatternMemory load_store(Context& context, const std::string& path, Level level = Level::token);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_STORE_HPP
