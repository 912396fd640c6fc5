// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TOOLS_PROGRAM_GLOBAL_OPTIONS_HPP
#define KINDRED_TOOLS_PROGRAM_GLOBAL_OPTIONS_HPP

#include "program/Color.hpp"
#include "program/Program.hpp"

#include <kindred/backends/Space.hpp>

#include <optional>
#include <vector>

namespace Kindred::Tools {

/// Options accepted by every command, before or after its name.
struct GlobalOptions {
  std::optional<Space> space;  ///< unset: the dispatcher chooses
  int threads = 0;             ///< 0: all
  std::optional<int> device;   ///< GPU of the space cuda; unset: the one that Kokkos selects
  bool quiet = false;          ///< print only errors to stderr
  bool explain = false;        ///< print one line of JSON per dispatch to stderr
  bool json = false;           ///< print data as JSON if the command also has a human-readable form
  std::optional<ColorChoice> color;       ///< of --color
  std::string trace;                      ///< path of the Chrome trace; empty: none
  std::string report;                     ///< path of the HTML report; empty: none
  std::vector<std::string> command_line;  ///< program and arguments, for the report
  LoadedLibrary library;                  ///< what a packaged program runs on
};

}  // namespace Kindred::Tools

#endif  // KINDRED_TOOLS_PROGRAM_GLOBAL_OPTIONS_HPP
