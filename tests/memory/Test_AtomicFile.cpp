// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "Allocations.hpp"
#include "MessageOf.hpp"
#include "TempFolder.hpp"

#include <kindred/memory/AtomicFile.hpp>

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <new>
#include <string_view>

namespace AtomicFileTest {

bool exchange_is_unknown = false, rename_fails = false, proc_is_missing = false;

}  // namespace AtomicFileTest

// These replace functions of the C library. Where a test requests it, they simulate a file system
// that cannot exchange two names, one that has become read-only, and a container without /proc.

extern "C" int rename(const char* from, const char* to) noexcept {
  if (AtomicFileTest::rename_fails) {
    errno = EROFS;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
extern "C" int access(const char* path, int mode) noexcept {
  if (AtomicFileTest::proc_is_missing && std::string_view(path).starts_with("/proc/")) {
    errno = ENOENT;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_faccessat, AT_FDCWD, path, mode));
}
extern "C" int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                         unsigned flags) noexcept {
  if (AtomicFileTest::exchange_is_unknown) {
    errno = EINVAL;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

namespace AtomicFileTest {

using namespace Kindred;
using namespace Testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct stat status_of(const std::string& path) {
  struct stat status {};
  ::stat(path.c_str(), &status);
  return status;
}

/// Replaces the file at \p path by one that contains "new".
void replace(const std::string& path) {
  AtomicFile file(path);
  file.write("new", 3);
  AtomicFile::publish({&file});
}
/// The same for two files, after \p obstruct.
void replace_both(
    const std::string& path, const std::string& other_path,
    const std::function<void()>& obstruct = [] {}) {
  AtomicFile file(path);
  AtomicFile other(other_path);
  for (AtomicFile* const one : {&file, &other}) one->write("new", 3);
  obstruct();
  AtomicFile::publish({&file, &other});
}

struct AtomicFiles : testing::Test {
  const TempFolder folder;
};

TEST_F(AtomicFiles, AppearsWhole) {
  {
    AtomicFile file(folder / "a");
    file.write("one ", 4);
    file.write("two", 3);
    EXPECT_FALSE(std::filesystem::exists(folder / "a"));
    AtomicFile::publish({&file});
  }
  EXPECT_EQ(read_all(folder / "a"), "one two");
  EXPECT_THAT(folder.names(), UnorderedElementsAre("a"));
}

TEST_F(AtomicFiles, LeavesNothingUnlessPublished) {
  folder.write("old", "old");
  {
    AtomicFile file(folder / "new");
    AtomicFile over(folder / "old");
    file.write("x", 1);
    over.write("x", 1);
  }
  EXPECT_THAT(folder.names(), UnorderedElementsAre("old"));
  EXPECT_EQ(read_all(folder / "old"), "old");
}

TEST_F(AtomicFiles, RemovesTemporaryFilesOfAKilledWriter) {
  folder.write("a.tmp123-4", "left");
  folder.write("a.tmp123-4x", "someone else's");
  folder.write("b.tmp123-4", "of another file");
  replace(folder / "a");
  EXPECT_THAT(folder.names(), UnorderedElementsAre("a", "a.tmp123-4x", "b.tmp123-4"));
}

TEST_F(AtomicFiles, PublishesAllOrNone) {
  const auto obstruct = [&] { std::filesystem::create_directory(folder / "second"); };
  const auto fail = [&] { replace_both(folder / "first", folder / "second", obstruct); };
  EXPECT_THAT(message_of<Error>(fail), HasSubstr("renaming failed"));
  EXPECT_THAT(folder.names(), UnorderedElementsAre("second"));
  std::filesystem::remove(folder / "second");
  replace_both(folder / "first", folder / "second");
  EXPECT_THAT(folder.names(), UnorderedElementsAre("first", "second"));
}

/// Publishes over `first`, over a name without a file, and over \p failing, which cannot be
/// replaced.
void expect_nothing_is_lost(const TempFolder& folder, const std::string& failing,
                            const std::function<void()>& obstruct) {
  folder.write("first", "old");
  const auto before = status_of(folder / "first").st_ino;
  {
    AtomicFile first(folder / "first");
    AtomicFile made(folder / "made");
    AtomicFile last(folder / failing);
    AtomicFile never(folder / "never");
    for (AtomicFile* file : {&first, &made, &last, &never}) file->write("new", 3);
    obstruct();
    const auto publish = [&] { AtomicFile::publish({&first, &made, &last, &never}); };
    EXPECT_THAT(message_of<Error>(publish), HasSubstr("the file was left as it was"));
  }
  EXPECT_THAT(folder.names(), UnorderedElementsAre("first", failing));
  EXPECT_EQ(read_all(folder / "first"), "old");
  EXPECT_EQ(status_of(folder / "first").st_ino, before);
}

TEST_F(AtomicFiles, KeepsTheOldFilesWhenALaterOneCannotBeReplaced) {
  for (const bool unknown : {false, true}) {
    exchange_is_unknown = unknown;
    expect_nothing_is_lost(folder, "other",
                           [&] { std::filesystem::create_directories(folder / "other/full"); });
    std::filesystem::remove_all(folder / "other");
    folder.write("second", "old");
    replace_both(folder / "first", folder / "second");
    EXPECT_EQ(read_all(folder / "first") + read_all(folder / "second"), "newnew");
    EXPECT_THAT(folder.names(), UnorderedElementsAre("first", "second"));
    std::filesystem::remove(folder / "second");
  }
  exchange_is_unknown = false;
}

TEST_F(AtomicFiles, SaysWhereTheOldContentsAreIfTheyCannotBePutBack) {
  folder.write("first", "old");
  const auto publish = [&] {
    replace_both(folder / "first", folder / "second", [] { rename_fails = true; });
  };
  const std::string message = message_of<Error>(publish);
  rename_fails = false;
  EXPECT_EQ(read_all(folder / "first"), "new");
  const std::string marker = "first has been replaced, and its old contents are in ";
  ASSERT_THAT(message, HasSubstr(marker));
  EXPECT_EQ(read_all(message.substr(message.find(marker) + marker.size())), "old");
}

TEST_F(AtomicFiles, NeedNoProc) {
  proc_is_missing = true;
  folder.write("a.tmp123-4", "left");
  replace_both(folder / "a", folder / "b");
  replace_both(folder / "a", folder / "b");
  { const AtomicFile unpublished(folder / "c"); }
  EXPECT_EQ(read_all(folder / "a") + read_all(folder / "b"), "newnew");
  EXPECT_THAT(folder.names(), UnorderedElementsAre("a", "b"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { AtomicFile(folder / (std::string(256, 'n'))); }),
              HasSubstr("cannot be written"));
  proc_is_missing = false;
}

/// For its lifetime, this thread accesses files as another user.
class AnotherUser {
 public:
  AnotherUser() : m_before(::setfsuid(65534)) {}
  ~AnotherUser() { ::setfsuid(static_cast<uid_t>(m_before)); }
  AnotherUser(const AnotherUser&) = delete;
  AnotherUser& operator=(const AnotherUser&) = delete;

 private:
  int m_before;
};

TEST_F(AtomicFiles, KeepsTheOldFilesInAStickyFolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to act as two users";
  ::chmod((folder / "").c_str(), 01777);
  folder.write("mine", "another user's");  // others may read and write it, but not replace it
  ::chmod((folder / "mine").c_str(), 0666);
  {
    const AnotherUser nobody;
    expect_nothing_is_lost(folder, "mine", [] {});
  }
  EXPECT_EQ(read_all(folder / "mine"), "another user's");
}

TEST_F(AtomicFiles, KeepsTheOldFilesWhenOneIsImmutable) {
  folder.write("fixed", "fixed");
  const int file = ::open((folder / "fixed").c_str(), O_RDONLY | O_CLOEXEC);
  int flags = FS_IMMUTABLE_FL;
  const bool possible = ::ioctl(file, FS_IOC_SETFLAGS, &flags) == 0;
  if (possible) expect_nothing_is_lost(folder, "fixed", [] {});
  flags = 0;
  ::ioctl(file, FS_IOC_SETFLAGS, &flags);
  ::close(file);
  EXPECT_EQ(read_all(folder / "fixed"), "fixed");
  if (!possible) GTEST_SKIP() << "needs a file system and a user that can make files immutable";
}

/// Every allocation fails once, also those of the search for temporaries that were left behind.
TEST_F(AtomicFiles, AFailedAllocationLeavesTheOldFiles) {
  const std::string paths[] = {folder / "first", folder / "second", folder / "third"};
  std::size_t failures = 0;
  for (bool done = false; !done;) {
    for (const char* name : {"first", "second"}) folder.write(name, "old");
    std::filesystem::remove(paths[2]);
    folder.write("first.tmp999999999-0", "of a writer that has ended");
    fail_allocation(failures + 1);
    try {
      AtomicFile first(paths[0]);
      AtomicFile second(paths[1]);
      AtomicFile third(paths[2]);
      for (AtomicFile* file : {&first, &second, &third}) file->write("new", 3);
      AtomicFile::publish({&first, &second, &third});
      done = true;
    } catch (const std::bad_alloc&) {
      ++failures;
    }
    fail_allocation(0);
    const std::string expected = done ? "new" : "old";
    EXPECT_EQ(read_all(paths[0]), expected) << "allocation " << failures;
    EXPECT_EQ(read_all(paths[1]), expected) << "allocation " << failures;
    EXPECT_EQ(std::filesystem::exists(paths[2]), done) << "allocation " << failures;
    for (const std::string& name : folder.names())
      EXPECT_EQ(name.find(".tmp" + std::to_string(::getpid())), name.npos) << name;
  }
  EXPECT_GT(failures, 10U);
  EXPECT_THAT(folder.names(), UnorderedElementsAre("first", "second", "third"));
}

TEST_F(AtomicFiles, CanBeWrittenToAPathOnlyOnce) {
  folder.write("a", "old");
  std::filesystem::create_symlink("a", folder / "link");
  const auto twice = [&] { replace_both(folder / "a", folder / "./link"); };
  EXPECT_THAT(message_of<InvalidArgument>(twice), HasSubstr("link: is written twice"));
  EXPECT_EQ(read_all(folder / "a"), "old");
}

TEST_F(AtomicFiles, KeepsPermissionsAndOwner) {
  const mode_t mask = ::umask(027);
  for (const mode_t mode : {0600U, 0444U, 0664U, 0755U}) {
    folder.write("a", "old");
    ::chmod((folder / "a").c_str(), mode);
    replace(folder / "a");
    EXPECT_EQ(read_all(folder / "a"), "new");
    EXPECT_EQ(status_of(folder / "a").st_mode & 07777U, mode);
  }
  replace(folder / "b");
  EXPECT_EQ(status_of(folder / "b").st_mode & 07777U, 0640U)
      << "a new file has the permissions that the umask leaves";
  ::umask(mask);
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown((folder / "a").c_str(), 65534, 65533), 0);
  replace(folder / "a");
  EXPECT_EQ(status_of(folder / "a").st_uid, 65534U);
  EXPECT_EQ(status_of(folder / "a").st_gid, 65533U);
  // Another user cannot restore the file's owner and group: the group gets the permissions of
  // others.
  ASSERT_EQ(::chown((folder / "a").c_str(), 0, 65533), 0);
  ASSERT_EQ(::chmod((folder / "a").c_str(), 0664), 0);
  ASSERT_EQ(::chmod((folder / "").c_str(), 0777), 0);
  {
    const AnotherUser nobody;
    replace(folder / "a");
  }
  EXPECT_EQ(status_of(folder / "a").st_uid, 65534U);
  EXPECT_EQ(status_of(folder / "a").st_mode & 07777U, 0644U);
}

TEST_F(AtomicFiles, FollowsASymbolicLink) {
  std::filesystem::create_directory(folder / "far");
  folder.write("far/a", "old");
  std::filesystem::create_symlink("far/a", folder / "link");
  std::filesystem::create_symlink("link", folder / "again");
  replace(folder / "again");
  EXPECT_EQ(read_all(folder / "far/a"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "again"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_THAT(folder.names(), UnorderedElementsAre("far", "link", "again"));
  std::filesystem::remove(folder / "far/a");
  EXPECT_THAT(message_of<InvalidArgument>([&] { AtomicFile(folder / "link"); }),
              HasSubstr("is a symbolic link to a file that does not exist"));
  std::filesystem::create_symlink("round", folder / "round");
  EXPECT_THROW(AtomicFile(folder / "round"), InvalidArgument);
}

TEST_F(AtomicFiles, MayHaveTheLongestName) {
  const std::string name = std::string(254, 'n') + "1";
  for (int i = 0; i < 2; ++i) replace_both(folder / name, folder / (std::string(254, 'n') + "2"));
  EXPECT_EQ(folder.names().size(), 2U);
  EXPECT_THROW(AtomicFile(folder / (name + "n")), InvalidArgument);
}

TEST_F(AtomicFiles, RejectsAPathItCannotWriteTo) {
  for (const std::string& path :
       {folder / "none/a", folder / ".", std::string("/dev/null"), std::string(), folder / "new/"})
    EXPECT_THROW(AtomicFile{path}, InvalidArgument) << path;
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST_F(AtomicFiles, ReportsThatWritingFailed) {
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  {
    AtomicFile file(folder / "a");
    const rlimit small{4, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const auto message = message_of<Error>([&] { file.write("123456789", 9); });
    ::setrlimit(RLIMIT_FSIZE, &old);
    EXPECT_THAT(message, HasSubstr("writing failed"));
  }
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(folder.names(), IsEmpty());
}

}  // namespace AtomicFileTest
