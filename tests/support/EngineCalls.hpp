// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_ENGINE_CALLS_HPP
#define KINDRED_TESTS_SUPPORT_ENGINE_CALLS_HPP

#include <kindred/backends/Context.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace Kindred::Testing {

/// \brief One way to call an engine, on small seeded data, for tests of guarantees that all of them
/// share.
struct EngineCall {
  /// Calls the engine, on the given space or where the dispatcher chooses; returns the bytes of the
  /// answer.
  using Run = std::function<std::string(std::optional<Space>)>;

  std::string name;
  /// Constructs the engine in a context. The result keeps it alive.
  std::function<Run(Context&)> make;
};

const std::vector<EngineCall>& engine_calls();

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_ENGINE_CALLS_HPP
