// SPDX-License-Identifier: Apache-2.0
#include "program/Program.hpp"

#include "BuildInfo.hpp"
#include "Commit.hpp"

#include <kindred/Version.hpp>

#include <fmt/format.h>

namespace Kindred::Tools {

std::string version_text(const LoadedLibrary& library) {
  return fmt::format("kindred {}\ncommit    {}{}\ncompiler  {}\nKokkos    {}\n{}   {}",
                     KINDRED_VERSION_STRING, KINDRED_COMMIT,
                     KINDRED_COMMIT_DIRTY ? " with changes" : "", KINDRED_BUILD_COMPILER,
                     KINDRED_BUILD_KOKKOS, library.name.empty() ? "spaces " : "library",
                     library.name.empty() ? KINDRED_BUILD_SPACES : library.name);
}

std::string version_and_commit() {
  return fmt::format("{}, commit {}{}", KINDRED_VERSION_STRING, KINDRED_COMMIT,
                     KINDRED_COMMIT_DIRTY ? " with changes" : "");
}

}  // namespace Kindred::Tools
