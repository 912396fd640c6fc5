// SPDX-License-Identifier: Apache-2.0
#include "Cancellation.hpp"

#include "Arguments.hpp"
#include "Errors.hpp"

#include <memory>
#include <utility>

namespace Kindred::C {

namespace {

enum class ThreadState { nothing_is_set, set, ended };
/// May be used until the thread ends, unlike `of_thread`, which the end of the thread destroys.
thread_local constinit ThreadState thread_state = ThreadState::nothing_is_set;

struct ThreadCancellation {
  SharedCancellation state;
  ~ThreadCancellation() { thread_state = ThreadState::ended; }
};
thread_local ThreadCancellation of_thread;

}  // namespace

SharedCancellation thread_cancellation() noexcept {
  return thread_state == ThreadState::set ? of_thread.state : nullptr;
}

kindred_status kindred_cancellation_create(kindred_cancellation** cancellation) noexcept {
  return guarded([&] {
    require(cancellation, "cancellation");
    const auto state = std::make_shared<CancellationState>();
    auto* const handle = make_handle_of<kindred_cancellation>(state);
    state->handle = handle;
    *cancellation = handle;
  });
}

kindred_status kindred_set_cancellation(kindred_cancellation* cancellation,
                                        kindred_cancellation** before) noexcept {
  return guarded([&] {
    SharedCancellation state;
    if (cancellation != nullptr) state = object_of(cancellation, "cancellation").state;
    KINDRED_C_REFUSE_IF(thread_state == ThreadState::ended,
                        "this thread is ending: its calls can no longer be cancelled");
    const SharedCancellation replaced = std::exchange(of_thread.state, std::move(state));
    thread_state = of_thread.state ? ThreadState::set : ThreadState::nothing_is_set;
    write_optional(before, replaced ? replaced->handle.load() : nullptr);
  });
}

}  // namespace Kindred::C
