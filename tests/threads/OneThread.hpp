// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_THREADS_ONE_THREAD_HPP
#define KINDRED_TESTS_THREADS_ONE_THREAD_HPP

#include <kindred/backends/Context.hpp>

#include <thread>
#include <vector>

#include "Support.hpp"

namespace Kindred::Testing {

/// \brief The context of the tests of threads, which use the space of one thread.
///
/// They are compiled for ThreadSanitizer too, which does not know the OpenMP runtime: the threads
/// are the program's own.
inline Context& one_thread() {
  static Context context([] {
    ContextOptions options;
    options.threads = 1;
    options.space = Space::serial;
    options.load_profile = false;
    return options;
  }());
  return context;
}

#if defined(__SANITIZE_THREAD__)
inline constexpr bool only_one_thread = true;
#else
inline constexpr bool only_one_thread = false;
#endif

/// The context of engines that are asked on any space: all spaces but under ThreadSanitizer.
inline Context& any_context() { return only_one_thread ? one_thread() : context(); }
inline std::vector<Space> any_spaces() {
  return only_one_thread ? std::vector<Space>{Space::serial} : spaces();
}

/// `body(caller)` by \p callers threads concurrently.
template <class Body>
void by_threads(std::size_t callers, const Body& body) {
  std::vector<std::jthread> threads;
  for (std::size_t caller = 0; caller < callers; ++caller)
    threads.emplace_back([&body, caller] { body(caller); });
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_THREADS_ONE_THREAD_HPP
