// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_CANCELLABLE_FOR_HPP
#define KINDRED_CORE_ARCH_LAUNCH_CANCELLABLE_FOR_HPP

#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/common/Cancellation.hpp>

#include <cstddef>
#include <string>

namespace Kindred::Arch {

namespace Impl {

/// Skips the work items that are left once the work is cancelled.
template <class Functor>
struct CancellableItems {
  CancellableItems(const Functor& of, const Kindred::Impl::CancelPoint& cancelled_at)
      : functor(of), point(cancelled_at) {}

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

}  // namespace Impl

/// \brief A `Kokkos::parallel_for` that the host ends early, between two work items, if the call
/// was cancelled; for work items of more than a hundred nanoseconds. Does not fence.
/// \throws Cancelled on the host; the results of the launch are then incomplete
template <class Policy, class Functor>
void cancellable_for(const std::string& label, const Policy& policy, const Functor& functor) {
  if constexpr (is_device<typename Policy::execution_space>) {
    Kokkos::parallel_for(label, policy, functor);
  } else {
    const Kindred::Impl::CancelPoint point;
    point.check();
    Kokkos::parallel_for(label, policy, Impl::CancellableItems<Functor>(functor, point));
    point.check();
  }
}

namespace Impl {

/// Several work items of a nanosecond each.
template <class Index, class Functor>
struct CancellableChunks {
  static constexpr Index length = 4096;
  Functor functor;
  Index count;

  void operator()(const Index& chunk) const {
    const Index end = count - chunk * length < length ? count : (chunk + 1) * length;
    for (Index i = chunk * length; i < end; ++i) functor(i);
  }
};

}  // namespace Impl

/// The same for `functor(i)` with every index below \p count, where one takes a few nanoseconds.
template <class Index, class ExecutionSpace, class Functor>
void cancellable_for_each(const std::string& label, const ExecutionSpace& exec_space, Index count,
                          const Functor& functor) {
  if constexpr (is_device<ExecutionSpace>) {
    Kokkos::parallel_for(label, range<Index>(exec_space, count), functor);
  } else {
    using chunks = Impl::CancellableChunks<Index, Functor>;
    cancellable_for(label, range<Index>(exec_space, (count + chunks::length - 1) / chunks::length),
                    chunks{functor, count});
  }
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_CANCELLABLE_FOR_HPP
