// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "TempFolder.hpp"

#include <kindred/backends/AtomicFile.hpp>
#include <kindred/core/common/Error.hpp>

#include <sys/resource.h>

#include <csignal>

namespace {

using namespace Kindred;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Testing::TempFolder;
using ::testing::UnorderedElementsAre;

TEST(AtomicFile, AppearsWhole) {
  const TempFolder folder;
  {
    AtomicFile file(folder / "a");
    file.write("one ", 4);
    file.write("two", 3);
    EXPECT_FALSE(std::filesystem::exists(folder / "a"));
    AtomicFile::publish({&file});
  }
  EXPECT_EQ(Testing::read_all(folder / "a"), "one two");
  EXPECT_THAT(folder.names(), UnorderedElementsAre("a"));
}

TEST(AtomicFile, LeavesNothingUnlessPublished) {
  const TempFolder folder;
  folder.write("old", "old");
  {
    AtomicFile file(folder / "new");
    AtomicFile over(folder / "old");
    file.write("x", 1);
    over.write("x", 1);
  }
  EXPECT_THAT(folder.names(), UnorderedElementsAre("old"));
  EXPECT_EQ(Testing::read_all(folder / "old"), "old");
}

TEST(AtomicFile, RemovesWhatAKilledWriterLeft) {
  const TempFolder folder;
  folder.write("a.tmp123-4", "left");
  folder.write("a.tmp123-4x", "someone else's");
  folder.write("b.tmp123-4", "of another file");
  AtomicFile file(folder / "a");
  AtomicFile::publish({&file});
  EXPECT_THAT(folder.names(), UnorderedElementsAre("a", "a.tmp123-4x", "b.tmp123-4"));
}

TEST(AtomicFile, PublishesAllOrNone) {
  const TempFolder folder;
  {
    AtomicFile first(folder / "first");
    AtomicFile second(folder / "second");
    first.write("1", 1);
    second.write("2", 1);
    std::filesystem::create_directory(folder / "second");
    EXPECT_THAT(Testing::message_of<Error>([&] {
                  AtomicFile::publish({&first, &second});
                }),
                HasSubstr("renaming failed"));
  }
  EXPECT_THAT(folder.names(), UnorderedElementsAre("second"));
  std::filesystem::remove(folder / "second");
  {
    AtomicFile first(folder / "first");
    AtomicFile second(folder / "second");
    AtomicFile::publish({&first, &second});
  }
  EXPECT_THAT(folder.names(), UnorderedElementsAre("first", "second"));
}

TEST(AtomicFile, RefusesAPlaceItCannotWriteTo) {
  const TempFolder folder;
  EXPECT_THROW(AtomicFile(folder / "none/a"), InvalidArgument);
  EXPECT_THROW(AtomicFile(folder / "."), InvalidArgument);
  EXPECT_THROW(AtomicFile("/dev/null"), InvalidArgument);
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(AtomicFile, TellsThatNoMoreCanBeWritten) {
  const TempFolder folder;
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  {
    AtomicFile file(folder / "a");
    const rlimit small{4, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const auto message = Testing::message_of<Error>([&] { file.write("123456789", 9); });
    ::setrlimit(RLIMIT_FSIZE, &old);
    EXPECT_THAT(message, HasSubstr("writing failed"));
  }
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(folder.names(), IsEmpty());
}

}  // namespace
