// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_ENGINE_CALLS_HPP
#define KINDRED_TESTS_SUPPORT_ENGINE_CALLS_HPP

#include <gtest/gtest.h>
#include <kindred/backends/Context.hpp>

#include <cctype>

namespace Kindred::Testing {

/// \brief One way to call an engine, on small seeded data, for tests of guarantees that all of them
/// share.
struct EngineCall {
  /// Calls the engine, on the given space or where the dispatcher chooses; returns the bytes of the
  /// results.
  struct Run {
    std::function<std::string(std::optional<Space>, std::size_t)> call;
    /// \param more queries than by default, all of them other ones
    std::string operator()(std::optional<Space> space, std::size_t more = 0) const {
      return call(space, more);
    }
  };

  std::string name;
  /// Constructs the engine in a context. The result keeps it alive.
  std::function<Run(Context&)> make;
  /// Whether threads that call one engine at once get their own results: it keeps none itself.
  bool is_shared = true;
};

const std::vector<EngineCall>& engine_calls();

/// The name of a test of each of them.
inline std::string name_of_engine_call(const ::testing::TestParamInfo<EngineCall>& info) {
  std::string name = info.param.name;
  std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
  return name;
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_ENGINE_CALLS_HPP
