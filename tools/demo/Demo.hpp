// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_DEMO_DEMO_HPP
#define KINDRED_TOOLS_DEMO_DEMO_HPP

#include <cstddef>
#include <optional>
#include <string>

#include <kindred/backends/Space.hpp>

namespace CLI {
class App;
}  // namespace CLI

namespace Kindred::Tools {

struct GlobalOptions;

struct DemoOptions {
  std::string wordnet = "/usr/share/wordnet";  ///< folder of the four data files
  std::string query = "large feline of forests";
  std::string out = "kindred-demo";  ///< folder of the report and the trace, made if missing
  std::size_t limit = 0;             ///< synsets read from each file, 0 for all
  std::size_t top = 10;              ///< hits printed
  std::size_t proof = 2000;          ///< glosses that difflib scores too
  bool sweep = true;
  std::string trace;   ///< file of the Chrome trace; empty: in `out`
  std::string report;  ///< file of the report; empty: in `out`
  std::optional<Space> space;
  int threads = 0;
  bool quiet = false;
  bool explain = false;
};

/// \brief The main job on WordNet: the ranking to stdout, the log to stderr, report and trace to
/// `out`.
///
/// \returns the exit status: 0 only if the proof holds
/// \throws CorruptFile, NotFound, InvalidArgument, SpaceUnavailable, OutOfMemory
int run_demo(const DemoOptions& options);

/// Adds the command `demo` to \p app.
void add_demo_command(CLI::App& app, const GlobalOptions& globals);

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_DEMO_DEMO_HPP
