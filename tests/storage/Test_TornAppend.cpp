// SPDX-License-Identifier: Apache-2.0
// What a power failure leaves of an append: of the writes since the last sync, any may be lost, and
// any may be torn.
#include "MemoryFile.hpp"
#include "TempFolder.hpp"
#include "storage/SectionFile.hpp"
#include "storage/SectionWriter.hpp"

#include <kindred/core/common/Error.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

namespace TornAppendTest {

/// A call that changes the contents of a file, or makes them durable.
struct Step {
  enum class Kind { write, truncate, sync } kind;
  std::size_t offset = 0;  ///< of a write; the new size of a file that is truncated
  std::string bytes = {};
};
std::vector<Step>* recorded = nullptr;

}  // namespace TornAppendTest

// Replace the functions of the C library, to record their calls.
extern "C" ssize_t pwrite(int file, const void* data, std::size_t bytes, off_t offset) {
  using namespace TornAppendTest;
  if (recorded != nullptr) {
    recorded->push_back({Step::Kind::write,
                         static_cast<std::size_t>(offset),
                         {static_cast<const char*>(data), bytes}});
  }
  return static_cast<ssize_t>(::syscall(SYS_pwrite64, file, data, bytes, offset));
}
extern "C" int ftruncate(int file, off_t size) noexcept {
  using namespace TornAppendTest;
  if (recorded != nullptr)
    recorded->push_back({Step::Kind::truncate, static_cast<std::size_t>(size)});
  return static_cast<int>(::syscall(SYS_ftruncate, file, size));
}
extern "C" int fsync(int file) {
  using namespace TornAppendTest;
  if (recorded != nullptr) recorded->push_back({Step::Kind::sync});
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace TornAppendTest {

using namespace Kindred;
using namespace Testing;
using namespace Kindred::Impl;

constexpr const char* kind = "numbers";

/// The bytes of a file, and its state.
struct Stored {
  std::string bytes;
  FileRevision revision;
};

/// What a commit contains.
std::vector<std::uint64_t> numbers_of(std::uint64_t commit) {
  std::vector<std::uint64_t> numbers(3 + commit);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 100 * commit + i + 1;
  return numbers;
}

FileRevision write_commit(SectionWriter writer, std::uint64_t commit) {
  const std::vector<std::uint64_t> numbers = numbers_of(commit);
  writer.write<std::uint64_t>("numbers", numbers);
  writer.write<std::uint8_t>("bytes",
                             std::array<std::uint8_t, 2>{static_cast<std::uint8_t>(commit), 7});
  return writer.commit();
}

/// A file of one commit.
Stored saved() {
  const TempFolder folder;
  const FileRevision revision = write_commit(SectionWriter(folder / "a", kind), 0);
  return {read_all(folder / "a"), revision};
}

/// Appends a commit to a file. \param steps receives the calls that were made
Stored appended(const Stored& before, std::vector<Step>* steps = nullptr) {
  const MemoryFile file;
  file.set(before.bytes);
  recorded = steps;
  const FileRevision revision =
      write_commit(SectionWriter(file.path(), kind, before.revision), before.revision.commits);
  recorded = nullptr;
  return {read_all(file.path()), revision};
}

void apply(const Step& step, std::string& file) {
  if (step.kind == Step::Kind::truncate) {
    file.resize(step.offset, '\0');
  } else if (step.kind == Step::Kind::write) {
    file.resize(std::max(file.size(), step.offset + step.bytes.size()), '\0');
    file.replace(step.offset, step.bytes.size(), step.bytes);
  }
}

/// The ways in which \p write may be torn when \p file lies on the disk.
std::vector<Step> torn(const Step& write, const std::string& file) {
  std::string old = file.substr(std::min(write.offset, file.size()), write.bytes.size());
  old.resize(write.bytes.size(), '\0');
  std::vector<Step> out;
  for (std::size_t at = 0; at <= write.bytes.size(); ++at) {
    const std::string begin = write.bytes.substr(0, at);
    out.push_back({Step::Kind::write, write.offset, begin + old.substr(at)});
    out.push_back({Step::Kind::write, write.offset, old.substr(0, at) + write.bytes.substr(at)});
    for (const char filling : {'\0', '\xA5'})
      out.push_back(
          {Step::Kind::write, write.offset, begin + std::string(write.bytes.size() - at, filling)});
  }
  return out;
}

/// Calls `check(file)` for everything that a power failure within \p steps may leave of \p durable.
template <class Check>
void for_each_crash(std::string durable, std::span<const Step> steps, const Check& check) {
  while (true) {
    const auto sync = std::find_if(steps.begin(), steps.end(),
                                   [](const Step& step) { return step.kind == Step::Kind::sync; });
    const auto pending = steps.first(static_cast<std::size_t>(sync - steps.begin()));
    ASSERT_LE(pending.size(), 10U) << "too many subsets";
    for (std::uint64_t kept = 0; kept < std::uint64_t{1} << pending.size(); ++kept) {
      std::string file = durable;
      for (std::size_t i = 0; i < pending.size(); ++i)
        if ((kept >> i & 1U) != 0) apply(pending[i], file);
      check(file);
    }
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if (pending[i].kind != Step::Kind::write) continue;
      for (const bool others : {false, true}) {
        std::string file = durable;
        for (std::size_t before = 0; before < i && others; ++before) apply(pending[before], file);
        for (const Step& step : torn(pending[i], file)) {
          std::string left = file;
          apply(step, left);
          for (std::size_t later = i + 1; later < pending.size() && others; ++later)
            apply(pending[later], left);
          check(left);
        }
      }
    }
    for (const Step& step : pending) apply(step, durable);
    if (sync == steps.end()) return;
    steps = steps.subspan(pending.size() + 1);
  }
}

/// The state of a file, all of whose commits must be as they were written.
FileRevision revision_of_file(const std::string& bytes) {
  const MemoryFile file;
  file.set(bytes);
  const SectionFile loaded(file.path(), kind, 1);
  for (std::size_t commit = 0; commit < loaded.commits(); ++commit)
    EXPECT_TRUE(
        std::ranges::equal(loaded.section<std::uint64_t>(commit, "numbers"), numbers_of(commit)));
  EXPECT_EQ(loaded.revision().commits, loaded.commits());
  return loaded.revision();
}

/// Whatever is left of an append to \p before holds the old or the new contents, and can be
/// appended to.
void expect_old_or_new(const Stored& before) {
  std::vector<Step> steps;
  const Stored after = appended(before, &steps);
  ASSERT_EQ(revision_of_file(before.bytes), before.revision);
  ASSERT_EQ(revision_of_file(after.bytes), after.revision);
  ASSERT_EQ(after.revision.commits, before.revision.commits + 1);
  ASSERT_EQ(steps.back().kind, Step::Kind::sync) << "the commit was not made durable";
  std::set<std::string> seen;
  std::set<std::uint64_t> found;
  for_each_crash(before.bytes, steps, [&](const std::string& left) {
    if (!seen.insert(left).second) return;
    FileRevision revision;
    ASSERT_NO_THROW(revision = revision_of_file(left)) << "after " << seen.size() << " crashes";
    ASSERT_TRUE(revision == before.revision || revision == after.revision);
    found.insert(revision.commits);
    const Stored next = appended({left, revision});
    ASSERT_EQ(revision_of_file(next.bytes), next.revision);
    ASSERT_EQ(next.revision.commits, revision.commits + 1);
  });
  EXPECT_EQ(found.size(), 2U) << "an append that was cut short has both outcomes";
  EXPECT_GT(seen.size(), 500U);
}

TEST(TornAppend, LeavesTheOldOrTheNewContents) {
  expect_old_or_new(saved());
  const Stored file = appended(saved());
  expect_old_or_new(file);
  // Behind the file is the data of an append that was not finished.
  expect_old_or_new({file.bytes + std::string(100, 'x'), file.revision});
  // The first slot of the header is torn.
  for (const std::size_t at : {std::size_t{0}, std::size_t{33}, sizeof(SectionHeader) - 1}) {
    Stored torn = file;
    torn.bytes[at] ^= 1;
    expect_old_or_new(torn);
  }
}

TEST(TornAppend, LosesAFileOnlyWithBothSlotsOfTheHeader) {
  const Stored file = appended(saved());
  const std::size_t second = file.bytes.size() - sizeof(SectionHeader);
  ASSERT_EQ(file.bytes.substr(second), file.bytes.substr(0, sizeof(SectionHeader)));
  for (std::size_t at = 0; at < sizeof(SectionHeader); ++at) {
    std::string lost = file.bytes;
    lost[at] ^= 1;
    EXPECT_EQ(revision_of_file(lost), file.revision) << "never an older state";
    lost[second + (at + 5) % sizeof(SectionHeader)] ^= 1;
    EXPECT_THROW(revision_of_file(lost), CorruptFile);
  }
}

}  // namespace TornAppendTest
