// SPDX-License-Identifier: Apache-2.0
#include "Limits.hpp"

#include <kindred/core/arch/Spaces.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>
#include <type_traits>

namespace Kindred::Perf {

namespace {

using Word = std::uint64_t;

constexpr std::uint64_t row_words = 3072 / sizeof(Word);

/// Consecutive words that one index of a reading kernel sums up: contiguous on the host (a simple
/// loop that vectorises), strided on a device (coalesced, with many loads in flight).
template <class ExecutionSpace>
constexpr std::uint64_t words_per_index = Arch::is_device<ExecutionSpace> ? 16 : 4096;

template <class ExecutionSpace>
constexpr std::uint64_t lanes_per_row = Arch::is_device<ExecutionSpace> ? 32 : 1;

/// Independent chains per index of an arithmetic kernel.
template <class ExecutionSpace>
constexpr int chains = Arch::is_device<ExecutionSpace> ? 4 : 32;

/// Mixed words that are doubles in [1, 2), so that no kernel processes denormals or NaN.
struct Fill {
  Word* a;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    a[i] = ((i * 0x9E3779B97F4A7C15ULL) >> 12U) | 0x3FF0000000000000ULL;
  }
};

struct Copy {
  const Word* a;
  Word* b;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { b[i] = a[i]; }
};

struct Triad {
  const double* a;
  const double* b;
  double* c;
  double factor;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { c[i] = a[i] + factor * b[i]; }
};

template <class ExecutionSpace>
struct Read {
  const Word* a;
  Word* sums;
  std::uint64_t indices;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    constexpr std::uint64_t count = words_per_index<ExecutionSpace>;
    Word sum = 0;
    if constexpr (Arch::is_device<ExecutionSpace>) {
      for (std::uint64_t k = 0; k < count; ++k) sum += a[i + k * indices];
    } else {
      const Word* chunk = a + i * count;
      for (std::uint64_t k = 0; k < count; ++k) sum += chunk[k];
    }
    sums[i] = sum;
  }
};

template <class ExecutionSpace>
struct ReadRows {
  const Word* a;
  Word* sums;
  std::uint64_t rows;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    constexpr std::uint64_t lanes = lanes_per_row<ExecutionSpace>;
    Word mixed = (i / lanes + 1) * 0x9E3779B97F4A7C15ULL;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    mixed ^= mixed >> 27U;
    const Word* row = a + mixed % rows * row_words + i % lanes;
    Word sum = 0;
    for (std::uint64_t k = 0; k < row_words; k += lanes) sum += row[k];
    sums[i] = sum;
  }
};

template <class ExecutionSpace>
struct WordSteps {
  Word* out;
  int steps;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    constexpr int count = chains<ExecutionSpace>;
    Word state[count];
    Word mask[count];
    for (int c = 0; c < count; ++c) {
      state[c] = ~Word{0};
      mask[c] = (i + static_cast<Word>(c) + 1) * 0x9E3779B97F4A7C15ULL;
    }
    for (int s = 0; s < steps; ++s) {
      for (int c = 0; c < count; ++c) {
        const Word matched = state[c] & mask[c];
        state[c] = (state[c] + matched) | (state[c] - matched);
      }
    }
    Word sum = 0;
    for (int c = 0; c < count; ++c) sum += state[c];
    out[i] = sum;
  }
};

template <class ExecutionSpace>
struct MultiplyAdds {
  Word* out;
  int steps;
  double factor;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    constexpr int count = 2 * chains<ExecutionSpace>;
    double sum[count];
    for (int c = 0; c < count; ++c) sum[c] = static_cast<double>(i) + c;
    for (int s = 0; s < steps; ++s) {
      for (int c = 0; c < count; ++c) sum[c] = ::fma(sum[c], factor, factor);
    }
    double total = 0;
    for (int c = 0; c < count; ++c) total += sum[c];
    out[i] = static_cast<Word>(total);
  }
};

struct Nothing {
  KOKKOS_FUNCTION void operator()(std::uint64_t) const {}
};

template <class ExecutionSpace>
class Meter {
 public:
  Meter(const ExecutionSpace& exec_space, std::uint64_t bytes, int repeats)
      : m_exec_space(exec_space),
        m_repeats(repeats),
        m_words(std::max<std::uint64_t>(bytes / sizeof(Word) / unit * unit, unit)),
        m_a(make("a")),
        m_b(make("b")),
        m_c(make("c")) {
    launch("fill", m_words, Fill{m_a.data()});
    launch("fill", m_words, Fill{m_b.data()});
    launch("fill", m_words, Fill{m_c.data()});
    m_exec_space.fence("Kindred::Perf::Meter::Meter");
  }

