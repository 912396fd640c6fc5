// SPDX-License-Identifier: Apache-2.0
#include "KindredCommand.hpp"
#include "WaitPolicy.hpp"

int main(int argc, char** argv) {
  Kindred::Tools::wait_passively(argv);
  return Kindred::Tools::run(argc, argv);
}
