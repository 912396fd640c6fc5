// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>

#include "Mutant.hpp"

namespace Kindred::Mutation {

namespace {

/// More than the generator ever numbers.
constexpr std::size_t number_limit = 100'000;
std::array<std::atomic<bool>, number_limit> reached{};

/// Writes the numbers that a run has reached into the file `KINDRED_MUTANTS_REACHED`.
struct ReachedList : ::testing::EmptyTestEventListener {
  void OnTestProgramEnd(const ::testing::UnitTest&) override {
    const char* const path = std::getenv("KINDRED_MUTANTS_REACHED");
    if (path == nullptr) return;
    std::ofstream out(path);
    for (std::size_t number = 0; number < number_limit; ++number)
      if (reached[number].load(std::memory_order_relaxed)) out << number << '\n';
  }
};

[[maybe_unused]] const bool listens = [] {
  ::testing::UnitTest::GetInstance()->listeners().Append(new ReachedList);
  return true;
}();

}  // namespace

void record_reached(int number) noexcept {
  auto& flag = reached[static_cast<std::size_t>(number)];
  if (!flag.load(std::memory_order_relaxed)) flag.store(true, std::memory_order_relaxed);
}

}  // namespace Kindred::Mutation
