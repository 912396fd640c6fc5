// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "StoredVectorsSupport.hpp"
#include "Killed.hpp"
#include "Support.hpp"

#include <kindred/backends/AtomicFile.hpp>

namespace {

using namespace Kindred;

/// Saves a store that tells \p step by its size and its ids.
void save_step(const std::string& path, std::uint64_t step) {
  const auto first = static_cast<std::uint32_t>(step);
  const Testing::StoredPart rows(first, 20000 + first % 1000, 16);
  save_vectors(path, {&rows.part, 1}, 1U << 30U);
}

std::uint64_t step_of(const std::string& path) {
  const StoredVectors stored = load_vectors(path, 2);
  const std::uint64_t step = stored.ids.front();
  EXPECT_EQ(stored.ids.size(), 20000 + step % 1000);
  return step;
}

TEST(KilledStore, IsTheOneThatWasToldOrTheNext) {
  const Testing::TempFolder folder;
  const std::string path = folder / "a";
  auto generator = Testing::generator("KilledStore");
  std::uint64_t step = 0;
  save_step(path, step);
  for (int i = 0; i < 60; ++i) {
    const Testing::Killed killed = Testing::kill_after(generator() % 20000, [&](int told_to) {
      Testing::tell_forever(told_to, [&] {
        save_step(path, ++step);
        return step;
      });
    });
    ASSERT_TRUE(killed.by_signal) << "the writer failed by itself in round " << i;
    const std::uint64_t told = killed.told.value_or(step);
    step = step_of(path);
    ASSERT_TRUE(step == told || step == told + 1) << "told " << told << ", found " << step;
  }
  EXPECT_GT(step, 10U) << "the writer was killed too soon to have done anything";
  const AtomicFile next(path);
  EXPECT_EQ(folder.names().size(), 1U) << "killed writers left temporaries";
}

}  // namespace
