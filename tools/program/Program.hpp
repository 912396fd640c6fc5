// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_PROGRAM_HPP
#define KINDRED_TOOLS_PROGRAM_PROGRAM_HPP

#include <exception>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace Kindred::Tools {

struct GlobalOptions;

/// The build of libkindred.so that a packaged `kindred` opened; empty for a program that contains
/// the library.
struct LoadedLibrary {
  std::string name;  ///< `host`, or of the folder of a library with CUDA: `cuda-90`
  std::string why;   ///< why it was chosen, for people

  bool is_for_hosts() const { return name == "host"; }
};

/// The version of this program, what it was built from and with, and its spaces or the library in
/// use, one line each.
std::string version_text(const LoadedLibrary& library);
/// The version and the commit of this program.
std::string version_and_commit();

/// Exit statuses of the process.
enum class ExitStatus : int { ok = 0, runtime = 1, usage = 2, input = 3, out_of_memory = 4 };

/// The exit status for \p error.
ExitStatus exit_status(const std::exception& error) noexcept;

/// Runs the program, which defines this function: parses the arguments, and converts every
/// exception to a line on stderr and an exit status.
/// \param library the build of libkindred.so in use; not set if the program is linked statically
int run(int argc, const char* const* argv, const LoadedLibrary& library = {});

/// \brief Gives \p app what every program has: the global options, --version and colours.
/// \param group heading of the global options in the help
void prepare(CLI::App& app, GlobalOptions& global, const char* group, int argc,
             const char* const* argv, const LoadedLibrary& library);

/// \brief Parses the arguments and runs what they select.
/// \return the exit status, after a line on stderr if it is an error
int parse(CLI::App& app, int argc, const char* const* argv);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRAM_PROGRAM_HPP
