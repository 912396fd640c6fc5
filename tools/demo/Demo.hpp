// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_DEMO_DEMO_HPP
#define KINDRED_TOOLS_DEMO_DEMO_HPP

#include <kindred/backends/Space.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace Kindred::Tools {

struct GlobalOptions;

struct DemoOptions {
  std::string wordnet = "/usr/share/wordnet";  ///< folder of the four data files
  std::string query = "large feline of forests";
  std::string out = "kindred-demo";  ///< folder of the report and the trace, made if missing
  std::size_t limit = 0;             ///< synsets read of each file, 0 for all
  std::size_t top = 10;              ///< hits told
  std::size_t proof = 2000;          ///< glosses that difflib scores too
  bool sweep = true;
  bool calibrate = true;  ///< measure this machine and keep the profile, if that was never done
  std::string report;     ///< file of the report; empty: in `out`
  std::string trace;      ///< file of the Chrome trace; empty: in `out`
  std::optional<Space> space;
  int threads = 0;
  bool quiet = false;
  bool explain = false;
  bool json = false;
};

/// \brief The main job on WordNet: the answer to stdout, the log with times to stderr, the report
/// and the trace to `out`.
///
/// \returns the exit status: 0 only if the proof holds
/// \throws CorruptFile, NotFound, InvalidArgument, SpaceUnavailable, OutOfMemory
int run_demo(const DemoOptions& options);

/// Adds the command `demo` to \p app.
void add_demo_command(CLI::App& app, const GlobalOptions& globals);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_DEMO_DEMO_HPP
