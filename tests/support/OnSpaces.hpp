// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_SUPPORT_ON_SPACES_HPP
#define KINDRED_TESTS_SUPPORT_ON_SPACES_HPP

#include <gtest/gtest.h>
#include <kindred/backends/impl/Instances.hpp>
#include <kindred/core/arch/Spaces.hpp>

#include "Support.hpp"

namespace Kindred::Testing {

/// Calls `body(exec_space)` or `body(exec_space, space)` with the instance of every usable space.
template <class Body>
void on_spaces(const Body& body) {
  for (const Space space : spaces()) {
    SCOPED_TRACE(to_string(space));
    Impl::with_instance(context(), space, [&](const auto& exec_space) {
      if constexpr (std::is_invocable_v<Body, decltype(exec_space), Space>) {
        body(exec_space, space);
      } else {
        body(exec_space);
      }
    });
  }
}

/// The same with the instances on the host.
template <class Body>
void on_hosts(const Body& body) {
  on_spaces([&]<class ExecutionSpace>(const ExecutionSpace& exec_space, Space space) {
    if constexpr (Arch::is_device<ExecutionSpace>) {
    } else if constexpr (std::is_invocable_v<Body, const ExecutionSpace&, Space>) {
      body(exec_space, space);
    } else {
      body(exec_space);
    }
  });
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_SUPPORT_ON_SPACES_HPP
