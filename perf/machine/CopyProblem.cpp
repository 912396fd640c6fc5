// SPDX-License-Identifier: Apache-2.0
#include "machine/CopyProblem.hpp"

#include "common/Timing.hpp"
#include "machine/RepeatedCalls.hpp"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
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

struct alignas(16) SixteenBytes {
  std::uint64_t word[2];
};

/// Four words a thread, all of them read before the first is written.
struct CopyWords {
  static constexpr std::uint64_t block = 256;
  static constexpr std::uint64_t each = 4;

  const SixteenBytes* from;
  SixteenBytes* to;
  std::uint64_t words;
  KOKKOS_FUNCTION void operator()(std::uint64_t thread) const {
    const std::uint64_t first = thread / block * block * each + thread % block;
    SixteenBytes here[each];
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
                           CopyWords{reinterpret_cast<const SixteenBytes*>(from),
                                     reinterpret_cast<SixteenBytes*>(to), words});
#endif
    } else {
      const auto pieces = static_cast<std::size_t>(this->exec_space().concurrency());
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

class CopyProblem final : public Problem {
 public:
  CopyProblem(Context& context, const CopyWork& work) : m_context(context), m_work(work) {
    name = "BM_Copy";
    arguments = {{"bytes", static_cast<std::int64_t>(work.bytes)},
                 {"calls", static_cast<std::int64_t>(work.calls)}};
    items = static_cast<double>(work.calls) * static_cast<double>(work.bytes);
    bytes = 2 * items;
  }
  bool reaches(Space) const override { return true; }
  DispatchRecord run(std::optional<Space> space) override {
    if (!m_calls || m_space != *space) {
      m_space = *space;
      m_calls = make(false);
      if (m_space == Space::cuda) {
        const double driver = median_of(5, 1.0, [&] { m_calls->run(); });
        auto words = make(true);
        if (median_of(5, 1.0, [&] { words->run(); }) < driver) m_calls = std::move(words);
      }
    }
    m_calls->run();
    DispatchRecord record;
    record.chosen = *space;
    return record;
  }
  std::uint64_t digest() const override { return m_calls->digest(); }
  std::string check() const override { return m_calls->check(); }

 private:
  std::unique_ptr<Calls> make(bool by_words) const {
    return with_own_instance(
        m_context, m_space,
        [&]<class ExecutionSpace>(const ExecutionSpace& exec_space) -> std::unique_ptr<Calls> {
          return std::make_unique<CopyCalls<ExecutionSpace>>(exec_space, m_work, by_words);
        });
  }

  Context& m_context;
  CopyWork m_work;
  Space m_space = Space::serial;
  std::unique_ptr<Calls> m_calls;
};

}  // namespace

std::unique_ptr<Problem> copy_problem(Context& context, const CopyWork& work) {
  return std::make_unique<CopyProblem>(context, work);
}

}  // namespace Kindred::Perf
