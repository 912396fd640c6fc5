// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_PERF_COMMANDS_HPP
#define KINDRED_PERF_COMMANDS_HPP

#include <functional>

namespace CLI {
class App;
}

namespace Kindred::Perf {

/// What runs when a command was chosen; gives the exit status.
using Action = std::function<int()>;

// Each adds its command to the application and sets \p action when it is the one given.
void add_bandwidth(CLI::App& app, Action& action);
void add_sweep(CLI::App& app, Action& action);
void add_dispatch_quality(CLI::App& app, Action& action);
void add_h200(CLI::App& app, Action& action);
void add_published(CLI::App& app, Action& action);
void add_sequence(CLI::App& app, Action& action);
void add_memory(CLI::App& app, Action& action);
void add_hnsw(CLI::App& app, Action& action);
void add_peers(CLI::App& app, Action& action);

}  // namespace Kindred::Perf

#endif  // KINDRED_PERF_COMMANDS_HPP
