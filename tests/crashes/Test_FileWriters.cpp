// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "KilledProcess.hpp"
#include "StoredVectorsSupport.hpp"
#include "Support.hpp"
#include "storage/SectionFile.hpp"
#include "storage/SectionWriter.hpp"

namespace FileWritersTest {

using namespace Kindred;
using namespace Kindred::Impl;
using Testing::TempFolder;

constexpr const char* kind = "numbers";
constexpr std::uint64_t appends = 3;  // a save followed by this many commits, repeatedly

/// What step \p step writes: enough numbers that writing them takes a while.
std::vector<std::uint64_t> numbers_of(std::uint64_t step) {
  std::mt19937_64 generator(step);
  std::vector<std::uint64_t> numbers(1000 + generator() % 100000);
  for (std::uint64_t& number : numbers) number = generator();
  numbers[0] = step;
  return numbers;
}

void write_step(const std::string& path, std::uint64_t step, FileRevision& revision) {
  const auto write = [&](SectionWriter writer) {
    writer.write<std::uint64_t>("numbers", numbers_of(step));
    revision = writer.commit();
  };
  if (step % (appends + 1) == 0) {
    write(SectionWriter(path, kind));
  } else {
    write(SectionWriter(path, kind, revision));
  }
}

/// The step that the file at \p path contains. Checks that all of its bytes are as they were
/// written.
std::uint64_t step_of(const std::string& path, FileRevision& revision) {
  const SectionFile file(path, kind, 2);
  revision = file.revision();
  const std::uint64_t first = file.section<std::uint64_t>(0, "numbers")[0];
  EXPECT_EQ(first % (appends + 1), 0U);
  for (std::size_t commit = 0; commit < file.commits(); ++commit) {
    EXPECT_TRUE(std::ranges::equal(file.section<std::uint64_t>(commit, "numbers"),
                                   numbers_of(first + commit)));
  }
  return first + file.commits() - 1;
}

TEST(CrashedSectionWriter, LeavesTheStepThatItReportedOrTheNext) {
  const TempFolder folder;
  const std::string path = folder / "a";
  FileRevision revision;
  const auto kill = Testing::random_killer(
      "CrashedSectionWriter", [&](std::uint64_t step) { write_step(path, step, revision); });
  int in_a_step = 0;
  Testing::expect_whole_steps(folder, path, 200, kill, [&](std::uint64_t reported) {
    const std::uint64_t step = step_of(path, revision);
    if (step != reported || SectionFile(path, kind, 1).uncommitted_bytes() > 0) ++in_a_step;
    return step;
  });
  EXPECT_GT(in_a_step, 5) << "the writer was never killed while it appended";
}

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
  const TempFolder folder;
  const std::string path = folder / "a";
  const auto kill = Testing::random_killer("CrashedVectorStore",
                                           [&](std::uint64_t step) { save_step(path, step); });
  Testing::expect_whole_steps(folder, path, 60, kill, [&](auto) { return step_of(path); });
}

}  // namespace FileWritersTest
