// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_LAUNCH_FOR_EACH_INDEX_HPP
#define KINDRED_CORE_LAUNCH_FOR_EACH_INDEX_HPP

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Fence.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/launch/HostPieces.hpp>
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/arch/launch/ProfiledKernel.hpp>
#include <kindred/core/common/Cancellation.hpp>
#include <kindred/core/launch/StartKernel.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace Kindred::Launch {

/// The indices from `begin` up to `end`, or up to a count.
struct Indices {
  Indices(std::uint64_t count) : begin(0), end(count) {}  // NOLINT(google-explicit-constructor)
  Indices(std::uint64_t first, std::uint64_t last) : begin(first), end(std::max(first, last)) {}

  std::uint64_t count() const { return end - begin; }

  std::uint64_t begin;
  std::uint64_t end;
};

namespace Impl {

/// The longest piece of indices of a nanosecond each.
inline constexpr std::uint64_t piece_max = 4096;

/// The length of pieces of at most `piece_max` of \p count indices, of which each of \p threads
/// takes equally many.
inline std::uint64_t piece_length(std::uint64_t count, std::uint64_t threads) {
  const std::uint64_t of_thread = (count - 1) / threads + 1;
  const std::uint64_t rounds = (of_thread - 1) / piece_max + 1;
  return (of_thread - 1) / rounds + 1;
}

/// Pieces of indices, or single ones.
template <class Form, class Index, class Functor>
struct HostItems {
  Functor functor;
  Index begin;
  Index end;
  Index length;  ///< of a piece

  void operator()(const Index& item) const {
    if constexpr (std::is_same_v<Form, Fine>) {
      const Index first = begin + item * length;
      const Index last = end - first < length ? end : first + length;
      for (Index i = first; i < last; ++i) functor(i);
    } else {
      functor(static_cast<Index>(begin + item));
    }
  }
};

template <class Form, class Index, class Functor>
void for_each_index_here(const HostSpace& exec_space, const char* label, const Indices& indices,
                         const Functor& functor) {
  const auto threads = static_cast<std::uint64_t>(std::max(1, Arch::concurrency(exec_space)));
  std::uint64_t length = 1;
  if constexpr (std::is_same_v<Form, Fine>) length = piece_length(indices.count(), threads);
  const std::uint64_t count = (indices.count() - 1) / length + 1;
  const HostItems<Form, Index, Functor> items{functor, Arch::index_extent<Index>(indices.begin),
                                              Arch::index_extent<Index>(indices.end),
                                              static_cast<Index>(length)};
  start_here<Form>(
      [&](const auto& body) {
        // A parallel region of one thread would still wake the others, by a system call.
        if (count == 1 || threads == 1) {
          Arch::run_profiled(exec_space, label, [&] {
            for (std::uint64_t item = 0; item < count; ++item) body(static_cast<Index>(item));
          });
        } else {
          Kokkos::parallel_for(Arch::tool_label(label),
                               Arch::range<Index, ScheduleOf<Form>>(exec_space, count), body);
        }
      },
      items);
}

}  // namespace Impl

/// \brief Runs `functor(index)` for the indices \p indices, which it takes as an \p Index.
///
/// On a device, a functor may declare `threads_max` and `teams_at_once`, which bound the registers.
/// \tparam Form one of those above
/// \throws InvalidArgument for more indices than \p Index or a device counts; Cancelled on the
/// host: the results are then incomplete; OutOfMemory, SpaceUnavailable or DeviceLost
template <class Form = Fine, class Index = std::uint64_t, class ExecutionSpace, class Functor>
void for_each_index(const ExecutionSpace& exec_space, const char* label, const Indices& indices,
                    const Functor& functor) {
  if (indices.count() == 0) return;
  if constexpr (Arch::is_device<ExecutionSpace>) {
    using bounds = typename Impl::BoundsOf<Functor>::type;
    const auto policy = Arch::range<Index, bounds>(exec_space, indices.begin, indices.end);
    Impl::start(label,
                [&](const std::string& name) { Kokkos::parallel_for(name, policy, functor); });
  } else {
    Impl::for_each_index_here<Form, Index>(exec_space, label, indices, functor);
  }
}

/// \brief Work that the threads of a host distribute among themselves. Thread-safe.
class SharedWork {
 public:
  /// Whether the threads are to end: the call was cancelled, or one of them has thrown.
  bool is_over() const noexcept {
    return m_has_failed.load(std::memory_order_relaxed) || m_point.is_cancelled();
  }
  /// Runs the part of a thread: an exception that left a parallel region would end the process.
  template <class Body>
  void run(const Body& body) noexcept {
    try {
      body();
    } catch (...) {
      const std::lock_guard lock(m_mutex);
      if (!m_failure) m_failure = std::current_exception();
      m_has_failed.store(true, std::memory_order_relaxed);
    }
  }
  /// Call it behind the region. \throws what a part has thrown first
  void rethrow() const {
    if (m_failure) std::rethrow_exception(m_failure);
  }

