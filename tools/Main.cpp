// SPDX-License-Identifier: Apache-2.0
#include "KindredCommand.hpp"
#include "WaitPolicy.hpp"

#include <kindred/backends/InstructionSet.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  if (const char* why_not = Kindred::why_processor_is_unusable()) {
    (void)std::fprintf(stderr, "kindred: error: %s\n", why_not);
    return 1;
  }
  Kindred::Tools::wait_passively(argv);
  return Kindred::Tools::run(argc, argv);
}
