// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_CRASHES_KILLED_PROCESS_HPP
#define KINDRED_TESTS_CRASHES_KILLED_PROCESS_HPP

#include "Generator.hpp"
#include "TempFolder.hpp"

#include <kindred/memory/AtomicFile.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <thread>

namespace Kindred::Testing {

/// A process that was killed: the last value it reported, and whether it ran until it was killed.
struct KilledProcess {
  std::optional<std::uint64_t> reported;
  bool by_signal = false;
};

/// Runs in a child process: reports what \p step returns, repeatedly. Never returns.
template <class Step>
[[noreturn]] void report_forever(int reported, Step step) {
  try {
    while (true) {
      const std::uint64_t number = step();
      if (::write(reported, &number, sizeof(number)) != sizeof(number)) break;
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::flush;
  }
  ::_exit(1);
}

/// Runs `body(reported)` in a child process until \p wait(its end of the pipe) returns, and then
/// kills the process.
template <class Wait, class Body>
KilledProcess run_and_kill(const Wait& wait, const Body& body) {
  int pipe[2];
  if (::pipe(pipe) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) body(pipe[1]);
  ::close(pipe[1]);
  KilledProcess killed;
  wait(pipe[0], killed.reported);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  killed.by_signal = WIFSIGNALED(status);
  std::uint64_t reported = 0;
  while (::read(pipe[0], &reported, sizeof(reported)) == sizeof(reported))
    killed.reported = reported;
  ::close(pipe[0]);
  return killed;
}

/// Kills the process after the given number of microseconds.
template <class Body>
KilledProcess kill_after(std::uint64_t microseconds, const Body& body) {
  return run_and_kill(
      [&](int, std::optional<std::uint64_t>&) {
        std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
      },
      body);
}

/// \brief What starts a writer at a step and kills it, at a time within that of some calls of
/// `write(step)` on this machine as it is now. \param name of the random times
template <class Write>
auto random_killer(const std::string& name, const Write& write) {
  const auto begin = std::chrono::steady_clock::now();
  write(0);
  const auto taken = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - begin);
  const auto window = std::max<std::uint64_t>(20000, 4 * static_cast<std::uint64_t>(taken.count()));
  return [write, window, generator = generator(name)](std::uint64_t step) mutable {
    return kill_after(generator() % window, [&](int reported) {
      report_forever(reported, [&] {
        write(++step);
        return step;
      });
    });
  };
}

/// Kills the process once it has reported a value.
template <class Body>
KilledProcess kill_when_reported(const Body& body) {
  return run_and_kill(
      [](int pipe, std::optional<std::uint64_t>& reported) {
        std::uint64_t number = 0;
        if (::read(pipe, &number, sizeof(number)) == sizeof(number)) reported = number;
      },
      body);
}

/// \brief Kills writers that go on after the last complete step, repeatedly. Each leaves at \p path
/// the step that it reported last or the next, and no other file.
/// \param kill `kill(step)` starts a writer at a step and kills it
/// \param found `found(reported)` checks the file, and returns its step
template <class Kill, class Found>
void expect_whole_steps(const TempFolder& folder, const std::string& path, int rounds, Kill kill,
                        const Found& found) {
  std::uint64_t step = 0;
  for (int round = 0; round < rounds; ++round) {
    const KilledProcess killed = kill(step);
    ASSERT_TRUE(killed.by_signal) << "the writer failed by itself in round " << round;
    const std::uint64_t reported = killed.reported.value_or(step);
    step = found(reported);
    ASSERT_TRUE(step == reported || step == reported + 1)
        << "reported " << reported << ", found " << step;
  }
  EXPECT_GT(step, static_cast<std::uint64_t>(rounds) / 10)
      << "the writers were killed too early to have done anything";
  // A writer that was killed before its rename leaves a temporary file until the next writer
  // starts.
  const AtomicFile next(path);
  EXPECT_EQ(folder.names().size(), 1U) << "killed writers left temporaries";
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_CRASHES_KILLED_PROCESS_HPP
