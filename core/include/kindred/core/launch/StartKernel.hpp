// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAUNCH_START_KERNEL_HPP
#define KINDRED_CORE_LAUNCH_START_KERNEL_HPP

#include <kindred/core/arch/launch/ProfiledKernel.hpp>
#include <kindred/core/common/Cancellation.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>

/// \brief The ways to start a kernel. Each takes an instance and a label, checks its counts and its
/// scratch before anything starts, shows the kernel to profiling tools under its label, can be
/// cancelled on the host, and throws the errors of the library. None fences, none allocates without
/// a tool, and a count of 0 starts nothing.
namespace Kindred::Launch {

/// \name How the threads of a host share the indices
/// A device ignores it.
/// \{
/// Nanoseconds each: a thread takes them in pieces, and a cancelled call ends between pieces.
struct Fine {};
/// A hundred nanoseconds each or more: a cancelled call ends between them.
struct Coarse {};
/// The same, where they take different times: a thread that has finished its part takes others.
struct Dynamic {};
/// As `Fine`, but never cancelled: the kernel changes what must not be half changed.
struct Finishing {};
/// \}

namespace Impl {

/// Throws the exception in flight as the library's own. \throws OutOfMemory, SpaceUnavailable,
/// DeviceLost
[[noreturn]] void rethrow_failure(const char* label);

/// Calls `begin(label)`, which starts a kernel. \throws OutOfMemory, SpaceUnavailable or DeviceLost
/// if the device refuses it
template <class Begin>
void start(const char* label, const Begin& begin) {
  try {
    begin(Arch::tool_label(label));
  } catch (...) {
    rethrow_failure(label);
  }
}

template <class Form>
using ScheduleOf = Kokkos::Schedule<
    std::conditional_t<std::is_same_v<Form, Dynamic>, Kokkos::Dynamic, Kokkos::Static>>;

/// The bounds on the registers that a functor may declare: `threads_max` and `teams_at_once`.
template <class Functor>
struct BoundsOf {
  using type = Kokkos::LaunchBounds<>;
};
template <class Functor>
requires requires { Functor::threads_max + Functor::teams_at_once; }
struct BoundsOf<Functor> {
  using type = Kokkos::LaunchBounds<Functor::threads_max, Functor::teams_at_once>;
};

/// Skips the items that are left once the work is cancelled.
template <class Functor>
struct UnlessCancelled {
  Functor functor;
  Kindred::Impl::CancelPoint point;

  template <class Item>
  void operator()(const Item& item) const {
    if (!point.is_cancelled()) run(item);
  }

 private:
  // Inlined, it costs kernels up to 4 % (GCC 12), since their loops are then compiled in another
  // way.
  template <class Item>
  [[gnu::noinline]] void run(const Item& item) const {
    functor(item);
  }
};

/// Calls `begin(functor)` on a host with the functor that ends as \p Form says. \throws Cancelled
template <class Form, class Begin, class Functor>
void start_here(const Begin& begin, const Functor& functor) {
  if constexpr (std::is_same_v<Form, Finishing>) {
    begin(functor);
  } else {
    const Kindred::Impl::CancelPoint point;
    point.check();
    begin(UnlessCancelled<Functor>{functor, point});
    point.check();
  }
}

}  // namespace Impl

}  // namespace Kindred::Launch

#endif  // KINDRED_CORE_LAUNCH_START_KERNEL_HPP