 private:
  Kindred::Impl::CancelPoint m_point;
  std::atomic<bool> m_has_failed{false};
  std::mutex m_mutex;
  std::exception_ptr m_failure;
};

/// \brief Runs `functor(worker, work)` once in each of \p workers threads of a host. It takes parts
/// of the work until `work.is_over()`, and may throw, as libraries do that allocate.
/// \throws the first exception, when all have ended; Cancelled
template <class Functor>
void for_each_worker(const HostSpace& exec_space, const char* label, std::uint64_t workers,
                     const Functor& functor) {
  SharedWork work;
  for_each_index<Coarse>(exec_space, label, workers, [&](const std::uint64_t worker) {
    work.run([&] { functor(worker, std::as_const(work)); });
  });
  work.rethrow();
}

namespace Impl {

/// The indices of a host's threads, each with a sum of its own.
template <class Index, class Sum>
struct SumsOfPieces {
  SumsOfPieces(const HostSpace& host, const char* name, const Indices& all)
      : exec_space(host),
        label(name),
        begin(Arch::index_extent<Index>(all.begin)),
        pieces(host, Arch::index_extent<Index>(all.end) - begin),
        memory(name, pieces.count, sizeof(Sum)) {
    for (std::size_t piece = 0; piece < pieces.count; ++piece) new (memory.of(piece)) Sum{};
  }

  Sum& of(std::size_t piece) const { return *reinterpret_cast<Sum*>(memory.of(piece)); }

  /// Calls `add(index, sum)` for every index, with the sum of its thread.
  template <class Add>
  void for_each(const Add& add) const {
    if (pieces.count == 0) return;
    Arch::for_each_piece(exec_space, label, pieces, [&](const std::size_t piece) {
      Sum sum = of(piece);
      const std::uint64_t end = begin + pieces.begin(piece + 1);
      for (std::uint64_t i = begin + pieces.begin(piece); i < end; ++i)
        add(static_cast<Index>(i), sum);
      of(piece) = sum;
    });
  }

  const HostSpace& exec_space;
  const char* label;
  std::uint64_t begin;
  Arch::Pieces pieces;
  Arch::HostScratch memory;
};

/// The type of the sums of a functor that scans.
template <class Functor, class Index, class Sum>
Sum sum_of(void (Functor::*)(Index, Sum&, bool) const);

}  // namespace Impl

/// \brief The sum of what `functor(index, sum)` adds to `sum`, for the indices \p indices, in any
/// order. Fences.
/// \throws as `for_each_index`
template <class Index = std::uint64_t, class ExecutionSpace, class Functor>
std::uint64_t sum_over_indices(const ExecutionSpace& exec_space, const char* label,
                               const Indices& indices, const Functor& functor) {
  const Kindred::Impl::CancelPoint point;
  point.check();
  std::uint64_t sum = 0;
  if constexpr (Arch::is_device<ExecutionSpace>) {
    const auto policy = Arch::range<Index>(exec_space, indices.begin, indices.end);
    Impl::start(label, [&](const std::string& name) {
      Kokkos::parallel_reduce(name, policy, functor, sum);
      Arch::fence(exec_space, label);
    });
  } else {
    const Impl::SumsOfPieces<Index, std::uint64_t> sums(exec_space, label, indices);
    sums.for_each([&](const Index& index, std::uint64_t& of_piece) { functor(index, of_piece); });
    for (std::size_t piece = 0; piece < sums.pieces.count; ++piece) sum += sums.of(piece);
  }
  point.check();
  return sum;
}

/// \brief The prefix sums of what `functor(index, sum, is_final)` adds to `sum`, for the indices
/// \p indices; with `is_final`, `sum` is that of the indices before. On a host it is called twice
/// for each index.
/// \throws as `for_each_index`
template <class Index = std::uint64_t, class ExecutionSpace, class Functor>
void scan_indices(const ExecutionSpace& exec_space, const char* label, const Indices& indices,
                  const Functor& functor) {
  if constexpr (Arch::is_device<ExecutionSpace>) {
    const auto policy = Arch::range<Index>(exec_space, indices.begin, indices.end);
    Impl::start(label,
                [&](const std::string& name) { Kokkos::parallel_scan(name, policy, functor); });
  } else {
    using sum_type = decltype(Impl::sum_of(&Functor::operator()));
    const Kindred::Impl::CancelPoint point;
    point.check();
    const Impl::SumsOfPieces<Index, sum_type> sums(exec_space, label, indices);
    if (sums.pieces.count > 1)
      sums.for_each([&](const Index& index, sum_type& sum) { functor(index, sum, false); });
    sum_type before{};
    for (std::size_t piece = 0; piece < sums.pieces.count; ++piece)
      before += std::exchange(sums.of(piece), before);
    sums.for_each([&](const Index& index, sum_type& sum) { functor(index, sum, true); });
    point.check();
  }
}

}  // namespace Kindred::Launch

#endif  // KINDRED_CORE_LAUNCH_FOR_EACH_INDEX_HPP
