// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_RUN_PROGRAM_HPP
#define KINDRED_TESTS_SUPPORT_RUN_PROGRAM_HPP

#include <gtest/gtest.h>

#include "program/Program.hpp"

#include <cstdlib>
#include <string>
#include <vector>

namespace Kindred::Testing {

/// What a program did.
struct Ran {
  int status = -1;
  std::string out;
  std::string err;
};

/// Runs the program of the tools that the test is linked with, in this process.
/// \param arguments with its name
inline Ran run_program(const std::vector<std::string>& arguments,
                       const Tools::LoadedLibrary& library = {}) {
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Ran ran;
  ran.status = Tools::run(static_cast<int>(pointers.size()), pointers.data(), library);
  ran.out = ::testing::internal::GetCapturedStdout();
  ran.err = ::testing::internal::GetCapturedStderr();
  return ran;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_RUN_PROGRAM_HPP
