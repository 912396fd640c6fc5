// SPDX-License-Identifier: Apache-2.0
#include "program/Program.hpp"
#include "program/WaitPolicy.hpp"

#include <kindred/backends/InstructionSet.hpp>

#include <unistd.h>

#include <cstdio>

namespace {

/// Runs before the initialisation of all variables, which may need any instruction that the command
/// is compiled for.
[[gnu::constructor(101)]] void check_processor() {
  if (const char* why_not = Kindred::why_processor_is_unusable()) {
    (void)std::fprintf(stderr, "kindred: error: %s\n", why_not);
    _exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Kindred::Tools::wait_passively(argv);
  return Kindred::Tools::run(argc, argv);
}
