// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "KilledProcess.hpp"
#include "StoredVectorsSupport.hpp"
#include "Support.hpp"

#include <kindred/memory/AtomicFile.hpp>

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
  auto generator = Testing::generator("CrashedVectorStore");
  std::uint64_t step = 0;
  const std::uint64_t window = Testing::kill_window([&] { save_step(path, step); });
  for (int i = 0; i < 60; ++i) {
    const Testing::KilledProcess killed =
        Testing::kill_after(generator() % window, [&](int report_to) {
          Testing::report_forever(report_to, [&] {
            save_step(path, ++step);
            return step;
          });
        });
    ASSERT_TRUE(killed.by_signal) << "the writer failed by itself in round " << i;
    const std::uint64_t reported = killed.reported.value_or(step);
    step = step_of(path);
    ASSERT_TRUE(step == reported || step == reported + 1)
        << "reported " << reported << ", found " << step;
  }
  EXPECT_GT(step, 10U) << "the writer was killed too early to have done anything";
  const AtomicFile next(path);
  EXPECT_EQ(folder.names().size(), 1U) << "killed writers left temporaries";
}

}  // namespace StoredVectorsTest
