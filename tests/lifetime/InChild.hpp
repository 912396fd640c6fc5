// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_LIFETIME_IN_CHILD_HPP
#define KINDRED_TESTS_LIFETIME_IN_CHILD_HPP

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "Check.hpp"

/// The child is ended after this time.
constexpr unsigned seconds_max = 20;

/// Runs \p body in a child process, which must end by itself with status 0 and print nothing.
template <class Body>
void in_child(const Body& body, const char* claim) {
  std::FILE* const printed = std::tmpfile();
  check(printed != nullptr, "a temporary file can be made");
  const pid_t child = fork();
  check(child >= 0, "a process can be forked");
  if (child == 0) {
    alarm(seconds_max);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO}) dup2(fileno(printed), output);
    body();
    std::exit(0);  // with exit handlers and static destructors
  }
  int status = -1;
  const bool has_ended = waitpid(child, &status, 0) == child;
  std::rewind(printed);
  std::array<char, 1000> text{};
  const std::size_t size = std::fread(text.data(), 1, text.size(), printed);
  std::fwrite(text.data(), 1, size, stderr);
  std::fclose(printed);
  check(has_ended && WIFEXITED(status) && WEXITSTATUS(status) == 0, claim);
  check(size == 0, "the child prints nothing");
}

/// Checks that `call()` says that the process was forked.
template <class Call>
void check_refused(const char* claim, const Call& call) {
  check_throws(claim, call, "forked");
}

#endif  // KINDRED_TESTS_LIFETIME_IN_CHILD_HPP
