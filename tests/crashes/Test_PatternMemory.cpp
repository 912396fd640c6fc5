// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "KilledProcess.hpp"
#include "PatternMemorySupport.hpp"
#include "Support.hpp"

namespace PatternMemoryTest {

using namespace Kindred;
using Testing::learn;
using Testing::numbered;

constexpr std::uint64_t patterns_a_step = 40;

/// Learns one step, whose content identifies the step.
void learn_step(PatternMemory& memory, std::uint64_t step) {
  for (std::uint64_t i = 0; i < patterns_a_step; ++i) {
    const std::uint64_t number = step * patterns_a_step + i;
    learn(memory, {{numbered('s', number % 97)}, {numbered('t', number)}}, numbered('p', number));
  }
}

/// The step that the file contains. Checks that it holds everything up to that step and nothing
/// else.
std::uint64_t step_of(const std::string& path) {
  const PatternFileInfo info = PatternMemory::inspect(path, 1);
  EXPECT_EQ(info.patterns % patterns_a_step, 0U);
  EXPECT_EQ(info.total_frequency, info.patterns);
  EXPECT_EQ(info.symbols, 2 * info.patterns);
  return info.patterns / patterns_a_step - 1;
}

[[noreturn]] void write_forever(const std::string& path, std::uint64_t step, int reported) {
  Testing::report_forever(reported, [&, memory = std::optional<PatternMemory>()]() mutable {
    static Context context{ContextOptions{.threads = 1, .load_profile = false}};
    if (!memory) memory.emplace(PatternMemory::load(context, path, Testing::quiet()));
    learn_step(*memory, ++step);
    if (step % 5 == 0) {
      memory->sync();
      memory->save(path);
    } else {
      memory->append(path);
    }
    return step;
  });
}

TEST(CrashedPatternMemory, LeavesTheStepThatItReportedOrTheNext) {
  const Testing::TempFolder folder;
  const std::string path = folder / "a";
  const auto begin = std::chrono::steady_clock::now();
  const Testing::KilledProcess first = Testing::kill_when_reported([&](int reported) {
    Testing::report_forever(reported, [&] {
      static Context context;
      PatternMemory memory(context, Testing::quiet());
      learn_step(memory, 0);
      memory.save(path);
      return std::uint64_t{0};
    });
  });
  // Starting a context takes equally long in every writer: about a second where there is a GPU
  // driver.
  const auto start =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                     std::chrono::steady_clock::now() - begin)
                                     .count());
  const int rounds = start < 200'000 ? 200 : 20;
  ASSERT_TRUE(first.by_signal);
  ASSERT_EQ(step_of(path), 0U);
  auto generator = Testing::generator("CrashedPatternMemory");
  const auto kill = [&](std::uint64_t step) {
    return Testing::kill_after(start / 2 + 10000 + generator() % (30000 + start),
                               [&](int reported) { write_forever(path, step, reported); });
  };
  Testing::expect_whole_steps(folder, path, rounds, kill, [&](auto) { return step_of(path); });
}

}  // namespace PatternMemoryTest
