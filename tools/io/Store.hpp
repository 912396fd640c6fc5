// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_IO_STORE_HPP
#define KINDRED_TOOLS_IO_STORE_HPP

#include "io/InputError.hpp"

#include <kindred/matcher/PatternMemory.hpp>

#include <string>

namespace Kindred::Tools {

/// Runs \p body, which reads the file of a flag: one that cannot be read is bad input (status 3),
/// not a wrong flag.
template <class Body>
decltype(auto) reading_store(const Body& body) {
  try {
    return body();
  } catch (const InvalidArgument& error) {
    throw InputError(error.what());
  }
}

/// What commands know of a pattern memory's settings: the environment's, without a thread.
PatternSettings store_settings();

/// \throws InputError, NotFound, CorruptFile; InvalidArgument for the environment
PatternMemory load_store(Context& context, const std::string& path, Level level = Level::token);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_IO_STORE_HPP
