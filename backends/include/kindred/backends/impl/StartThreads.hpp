// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_BACKENDS_IMPL_START_THREADS_HPP
#define KINDRED_BACKENDS_IMPL_START_THREADS_HPP

#include <kindred/backends/impl/HostResources.hpp>
#include <kindred/core/common/Error.hpp>
#include <kindred/core/common/Mutex.hpp>

#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace Kindred::Impl {

/// `<what> cannot be started`, with the reason of the system and what to do.
std::string cannot_be_started(const std::string& what, const std::string& reason);

/// \brief Starts a thread of the library. It may use all processors of the process, whatever the
/// calling thread is bound to.
/// \tparam Thread `std::thread` or `std::jthread`
/// \param what names the thread in messages
/// \throws Error if the system starts no more threads; SpaceUnavailable in a forked process
template <class Thread = std::thread, class Body>
Thread start_thread(const char* what, Body body) {
  require_same_process();  // where the locks of the thread would throw, too
  try {
    return Thread([body = std::move(body)]() mutable {
      keep_thread_to_part(0, 1);
      body();
    });
  } catch (const std::system_error& error) {
    throw Error(cannot_be_started(what, error.code().message()));
  }
}

/// \brief Starts \p count threads that exist at the same time, with the stacks of OpenMP's threads,
/// and ends them.
/// \return why the system does not start them; empty if it does
std::string why_threads_cannot_start(int count);

/// \brief Starts the OpenMP threads of parallel regions of \p threads threads of the calling
/// thread; does nothing if they exist, or within a parallel region.
///
/// The OpenMP runtime of GCC ends the process if it cannot start a thread, so threads of our own
/// are started first.
/// \throws SpaceUnavailable if they cannot be started
void start_team(int threads);

}  // namespace Kindred::Impl

#endif  // KINDRED_BACKENDS_IMPL_START_THREADS_HPP
