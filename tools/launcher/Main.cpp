// SPDX-License-Identifier: Apache-2.0
// The programs of packages, which contain nothing of Kindred but the loader: they open the
// build of libkindred.so that suits the machine, and then the commands, which are bound to that
// build.
#include "CommandsFile.hpp"
#include "launcher/CommandEntry.hpp"
#include "program/WaitPolicy.hpp"

#include <kindred/loader/LibraryChoice.hpp>

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace {

/// The file of the commands in the installation of \p program.
std::filesystem::path commands_of(const std::filesystem::path& program) {
  return (program.parent_path() / KINDRED_COMMANDS).lexically_normal();
}

int run(int argc, char** argv) {
  std::error_code failed;
  std::filesystem::path file = commands_of(std::filesystem::canonical("/proc/self/exe", failed));
  // If the system's loader was started with the program as an argument, it is that file.
  if (!std::filesystem::exists(file, failed) && argc > 0) {
    const std::filesystem::path program = std::filesystem::canonical(argv[0], failed);
    if (!failed) file = commands_of(program);
  }
  const std::string folder = file.parent_path().string();
  const Kindred::Loader::LibraryChoice choice =
      Kindred::Loader::open_library(folder, std::getenv("KINDRED_LIBRARY"));
  void* const commands = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (commands == nullptr) throw std::runtime_error(dlerror());
  const auto entry =
      reinterpret_cast<Kindred::Tools::CommandEntry*>(dlsym(commands, KINDRED_COMMAND_ENTRY));
  if (entry == nullptr) throw std::runtime_error(dlerror());
  return entry(argc, argv, choice.name.c_str(), choice.why.c_str());
}

int fail(const std::exception& error, int status) {
  std::fprintf(stderr, "kindred: error: %s\n", error.what());
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  // The runtime, which reads the variables, is not loaded yet.
  Kindred::Tools::prefer_passive_waiting();
  try {
    return run(argc, argv);
  } catch (const std::invalid_argument& error) {
    return fail(error, 2);
  } catch (const std::exception& error) {
    return fail(error, 1);
  }
}
