// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "KilledProcess.hpp"
#include "StoredVectorsSupport.hpp"
#include "Support.hpp"

namespace StoredVectorsTest {

using namespace Kindred;

/// Saves a store whose size and ids identify \p step.
void save_step(const std::string& path, std::uint64_t step) {
  const auto first = static_cast<std::uint32_t>(step);
  Testing::StoredPart rows(first, 20000 + first % 1000, 16);
  rows.part.end_id = 1U << 30U;
  rows.part.save(path);
}

std::uint64_t step_of(const std::string& path) {
  const StoredVectors stored = StoredVectors::load(path, 2);
  const std::uint64_t step = stored.ids.front();
  EXPECT_EQ(stored.ids.size(), 20000 + step % 1000);
  return step;
}

TEST(CrashedVectorStore, LeavesTheStepThatItReportedOrTheNext) {
  const Testing::TempFolder folder;
  const std::string path = folder / "a";
  const auto kill = Testing::random_killer("CrashedVectorStore",
                                           [&](std::uint64_t step) { save_step(path, step); });
  Testing::expect_whole_steps(folder, path, 60, kill, [&](auto) { return step_of(path); });
}

}  // namespace StoredVectorsTest
