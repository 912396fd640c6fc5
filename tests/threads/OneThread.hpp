// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_TESTS_THREADS_ONE_THREAD_HPP
#define KINDRED_TESTS_THREADS_ONE_THREAD_HPP

#include <kindred/backends/Context.hpp>

namespace Kindred::Testing {

/// \brief The context of all tests of threads, which use the space of one thread.
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

}  // namespace Kindred::Testing

#endif  // KINDRED_TESTS_THREADS_ONE_THREAD_HPP
