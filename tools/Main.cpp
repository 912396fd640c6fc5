// SPDX-License-Identifier: Apache-2.0
#include "Command.hpp"

int main(int argc, char** argv) { return Kindred::Tools::run(argc, argv); }
