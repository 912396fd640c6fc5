// SPDX-License-Identifier: Apache-2.0
#ifndef KINDRED_CORE_ARCH_LAUNCH_HOST_PIECES_HPP
#define KINDRED_CORE_ARCH_LAUNCH_HOST_PIECES_HPP

#include <kindred/core/arch/Concurrency.hpp>
#include <kindred/core/arch/Spaces.hpp>
#include <kindred/core/arch/launch/Policies.hpp>
#include <kindred/core/arch/launch/ProfiledKernel.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

/// \brief How threads of a host share a kernel whose items need scratch.
///
/// The scratch is allocated before the threads start, not by Kokkos: where it cannot allocate,
/// Kokkos leaves memory in an instance that it has freed (4.7), and the next kernel uses it.
namespace Kindred::Arch {

/// \brief Scratch of the threads of one kernel. The calling thread keeps the memory for its next
/// kernel.
class HostScratch {
 public:
  /// So that no two threads share a cache line.
  static constexpr std::size_t alignment = 64;

  /// \throws OutOfMemory
  HostScratch(const char* label, std::size_t pieces, std::size_t piece_bytes);
  ~HostScratch();
  HostScratch(const HostScratch&) = delete;
  HostScratch& operator=(const HostScratch&) = delete;

  std::byte* of(std::size_t piece) const noexcept { return m_begin + piece * m_piece_bytes; }

 private:
  std::unique_ptr<std::byte[]> m_memory;
  std::size_t m_bytes = 0;
  std::size_t m_piece_bytes;
  std::byte* m_begin = nullptr;
};

/// A number of items, divided into pieces of nearly the same length.
struct Pieces {
  /// One for each thread of \p exec_space, or for each item if there are fewer.
  Pieces(const HostSpace& exec_space, std::uint64_t items)
      : item_count(items),
        count(items > 1 ? std::min(items,
                                   static_cast<std::uint64_t>(std::max(1, concurrency(exec_space))))
                        : items) {}

  /// The first item of a piece.
  std::uint64_t begin(std::size_t piece) const {
    return item_count / count * piece + std::min<std::uint64_t>(piece, item_count % count);
  }

  std::uint64_t item_count;
  std::size_t count;
};

/// Calls `body(piece)` for every piece, each on its own thread.
template <class Body>
void for_each_piece(const HostSpace& exec_space, const char* label, const Pieces& pieces,
                    const Body& body) {
  if (pieces.count == 1) return run_profiled(exec_space, label, [&] { body(std::size_t{0}); });
  Kokkos::parallel_for(
      tool_label(label),
      range<std::size_t, Kokkos::Schedule<Kokkos::Static>>(exec_space, pieces.count)
          .set_chunk_size(1),
      body);
}

}  // namespace Kindred::Arch

#endif  // KINDRED_CORE_ARCH_LAUNCH_HOST_PIECES_HPP
