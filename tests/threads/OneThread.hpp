// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_THREADS_ONE_THREAD_HPP
#define KINDRED_TESTS_THREADS_ONE_THREAD_HPP

#include <kindred/backends/Context.hpp>

#include <random>
#include <thread>
#include <vector>

#include "Support.hpp"
#include "ThreadSanitizer.hpp"

namespace Kindred::Testing {

/// \brief The context for tests of threads, which use the single-threaded space.
///
/// ThreadSanitizer runs these tests too, because the program starts the threads itself. \see
/// thread_sanitizer
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

/// Normally distributed numbers.
inline std::vector<float> random_values(std::mt19937_64& generator, std::size_t count) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(generator);
  return values;
}

/// Runs `body(caller)` on \p callers threads concurrently.
template <class Body>
void by_threads(std::size_t callers, const Body& body) {
  std::vector<std::jthread> threads;
  for (std::size_t caller = 0; caller < callers; ++caller)
    threads.emplace_back([&body, caller] { body(caller); });
}

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_THREADS_ONE_THREAD_HPP
