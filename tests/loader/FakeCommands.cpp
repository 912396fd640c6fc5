// SPDX-License-Identifier: Apache-2.0
// A libkindred_command.so that prints the library that it is bound to, what the launcher says about
// it, and its arguments.
#include "launcher/CommandEntry.hpp"

#include <cstdio>
#include <cstdlib>
#include <type_traits>

extern "C" const char* fake_library_name();

extern "C" int kindred_command(int argc, char** argv, const char* library, const char* why) {
  std::printf("%s\n%s\n%s\n%s\n", fake_library_name(), library, why,
              std::getenv("OMP_WAIT_POLICY"));
  for (int i = 1; i < argc; ++i) std::printf("%s\n", argv[i]);
  return argc - 1;
}

static_assert(std::is_same_v<decltype(kindred_command), Kindred::Tools::CommandEntry>);
