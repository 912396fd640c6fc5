// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/common/LibraryFile.hpp>

#include <gtest/gtest.h>

#include <filesystem>

namespace Kindred {

// Programs that link the shared library are tested in tests/library.
TEST(LibraryFile, IsTheProgramThatIsLinkedStatically) {
  EXPECT_EQ(library_file(), std::filesystem::canonical("/proc/self/exe").string());
}

}  // namespace Kindred
