// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMANDS_HPP
#define KINDRED_PERF_COMMANDS_HPP

#include <functional>

namespace CLI {
class App;
}

namespace Kindred::Perf {

/// Runs the selected command and returns the exit status.
using Action = std::function<int()>;

// Each function adds its command to the application; \p action is set when it is selected.
void add_bandwidth(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_dispatch_quality(CLI::App& app, Action& action);
void add_rows(CLI::App& app, Action& action);
void add_threads(CLI::App& app, Action& action);
void add_peers(CLI::App& app, Action& action);
void add_special(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_delays(CLI::App& app, Action& action);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMANDS_HPP
