// SPDX-License-Identifier: Apache-2.0
#include "problems/RandomData.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

namespace Kindred::Perf {

namespace {

/// Calls `body(begin, end)` for ranges that cover [0, count) on \p threads threads.
template <class Body>
void in_parallel(std::size_t count, int threads, const Body& body) {
  const std::size_t parts =
      std::clamp<std::size_t>(count / 65536, 1, static_cast<std::size_t>(std::max(threads, 1)));
  std::vector<std::jthread> workers;
  for (std::size_t part = 1; part < parts; ++part) {
    workers.emplace_back([&, part] { body(count * part / parts, count * (part + 1) / parts); });
  }
  body(0, count / parts);
}

double unit(std::uint64_t word) { return static_cast<double>(word >> 11U) * 0x1p-53; }

/// Walker's alias method: one table lookup per draw, for any vocabulary.
class ZipfTable {
 public:
  explicit ZipfTable(std::uint32_t vocabulary) : m_entries(vocabulary) {
    std::vector<double> share(vocabulary);
    double total = 0;
    for (std::uint32_t s = 0; s < vocabulary; ++s) total += share[s] = std::pow(s + 1.0, -0.8);
    std::vector<std::uint32_t> small;
    std::vector<std::uint32_t> large;
    for (std::uint32_t s = 0; s < vocabulary; ++s) {
      share[s] *= vocabulary / total;
      (share[s] < 1.0 ? small : large).push_back(s);
    }
    while (!small.empty() && !large.empty()) {
      const std::uint32_t low = small.back();
      const std::uint32_t high = large.back();
      small.pop_back();
      m_entries[low] = {static_cast<std::uint32_t>(share[low] * 0x1p32), high};
      share[high] -= 1.0 - share[low];
      if (share[high] < 1.0) {
        large.pop_back();
        small.push_back(high);
      }
    }
    for (const auto& rest : {small, large}) {
      for (const std::uint32_t s : rest) m_entries[s] = {0xFFFFFFFFU, s};
    }
  }

  Symbol draw(std::uint64_t word) const {
    const auto column = static_cast<std::uint32_t>((word >> 32U) * m_entries.size() >> 32U);
    const Entry& entry = m_entries[column];
    return static_cast<std::uint32_t>(word) < entry.keep ? column : entry.other;
  }

 private:
  struct Entry {
    std::uint32_t keep;
    std::uint32_t other;
  };
  std::vector<Entry> m_entries;
};

}  // namespace

std::uint64_t random_word(std::uint64_t seed, std::uint64_t counter) noexcept {
  std::uint64_t word = (seed * 0xD1342543DE82EF95ULL + counter + 1) * 0x9E3779B97F4A7C15ULL;
  word = (word ^ (word >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  word = (word ^ (word >> 27U)) * 0x94D049BB133111EBULL;
  return word ^ (word >> 31U);
}

SymbolRows zipf_rows(std::size_t rows, std::size_t length, std::uint32_t vocabulary,
                     std::uint64_t seed, int threads) {
  const ZipfTable table(vocabulary);
  SymbolRows out;
  out.length = length;
  out.values.resize(rows * length);
  out.offsets.resize(rows + 1);
  in_parallel(rows * length, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out.values[i] = table.draw(random_word(seed, i));
  });
  in_parallel(rows + 1, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out.offsets[i] = i * length;
  });
  return out;
}

std::vector<Symbol> noisy_copy(std::span<const Symbol> source, double fraction,
                               std::uint32_t vocabulary, std::size_t length, std::uint64_t seed) {
  std::vector<Symbol> out(source.begin(), source.begin() + std::min(length, source.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (unit(random_word(seed, 2 * i)) >= fraction) continue;
    out[i] = static_cast<Symbol>(unit(random_word(seed, 2 * i + 1)) * vocabulary);
  }
  return out;
}

Values<float> normal_rows(std::size_t rows, std::size_t dimension, std::uint64_t seed,
                          int threads) {
  Values<float> out(rows * dimension);
  // Four 16-bit uniform numbers: mean 4 · 32767.5, variance 4 · (2^32 − 1) / 12.
  const auto scale = static_cast<float>(std::sqrt(3.0 / 4294967295.0));
  in_parallel(out.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t word = random_word(seed, i);
      const auto sum = static_cast<std::int32_t>((word & 0xFFFFU) + (word >> 16U & 0xFFFFU) +
                                                 (word >> 32U & 0xFFFFU) + (word >> 48U));
      out[i] = static_cast<float>(sum - 131070) * scale;
    }
  });
  return out;
}

std::int8_t byte_value(std::uint64_t seed, std::uint64_t index) noexcept {
  return static_cast<std::int8_t>(random_word(seed, index / 8) >> (index % 8 * 8) & 0xFFU);
}

Values<std::int8_t> byte_rows(std::size_t rows, std::size_t dimension, std::uint64_t seed,
                              int threads) {
  Values<std::int8_t> out(rows * dimension);
  in_parallel(out.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end;) {
      const std::uint64_t word = random_word(seed, i / 8);
      for (; i < end; ++i) {
        out[i] = static_cast<std::int8_t>(word >> (i % 8 * 8) & 0xFFU);
        if (i % 8 == 7) break;
      }
      ++i;
    }
  });
  return out;
}

Values<Edge> random_edges(GraphShape shape, std::size_t nodes, std::size_t count,
                          std::uint64_t seed, int threads) {
  Values<Edge> out(count);
  const auto n = static_cast<double>(nodes);
  in_parallel(count, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double u = unit(random_word(seed, 3 * i + 1));
      const double target = shape == GraphShape::uniform  ? u
                            : shape == GraphShape::skewed ? u * u
                                                          : u * u * (u * u);
      out[i].from = static_cast<std::uint32_t>(unit(random_word(seed, 3 * i)) * n);
      out[i].to = static_cast<std::uint32_t>(target * n);
      out[i].weight = static_cast<float>(random_word(seed, 3 * i + 2) >> 40U) * 0x1p-24F;
    }
  });
  return out;
}

Values<float> uniform_values(std::size_t count, std::uint64_t seed, int threads) {
  Values<float> out(count);
  in_parallel(count, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      out[i] = static_cast<float>(random_word(seed, i) >> 40U) * 0x1p-24F;
  });
  return out;
}

}  // namespace Kindred::Perf
