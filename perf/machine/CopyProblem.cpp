// SPDX-License-Identifier: Apache-2.0
#include <kindred/core/arch/Concurrency.hpp>

#include "machine/CopyProblem.hpp"

#include "common/Timing.hpp"
#include "machine/RepeatedCallsProblem.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace Kindred::Perf {

namespace {

struct CopyPiece {
  const std::byte* from;
  std::byte* to;
  std::size_t bytes;
  std::size_t pieces;
  void operator()(std::size_t i) const {
    const std::size_t begin = bytes / 64 * i / pieces * 64;
    const std::size_t end = i + 1 == pieces ? bytes : bytes / 64 * (i + 1) / pieces * 64;
    std::memcpy(to + begin, from + begin, end - begin);
  }
};

struct alignas(16) Vec16Bytes {
  std::uint64_t word[2];
};

/// Four words per thread, all of which are read before the first is written.
struct CopyWords {
  static constexpr std::uint64_t block = 256;
  static constexpr std::uint64_t each = 4;

  const Vec16Bytes* from;
  Vec16Bytes* to;
  std::uint64_t words;
  KOKKOS_FUNCTION void operator()(std::uint64_t thread) const {
    const std::uint64_t first = thread / block * block * each + thread % block;
    Vec16Bytes here[each];
    for (std::uint64_t i = 0; i < each; ++i) {
      if (first + i * block < words) here[i] = from[first + i * block];
    }
    for (std::uint64_t i = 0; i < each; ++i) {
      if (first + i * block < words) to[first + i * block] = here[i];
    }
  }
};

template <class ExecutionSpace>
class CopyCalls final : public Repeated<ExecutionSpace> {
 public:
  CopyCalls(const ExecutionSpace& exec_space, const CopyWork& work, bool by_words)
      : Repeated<ExecutionSpace>(exec_space, work.calls),
        m_bytes((work.bytes + 15) / 16 * 16),
        m_by_words(by_words) {
    for (std::size_t i = 0; i < 2 * work.sets; ++i) {
      m_arrays.emplace_back(Kokkos::view_alloc(exec_space, "Kindred::Perf::Copy"), m_bytes);
    }
    exec_space.fence("Kindred::Perf::Copy::make");
  }
  std::uint64_t digest() const override { return 0; }
  std::string check() const override { return {}; }

 private:
  void launch(std::size_t call) override {
    const std::size_t set = call % (m_arrays.size() / 2);
    const std::byte* from = m_arrays[2 * set].data();
    std::byte* to = m_arrays[2 * set + 1].data();
    if constexpr (Arch::is_device<ExecutionSpace>) {
#if KINDRED_HAS_DEVICE
      if (!m_by_words) {
        cudaMemcpyAsync(to, from, m_bytes, cudaMemcpyDeviceToDevice,
                        this->exec_space().cuda_stream());
        return;
      }
      const std::uint64_t words = m_bytes / 16;
      const std::uint64_t unit = CopyWords::block * CopyWords::each;
      Kokkos::parallel_for("Kindred::Perf::Copy::words",
                           Kokkos::RangePolicy<ExecutionSpace, Kokkos::LaunchBounds<256>,
                                               Kokkos::IndexType<std::uint64_t>>(
                               this->exec_space(), 0, (words + unit - 1) / unit * CopyWords::block),
                           CopyWords{reinterpret_cast<const Vec16Bytes*>(from),
                                     reinterpret_cast<Vec16Bytes*>(to), words});
#endif
    } else {
      const auto pieces = static_cast<std::size_t>(Arch::concurrency(this->exec_space()));
      Kokkos::parallel_for("Kindred::Perf::Copy::pieces",
                           Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Static>,
                                               Kokkos::IndexType<std::size_t>>(
                               this->exec_space(), 0, pieces, Kokkos::ChunkSize(1)),
                           CopyPiece{from, to, m_bytes, pieces});
    }
  }

  std::size_t m_bytes;
  bool m_by_words;
  std::vector<Kokkos::View<std::byte*, typename ExecutionSpace::memory_space>> m_arrays;
};

class CopyProblem final : public RepeatedCallsProblem {
 public:
  CopyProblem(Context& context, const CopyWork& work) : m_context(context), m_work(work) {
    name = "BM_Copy";
    arguments = {{"bytes", static_cast<std::int64_t>(work.bytes)},
                 {"calls", static_cast<std::int64_t>(work.calls)}};
    items = static_cast<double>(work.calls) * static_cast<double>(work.bytes);
    bytes = 2 * items;
  }

 private:
  std::unique_ptr<Calls> make(Space space) const override {
    auto by_driver = make(space, false);
    if (space != Space::cuda) return by_driver;
    const double driver = median_of(5, 1.0, [&] { by_driver->run(); });
    auto by_words = make(space, true);
    const double words = median_of(5, 1.0, [&] { by_words->run(); });
    return words < driver ? std::move(by_words) : std::move(by_driver);
  }
  std::unique_ptr<Calls> make(Space space, bool by_words) const {
    return with_own_instance(
        m_context, space,
        [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) -> std::unique_ptr<Calls> {
          return std::make_unique<CopyCalls<ExecutionSpace>>(exec_space, m_work, by_words);
        });
  }

  Context& m_context;
  CopyWork m_work;
};

}  // namespace

std::unique_ptr<Problem> copy_problem(Context& context, const CopyWork& work) {
  return std::make_unique<CopyProblem>(context, work);
}

}  // namespace Kindred::Perf
