// SPDX-License-Identifier: Apache-2.0
#include "launcher/CommandEntry.hpp"

#include "program/Program.hpp"

#include <type_traits>

extern "C" [[gnu::visibility("default")]] int kindred_command(int argc, char** argv,
                                                              const char* library,
                                                              const char* why) {
  return Kindred::Tools::run(argc, argv, {library, why});
}

static_assert(std::is_same_v<decltype(kindred_command), Kindred::Tools::CommandEntry>);