  Limits measure() {
    const auto bytes = static_cast<double>(m_words * sizeof(Word));
    Limits limits;
    limits.array_bytes = m_words * sizeof(Word);
    limits.copy = 2 * bytes / seconds("copy", m_words, Copy{m_a.data(), m_b.data()});
    limits.triad =
        3 * bytes / seconds("triad", m_words, Triad{reals(m_a), reals(m_b), reals(m_c), 3.0});
    const std::uint64_t indices = m_words / words_per_index<ExecutionSpace>;
    limits.read =
        bytes / seconds("read", indices, Read<ExecutionSpace>{m_a.data(), m_b.data(), indices});
    const std::uint64_t rows = m_words / row_words;
    limits.random_rows = static_cast<double>(rows * row_words * sizeof(Word)) /
                         seconds("random_rows", rows * lanes_per_row<ExecutionSpace>,
                                 ReadRows<ExecutionSpace>{m_a.data(), m_b.data(), rows});
    const std::uint64_t arithmetic = Arch::is_device<ExecutionSpace> ? 1U << 20U : 2048;
    const int steps = 1024;
    const double chain_steps = static_cast<double>(arithmetic) * steps * chains<ExecutionSpace>;
    limits.word_steps = chain_steps / seconds("word_steps", arithmetic,
                                              WordSteps<ExecutionSpace>{m_b.data(), steps});
    limits.multiply_adds =
        2 * chain_steps /
        seconds("multiply_adds", arithmetic, MultiplyAdds<ExecutionSpace>{m_b.data(), steps, 0.5});
    limits.launch = median(201, [&] {
      launch("launch", 1, Nothing{});
      m_exec_space.fence("Kindred::Perf::Meter::launch");
    });
    constexpr int queued = 100;
    limits.launch_queued = median(21,
                                  [&] {
                                    for (int i = 0; i < queued; ++i) launch("launch", 1, Nothing{});
                                    m_exec_space.fence("Kindred::Perf::Meter::launch_queued");
                                  }) /
                           queued;
    return limits;
  }

 private:
  using Array = Kokkos::View<Word*, typename ExecutionSpace::memory_space>;
  /// The lengths of the arrays are multiples of the chunks of every kernel.
  static constexpr std::uint64_t unit = 4096 * row_words;

  Array make(const std::string& name) const {
    return Array(Kokkos::view_alloc(m_exec_space, Kokkos::WithoutInitializing,
                                    "Kindred::Perf::Meter::" + name),
                 m_words);
  }
  static double* reals(const Array& array) { return reinterpret_cast<double*>(array.data()); }

  template <class Functor>
  void launch(const std::string& name, std::uint64_t count, const Functor& functor) const {
    Kokkos::parallel_for("Kindred::Perf::" + name + "::kernel",
                         Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::uint64_t>>(
                             m_exec_space, 0, count),
                         functor);
  }

  template <class Body>
  static std::vector<double> sorted_times(int repeats, const Body& body) {
    body();
    std::vector<double> times(static_cast<std::size_t>(repeats));
    for (double& time : times) {
      const auto start = std::chrono::steady_clock::now();
      body();
      time = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    std::sort(times.begin(), times.end());
    return times;
  }

  template <class Body>
  static double median(int repeats, const Body& body) {
    return sorted_times(repeats, body)[static_cast<std::size_t>(repeats) / 2];
  }

  /// The fastest run, since a limit describes the undisturbed machine.
  template <class Functor>
  double seconds(const std::string& name, std::uint64_t count, const Functor& functor) const {
    return sorted_times(m_repeats, [&] {
      launch(name, count, functor);
      m_exec_space.fence("Kindred::Perf::Meter::seconds");
    })[0];
  }

  ExecutionSpace m_exec_space;
  int m_repeats;
  std::uint64_t m_words;
  Array m_a;
  Array m_b;
  Array m_c;
};

/// A host instance with \p threads threads if Kokkos supports that.
template <class ExecutionSpace>
ExecutionSpace instance([[maybe_unused]] int threads) {
  if constexpr (std::is_constructible_v<ExecutionSpace, int> && !Arch::is_device<ExecutionSpace>) {
    return ExecutionSpace(threads);
  } else {
    return ExecutionSpace();
  }
}

template <class ExecutionSpace>
void measure_spaces(const Context& context, const LimitsOptions& options,
                    std::vector<Limits>& out) {
  for (const Space space : all_spaces) {
    if (!context.is_usable(space)) continue;
    if ((space == Space::cuda) != Arch::is_device<ExecutionSpace>) continue;
    const SpaceInfo& info = context.info(space);
    const std::uint64_t requested =
        Arch::is_device<ExecutionSpace> ? options.device_bytes : options.host_bytes;
    Meter<ExecutionSpace> meter(instance<ExecutionSpace>(info.concurrency),
                                std::min(requested, info.memory_budget / 4), options.repeats);
    out.push_back(meter.measure());
    out.back().space = space;
  }
}

}  // namespace

std::vector<Limits> measure_limits(const Context& context, const LimitsOptions& options) {
  std::vector<Limits> out;
#define KINDRED_PERF_MEASURE(ExecutionSpace) measure_spaces<ExecutionSpace>(context, options, out);
  KINDRED_FOR_EACH_SPACE(KINDRED_PERF_MEASURE)
#undef KINDRED_PERF_MEASURE
  return out;
}

const Limits* find_limits(const std::vector<Limits>& limits, Space space) {
  for (const Limits& entry : limits) {
    if (entry.space == space) return &entry;
  }
  return nullptr;
}

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         "." + std::to_string(KOKKOS_VERSION % 100);
}

std::string kokkos_configuration() {
  std::ostringstream text;
  Kokkos::print_configuration(text, true);
  return text.str();
}

}  // namespace Kindred::Perf
